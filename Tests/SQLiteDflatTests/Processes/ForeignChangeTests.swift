import EngineTestSupport
import CSQLite
import Dflat
@testable import DflatEngine
import Golden_post
import Testing

@testable import SQLiteDflat

@Suite("A change of another workspace is always noticed, and no older state counts as current")
struct ForeignChangeTests {
  private func create(_ titles: [String], in store: TestStore) {
    store.perform([Post.self]) { context in
      for title in titles { context.try(submit: PostChangeRequest.creationRequest(Post(title: title))) }
    }
  }

  /// Sets the priority of the post "a" to 5.
  private func change(in other: SQLiteWorkspace) -> Bool? {
    PendingTransaction([Post.self], in: other) { context in
      let request = PostChangeRequest.changeRequest(Post(title: "a"))
      request?.priority = 5
      request.map { _ = context.try(submit: $0) }
    }.outcome()
  }

  @Test("A request from before another workspace's change fails a transaction that has taken the writer since")
  func requestBeforeTakingTheWriter() throws {
    let store = try TestStore()
    create(["a"], in: store)
    let workspace = store.workspace
    let other = store.reopened()
    let old = try #require(workspace.fetch(for: Post.self).first())
    store.perform([Post.self], completing: false) { context in
      context.try(submit: PostChangeRequest.creationRequest(Post(title: "b")))
      let request = PostChangeRequest.changeRequest(old)
      #expect(change(in: other) == true)
      // Takes the writer, and writes what was submitted before.
      #expect(workspace.fetch(for: Thing.self).all().isEmpty)
      request?.tag = "mine"
      _ = request.map { try? context.submit($0) }
    }
    let stored = try #require(workspace.fetch(for: Post.self).first())
    #expect(stored.priority == 5 && stored.tag == nil)
    #expect(eventually { store.errors.values.contains { $0 is SubmissionError } })
    other.shutdown()
  }

  @Test("After more fetched objects than are kept, a change fails the transaction")
  func moreThanIsKept() throws {
    let store = try TestStore()
    create(["a"] + (1..<60).map { "\($0)" }, in: store)
    let other = store.reopened()
    let workspace = store.workspace
    store.perform([Post.self], completing: false) { context in
      let priority = workspace.fetch(for: Post.self).where(Post.title == "a").first?.priority ?? 0
      // 60 objects each time: 10,000 are kept.
      for _ in 0..<170 { _ = workspace.fetch(for: Post.self).all() }
      #expect(change(in: other) == true)
      let request = PostChangeRequest.changeRequest(Post(title: "a"))
      request?.priority = priority + 1
      _ = request.map { try? context.submit($0) }
    }
    #expect(workspace.fetch(for: Post.self).where(Post.title == "a").first?.priority == 5)
    #expect(eventually { store.errors.values.contains { $0 is SubmissionError } })
    other.shutdown()
  }

  @Test("A change right after a commit of this workspace, before that has been published, is noticed")
  func changeAfterACommit() throws {
    let store = try TestStore()
    create(["a"], in: store)
    let workspace = store.workspace
    let old = try #require(workspace.fetch(for: Post.self).first())
    let other = store.reopened()
    let outcome = Collected<Bool?>()
    let hook = try AfterCommit(workspace) { outcome.append(change(in: other)) }
    store.perform([Thing.self]) { $0.try(submit: ThingChangeRequest.creation(Thing(id: 1))) }
    #expect(outcome.values == [true])
    store.perform([Post.self]) { _ in #expect(PostChangeRequest.changeRequest(old)?.priority == 5) }
    other.shutdown()
    withExtendedLifetime(hook) { workspace.shutdown() }
  }
}
