import EngineTestSupport
import Dflat
@testable import DflatEngine
import Dispatch
import Golden_post
import Testing

@testable import SQLiteDflat

@Suite("How much is committed at a time, and where")
struct BatchTests {
  @Test("Pending transactions that take long to apply are committed in several batches")
  func batchTime() throws {
    let store = try TestStore()
    let workspace = store.workspace
    store.perform([Post.self]) { $0.try(submit: PostChangeRequest.creationRequest(Post(title: "first"))) }
    let commits = try CommitHook(workspace)
    let (count, size) = (200, 50)
    let transactions = workspace.whileCommitsWait {
      let transactions = (0..<count).map { number in
        PendingTransaction([Post.self], in: workspace) { context in
          for part in 0..<size {
            context.try(submit: PostChangeRequest.creationRequest(Post(title: "\(number) \(part)")))
          }
        }
      }
      let last = Int64(1 + count * size)
      #expect(eventually { workspace.core.committer.withState { $0.numbers.last(of: Post._record) } == last })
      return transactions
    }
    for each in transactions { #expect(each.outcome() == true) }
    // No machine applies 10,000 new objects in the 5 ms that a batch may take.
    #expect(commits.count > 1)
    #expect(workspace.fetch(for: Post.self).count() == 1 + count * size)
    workspace.shutdown()
  }

  /// Remembers of each commit whether it was made on a queue.
  private final class QueueListener: CollectingListener {
    private static let key = DispatchSpecificKey<Bool>()
    let isOnQueue = Collected<Bool>()
    let hasHeard = Gate()

    init(_ queue: DispatchQueue) { queue.setSpecific(key: QueueListener.key, value: true) }

    func transactionsHaveCommitted(_ transactions: [CommittedTransaction], version: UInt64) {
      isOnQueue.append(DispatchQueue.getSpecific(key: QueueListener.key) ?? false)
      hasHeard.open()
    }

    func othersHaveCommitted(version: UInt64) {}
  }

  @Test("With a target queue, the commits of transactions that queue up are made on it, too")
  func targetQueue() throws {
    let store = try TestStore()
    let queue = DispatchQueue(label: "dflat.test", attributes: .concurrent)
    let workspace = SQLiteWorkspace(
      filePath: store.path, fileProtectionLevel: .noProtection, targetQueue: queue,
      errorHandler: { store.errors.append($0) })
    let listener = QueueListener(queue)
    workspace.core.sequence.setListener(listener)
    let gate = Gate()
    let blocker = PendingTransaction([Post.self], in: workspace) { _ in gate.wait() }
    let transactions = (0..<3).map { number in
      PendingTransaction([Post.self], in: workspace) { context in
        // The first one is committed while the next one runs.
        if number == 1 { #expect(listener.hasHeard.wait()) }
        context.try(submit: PostChangeRequest.creationRequest(Post(title: "\(number)")))
      }
    }
    gate.open()
    #expect(blocker.outcome() == true)
    for each in transactions { #expect(each.outcome() == true) }
    #expect(listener.isOnQueue.values == [true, true, true])
    workspace.core.sequence.setListener(nil)
    workspace.shutdown()
  }
}
