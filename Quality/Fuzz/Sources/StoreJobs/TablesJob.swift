import CSQLite
import Dflat
import FlatBuffersCore
import Foundation
import FuzzSupport
import Golden_post
import SQLiteDflat

/// Any changes of a store's own tables by another program. Whatever they are, the program goes on, and what a
/// transaction has stored is found. For one thread.
///
/// The bytes are a list of statements with their values: see `Script`.
public final class TablesJob {
  private let folder: URL
  private let template: String

  /// Creates a store with some objects and keys, in a folder of its own. Each input gets a copy.
  ///
  /// - Throws: if that fails.
  public init() throws(Mistake) {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("dflat-fuzz-\(UUID().uuidString)")
    do { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) } catch {
      throw Mistake("no folder: \(error)")
    }
    template = folder.appendingPathComponent("template.sqlite3").path
    let workspace = SQLiteWorkspace(filePath: template, fileProtectionLevel: .noProtection)
    workspace.dictionary["launches"] = 1
    let isStored = TablesJob.perform(in: workspace) { context in
      for number in 0..<4 {
        context.try(submit: PostChangeRequest.creationRequest(Post(title: "\(number)", priority: Int32(number))))
      }
    }
    _ = workspace.fetch(for: Post.self).where(Post.priority == 3)
    workspace.shutdown(flags: .truncate)
    guard isStored else { throw Mistake("no template") }
  }

  deinit {
    // What is left behind of a folder for temporary files does no harm.
    try? FileManager.default.removeItem(at: folder)
  }

  /// Changes the tables of a store, and works with it.
  ///
  /// - Throws: what must not happen, whatever the changes are.
  public func run(_ bytes: [UInt8]) throws(Mistake) {
    let path = folder.appendingPathComponent("store.sqlite3").path
    for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) }
    do { try FileManager.default.copyItem(atPath: template, toPath: path) } catch { throw Mistake("no copy: \(error)") }
    var script = Script(bytes)
    // The first byte says how many statements come before the workspace is opened.
    let early = Int(script.next() % 8)
    try TablesJob.write(&script, statements: early, to: path)
    let expected = try work(path) { () throws(Mistake) in
      try TablesJob.write(&script, statements: 8, to: path)
    }
    // And after the store has been closed and opened again.
    let workspace = SQLiteWorkspace(filePath: path, fileProtectionLevel: .noProtection) { _ in }
    defer { workspace.shutdown() }
    try TablesJob.find(expected, in: workspace)
  }

  /// What the store has promised to hold.
  private struct Expected {
    var post: Post?
    var hasKey = false
  }

  private func work(_ path: String, _ interrupt: () throws(Mistake) -> Void) throws(Mistake) -> Expected {
    let errors = ErrorCount()
    let workspace = SQLiteWorkspace(filePath: path, fileProtectionLevel: .noProtection) { _ in errors.add() }
    defer { workspace.shutdown() }
    TablesJob.read(workspace)
    try interrupt()
    TablesJob.read(workspace)
    _ = TablesJob.perform(in: workspace) { context in
      // Changes and deletions of what is there may be refused, and must not end the program.
      for post in workspace.fetch(for: Post.self).all() {
        guard let request = PostChangeRequest.changeRequest(post) else { continue }
        request.priority += 1
        _ = try? context.submit(request)
      }
      if let post = workspace.fetch(for: Post.self).where(Post.priority >= 2).first,
        let request = PostChangeRequest.deletionRequest(post)
      {
        _ = try? context.submit(request)
      }
    }
    var expected = Expected()
    let post = Post(title: "new", color: .blue, priority: 77)
    if TablesJob.perform(
      in: workspace,
      { context in
        do { _ = try context.submit(PostChangeRequest.creationRequest(post)) } catch { context.abort() }
      })
    {
      expected.post = post
    }
    errors.reset()
    workspace.dictionary["key"] = 5
    workspace.dictionary.synchronize()
    expected.hasKey = errors.count == 0
    try TablesJob.find(expected, in: workspace)
    return expected
  }

  private static func read(_ workspace: SQLiteWorkspace) {
    _ = workspace.fetch(for: Post.self).all(limit: .limit(100), orderBy: [Post.priority.ascending])
    _ = workspace.fetch(for: Post.self).where(Post.priority > 1 && Post.title != "2")
    _ = workspace.fetch(for: Post.self).where(Post.title == "1")
    _ = workspace.fetch(for: Post.self).count()
    _ = workspace.dictionary["launches", Int.self]
    _ = workspace.dictionary.keys
  }

  private static func find(_ expected: Expected, in workspace: SQLiteWorkspace) throws(Mistake) {
    if let post = expected.post, workspace.fetch(for: Post.self).where(Post.title == "new").first != post {
      throw Mistake("an object was stored and is not found")
    }
    if expected.hasKey, workspace.dictionary["key", Int.self] != 5 {
      throw Mistake("a value was stored in the dictionary and is not found")
    }
  }

  private static func perform(
    in workspace: SQLiteWorkspace, _ changes: @escaping @Sendable (any TransactionContext) -> Void
  ) -> Bool {
    let (done, outcome) = (DispatchSemaphore(value: 0), Outcome())
    workspace.performChanges([Post.self], changesHandler: changes) {
      outcome.isStored = $0
      done.signal()
    }
    done.wait()
    return outcome.isStored
  }

  /// Executes statements as another program. What SQLite refuses of them is no concern of the store.
  private static func write(_ script: inout Script, statements count: Int, to path: String) throws(Mistake) {
    var connection: OpaquePointer?
    guard sqlite3_open_v2(path, &connection, SQLITE_OPEN_READWRITE, nil) == SQLITE_OK, let connection else {
      throw Mistake("no second connection")
    }
    defer { sqlite3_close(connection) }
    // Nothing of it is worth the wait for a disk.
    sqlite3_exec(connection, "PRAGMA synchronous = OFF", nil, nil, nil)
    for _ in 0..<count {
      guard let sql = script.nextStatement() else { return }
      var statement: OpaquePointer?
      let result = sqlite3_prepare_v2(connection, sql, -1, &statement, nil)
      // The values are read even if the statement is refused, so that the rest of the bytes keeps its meaning.
      for index in 1...3 where index <= sql.count(where: { $0 == "?" }) {
        script.bind(to: statement, at: Int32(index))
      }
      guard result == SQLITE_OK else { continue }
      while sqlite3_step(statement) == SQLITE_ROW {}
      sqlite3_finalize(statement)
    }
  }
}

