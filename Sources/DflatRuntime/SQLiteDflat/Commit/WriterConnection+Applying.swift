import Dflat
import DflatEngine
import Dispatch
import FlatBuffersCore

// How write sets are applied, in the open SQLite transaction.
//
// Writes of one type are merged into few statements: see `WriteMerger`. When a call returns, all of them are written.

extension WriterConnection {
  /// Applies the sets of transactions in their order.
  ///
  /// - Parameters:
  ///   - transactions: the transactions; those without a set are counted, too. A set that was made before another
  ///     process committed is verified.
  ///   - deadline: when to stop, so that the first transaction does not wait long for its commit. At least one is
  ///     applied.
  ///   - numbers: hands out row numbers, for new objects whose number another process has used.
  /// - Returns: how many were applied.
  func apply(
    _ transactions: ArraySlice<QueuedTransaction>, until deadline: DispatchTime, _ numbers: Committer
  ) throws -> Int {
    defer { endMerging() }
    let foreignCommits = sequence.foreignCommits
    var count = 0
    for transaction in transactions {
      // The clock is read for every 32nd transaction: each takes some microseconds.
      if count % 32 == 31, DispatchTime.now() >= deadline { break }
      count += 1
      guard let set = transaction.writes else { continue }
      try apply(set, verifying: transaction.foreignCommits != foreignCommits, numbers)
      sequence.noteChanges(of: set)
    }
    for rows in merging { try rows.finishMerging() }
    return count
  }

  /// Applies a set of a transaction that has the writer. The transaction records the changed rows in the commit sequence itself.
  func apply(alone set: WriteSet, verifying: Bool, _ numbers: Committer) throws {
    defer { endMerging() }
    try apply(set, verifying: verifying, numbers)
    for rows in merging { try rows.finishMerging() }
  }

  private func endMerging() {
    // Nothing is left unless a write has failed.
    for rows in merging { rows.dropMerged() }
    merging.removeAll()
  }

  private func apply(_ set: WriteSet, verifying: Bool, _ numbers: Committer) throws {
    guard !set.writes.isEmpty else { return try applyKeys(of: set) }
    var rows = try mergingRows(of: set.writes[0].record)
    // By index, since a write is large, and a copy of it retains its objects.
    for index in set.writes.indices {
      if rows.record !== set.writes[index].record { rows = try mergingRows(of: set.writes[index].record) }
      var rowid = set.actualRow(at: index)
      // A later transaction may be based on a new object that was stored under another number: at its proposed number
      // is another object.
      if verifying || hasMovedRows { try verify(set.writes[index], at: rowid, rows) }
      let kind = set.writes[index].kind
      if kind == .inserted, rowid <= rows.lastMergedRow { rowid = move(index, of: set, rows, numbers) }
      try rows.merge(kind, rowid, set.bytes(at: index), keepsKeys: set.writes[index].keepsKeys)
    }
    try applyKeys(of: set)
  }

  /// Writes the changed keys of the dictionary.
  private func applyKeys(of set: WriteSet) throws {
    if !set.keyChanges.isEmpty { try change(set.keyChanges) }
  }

  private func mergingRows(of record: RecordDescription) throws -> RowWriter {
    if let known = merging.first(where: { $0.record === record }) { return known }
    let rows = try preparedRows(of: record)
    merging.append(rows)
    return rows
  }

  /// Gives another row number to a new object whose number another process has used meanwhile.
  private func move(_ index: Int, of set: WriteSet, _ rows: RowWriter, _ numbers: Committer) -> Int64 {
    // Numbers only rise, since indexes that are behind are filled in their order.
    let actual = numbers.withState {
      $0.numbers.move(set.writes[index].rowid, above: rows.lastMergedRow, of: rows.record)
    }
    set.noteMove(of: rows.record, from: set.writes[index].rowid, to: actual)
    hasMovedRows = true
    return actual
  }

  // MARK: Other processes

  /// Checks that a row still holds the object from which the change was made: another process has committed meanwhile.
  ///
  /// - Throws: `SubmissionError.replaced` if the row holds something else.
  private func verify(_ write: Write, at rowid: Int64, _ rows: RowWriter) throws {
    // A new object's keys are checked by SQLite's constraints.
    guard let base = write.former else { return }
    try rows.finishMerging()
    guard try isUnchanged(base, at: rowid, write.record) else {
      throw SubmissionError.replaced(type: write.record.table, rowid: rowid)
    }
  }

  private func isUnchanged<Element: StoredAtom>(
    _ base: Element, at rowid: Int64, _ record: RecordDescription
  ) throws -> Bool {
    let expected = try encoder.encode(base)
    return try connection.reader(for: record).withRow(rowid) { stored in
      guard let stored else { return false }
      if stored.isSame(as: expected) { return true }
      // Another version of the schema may have written the same values as other bytes.
      let object = try Element.object(in: stored, rowid, on: connection)
      return try comparisonEncoder.encode(object).isSame(as: expected)
    }
  }
}
