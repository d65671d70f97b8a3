import Dflat

/// A transaction from the call that requests it to its completion.
///
/// Its closure waits in the queues of its types until it is the first in each, and runs. After that, what the closure
/// has submitted is data, and is pending until the committer has committed it. Finally its completion is called.
package final class QueuedTransaction: @unchecked Sendable {
  // Unchecked. The closures were sent here, so no other code can use what they capture, and one thread calls each. Each
  // variable belongs to one owner after another, as its comment says.

  /// The types that the caller passed when it requested the transaction.
  package let types: [ObjectIdentifier]
  /// The queues in which the transaction waits.
  package let queues: [TransactionQueue]
  /// In how many of the queues other transactions come before this one. Guarded by the scheduler.
  package var predecessors = 0
  /// The closure; nil once it will not be called again.
  private var changesHandler: ((any TransactionContext) -> Void)?
  private var completion: ((TransactionError?) -> Void)?

  // The thread that runs the closure owns these variables; after the closure, the thread that has the writer does.

  /// The rows that the transaction changes; nil if there are none.
  package var writes: WriteSet?
  /// How many commits of other processes were known when the transaction began to read.
  package var foreignCommits = 0
  /// Why the transaction cannot be committed; nil if it can.
  package var failure: TransactionError?
  /// The pending transactions whose changes this one has used: if one of them fails, so does this one.
  package var dependencies: [QueuedTransaction] = []

  /// The position in the order in which transactions become pending; 0 before. The committer guards this variable and
  /// the next.
  package var serial: UInt64 = 0
  /// Whether a commit of the transaction has failed.
  package var hasFailed = false

  /// Collects the transaction's event; nil if no event is needed. The owner of the transaction uses it.
  package let trace: TransactionTrace?
  /// Whether a handler of events has requested the transaction: its closures then cause no events.
  package let isOfHandler: Bool
  /// The `HandlerDepth` of the code that has requested the transaction. Errors of the transaction have it, too.
  package let handlerDepth = HandlerDepth.current

  package init(
    _ types: [ObjectIdentifier], queues: [TransactionQueue],
    changesHandler: @escaping (any TransactionContext) -> Void, completion: ((TransactionError?) -> Void)?,
    trace: TransactionTrace? = nil, isOfHandler: Bool = false
  ) {
    self.trace = trace
    self.isOfHandler = isOfHandler
    self.types = types
    self.queues = queues
    self.changesHandler = changesHandler
    self.completion = completion
  }

  /// Calls the transaction's closure.
  package func callChangesHandler(in context: any TransactionContext) {
    run {
      if let trace, !isOfHandler {
        trace.run { changesHandler?(context) }
      } else {
        changesHandler?(context)
      }
    }
  }

  /// Runs work of the transaction as work of the code that has requested it: what a handler has requested counts as
  /// work of the handler.
  package func run<Result>(_ work: () -> Result) -> Result {
    guard isOfHandler || handlerDepth > 0 else { return work() }
    return EventHandling.$isActive.withValue(isOfHandler) {
      HandlerDepth.$current.withValue(handlerDepth, operation: work)
    }
  }

  /// Releases the closure and its captures. It will not be called again.
  package func releaseChangesHandler() { changesHandler = nil }

  package func takeCompletion() -> ((TransactionError?) -> Void)? {
    defer { completion = nil }
    guard isOfHandler || handlerDepth > 0, let completion else { return completion }
    return { failure in self.run { completion(failure) } }
  }
}

/// The transactions of one type, in the order of the calls that requested them; the first one may run. Guarded by the
/// scheduler.
package final class TransactionQueue {
  private var transactions = FIFO<QueuedTransaction>()
  /// The serial of the latest transaction of this queue that has become pending. Guarded by the committer.
  package var lastSerial: UInt64 = 0

  var count: Int { transactions.count }

  /// Appends a transaction.
  ///
  /// - Returns: true if it is the first.
  package func append(_ transaction: QueuedTransaction) -> Bool {
    transactions.append(transaction)
    return transactions.count == 1
  }

  /// Removes the first transaction, and returns the new first one; nil if there is none.
  package func removeFirst() -> QueuedTransaction? {
    _ = transactions.popFirst()
    return transactions.first
  }
}