/// Bytes, read as statements and values.
private struct Script {
  private var bytes: ArraySlice<UInt8>

  init(_ bytes: [UInt8]) { self.bytes = bytes[...] }

  mutating func next() -> UInt8 { bytes.popFirst() ?? 0 }

  /// The next statement; nil at the end.
  mutating func nextStatement() -> String? {
    bytes.popFirst().map { Script.statements[Int($0) % Script.statements.count] }
  }

  /// Binds the next value to a parameter of a statement.
  mutating func bind(to statement: OpaquePointer?, at index: Int32) {
    let (kind, choice) = (next() % 7, next())
    switch kind {
    case 0: sqlite3_bind_null(statement, index)
    case 1: sqlite3_bind_int64(statement, index, Script.integers[Int(choice) % Script.integers.count])
    case 2: sqlite3_bind_int64(statement, index, Int64(Int8(bitPattern: choice)))
    case 3: sqlite3_bind_double(statement, index, Script.reals[Int(choice) % Script.reals.count])
    case 4: sqlite3_bind_text(statement, index, Script.texts[Int(choice) % Script.texts.count], -1, Script.transient)
    case 5:
      let blob = Array(bytes.prefix(Int(choice) % 32))
      bytes = bytes.dropFirst(blob.count)
      sqlite3_bind_blob(statement, index, blob, Int32(blob.count), Script.transient)
    default:
      let blob = Post(title: Script.texts[Int(choice) % Script.texts.count], priority: Int32(choice)).toData()
      blob.withUnsafeBytes {
        _ = sqlite3_bind_blob(statement, index, $0.baseAddress, Int32($0.count), Script.transient)
      }
    }
  }

