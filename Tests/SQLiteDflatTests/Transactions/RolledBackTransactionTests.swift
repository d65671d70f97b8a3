import EngineTestSupport
import Dflat
import Golden_post
import Testing

@testable import SQLiteDflat

/// Here a transaction has written to SQLite before it is aborted: a fetch after a submission sees to that.
@Suite("Nothing is left of a transaction that had the writer and was rolled back")
struct RolledBackTransactionTests {
  private func create(_ title: String, _ context: any TransactionContext) {
    context.try(submit: PostChangeRequest.creationRequest(Post(title: title)))
  }

  /// Creates an object, fetches it in the same transaction, and aborts that.
  private func abortedObject(_ store: TestStore) throws -> Post {
    let fetched = Collected<Post>()
    store.perform([Post.self], completing: false) { context in
      // The first object is collected, and the second one written to SQLite at once.
      create("collected", context)
      _ = store.workspace.fetch(for: Post.self).all()
      create("aborted", context)
      for post in store.workspace.fetch(for: Post.self).where(Post.title == "aborted") { fetched.append(post) }
      context.abort()
    }
    return try #require(fetched.values.first)
  }

  @Test("An object that was fetched in the rolled-back transaction leads to no stored object")
  func fetchedObject() throws {
    let store = try TestStore()
    store.perform([Post.self]) { create("kept", $0) }
    let object = try abortedObject(store)
    store.perform([Post.self]) { _ in
      #expect(PostChangeRequest.changeRequest(object) == nil)
      #expect(PostChangeRequest.deletionRequest(object) == nil)
    }
    #expect(store.errors.values.isEmpty)
  }

  @Test("The row numbers of a transaction that was rolled back are not used again")
  func rowNumbers() throws {
    let store = try TestStore()
    store.perform([Post.self]) { create("kept", $0) }
    let object = try abortedObject(store)
    store.perform([Post.self]) { create("next", $0) }
    let rows = store.workspace.fetch(for: Post.self).all().map(\._rowid)
    #expect(rows.count == 2 && !rows.contains(object._rowid), "\(rows) and \(object._rowid)")
  }

  @Test("A table that was made in the rolled-back transaction is made again by the next")
  func tables() throws {
    let store = try TestStore()
    _ = try abortedObject(store)
    #expect(try store.sql("SELECT name FROM sqlite_master WHERE name = 'post'").isEmpty)
    store.perform([Post.self]) { create("next", $0) }
    #expect(store.workspace.fetch(for: Post.self).all().map(\.title) == ["next"])
    #expect(store.errors.values.isEmpty)
  }
}
