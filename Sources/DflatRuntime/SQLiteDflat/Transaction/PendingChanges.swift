import Dflat
import DflatEngine

/// What the pending transactions, whose closures have returned and which are not committed yet, make of rows; and the row
/// numbers of new objects. Guarded by the committer's lock.
struct PendingChanges {
  struct Row {
    let state: RowState
    /// The last transaction that has changed the row: who makes use of `state` fails if that fails.
    let transaction: QueuedTransaction
  }

  private var rows: [RowID: Row] = [:]
  /// The rows that pending transactions give keys to.
  private var claims: [RowKey: (rowid: Int64, transaction: QueuedTransaction)] = [:]
  /// Keys that rows had before this workspace gave them others, so that an object that has the old key leads to its row.
  private var formerKeys: [RowID: [RowKey]] = [:]
  private var formerKeyCount = 0
  /// The highest row numbers that were handed out.
  private var lastRows: [ObjectIdentifier: Int64] = [:]
  /// The rows of objects that were handed out under a number that another process has used before they were stored.
  private var movedRows: [RowID: Int64] = [:]

  /// How many former keys, and moved rows, are remembered at most, some megabytes. An app that changes so many primary keys
  /// and keeps the old objects finds that they are not stored.
  private static let memoryLimit = 1 << 15

  // MARK: Pending rows

  func row(_ row: RowID) -> Row? { rows.isEmpty ? nil : rows[row] }

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

  // MARK: Former keys

  func hasHad(_ key: RowKey, _ row: RowID) -> Bool { formerKeys[row]?.contains(key) ?? false }

  mutating func note(formerKeys: [(key: RowKey, rowid: Int64)]) {
    for (key, rowid) in formerKeys {
      if formerKeyCount >= PendingChanges.memoryLimit {
        self.formerKeys = [:]
        formerKeyCount = 0
      }
      self.formerKeys[RowID(key.record, rowid), default: []].append(key)
      formerKeyCount += 1
    }
  }

  // MARK: Row numbers

  /// The number that the next new object will have; nil before it is known which numbers the table has used.
  func nextRow(of record: RecordDescription) -> Int64? { lastRows[ObjectIdentifier(record)].map { $0 + 1 } }

  /// Hands out the number of a new object.
  mutating func takeRow(of record: RecordDescription) -> Int64 {
    let row = lastRow(of: record) + 1
    lastRows[ObjectIdentifier(record)] = row
    return row
  }

  /// The highest number that was handed out; 0 before the first one.
  func lastRow(of record: RecordDescription) -> Int64 { lastRows[ObjectIdentifier(record)] ?? 0 }

  /// Notes that the numbers up to `row` are used.
  mutating func raiseLastRow(of record: RecordDescription, to row: Int64) {
    lastRows[ObjectIdentifier(record)] = max(lastRow(of: record), row)
  }

  /// The row of an object that was handed out with the number `row`.
  func actualRow(_ record: RecordDescription, _ row: Int64) -> Int64? {
    movedRows.isEmpty ? nil : movedRows[RowID(record, row)]
  }

  mutating func noteMove(of record: RecordDescription, from row: Int64, to actual: Int64) {
    if movedRows.count >= PendingChanges.memoryLimit { movedRows = [:] }
    movedRows[RowID(record, row)] = actual
  }
}
