import Dflat
import DflatEngine

/// The states that the pending transactions give to rows. Guarded by the committer.
struct PendingChanges {
  struct Row {
    let state: RowState
    /// The last transaction that has changed the row. A transaction that uses `state` fails if this one fails.
    let transaction: QueuedTransaction
  }

  private var rows: [RowID: Row] = [:]
  /// The rows that pending transactions give keys to, by key.
  private var claims: [RowKey: (rowid: Int64, transaction: QueuedTransaction)] = [:]

  /// Returns the pending state of a row; nil if no pending transaction changes it.
  func row(_ row: RowID) -> Row? { rows.isEmpty ? nil : rows[row] }

  /// Returns the row that a pending transaction gives a key to; nil if there is none.
  func row(claiming key: RowKey) -> Int64? { claims.isEmpty ? nil : claims[key]?.rowid }

  mutating func add(_ set: WriteSet, of transaction: QueuedTransaction) {
    // By index, here and below, since a copy of a write retains its objects.
    for index in set.writes.indices {
      rows[RowID(set.writes[index].record, set.writes[index].rowid)] = Row(
        state: set.writes[index].state, transaction: transaction)
    }
    for (key, rowid) in set.claims { claims[key] = (rowid, transaction) }
  }

  /// Removes the changes of a transaction that has been committed, or has failed.
  mutating func remove(_ set: WriteSet, of transaction: QueuedTransaction) {
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
