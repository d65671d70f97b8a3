import Dflat
import DflatEngine
import Dispatch
import EngineTestSupport

/// For closures that neither read nor write.
private final class NoContext: TransactionContext {
  func submit(_ request: some ChangeRequest) throws(TransactionError) -> UpdatedObject { throw .aborted }
  func `try`(submit request: some ChangeRequest) -> UpdatedObject? { nil }
  func abort() -> Bool { false }
  var dictionary: any DictionaryAccess { preconditionFailure("No closure here uses a dictionary.") }
}

/// A scheduler of transactions that are settled when their closures return.
final class HandlerEngine: TransactionRunner {
  let completions = Completions(targetQueue: nil, reporter: ErrorReporter { _ in })
  let scheduler: TransactionScheduler

  /// - Parameter waitsForCallbacks: whether completions wait for callbacks, however long the machine keeps their threads waiting.
  ///   Otherwise they wait for a second.
  init(waitsForCallbacks: Bool = false) {
    scheduler = TransactionScheduler(completions: completions, targetQueue: nil, order: .byType)
    if waitsForCallbacks { completions.setLongestWait(.seconds(Int(patience))) }
  }

  func run(_ transaction: QueuedTransaction) {
    transaction.callChangesHandler(in: NoContext())
    completions.appendCompletion(of: transaction, nil)
  }

  func closureHasEnded(hasNext: Bool) {}

  /// - Parameter callbacks: what is called before the transaction's completion.
  func perform(
    _ closure: @escaping @Sendable () -> Void = {}, callbacks: [@Sendable () -> Void] = [],
    completion: @escaping @Sendable () -> Void = {}
  ) {
    let completions = completions
    scheduler.enqueue(
      [HandlerEngine.self], for: self,
      changesHandler: { _ in
        closure()
        completions.appendCallbacks(callbacks.map { callback in { callback() } })
      }, completion: { _ in completion() })
  }

  /// Whether everything is complete, at the latest after a long time.
  func becomesIdle() -> Bool {
    BackgroundThreads { [scheduler] _ in scheduler.waitUntilIdle() }.end()
  }
}
