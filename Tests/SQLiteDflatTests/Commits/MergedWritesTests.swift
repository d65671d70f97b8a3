import Dflat
@testable import DflatEngine
import Golden_post
import Testing

@testable import SQLiteDflat

@Suite("Writes that are merged into few statements leave what single ones would")
struct MergedWritesTests {
  private let store: TestStore

  init() throws {
    store = try TestStore()
  }

  private func insert(_ numbers: some Sequence<Int>) {
    store.perform([Post.self]) { context in
      for number in numbers {
        context.try(
          submit: PostChangeRequest.creationRequest(Post(title: "\(number)", tag: "t", priority: Int32(number))))
      }
    }
  }

  /// The rows and the entries of the index, as text, in the order of the rows.
  private func rowsAndEntries() throws -> (rows: [[String?]], entries: [[String?]]) {
    (
      try store.sql("SELECT rowid, __pk0 FROM post ORDER BY rowid"),
      try store.sql("SELECT rowid, f10 FROM post__f10 ORDER BY rowid")
    )
  }

  @Test(
    "New rows have their keys and index entries, however many there are", arguments: [1, 15, 16, 17, 63, 64, 100, 1000])
  func newRows(count: Int) throws {
    insert(0..<count)
    let (rows, entries) = try rowsAndEntries()
    #expect(rows == (0..<count).map { ["\($0 + 1)", "\($0)"] })
    #expect(entries == (0..<count).map { ["\($0 + 1)", "\($0)"] })
  }

  @Test("A key is refused whether its row is stored, collected, deleted and stored again, or has taken another key")
  func takenKeys() throws {
    insert(0..<100)
    store.perform([Post.self]) { context in
      func create(_ title: String) -> Bool {
        let request = PostChangeRequest.creationRequest(Post(title: title, priority: 7))
        return (try? context.submit(request)) != nil
      }
      for number in 100..<200 {
        #expect(create("\(number)"))
        #expect(!create("\(number)") && !create("\(number - 100)") && !create("\(number - 1)"))
      }
      // Here the transaction has the writer, and what follows is collected.
      let posts = store.workspace.fetch(for: Post.self).where(Post.title == "3" || Post.title == "4")
      #expect(posts.count == 2)
      guard posts.count == 2 else { return }
      PostChangeRequest.deletionRequest(posts[0]).map { _ = context.try(submit: $0) }
      let request = PostChangeRequest.changeRequest(posts[1])
      request?.title = "four"
      request.map { _ = context.try(submit: $0) }
      #expect(!create("four") && create("4") && create("3"))
      #expect(!create("4") && !create("3"))
    }
    let titles = Set(store.workspace.fetch(for: Post.self).all().map(\.title))
    #expect(titles == Set((0..<200).map(String.init) + ["four"]))
    #expect(try store.sql("SELECT count(*) FROM post") == [["201"]])
  }

  @Test("A hash of keys finds the latest write of those with a key, however many collide")
  func collidingHashes() {
    var keys = InsertedKeys()
    for index in 0..<300 { keys.insert(UInt32(index % 7), write: index) }
    for remainder in 0..<7 {
      let latest = (0..<300).last { $0 % 7 == remainder }
      #expect(keys.write(UInt32(remainder)) { _ in true } == latest)
      #expect(keys.write(UInt32(remainder)) { $0 < 100 } == (0..<100).last { $0 % 7 == remainder })
      #expect(keys.write(UInt32(remainder)) { _ in false } == nil)
    }
    #expect(keys.write(7) { _ in true } == nil)
    keys.removeAll()
    #expect(keys.isEmpty && keys.write(0) { _ in true } == nil)
    keys.insert(3, write: 0)
    #expect(keys.write(3) { _ in true } == 0 && keys.write(4) { _ in true } == nil)
  }

  @Test("Rows between those that are updated stay as they are", arguments: [1, 2, 3, 8, 9, 100])
  func rowsBetween(step: Int) throws {
    insert(0..<700)
    let posts = store.workspace.fetch(for: Post.self).all()
    var expected = posts.map { "\($0.priority) \($0.tag ?? "")" }
    store.perform([Post.self]) { context in
      for index in stride(from: 0, to: posts.count, by: step) {
        let request = PostChangeRequest.changeRequest(posts[index])
        // Of another size each time, so that no row is overwritten in place.
        request?.tag = String(repeating: "x", count: 5 + index % 7 * 4)
        request?.priority = Int32(index * 3)
        request.map { _ = context.try(submit: $0) }
        expected[index] = "\(index * 3) " + String(repeating: "x", count: 5 + index % 7 * 4)
      }
    }
    let stored = store.workspace.fetch(for: Post.self).all()
    #expect(stored.map { "\($0.priority) \($0.tag ?? "")" } == expected)
    let (rows, entries) = try rowsAndEntries()
    #expect(rows == (0..<700).map { ["\($0 + 1)", "\($0)"] })
    #expect(entries == stored.map { ["\($0._rowid)", "\($0.priority)"] })
  }

  @Test("An update of a row that is missing is reported", arguments: [1, 2, 5])
  func missingRow(missing: Int64) throws {
    insert(0..<5)
    _ = try store.sql("DELETE FROM post WHERE rowid = \(missing)")
    let committer = store.workspace.core.committer
    committer.acquireWriter(.transaction)
    defer { committer.releaseWriter() }
    let writer = try store.workspace.core.database.writer()
    try writer.begin()
    defer { writer.rollBack() }
    try RowEncoder.with { encoder in
      let bytes = try encoder.encode(Post(title: "a", tag: "b"))
      let rows = ContiguousArray((1...5 as ClosedRange<Int64>).map { EncodedRow(rowid: $0, bytes: bytes) })
      #expect(try writer.preparedRows(of: Post._record).update(rows) == missing)
    }
  }

  @Test("An update of a new row, and a deletion of an updated one, come after it")
  func orderOfWrites() throws {
    insert(0..<40)
    let posts = store.workspace.fetch(for: Post.self).all()
    store.perform([Post.self]) { context in
      for number in 0..<100 {
        let request = PostChangeRequest.creationRequest(Post(title: "new \(number)"))
        guard case .inserted(let post)? = context.try(submit: request),
          let change = PostChangeRequest.changeRequest(post)
        else { return }
        change.tag = "changed \(number)"
        let changed = context.try(submit: change)
        if number % 3 == 0, case .updated(let post)? = changed {
          PostChangeRequest.deletionRequest(post).map { _ = context.try(submit: $0) }
        }
      }
      for post in posts {
        let request = PostChangeRequest.changeRequest(post)
        request?.tag = "longer than it was"
        guard let request, case .updated(let post)? = context.try(submit: request) else { continue }
        PostChangeRequest.deletionRequest(post).map { _ = context.try(submit: $0) }
      }
    }
    let tags = store.workspace.fetch(for: Post.self).all().map { "\($0.title) \($0.tag ?? "")" }
    #expect(tags == (0..<100).filter { $0 % 3 != 0 }.map { "new \($0) changed \($0)" })
    #expect(store.errors.values.isEmpty)
  }
}
