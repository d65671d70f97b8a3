import EngineTestSupport
import Dflat
import Golden_post
import Testing

@testable import SQLiteDflat

/// A new object's row number is a proposal until it is stored: another process, or workspace, may use the number meanwhile.
@Suite("An object that had to be stored in another row leads to that row")
struct MovedRowTests {
  private func create(_ title: String, _ context: any TransactionContext) -> Post? {
    guard case .inserted(let object)? = context.try(submit: PostChangeRequest.creationRequest(Post(title: title)))
    else { return nil }
    return object
  }

  /// A store where "b" was to be in row 2, is in row 3, and "other" is in row 2.
  private func storeWithMovedRow() throws -> (TestStore, created: Post) {
    let store = try TestStore()
    store.perform([Post.self]) { _ = create("a", $0) }
    let other = store.reopened()
    let created = Collected<Post>()
    store.perform([Post.self]) { context in
      if let post = create("b", context) { created.append(post) }
      store.perform([Post.self], in: other) { _ = create("other", $0) }
    }
    other.shutdown()
    #expect(try store.sql("SELECT rowid, __pk0 FROM post ORDER BY 1") == [["1", "a"], ["2", "other"], ["3", "b"]])
    return (store, try #require(created.values.first))
  }

  private func priorities(_ store: TestStore) -> [String: Int32] {
    Dictionary(uniqueKeysWithValues: store.workspace.fetch(for: Post.self).all().map { ($0.title, $0.priority) })
  }

  @Test("A change of the object that submit returned changes the stored object")
  func changeOfTheMovedObject() throws {
    let (store, created) = try storeWithMovedRow()
    store.perform([Post.self]) { context in
      let request = PostChangeRequest.changeRequest(created)
      #expect(request?.title == "b")
      request?.priority = 5
      request.map { _ = context.try(submit: $0) }
    }
    #expect(priorities(store) == ["a": 0, "other": 0, "b": 5])
  }

  @Test("A change of the object in the proposed row changes that object")
  func changeOfTheOtherObject() throws {
    let (store, _) = try storeWithMovedRow()
    let other = try #require(store.workspace.fetch(for: Post.self).first(where: Post.title == "other"))
    store.perform([Post.self]) { context in
      let request = PostChangeRequest.changeRequest(other)
      request?.priority = 5
      request.map { _ = context.try(submit: $0) }
    }
    #expect(priorities(store) == ["a": 0, "other": 5, "b": 0])
    #expect(try store.sql("SELECT rowid, __pk0 FROM post ORDER BY 1") == [["1", "a"], ["2", "other"], ["3", "b"]])
  }

  /// Waits until a commit of others was noticed and no longer makes transactions take the writer at once.
  private func waitUntilOthersRest(_ store: TestStore) {
    let sequence = store.workspace.core.sequence
    _ = sequence.lookForForeignCommits()
    #expect(eventually { !sequence.hasForeignWriter })
  }

  @Test("A new object gets no number that others have used, and hides none of their objects from its transaction")
  func numbersOfOthers() throws {
    let store = try TestStore()
    store.perform([Post.self]) { _ = create("a", $0) }
    let other = store.reopened()
    store.perform([Post.self], in: other) { context in
      for title in ["b", "c", "d"] { _ = create(title, context) }
    }
    waitUntilOthersRest(store)
    let stored = try #require(store.workspace.fetch(for: Post.self).first(where: Post.title == "b"))
    store.perform([Post.self]) { context in
      for title in ["e", "f", "g"] { _ = create(title, context) }
      let request = PostChangeRequest.changeRequest(stored)
      #expect(request?.title == "b")
      request?.priority = 5
      request.map { _ = context.try(submit: $0) }
      context.try(submit: PostChangeRequest.upsertRequest(Post(title: "c", priority: 6)))
      if let request = PostChangeRequest.deletionRequest(Post(title: "d")) { context.try(submit: request) }
    }
    #expect(priorities(store) == ["a": 0, "b": 5, "c": 6, "e": 0, "f": 0, "g": 0])
    other.shutdown()
    #expect(store.errors.values.isEmpty, "\(store.errors.values)")
  }

  @Test("A transaction fails that reads an object in the row of its own new object, and may be tried again")
  func numberUsedMeanwhile() throws {
    let store = try TestStore()
    store.perform([Post.self]) { _ = create("a", $0) }
    let other = store.reopened()
    let runs = Locked(0)
    let change: @Sendable (any TransactionContext) -> Void = { context in
      let isFirst = runs.value == 0
      runs.value += 1
      _ = try? context.submit(PostChangeRequest.creationRequest(Post(title: "b")))
      if isFirst {
        store.perform([Post.self], in: other) { context in
          context.try(submit: PostChangeRequest.creationRequest(Post(title: "other")))
        }
      }
      let stored = other.fetch(for: Post.self).first(where: Post.title == "other")
      let request = stored.flatMap { PostChangeRequest.changeRequest($0) }
      request?.priority = 5
      request.map { _ = context.try(submit: $0) }
    }
    store.perform([Post.self], completing: false, change)
    #expect(priorities(store) == ["a": 0, "other": 0])
    #expect(store.errors.values.count == 1, "\(store.errors.values)")
    store.perform([Post.self], change)
    #expect(priorities(store) == ["a": 0, "other": 5, "b": 0])
    other.shutdown()
  }

  @Test("A deletion of the object in the proposed row deletes that object")
  func deletionOfTheOtherObject() throws {
    let (store, _) = try storeWithMovedRow()
    let other = try #require(store.workspace.fetch(for: Post.self).first(where: Post.title == "other"))
    store.perform([Post.self]) { context in
      if let request = PostChangeRequest.deletionRequest(other) { context.try(submit: request) }
    }
    #expect(priorities(store) == ["a": 0, "b": 0])
  }

  @Test("A change that was made from the object before it was stored fails, and changes no other object")
  func changeOfThePendingObject() throws {
    let store = try TestStore()
    let workspace = store.workspace
    store.perform([Post.self]) { _ = create("a", $0) }
    let hook = try BlockingCommitHook(workspace)
    let other = store.reopened()
    let pending = workspace.whileCommitsWait {
      let pending = PendingTransaction([Post.self], in: workspace) { _ = create("b", $0) }
      #expect(eventually { workspace.core.committer.withState { $0.numbers.last(of: Post._record) } == 2 })
      store.perform([Post.self], in: other) { _ = create("other", $0) }
      hook.blockNextCommit()
      return pending
    }
    // Now it is known that the other workspace has committed, and "b" is in its row; but it is pending still.
    #expect(hook.hasBlocked.wait())
    let (hasFound, mayGoOn) = (Gate(), Gate())
    let change = PendingTransaction([Post.self], in: workspace) { context in
      let request = PostChangeRequest.changeRequest(Post(title: "b"))
      hasFound.open()
      mayGoOn.wait()
      request?.priority = 5
      _ = request.map { try? context.submit($0) }
    }
    #expect(hasFound.wait())
    hook.mayGoOn.open()
    #expect(pending.outcome() == true)
    mayGoOn.open()
    #expect(change.outcome() == false)
    #expect(workspace.fetch(for: Post.self).all().map(\.title) == ["a", "other", "b"])
    #expect(workspace.fetch(for: Post.self).all().map(\.priority) == [0, 0, 0])
    #expect(try store.sql("SELECT rowid, __pk0 FROM post ORDER BY 1") == [["1", "a"], ["2", "other"], ["3", "b"]])
    other.shutdown()
    workspace.shutdown()
  }
}
