import Dflat
import Dispatch
import EngineTestSupport
import Foundation
import Golden_post
import SQLiteDflat
import Testing

@Suite("A shutdown that is called on the target queue")
struct TargetQueueShutdownTests {
  private struct Run {
    let store: TestStore
    let workspace: SQLiteWorkspace
    let errors = Collected<any Error>()

    init(on queue: DispatchQueue) throws {
      store = try TestStore()
      let errors = errors
      workspace = SQLiteWorkspace(
        filePath: store.path, fileProtectionLevel: .noProtection, targetQueue: queue,
        errorHandler: { errors.append($0) })
    }

    func create(_ title: String) -> PendingTransaction {
      PendingTransaction([Post.self], in: workspace) {
        $0.try(submit: PostChangeRequest.creationRequest(Post(title: title)))
      }
    }

    var isDeferred: Bool { errors.values.contains { $0 is DeferredShutdown } }
  }

  @Test("A shutdown on a serial queue with waiting transactions returns, reports that, and they are stored")
  func serialQueue() throws {
    let queue = DispatchQueue(label: "target")
    let run = try Run(on: queue)
    let transactions = queue.sync {
      // They cannot begin before this block ends.
      let transactions = (0..<3).map { run.create("post \($0)") }
      run.workspace.shutdown()
      return transactions
    }
    #expect(transactions.map { $0.outcome() } == [true, true, true])
    #expect(eventually { run.isDeferred })
    // It waits until all is closed.
    run.workspace.shutdown()
    #expect(run.store.workspace.fetch(for: Post.self).count() == 3)
  }

  @Test("A shutdown returns from a handler on a serial queue although transactions wait for that queue")
  func handler() throws {
    let queue = DispatchQueue(label: "target")
    let run = try Run(on: queue)
    let (handled, workspace) = (Gate(), run.workspace)
    let transactions = queue.sync {
      workspace.performChanges([Post.self], changesHandler: { _ in }) { _ in
        workspace.shutdown()
        handled.open()
      }
      return (0..<3).map { run.create("post \($0)") }
    }
    #expect(handled.wait())
    #expect(transactions.allSatisfy { $0.outcome() != nil })
    run.workspace.shutdown()
  }

  @Test(
    "A shutdown on the target queue waits if nothing is left to run, or the queue has other threads",
    arguments: [false, true])
  func waiting(isConcurrent: Bool) throws {
    let queue = isConcurrent ? DispatchQueue(label: "target", attributes: .concurrent) : DispatchQueue(label: "target")
    let run = try Run(on: queue)
    let before = run.create("a")
    #expect(before.outcome() == true)
    let workspace = run.workspace
    if isConcurrent {
      queue.sync {
        _ = run.create("b")
        workspace.shutdown()
      }
    } else {
      queue.sync { workspace.shutdown() }
    }
    #expect(run.errors.values.isEmpty, "\(run.errors.values)")
    #expect(run.store.workspace.fetch(for: Post.self).count() == (isConcurrent ? 2 : 1))
  }
}
