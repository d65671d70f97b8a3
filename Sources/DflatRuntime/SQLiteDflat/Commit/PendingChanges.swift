import Dflat
import DflatEngine

/// What the pending transactions make of rows. Guarded by the committer.
struct PendingChanges {
  struct Row {
    let state: RowState
    /// The last transaction that has changed the row: who makes use of `state` fails if that fails.
    let transaction: QueuedTransaction
  }

  private var rows: [RowID: Row] = [:]
  /// The rows that pending transactions give keys to.
  private var claims: [RowKey: (rowid: Int64, transaction: QueuedTransaction)] = [:]

  /// What they make of a row; nil if none changes it.
  func row(_ row: RowID) -> Row? { rows.isEmpty ? nil : rows[row] }

  /// The row that they give a key to.
  func row(claiming key: RowKey) -> Int64? { claims.isEmpty ? nil : claims[key]?.rowid }

  mutating func add(_ set: WriteSet, of transaction: QueuedTransaction) {
    // By the index, here and below: a copy of a write counts references.
    for index in set.writes.indices {
      rows[RowID(set.writes[index].record, set.writes[index].rowid)] = Row(
        state: set.writes[index].state, transaction: transaction)
    }
    for (key, rowid) in set.claims { claims[key] = (rowid, transaction) }
  }

  /// Forgets a transaction that has been committed, or has failed.
  mutating func remove(_ set: WriteSet, of transaction: QueuedTransaction) {
    for position in set.writes.indices {
      // So that the row is looked for once.
      if let index = rows.index(forKey: RowID(set.writes[position].record, set.writes[position].rowid)),
        rows.values[index].transaction === transaction
      {
        rows.remove(at: index)
      }
    }
    for (key, _) in set.claims where claims[key]?.transaction === transaction { claims[key] = nil }
  }
}
