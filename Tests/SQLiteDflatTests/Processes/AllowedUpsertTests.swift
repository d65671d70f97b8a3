import Dflat
import EngineTestSupport
import Golden_post
import TestSupport
import Testing

@testable import SQLiteDflat

/// Others have committed since the closure began, so that what it stores is compared with what it has seen.
@Suite("A commit of another workspace lets a transaction change what the other one has not touched")
struct AllowedUpsertTests {
  private let store: TestStore
  private let other: SQLiteWorkspace

  init() throws {
    store = try TestStore()
    other = store.reopened()
  }

  private func insert(_ titles: [String]) {
    store.perform([Post.self]) { context in
      for title in titles { context.try(submit: PostChangeRequest.creationRequest(Post(title: title))) }
    }
  }

  /// Runs a transaction during which another workspace stores an object that has nothing to do with it.
  private func perform(
    before: @escaping (any TransactionContext) throws -> Void = { _ in },
    after: @escaping (any TransactionContext) throws -> Void
  ) -> Bool? {
    // The transaction calls them one after the other on one thread.
    nonisolated(unsafe) let (before, after) = (before, after)
    let (workspace, other) = (store.workspace, other)
    let transaction = PendingTransaction([Post.self], in: workspace) { context in
      #expect(throws: Never.self) { try before(context) }
      let theirs = PendingTransaction([Post.self], in: other) { context in
        context.try(submit: PostChangeRequest.upsertRequest(Post(title: "theirs")))
      }
      #expect(theirs.outcome() == true)
      #expect(throws: Never.self) { try after(context) }
    }
    return transaction.outcome()
  }

  private static func setPriority(_ title: String, _ context: any TransactionContext) throws {
    let request = try #require(PostChangeRequest.changeRequest(Post(title: title)))
    request.priority = 1
    _ = try context.submit(request)
  }

  @Test("Objects that there are not may be looked for any number of times")
  func manySearches() throws {
    insert(["a"])
    let isStored = perform { context in
      for number in 0...10_000 { #expect(PostChangeRequest.changeRequest(Post(title: "new \(number)")) == nil) }
      try Self.setPriority("a", context)
    }
    #expect(isStored == true)
    #expect(store.workspace.fetch(for: Post.self).count(where: Post.priority == 1) == 1)
    other.shutdown()
  }

  @Test("Any number of objects may be changed after a search in vain")
  func manyChanges() throws {
    let titles = (0...10_000).map { "\($0)" }
    insert(titles)
    let workspace = store.workspace
    let isStored = perform {
      _ in
      #expect(workspace.fetch(for: Post.self).first(where: Post.title == "none") == nil)
    } after: { context in
      for title in titles { try Self.setPriority(title, context) }
    }
    #expect(isStored == true)
    #expect(workspace.fetch(for: Post.self).count(where: Post.priority == 1) == titles.count)
    other.shutdown()
  }

  @Test("A row whose stored value this version does not know was not looked for by the value that it shows")
  func unknownValue() throws {
    store.perform([Post.self]) { context in
      for post in UnknownCasePageChecks.posts { context.try(submit: PostChangeRequest.creationRequest(post)) }
    }
    for (number, hex) in try UnknownCasePageChecks.unknown() {
      try store.damage("UPDATE post SET p = x'\(hex)' WHERE __pk0 = '\(number)'")
    }
    let workspace = store.workspace
    let isStored = perform {
      _ in
      #expect(workspace.fetch(for: Post.self).where(Post.color == .red).map(\.title) == ["1", "4", "7"])
    } after: { context in
      _ = try context.submit(PostChangeRequest.upsertRequest(Post(title: "3", priority: 9)))
    }
    #expect(isStored == true)
    #expect(workspace.fetch(for: Post.self).first(where: Post.title == "3")?.priority == 9)
    other.shutdown()
  }

  @Test("A damaged row that was repaired by an upsert may be upserted again")
  func damagedRow() throws {
    insert(["a"])
    try store.damage("UPDATE post SET p = x'FFFFFFFF' WHERE __pk0 = 'a'")
    let workspace = store.workspace
    let isStored = perform {
      _ in
      #expect(workspace.fetch(for: Post.self).first(where: Post.title == "a") == nil)
    } after: { context in
      _ = try context.submit(PostChangeRequest.upsertRequest(Post(title: "a", priority: 1)))
      // To answer this, the transaction takes the writer, and applies the repaired object.
      #expect(workspace.fetch(for: Post.self).count(where: Post.priority == 1) == 1)
      _ = try context.submit(PostChangeRequest.upsertRequest(Post(title: "a", priority: 2)))
    }
    #expect(isStored == true)
    #expect(workspace.fetch(for: Post.self).first(where: Post.title == "a")?.priority == 2)
    other.shutdown()
  }
}
