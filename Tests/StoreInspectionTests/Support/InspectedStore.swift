import FBSDiagnostics
import CSQLite
import Dflat
import FBSParser
import FBSSchema
import FlatBuffersJSON
import Foundation
import Golden_post
import SQLiteDflat
import StoreInspection
import TestSupport
import Testing

/// The schema of the stores: that of the golden case `post`.
let postSchemaPath = packageFolder.appendingPathComponent("Fixtures/post/schema.fbs").path

/// A schema of one text.
func schema(_ text: String) throws -> Schema {
  struct Provider: SourceProvider {
    let text: String
    func read(_ path: String) throws(SourceReadError) -> [UInt8] { Array(text.utf8) }
  }
  let compilation = SchemaCompiler.compile(inputs: ["schema.fbs"], provider: Provider(text: text))
  try #require(compilation.isValid, "\(compilation.diagnostics.map(\.message))")
  return compilation.schema
}

func postSchema() throws -> Schema { try schema(String(contentsOfFile: postSchemaPath, encoding: .utf8)) }

/// Posts that differ in all their fields.
let posts: [Post] = (0..<10).map { number in
  let color: Color = number % 3 == 0 ? .red : number % 3 == 1 ? .green : .blue
  let content: Content? =
    switch number % 4 {
    case 0: nil
    case 1: .textContent(TextContent(text: "text \(number)"))
    default: .imageContent(ImageContent(images: ["a.png"]))
    }
  let tag: String? = number % 2 == 0 ? nil : "tag \(number)"
  return Post(title: "post \(number)", color: color, tag: tag, priority: Int32(number - 3), content: content)
}

/// Gives `body` the path of a file in an empty folder, which is removed afterwards.
func withStoreFile(_ body: (String) async throws -> Void) async throws {
  let folder = FileManager.default.temporaryDirectory.appendingPathComponent("dflat-test-\(UUID().uuidString)")
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  defer {
    do {
      try FileManager.default.removeItem(at: folder)
    } catch {
      Issue.record("cannot remove \(folder.path): \(error)")
    }
  }
  try await body(folder.appendingPathComponent("store.sqlite3").path)
}

/// A workspace on a file, whose errors fail the test.
func openWorkspace(_ path: String) -> SQLiteWorkspace {
  SQLiteWorkspace(filePath: path, fileProtectionLevel: .noProtection) { error in
    Issue.record("the store reports: \(error)")
  }
}

/// A folder with a store of `posts`, which the real runtime has written. With `isOpen`, `body` runs while it is open.
func withStore(isOpen: Bool = false, _ body: (String) throws -> Void) async throws {
  try await withStoreFile { path in
    let workspace = openWorkspace(path)
    await workspace.performChanges([Post.self]) { transaction in
      for post in posts { transaction.try(submit: PostChangeRequest.creationRequest(post)) }
    }
    // Uses the index, which is then built.
    _ = workspace.fetch(for: Post.self).where(Post.priority > 100)
    workspace.dictionary["greeting", String.self] = "hello"
    workspace.dictionary.synchronize()
    if isOpen {
      let result = Result { try body(path) }
      await workspace.shutdown()
      try result.get()
    } else {
      await workspace.shutdown()
      try body(path)
    }
  }
}

/// Runs SQL on a file, which is made if it is missing.
///
/// - Parameter firingTriggers: false for damage of which the runtime does not learn.
func runSQL(_ sql: String, on path: String, firingTriggers: Bool = true) throws {
  var handle: OpaquePointer?
  #expect(sqlite3_open(path, &handle) == SQLITE_OK)
  defer { sqlite3_close(handle) }
  #expect(firingTriggers || dflat_disable_triggers(handle) != 0)
  var message: UnsafeMutablePointer<CChar>?
  let status = sqlite3_exec(handle, sql, nil, nil, &message)
  guard status == SQLITE_OK else {
    throw ProgramFailure(message.map { String(cString: $0) } ?? "SQLite fails with \(status)")
  }
}

/// Overwrites the first page of a table or index, in a file whose log is empty.
func overwriteRoot(of name: String, in path: String) throws {
  var handle: OpaquePointer?
  #expect(sqlite3_open(path, &handle) == SQLITE_OK)
  var statement: OpaquePointer?
  let sql = "SELECT rootpage, (SELECT page_size FROM pragma_page_size) FROM sqlite_master WHERE name = '\(name)'"
  #expect(sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK)
  #expect(sqlite3_step(statement) == SQLITE_ROW)
  let (page, size) = (Int(sqlite3_column_int64(statement, 0)), Int(sqlite3_column_int64(statement, 1)))
  sqlite3_finalize(statement)
  sqlite3_close(handle)
  try #require(page > 1)
  let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
  try file.seek(toOffset: UInt64((page - 1) * size))
  try file.write(contentsOf: Data(repeating: 0xFF, count: size))
  try file.close()
}

extension StoreInspector {
  func type(_ name: String) throws -> StoredType { try #require(types.first { $0.name == name }) }

  /// The titles of the posts that satisfy a condition.
  func titles(
    where condition: String, order: (String, Bool)? = nil, limit: Int? = nil
  ) throws -> [String] {
    let post = try type("Post")
    let reader = FilterReader(post.table, layouts(of: post))
    let file = SourceFile(id: FileID(0), path: "--where", bytes: Array(condition.utf8))
    let (filter, diagnostic) = reader.filter(file)
    try #require(diagnostic == nil, "\(diagnostic?.message ?? "")")
    let path = order.flatMap { reader.path($0.0.split(separator: ".").map(String.init), in: file).path }
    let title = try #require(reader.path(["title"], in: file).path)
    var titles: [String] = []
    try forEach(post, where: filter, order: path.map { ($0, order?.1 ?? false) }, limit: limit) { row in
      if case .object(let object, _) = row, case .text(let text) = object.value(at: title) {
        titles.append(String(decoding: text, as: UTF8.self))
      }
      return true
    }
    return titles
  }

  /// The numbers of the posts' rows that `forEach` reads until it is told to end, at the first damaged row.
  func rowsToFirstDamage(orderedBy name: String?, limit: Int? = nil) throws -> [Int64] {
    let post = try type("Post")
    let reader = FilterReader(post.table, layouts(of: post))
    let file = SourceFile(id: FileID(0), path: "--order", bytes: [])
    let path = name.flatMap { reader.path([$0], in: file).path }
    var rows: [Int64] = []
    try forEach(post, where: nil, order: path.map { ($0, false) }, limit: limit) { row in
      switch row {
      case .object(_, let number):
        rows.append(number)
        return true
      case .damaged(_, let number):
        rows.append(number)
        return false
      }
    }
    return rows
  }

  /// What a verification reports.
  func faults() throws -> [StoreFault] {
    var faults: [StoreFault] = []
    try verify(progress: { _ in }) { faults.append($0) }
    return faults
  }
}
