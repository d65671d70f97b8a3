import DflatEngine

/// Merges the writes of one type into few statements, as a part of its `RowWriter`.
///
/// It stores several new rows by one statement, and replaces or deletes neighbouring rows by one statement. `finish()`
/// writes what is left. The bytes that it is given must stay unchanged until then.
struct WriteMerger {
  private var insertions: ContiguousArray<EncodedRow> = []
  /// A run of rows that one statement replaces, in ascending order of their numbers. It takes a third of the time of one
  /// statement for each. The statement visits a range of rows, and calls a function for the bytes of each: see
  /// `UpdateFunctions`.
  private var updates: ContiguousArray<EncodedRow> = []
  /// Consecutive rows that are to be deleted by one statement.
  private var deletions: ClosedRange<Int64>?

  /// The most rows of a run of updates: more save nothing.
  private static let runCapacity = 256
  /// The largest distance between two rows of a run. To visit a row that stays as it is takes about an eighth of a
  /// statement.
  private static let largestStep: UInt64 = 8

  /// The highest number of the new rows that are not written yet; nil if there are none.
  var lastRow: Int64? { insertions.last?.rowid }

  /// Stores a new row.
  ///
  /// - Parameter rowid: the row's number, above all numbers that are used.
  mutating func insert(_ rowid: Int64, _ bytes: UnsafeRawBufferPointer, _ rows: RowWriter) throws {
    // A deleted row may have had the new row's key.
    try deleteRows(rows)
    insertions.append(EncodedRow(rowid: rowid, bytes: bytes))
    if insertions.count == RowStatement.batchCount { try insertRows(rows) }
  }

  /// Replaces a row: together with other rows if `keepsKeys` is true, otherwise at once.
  ///
  /// - Parameter keepsKeys: whether the row's primary key and unique values are known to stay the same.
  /// - Throws: `SubmissionError` if there is no such row, or another row has the new key. A later call may throw it
  ///   instead.
  mutating func update(
    _ rowid: Int64, _ bytes: UnsafeRawBufferPointer, keepsKeys: Bool, _ rows: RowWriter
  ) throws {
    try deleteRows(rows)
    if !keepsKeys || rowid >= insertions.first?.rowid ?? .max { try insertRows(rows) }
    if !WriteMerger.mayFollow(rowid, updates) { try updateRows(rows) }
    if keepsKeys { return updates.append(EncodedRow(rowid: rowid, bytes: bytes)) }
    try updateRows(rows)
    do {
      if try rows.update(rowid, bytes, keepsKeys: false) { return }
    } catch let error as SQLiteError where error.isConflict {
      throw SubmissionError.taken(type: rows.record.table)
    }
    throw SubmissionError.gone(type: rows.record.table, rowid: rowid)
  }

  /// Returns whether a row may be updated, alone or as a part of a run, before the run has been written.
  static func mayFollow(_ rowid: Int64, _ run: ContiguousArray<EncodedRow>) -> Bool {
    guard let last = run.last?.rowid else { return true }
    // The difference of two row numbers may exceed `Int64.max`, but no unsigned number.
    return rowid > last && UInt64(bitPattern: rowid &- last) <= largestStep && run.count < runCapacity
  }

  /// Deletes a row if it exists.
  mutating func delete(_ rowid: Int64, _ rows: RowWriter) throws {
    try insertRows(rows)
    try updateRows(rows)
    if let range = deletions, range.upperBound < rowid, range.upperBound + 1 == rowid {
      deletions = range.lowerBound...rowid
      return
    }
    try deleteRows(rows)
    deletions = rowid...rowid
  }

  /// Writes the merged rows that are not written yet.
  mutating func finish(_ rows: RowWriter) throws {
    try deleteRows(rows)
    try insertRows(rows)
    try updateRows(rows)
  }

  /// Drops the merged rows, since the transaction is rolled back.
  mutating func removeAll() {
    insertions.removeAll(keepingCapacity: true)
    updates.removeAll(keepingCapacity: true)
    deletions = nil
  }

  private mutating func insertRows(_ rows: RowWriter) throws {
    guard !insertions.isEmpty else { return }
    do {
      try rows.insert(insertions)
    } catch let error as SQLiteError where error.isConflict {
      // The keys were free when the objects were submitted.
      throw SubmissionError.taken(type: rows.record.table)
    }
    insertions.removeAll(keepingCapacity: true)
  }

  private mutating func updateRows(_ rows: RowWriter) throws {
    guard !updates.isEmpty else { return }
    if let missing = try rows.update(updates) {
      throw SubmissionError.gone(type: rows.record.table, rowid: missing)
    }
    updates.removeAll(keepingCapacity: true)
  }

  private mutating func deleteRows(_ rows: RowWriter) throws {
    guard let range = deletions else { return }
    deletions = nil
    try rows.delete(range)
  }
}
