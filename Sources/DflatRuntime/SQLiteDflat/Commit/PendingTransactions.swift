import Dflat
import DflatEngine

/// The transactions whose closures have returned and that are not settled, in their order, and the states that they give
/// to rows. Guarded by the committer.
struct PendingTransactions {
  struct Row {
    let state: RowState
    /// The last transaction that has changed the row. A transaction that uses `state` fails if this one fails.
    let transaction: QueuedTransaction
  }

  private var transactions: ContiguousArray<QueuedTransaction> = []
  private var rows: [RowID: Row] = [:]
  /// The rows that the transactions give keys to, by key.
  private var claims: [RowKey: (rowid: Int64, transaction: QueuedTransaction)] = [:]
  /// The serials of the last transaction that became pending, and of the last one that was settled.
  private(set) var lastSerial: UInt64 = 0
  private(set) var settledSerial: UInt64 = 0
  /// The serial of the last transaction whose completion was appended, which happens just after it was settled.
  private var completedSerial: UInt64 = 0

  var isEmpty: Bool { transactions.isEmpty }

  /// Adds a transaction.
  ///
  /// - Returns: false if the transaction has nothing to commit and nothing to wait for. It was not added then, and can
  ///   be completed at once.
  mutating func add(_ transaction: QueuedTransaction) -> Bool {
    // A transaction without changes is not completed before its predecessors, nor between the moment when these are
    // settled and the one when their completions are appended.
    if transaction.writes == nil, transaction.dependencies.isEmpty,
      !transaction.queues.contains(where: { $0.lastSerial > completedSerial })
    {
      return false
    }
    lastSerial += 1
    transaction.serial = lastSerial
    for queue in transaction.queues { queue.lastSerial = lastSerial }
    transactions.append(transaction)
    if let set = transaction.writes { add(set, of: transaction) }
    return true
  }

  /// Returns at most `count` of the first transactions.
  ///
  /// The result is a copy: if it shared the array's storage, the removal of the transactions would copy the array.
  func first(_ count: Int) -> [QueuedTransaction] { Array(transactions.prefix(count)) }

  /// Removes the first transactions, which are committed or have failed.
  mutating func settle(_ settled: ArraySlice<QueuedTransaction>, haveFailed: Bool) {
    transactions.removeFirst(settled.count)
    for transaction in settled {
      if let set = transaction.writes { remove(set, of: transaction) }
      if haveFailed { transaction.hasFailed = true }
      settledSerial = transaction.serial
    }
  }

  /// Records that the completions of all settled transactions were appended. The caller has the writer.
  mutating func noteCompletions() { completedSerial = settledSerial }

  /// Returns whether all transactions that come before a transaction with these queues are settled.
  func isSettled(before queues: [TransactionQueue]) -> Bool { !queues.contains { $0.lastSerial > settledSerial } }

  /// Returns the serial up to which the transactions before a transaction with these queues are settled.
  func settledSerial(before queues: [TransactionQueue]) -> UInt64 {
    min(settledSerial, queues.reduce(0) { max($0, $1.lastSerial) })
  }

  // MARK: Rows

  /// Returns the pending state of a row; nil if no pending transaction changes it.
  func row(_ row: RowID) -> Row? { rows.isEmpty ? nil : rows[row] }

  /// Returns the row that a pending transaction gives a key to; nil if there is none.
  func row(claiming key: RowKey) -> Int64? { claims.isEmpty ? nil : claims[key]?.rowid }

  private mutating func add(_ set: WriteSet, of transaction: QueuedTransaction) {
    // By index, here and below, since a copy of a write retains its objects.
    for index in set.writes.indices {
      rows[RowID(set.writes[index].record, set.writes[index].rowid)] = Row(
        state: set.writes[index].state, transaction: transaction)
    }
    for (key, rowid) in set.claims { claims[key] = (rowid, transaction) }
  }

  /// Removes the changes of a transaction that has been committed, or has failed.
  private mutating func remove(_ set: WriteSet, of transaction: QueuedTransaction) {
    for position in set.writes.indices {
      // By index, so that the row is looked up once.
      if let index = rows.index(forKey: RowID(set.writes[position].record, set.writes[position].rowid)),
        rows.values[index].transaction === transaction
      {
        rows.remove(at: index)
      }
    }
    for (key, _) in set.claims where claims[key]?.transaction === transaction { claims[key] = nil }
  }
}
