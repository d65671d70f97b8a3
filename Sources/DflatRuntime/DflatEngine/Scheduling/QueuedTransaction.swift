import Dflat

/// A transaction from the call that asks for it to its completion.
///
/// Its closure waits in the queues of its types until it is the first in each, and runs. What the closure has submitted is
/// data then: it is pending until the committer has committed it. At last its completion is called.
package final class QueuedTransaction: @unchecked Sendable {
  // Unchecked. The closures were sent here, so that nobody else can use what they capture, and each is called by one thread.
  // The variables belong to one owner after the other, as they say.

  /// The types that the transaction has named.
  package let types: [ObjectIdentifier]
  /// The queues in which it waits.
  package let queues: [TransactionQueue]
  /// In how many of them other transactions come before this one. Guarded by the scheduler.
  package var predecessors = 0
  /// The closure; nil when it is not needed any more.
  private var changesHandler: ((any TransactionContext) -> Void)?
  private var completion: ((TransactionError?) -> Void)?

  // The thread that runs the closure has these, and from the end of the closure the thread that has the writer.

  /// The rows that the transaction changes; nil if there are none.
  package var writes: WriteSet?
  /// How many commits of other processes had been noticed when the transaction began to read.
  package var foreignCommits = 0
  /// Why the transaction is not to be committed.
  package var failure: TransactionError?
  /// Pending transactions of whose changes this one has made use: if one of them fails, so does this one.
  package var dependencies: [QueuedTransaction] = []

  /// The position in the order in which transactions become pending; 0 before. Guarded by the committer, like what follows.
  package var serial: UInt64 = 0
  /// Whether the transaction was to be committed, and could not be.
  package var hasFailed = false

  /// Collects what handlers of events are told of the transaction; nil if nobody is told. Whoever owns the transaction uses it.
  package let trace: TransactionTrace?
  /// Whether a handler of events has asked for the transaction, so that nobody is told of what its closures do.
  private let isOfHandler: Bool

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
    if isOfHandler {
      EventHandling.$isActive.withValue(true) { changesHandler?(context) }
    } else if let trace {
      trace.run { changesHandler?(context) }
    } else {
      changesHandler?(context)
    }
  }

  /// Releases the closure, with all that it refers to: it will not be called again.
  package func releaseChangesHandler() { changesHandler = nil }

  package func takeCompletion() -> ((TransactionError?) -> Void)? {
    defer { completion = nil }
    guard isOfHandler, let completion else { return completion }
    return { failure in EventHandling.$isActive.withValue(true) { completion(failure) } }
  }
}

/// The transactions of one type, in the order of the calls that asked for them; the first one may run. Guarded by the
/// scheduler.
package final class TransactionQueue {
  private var transactions = FIFO<QueuedTransaction>()
  /// The serial of the queue's last transaction that has become pending. Guarded by the committer.
  package var lastSerial: UInt64 = 0

  var count: Int { transactions.count }

  /// - Returns: whether the transaction is the first.
  package func append(_ transaction: QueuedTransaction) -> Bool {
    transactions.append(transaction)
    return transactions.count == 1
  }

  /// Removes the first transaction and returns the one that is first now.
  package func removeFirst() -> QueuedTransaction? {
    _ = transactions.popFirst()
    return transactions.first
  }
}
