import Dflat
import DflatEngine
import Foundation

/// The shutdown of a workspace, which happens once however often it is asked for. A later call does only what it asks for
/// besides, and was not done.
struct Shutdown {
  private let core: WorkspaceCore

  init(_ core: WorkspaceCore) {
    self.core = core
  }

  /// Accepts no more transactions from now on.
  func begin(_ flags: WorkspaceShutdownFlag) {
    core.scheduler.stop()
    core.database.beginClosing(flags)
  }

  /// Waits until everything that has begun is done, and closes all connections.
  func finish() {
    core.scheduler.waitUntilIdle()
    core.dictionary.close()
    core.observation.close()
    core.catchUp.stop()
    core.committer.acquireWriter(.transaction)
    let outcome = Result { try core.database.close() }
    core.committer.releaseWriter()
    // The handler is told when nothing is held: it may wait for another thread that asks for a shutdown.
    if case .failure(let error) = outcome { core.report(error) }
  }

  /// Does the same in the background, and then calls `completion`.
  func finish(then completion: sending @escaping () -> Void) {
    // On a thread of its own: it only waits, and must not take one from the transactions that it waits for.
    let completion = UncheckedSendableBox(completion)
    Thread.detachNewThread {
      self.finish()
      completion.closure()
    }
  }
}
