import Dflat
import EngineTestSupport
import Foundation
import Golden_post
import Testing

@testable import SQLiteDflat

/// A row whose bytes hold no object counts in a query that need not read it: its key and its entries in the indexes say what
/// it was. Who has to read it leaves it out, and reports it.
@Suite("A damaged row is counted unless it is read")
struct DamagedRowTests {
  private func storeOfPosts() throws -> TestStore {
    let store = try TestStore()
    store.perform([Post.self]) { context in
      for number in 0..<6 {
        context.try(submit: PostChangeRequest.creationRequest(Post(title: "\(number)", priority: Int32(number % 3))))
      }
    }
    try store.damage("UPDATE post SET p = x'FFFFFFFF' WHERE __pk0 = '4'")
    return store
  }

  /// Checks how many damaged rows are reported meanwhile.
  private func reporting(
    _ counts: ClosedRange<Int>, _ store: TestStore, sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () -> Void
  ) {
    store.errors.removeAll()
    body()
    #expect(store.errors.values.allSatisfy { ($0 as? SQLiteError)?.code == 11 }, sourceLocation: sourceLocation)
    #expect(counts.contains(store.errors.count), sourceLocation: sourceLocation)
  }

  @Test("A count that an index or a key answers includes a damaged row")
  func whatAnIndexAnswersCountsIt() throws {
    let store = try storeOfPosts()
    let posts = store.workspace.fetch(for: Post.self)
    reporting(0...0, store) {
      #expect(posts.count() == 6)
      #expect(posts.count(where: Post.priority == 1) == 2)
      #expect(posts.count(where: Post.title == "4") == 1)
      #expect(posts.exists(where: Post.title == "4") && posts.exists(where: Post.priority == 1 && Post.title > "1"))
    }
  }

  @Test("A fetch or count that reads a damaged row leaves it out")
  func whatReadsItLeavesItOut() throws {
    let store = try storeOfPosts()
    let posts = store.workspace.fetch(for: Post.self)
    reporting(1...1, store) { #expect(posts.all().map(\.title) == ["0", "1", "2", "3", "5"]) }
    reporting(1...1, store) { #expect(posts.where(Post.priority == 1).map(\.title) == ["1"]) }
    reporting(1...1, store) { #expect(posts.where(Post.title == "4").isEmpty) }
    reporting(1...1, store) { #expect(posts.count(where: Post.priority == 1 && Post.color == .red) == 1) }
    // Which one it is, is found out only then.
    #expect(store.errors.values.allSatisfy { "\($0)".contains("row 5 of post") }, "\(store.errors.values)")
    reporting(1...1, store) { #expect(!posts.exists(where: Post.title == "4" && Post.color == .red)) }
    reporting(1...2, store) { #expect(posts.first(where: Post.priority == 1 && Post.title > "1") == nil) }
  }

  @Test("An index that is filled from it has no value for it, though the row is there")
  func anIndexThatIsFilledFromIt() throws {
    let store = try storeOfPosts()
    let posts = store.workspace.fetch(for: Post.self)
    try store.sql("DROP TABLE post__f10")
    // While the index is missing, the row would have to be read.
    reporting(1...1, store) { #expect(posts.count(where: Post.priority == 1) == 1) }
    #expect(eventually { (try? store.sql("SELECT count(*) FROM post__f10")) == [["6"]] })
    #expect(try store.sql("SELECT f10 FROM post__f10 WHERE rowid = 5") == [[nil]])
    reporting(0...0, store) { #expect(posts.count(where: Post.priority == 1) == 1 && posts.count() == 6) }
    // The row can be replaced, and then it is whole again.
    store.perform([Post.self]) { context in
      context.try(submit: PostChangeRequest.upsertRequest(Post(title: "4", priority: 1)))
    }
    #expect(posts.where(Post.priority == 1).map(\.title) == ["1", "4"] && posts.count(where: Post.priority == 1) == 2)
  }

  @Test("An upsert replaces a damaged row, and then it can be deleted")
  func anUpsertReplacesItSoThatItCanBeDeleted() throws {
    let store = try storeOfPosts()
    let posts = store.workspace.fetch(for: Post.self)
    store.perform([Post.self]) { context in
      // There is no object to ask for its deletion; an upsert makes one.
      #expect(PostChangeRequest.deletionRequest(Post(title: "4")) == nil)
      context.try(submit: PostChangeRequest.upsertRequest(Post(title: "4")))
      PostChangeRequest.deletionRequest(Post(title: "4")).map { _ = context.try(submit: $0) }
    }
    #expect(posts.count() == 5 && posts.all().count == 5)
    #expect(try store.sql("SELECT count(*) FROM post__f10") == [["5"]])
  }
}
