import Dflat

@testable import DflatEngine

/// A listener that is told large transactions like small ones, with all that they have changed.
protocol CollectingListener: ChangeFeedListener {}

extension CollectingListener {
  func makeCollector() -> any ChangeCollector { AllChanges(for: self) }
}

/// Keeps all changes of a large transaction.
private final class AllChanges: ChangeCollector {
  private let listener: any ChangeFeedListener
  private let transaction = CommittedTransaction()

  init(for listener: any ChangeFeedListener) { self.listener = listener }

  func collect(_ set: WriteSet) { set.append(to: transaction) }

  func transactionHasCommitted(version: UInt64) { listener.transactionsHaveCommitted([transaction], version: version) }
}
