import DflatEngine

/// Applies the writes of one type, as few statements as it can.
///
/// It stores new rows several at once, overwrites rows in place where objects keep their size, replaces neighbouring rows by one
/// `UPDATE` where they do not, and deletes neighbouring rows by one `DELETE`. What it has merged is written by `finish()`.
///
/// For the thread that has the writer. The bytes that it is given must stay as they are until then.
final class RecordApplier {
  let rows: RowWriter
  // Exclusivity is unchecked: nothing that is called from here leads back here.
  @exclusivity(unchecked) private var insertions: ContiguousArray<EncodedRow> = []
  @exclusivity(unchecked) private var updates = UpdateRun()
  @exclusivity(unchecked) private var overwriting = OverwritingRun()
  /// Consecutive rows that are to be deleted by one statement.
  @exclusivity(unchecked) private var deletions: ClosedRange<Int64>?

  init(_ rows: RowWriter) { self.rows = rows }

  /// The highest row number that is used.
  var lastRow: Int64 { insertions.last?.rowid ?? rows.lastRow }

  /// Stores a new row.
  ///
  /// - Parameter rowid: its number, above `lastRow`.
  func insert(_ rowid: Int64, _ bytes: UnsafeRawBufferPointer) throws {
    // A row that is deleted may have had the new row's key.
    try deleteRows()
    insertions.append(EncodedRow(rowid: rowid, bytes: bytes))
    if insertions.count == RowStatement.batchCount { try insertRows() }
  }

  /// Replaces a row.
  ///
  /// - Parameter keepsKeys: whether its primary key and unique values are known to stay as they are.
  /// - Throws: `SubmissionError` if there is no such row, or another one has the new key; this may be thrown later, by another
  ///   function.
  func update(_ rowid: Int64, _ bytes: UnsafeRawBufferPointer, keepsKeys: Bool) throws {
    try deleteRows()
    if !keepsKeys || rowid >= insertions.first?.rowid ?? .max { try insertRows() }
    if !updates.mayBeFollowed(by: rowid) { try updateRows() }
    if try overwriting.overwrite(rowid, bytes, keepsKeys: keepsKeys, rows) { return }
    if keepsKeys { return updates.append(EncodedRow(rowid: rowid, bytes: bytes)) }
    try updateRows()
    do {
      if try rows.update(rowid, bytes, keepsKeys: false) { return }
    } catch let error as SQLiteError where error.isConflict {
      throw SubmissionError.taken(type: rows.record.table)
    }
    throw SubmissionError.gone(type: rows.record.table, rowid: rowid)
  }

  /// Deletes a row, if it is there.
  func delete(_ rowid: Int64) throws {
    try insertRows()
    try updateRows()
    overwriting.end()
    if let range = deletions, range.upperBound < rowid, range.upperBound + 1 == rowid {
      deletions = range.lowerBound...rowid
      return
    }
    try deleteRows()
    deletions = rowid...rowid
  }

  /// Writes what is not written yet.
  func finish() throws {
    try deleteRows()
    try insertRows()
    try updateRows()
    overwriting.end()
  }

  private func insertRows() throws {
    guard !insertions.isEmpty else { return }
    do {
      try rows.insert(insertions)
    } catch let error as SQLiteError where error.isConflict {
      // The keys were free when the objects were submitted.
      throw SubmissionError.taken(type: rows.record.table)
    }
    insertions.removeAll(keepingCapacity: true)
  }

  private func updateRows() throws {
    guard !updates.isEmpty else { return }
    if let missing = try rows.update(updates) {
      throw SubmissionError.gone(type: rows.record.table, rowid: missing)
    }
    updates.removeAll()
  }

  private func deleteRows() throws {
    guard let range = deletions else { return }
    deletions = nil
    try rows.delete(range)
  }
}
