import Dflat
import DflatEngine

/// The transactions whose closures have returned and which are not settled, in their order. Guarded by the committer.
struct PendingTransactions {
  private var transactions: ContiguousArray<QueuedTransaction> = []
  /// What they make of rows.
  private(set) var changes = PendingChanges()
  /// The serials of the transaction that was the last to become pending, and of the last one that was settled.
  private(set) var lastSerial: UInt64 = 0
  private(set) var settledSerial: UInt64 = 0

  var isEmpty: Bool { transactions.isEmpty }

  /// Adds a transaction, which is settled when those before it are that share a type with it.
  ///
  /// - Returns: false if it has nothing to commit and nothing to wait for.
  mutating func add(_ transaction: QueuedTransaction) -> Bool {
    // One without changes is not completed before its predecessors.
    if transaction.writes == nil, transaction.dependencies.isEmpty, isSettled(before: transaction.queues) {
      return false
    }
    lastSerial += 1
    transaction.serial = lastSerial
    for queue in transaction.queues { queue.lastSerial = lastSerial }
    transactions.append(transaction)
    if let set = transaction.writes { changes.add(set, of: transaction) }
    return true
  }

  /// The first transactions, `count` at most.
  ///
  /// A copy, or else the array would be copied when they are removed from it.
  func first(_ count: Int) -> [QueuedTransaction] { Array(transactions.prefix(count)) }

  /// Removes the first transactions, which are committed or have failed.
  mutating func settle(_ settled: ArraySlice<QueuedTransaction>, haveFailed: Bool) {
    transactions.removeFirst(settled.count)
    for transaction in settled {
      if let set = transaction.writes { changes.remove(set, of: transaction) }
      if haveFailed { transaction.hasFailed = true }
      settledSerial = transaction.serial
    }
  }

  /// Whether all transactions are settled that come before one with these queues.
  func isSettled(before queues: [TransactionQueue]) -> Bool { !queues.contains { $0.lastSerial > settledSerial } }

  /// How far the transactions are settled that come before one with these queues, as a serial.
  func settledSerial(before queues: [TransactionQueue]) -> UInt64 {
    min(settledSerial, queues.reduce(0) { max($0, $1.lastSerial) })
  }
}
