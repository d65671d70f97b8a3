import Dflat
import EngineTestSupport
import Golden_post
import SQLiteDflat
import Testing

@Suite("A suspended workspace that is released carries out what waits")
struct ReleasedWorkspaceTests {
  /// Requests a transaction before and one during a suspension of a workspace, sets a key, and releases the workspace.
  private func request(in store: TestStore) throws -> [PendingTransaction] {
    let workspace = store.reopened()
    store.perform([Post.self], in: workspace) {
      $0.try(submit: PostChangeRequest.creationRequest(Post(title: "a")))
    }
    let gate = Gate()
    let begun = PendingTransaction([Post.self], in: workspace) { context in
      context.try(submit: PostChangeRequest.creationRequest(Post(title: "b")))
      gate.wait()
    }
    #expect(begun.starts())
    try workspace.suspend(within: .seconds(patience))
    gate.open()
    let held = PendingTransaction([Post.self], in: workspace) { context in
      context.try(submit: PostChangeRequest.creationRequest(Post(title: "c")))
    }
    workspace.dictionary["key"] = 1
    withExtendedLifetime(workspace) { #expect(!begun.hasCompleted && !held.hasStarted) }
    return [begun, held]
  }

  @Test("Transactions that wait are stored, and their completion handlers called; keys that were set are stored, too")
  func waitingTransactions() throws {
    let store = try TestStore()
    for transaction in try request(in: store) { #expect(transaction.outcome() == true) }
    #expect(store.workspace.fetch(for: Post.self).all().map(\.title).sorted() == ["a", "b", "c"])
    #expect(eventually { store.workspace.dictionary["key", Int.self] == 1 })
    #expect(store.errors.values.isEmpty, "\(store.errors.values)")
  }
}