  /// SQLite copies the value: a macro that Swift does not import.
  private static let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

  private static let integers: [Int64] = [
    .max, .max - 1, .min, .min + 1, -1, 0, 1, 2, 3, 4, 5, 1 << 31, 1 << 53, 1 << 62, .max - 1 << 40, .max - 1 << 40 + 1,
  ]
  private static let reals = [0.5, 1e300, -1e300, .infinity, -.infinity, 0x1p63, 3.0]
  private static let texts = [
    "", "1", "2", "new", "key", "launches", "9223372036854775807", "post", "é", "x\u{301}", "-1",
  ]

  private static let dictionary = "dictitem_v_dflat_internal__"
  private static let marks = "\"dflat-foreign-writes\""
  private static let statements: [String] =
    [
      "INSERT OR REPLACE INTO post (rowid, __pk0, p) VALUES (?, ?, ?)",
      "UPDATE post SET rowid = ? WHERE rowid = (SELECT min(rowid) FROM post)",
      "UPDATE post SET rowid = ? WHERE rowid = (SELECT max(rowid) FROM post)",
      "UPDATE post SET __pk0 = ? WHERE rowid = (SELECT min(rowid) FROM post)",
      "UPDATE post SET p = ? WHERE rowid = (SELECT min(rowid) FROM post)",
      "UPDATE post SET p = ?",
      "DELETE FROM post WHERE rowid > ?",
      "INSERT OR REPLACE INTO post__f10 VALUES (?, ?)",
      "UPDATE post__f10 SET rowid = ? WHERE rowid = (SELECT min(rowid) FROM post__f10)",
      "UPDATE post__f10 SET f10 = ?",
      "DELETE FROM post__f10 WHERE rowid > ?",
      "UPDATE sqlite_sequence SET seq = ?",
      "UPDATE sqlite_sequence SET seq = ? WHERE name = ?",
      "UPDATE sqlite_sequence SET name = ? WHERE rowid = 1",
      "INSERT INTO sqlite_sequence VALUES ('post', ?)",
      "DELETE FROM sqlite_sequence",
      "UPDATE \(marks) SET written = ?",
      "UPDATE \(marks) SET type = ? WHERE type = 'post'",
      "DELETE FROM \(marks)",
      "DROP TABLE \(marks)",
      "DROP TRIGGER verified__post__f10",
      "DROP TRIGGER written__post__insert",
      "CREATE TRIGGER verified__post__f10 BEFORE UPDATE OF rowid ON post__f10 BEGIN SELECT 1; END",
      "DROP TABLE post__f10",
      "DROP TABLE post",
      "DROP INDEX index__post__f10",
      "CREATE UNIQUE INDEX index__post__f10 ON post__f10 (f10)",
      "CREATE TABLE post (x)",
      "CREATE TABLE post (rowid INTEGER PRIMARY KEY, __pk0, p)",
      "CREATE TABLE post__f10 (x)",
      "CREATE VIEW post__f10 AS SELECT 1 AS rowid, 2 AS f10",
      "CREATE VIEW post AS SELECT 1 AS rowid, 'a' AS __pk0, NULL AS p",
      "ALTER TABLE post ADD COLUMN x",
      "ALTER TABLE post ADD COLUMN y NOT NULL DEFAULT 3",
      "ALTER TABLE post RENAME COLUMN __pk0 TO z",
      "ALTER TABLE post RENAME TO elsewhere",
      "ALTER TABLE post__f10 RENAME COLUMN f10 TO z",
      "INSERT OR REPLACE INTO \(dictionary) (rowid, __pk0, __pk1) VALUES (?, ?, ?)",
      "UPDATE \(dictionary) SET rowid = ?",
      "UPDATE \(dictionary) SET p = ?",
      "UPDATE \(dictionary) SET __pk0 = ?",
      "UPDATE \(dictionary) SET __pk1 = ?",
      "DROP TABLE \(dictionary)",
      "PRAGMA user_version = 7",
      "PRAGMA journal_mode = DELETE",
      "VACUUM",
    ]
}

private final class Outcome: @unchecked Sendable {
  // Unchecked because a semaphore orders the accesses.
  var isStored = false
}
