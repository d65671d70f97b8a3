import Dflat
import Dispatch
import FlatBuffersCore

/// Applies write sets, in the SQLite transaction that is open on the writer.
///
/// As it sees whole lists, it deletes neighbouring rows by one statement, and overwrites rows in place where objects keep
/// their size. Neither outlives a call: when it returns, all is written.
///
/// For the thread that has the writer.
struct Applier {
  private let writer: WriterConnection
  private let committer: Committer
  private let sequence: CommitSequence
  /// The rows of the type that is being written.
  private var rows: RowWriter?
  /// Consecutive rows that are to be deleted by one statement.
  private var deletions: ClosedRange<Int64>?
  private var overwriting = OverwritingRun()

  init(_ writer: WriterConnection, _ committer: Committer) {
    self.writer = writer
    self.committer = committer
    sequence = writer.sequence
  }

  /// Applies the sets of transactions in their order.
  ///
  /// - Parameters:
  ///   - transactions: those that have a set; a set that was made before another process committed is verified.
  ///   - deadline: when to stop, so that the first transaction does not wait long for its commit; at least one is applied.
  /// - Returns: how many of them were applied.
  mutating func apply(_ transactions: ArraySlice<QueuedTransaction>, until deadline: DispatchTime) throws -> Int {
    let foreignCommits = sequence.foreignCommits
    var count = 0
    for transaction in transactions {
      // The clock is asked for every 32nd transaction: they take some microseconds each.
      if count % 32 == 31, DispatchTime.now() >= deadline { break }
      count += 1
      guard let set = transaction.writes else { continue }
      try apply(set, verifying: transaction.foreignCommits != foreignCommits)
    }
    try finish()
    return count
  }

  /// Applies the set of a transaction that writes alone.
  mutating func apply(alone set: WriteSet, verifying: Bool) throws {
    try apply(set, verifying: verifying)
    try finish()
  }

  private mutating func apply(_ set: WriteSet, verifying: Bool) throws {
    // By the index, since a write is large, and a copy of it counts references.
    for index in set.writes.indices {
      let rows = try rowWriter(of: set.writes[index].record)
      let rowid = set.actualRow(at: index)
      // A later transaction may have been made from a new object that had to be stored elsewhere: then it finds another one.
      if verifying || writer.hasMovedRows { try verify(set.writes[index], at: rowid, rows) }
      switch set.writes[index].kind {
      case .inserted: try insert(set, index, rows)
      case .updated: try update(rowid, set.bytes(at: index), keepsKeys: set.writes[index].keepsKeys, rows)
      case .deleted: try delete(rowid)
      }
    }
    sequence.noteChanges { versions, version in
      for index in set.writes.indices where set.writes[index].kind != .inserted {
        versions.noteChange(of: ObjectIdentifier(set.writes[index].record), set.actualRow(at: index), at: version)
      }
    }
    if !set.keyChanges.isEmpty {
      try finish()
      try writer.change(set.keyChanges)
    }
  }

  /// Ends what is merged over several writes.
  private mutating func finish() throws {
    try deleteRows()
    overwriting.end()
  }

  private mutating func rowWriter(of record: RecordDescription) throws -> RowWriter {
    if let rows, rows.record === record { return rows }
    try finish()
    let rows = try writer.preparedRows(of: record)
    self.rows = rows
    return rows
  }

  // MARK: New rows

  private mutating func insert(_ set: WriteSet, _ index: Int, _ rows: RowWriter) throws {
    try finish()
    var rowid = set.writes[index].rowid
    if rowid <= rows.lastRow {
      // Another process has used the number meanwhile. Numbers only rise: indexes that are behind are filled in their order.
      let actual = committer.moveRow(of: rows.record, rowid, above: rows.lastRow)
      set.noteMove(of: rows.record, from: rowid, to: actual)
      writer.hasMovedRows = true
      rowid = actual
    }
    do {
      try rows.insert(rowid, set.bytes(at: index))
    } catch let error as SQLiteError where error.isConflict {
      // The keys were free when the object was submitted.
      throw SubmissionError.taken(type: rows.record.table)
    }
  }

  // MARK: Updates

  private mutating func update(
    _ rowid: Int64, _ bytes: UnsafeRawBufferPointer, keepsKeys: Bool, _ rows: RowWriter
  ) throws {
    try deleteRows()
    if try overwriting.overwrite(rowid, bytes, keepsKeys: keepsKeys, rows) { return }
    // A savepoint must not begin while a blob handle is open for writing.
    if rows.hasUniqueIndex { overwriting.close() }
    do {
      guard try rows.update(rowid, bytes, keepsKeys: keepsKeys) else {
        throw SubmissionError.gone(type: rows.record.table, rowid: rowid)
      }
    } catch let error as SQLiteError where error.isConflict {
      throw SubmissionError.taken(type: rows.record.table)
    }
  }

  // MARK: Deletions

  private mutating func delete(_ rowid: Int64) throws {
    overwriting.end()
    if let range = deletions, range.upperBound < rowid, range.upperBound + 1 == rowid {
      deletions = range.lowerBound...rowid
      return
    }
    try deleteRows()
    deletions = rowid...rowid
  }

  private mutating func deleteRows() throws {
    guard let range = deletions, let rows else { return }
    deletions = nil
    try rows.delete(range)
  }

  // MARK: Other processes

  /// Throws if the row is no longer as the change was made from: another process has committed meanwhile.
  private mutating func verify(_ write: Write, at rowid: Int64, _ rows: RowWriter) throws {
    // A new object's keys are checked by SQLite's constraints.
    guard let base = write.base else { return }
    try finish()
    guard try isUnchanged(base, at: rowid, write.record) else {
      throw SubmissionError.replaced(type: write.record.table, rowid: rowid)
    }
  }

  private func isUnchanged<Element: StoredAtom>(
    _ base: Element, at rowid: Int64, _ record: RecordDescription
  ) throws -> Bool {
    let expected = try writer.encoder.encode(base)
    return try writer.connection.reader(for: record).withRow(rowid) { stored in
      guard let stored else { return false }
      if stored.isSame(as: expected) { return true }
      // Another version of the schema may have written the same values as other bytes.
      let object = try Element.object(in: stored, rowid, on: writer.connection)
      return try writer.comparisonEncoder.encode(object).isSame(as: expected)
    }
  }
}
