import Dflat
import EngineTestSupport
import Golden_post
import Testing

@testable import SQLiteDflat

@Suite("A suspended workspace that is released carries out what waits")
struct ReleasedWorkspaceTests {
  /// Requests a transaction before and one during a suspension of a workspace, sets a key, and releases the workspace.
  ///
  /// - Returns: the transactions, and a function that closes the file once all is stored.
  private func request(in store: TestStore) throws -> ([PendingTransaction], () throws -> Void) {
    let workspace = store.reopened()
    let (database, committer) = (workspace.core.database, workspace.core.committer)
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
    let closeFile: () throws -> Void = {
      committer.acquireWriter(.transaction)
      defer { committer.releaseWriter() }
      try database.close()
    }
    return ([begun, held], closeFile)
  }

  @Test("Transactions that wait are stored, and their completion handlers called; keys that were set are stored, too")
  func waitingTransactions() throws {
    let store = try TestStore()
    let (transactions, closeFile) = try request(in: store)
    // Without an outcome, nobody gets the writer any more, and to close the file would take for ever.
    for transaction in transactions { try #require(transaction.outcome() == true) }
    #expect(store.workspace.fetch(for: Post.self).all().map(\.title).sorted() == ["a", "b", "c"])
    #expect(eventually { store.workspace.dictionary["key", Int.self] == 1 })
    // Or a background thread might close it, and remove its log, while the folder is being removed.
    try closeFile()
    #expect(store.errors.values.isEmpty, "\(store.errors.values)")
  }
}
