import Dflat
import DflatEngine
import EngineTestSupport
import Testing

@testable import SQLiteDflat

@Suite("After a suspension, own changes are applied to no result that lacks those of others")
struct ResumedSubscriberTests {
  /// Collects the state of the suspension whenever others may have committed.
  private final class Listener: CollectingListener {
    let phases = Collected<SuspensionState.Phase>()
    private let committer: Committer

    init(_ workspace: SQLiteWorkspace) { committer = workspace.core.committer }

    func transactionsHaveCommitted(_ transactions: [CommittedTransaction], version: UInt64) {}

    func othersHaveCommitted(version: UInt64) { phases.append(committer.withState { $0.suspension.phase }) }
  }

  @Test("Listeners are told that others may have committed while transactions still wait for the end of the suspension")
  func toldBeforeTheEnd() throws {
    let posts = try PostStore()
    posts.insert("a")
    let workspace = posts.workspace
    let listener = Listener(workspace)
    try workspace.suspend(within: .seconds(patience))
    workspace.core.sequence.setListener(listener)
    workspace.resume()
    #expect(listener.phases.values.first == .ending)
    workspace.core.sequence.setListener(nil)
    #expect(posts.store.errors.values.isEmpty)
  }
}
