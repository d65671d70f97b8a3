import EngineTestSupport
import Dflat
import Foundation
import Golden_post
import SQLiteDflat
import TestSupport
import Testing

@Suite("A file or row that cannot be opened or read is reported, and everything else is read")
struct OpeningTests {
  private func workspace(_ path: String, _ errors: Collected<any Error>) -> SQLiteWorkspace {
    SQLiteWorkspace(filePath: path, fileProtectionLevel: .noProtection, errorHandler: { errors.append($0) })
  }

  /// Checks that nothing can be stored or found at `path`.
  private func expectUnusable(_ path: String, code: Int32) async {
    let errors = Collected<any Error>()
    let workspace = workspace(path, errors)
    #expect(workspace.fetch(for: Post.self).all().isEmpty)
    #expect(errors.count == 1)
    let success = await workspace.performChanges([Post.self]) { context in
      #expect(throws: TransactionError.others) {
        try context.submit(PostChangeRequest.creationRequest(Post(title: "a")))
      }
      #expect(context.try(submit: PostChangeRequest.creationRequest(Post(title: "b"))) == nil)
    }
    #expect(!success)
    // Each failure, once: that of the fetch and that of the transaction.
    #expect(errors.count == 2)
    for error in errors.values {
      let error = error as? SQLiteError
      #expect(error?.code == code && error?.path == path && error?.message.isEmpty == false)
    }
    await workspace.shutdown()
  }

  @Test("A path that is a folder is refused")
  func folder() async throws {
    let store = try TestStore()
    await expectUnusable(store.folder, code: 14)
  }

  @Test("A path in a missing folder is refused, and the folder is not made")
  func missingFolder() async throws {
    let store = try TestStore()
    await expectUnusable(store.folder + "/missing/store.sqlite3", code: 14)
    #expect(!FileManager.default.fileExists(atPath: store.folder + "/missing"))
  }

  @Test("A file that is no database is refused, and left as it is")
  func otherFile() async throws {
    let store = try TestStore()
    let path = store.folder + "/text"
    let text = Data(String(repeating: "This is no database. ", count: 100).utf8)
    try text.write(to: URL(fileURLWithPath: path))
    await expectUnusable(path, code: 26)
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == text)
  }

  @Test("A workspace that could not open its file opens it at the next use")
  func anOpeningThatFailedIsTriedAgain() async throws {
    let store = try TestStore()
    let errors = Collected<any Error>()
    let folder = store.folder + "/later"
    let workspace = workspace(folder + "/store.sqlite3", errors)
    #expect(workspace.fetch(for: Post.self).all().isEmpty)
    #expect(errors.count == 1)
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    let success = await workspace.performChanges([Post.self]) { context in
      context.try(submit: PostChangeRequest.creationRequest(Post(title: "a")))
    }
    #expect(success)
    #expect(workspace.fetch(for: Post.self).all().map(\.title) == ["a"])
    #expect(errors.count == 1)
    await workspace.shutdown()
  }

  @Test("A fetch and an empty transaction create no file, and a file created later is found")
  func aFetchMakesNoFile() throws {
    let store = try TestStore()
    #expect(store.workspace.fetch(for: Post.self).all().isEmpty)
    store.perform([Post.self]) { _ in }
    #expect(!FileManager.default.fileExists(atPath: store.path))
    #expect(store.errors.values.isEmpty)
    // A file made afterwards is found.
    let other = store.reopened()
    store.perform([Post.self], in: other) { $0.try(submit: PostChangeRequest.creationRequest(Post(title: "a"))) }
    #expect(store.workspace.fetch(for: Post.self).all().count == 1)
    other.shutdown()
  }

  @Test("A fetch reports each damaged row and returns the other objects")
  func aRowThatIsNoObjectIsReportedAndTheOthersCome() throws {
    let store = try TestStore()
    store.perform([Post.self]) { context in
      for title in ["a", "b", "c", "d"] {
        context.try(submit: PostChangeRequest.creationRequest(Post(title: title, priority: 1)))
      }
    }
    try store.damage("UPDATE post SET p = x'FFFFFFFF00' WHERE __pk0 = 'b'; UPDATE post SET p = NULL WHERE __pk0 = 'c'")
    let posts = store.workspace.fetch(for: Post.self)
    #expect(posts.all().map(\.title) == ["a", "d"])
    #expect(store.errors.count == 2)
    #expect(store.errors.values.allSatisfy { ($0 as? SQLiteError)?.code == 11 })
    #expect(posts.where(Post.priority == 1, limit: .limit(2)).map(\.title) == ["a", "d"])
    store.perform([Post.self]) { _ in
      #expect(PostChangeRequest.changeRequest(Post(title: "b")) == nil)
    }
  }

  @Test("A row with bytes at random is found or reported, and its neighbour is found", arguments: 1...50)
  func damagedRows(seed: Int) throws {
    let store = try TestStore()
    var generator = PostGenerator(random: SeededGenerator(seed: UInt64(seed)))
    let post = generator.post(title: "a title")
    let neighbour = Post(title: "neighbour", color: .red)
    store.perform([Post.self]) { context in
      for each in [post, neighbour] { context.try(submit: PostChangeRequest.creationRequest(each)) }
    }
    let hex = try #require(try store.sql("SELECT hex(p) FROM post WHERE rowid = 1")[0][0])
    var bytes = stride(from: 0, to: hex.count, by: 2).map { offset -> UInt8 in
      let start = hex.index(hex.startIndex, offsetBy: offset)
      return UInt8(hex[start..<hex.index(start, offsetBy: 2)], radix: 16) ?? 0
    }
    for _ in 0..<3 {
      bytes[Int.random(in: 0..<bytes.count, using: &generator.random)] = UInt8.random(
        in: 0...255, using: &generator.random)
    }
    if generator.chance(30) { bytes.removeLast(Int.random(in: 1...bytes.count, using: &generator.random)) }
    try store.damage("UPDATE post SET p = x'\(bytes.map { String(format: "%02X", $0) }.joined())' WHERE rowid = 1")
    let posts = store.workspace.fetch(for: Post.self)
    /// Calls `fetch`, and returns the rows that it has found, and how many it has reported.
    func rows(_ fetch: () -> [Post]) -> (found: [Int64], reported: Int) {
      store.errors.removeAll()
      let found = fetch()
      #expect(store.errors.values.allSatisfy { ($0 as? SQLiteError)?.code == 11 }, "\(store.errors.values)")
      #expect(found.first { $0._rowid == 2 }.map { $0.title == "neighbour" && $0.color == .red } ?? true)
      return (found.map(\._rowid).sorted(), store.errors.count)
    }
    let all = rows { Array(posts.all()) }
    #expect(all.found == (all.reported == 0 ? [1, 2] : [2]) && all.reported <= 1)
    // The key stands in a column of its own.
    let byKey = rows { Array(posts.where(Post.title == "a title")) }
    #expect(byKey.found == (all.reported == 0 ? [1] : []) && byKey.reported == all.reported)
    let ordered = rows { Array(posts.all(orderBy: [Post.tag.descending, Post.color.ascending])) }
    #expect(ordered.found == all.found && ordered.reported == all.reported)
    // Whether the damaged object fulfils a condition, nobody knows.
    let byContents = rows {
      Array(posts.where(Post.tag > "" || Post.content.as(TextContent.self).text < "z" || Post.color == .red))
    }
    #expect(byContents.found.contains(2) && byContents.found.count + byContents.reported <= 2)
    #expect(all.reported == 0 || byContents.found == [2])
  }
}
