import Dflat
import DflatEngine
import Dispatch
import FlatBuffersCore

// How write sets are applied, in the SQLite transaction that is open.
//
// Who sees whole lists can merge writes of one type into few statements: see `RecordApplier`. When a call returns, all is
// written.

extension WriterConnection {
  /// Applies the sets of transactions in their order.
  ///
  /// - Parameters:
  ///   - transactions: those that have a set; a set that was made before another process committed is verified.
  ///   - deadline: when to stop, so that the first transaction does not wait long for its commit; at least one is applied.
  ///   - numbers: hands out row numbers, for new objects whose number another process has used.
  /// - Returns: how many of them were applied.
  func apply(
    _ transactions: ArraySlice<QueuedTransaction>, until deadline: DispatchTime, _ numbers: Committer
  ) throws -> Int {
    defer { appliers.removeAll() }
    let foreignCommits = sequence.foreignCommits
    var count = 0
    for transaction in transactions {
      // The clock is asked for every 32nd transaction: they take some microseconds each.
      if count % 32 == 31, DispatchTime.now() >= deadline { break }
      count += 1
      guard let set = transaction.writes else { continue }
      try apply(set, verifying: transaction.foreignCommits != foreignCommits, numbers)
      sequence.noteChanges(of: set)
    }
    for applier in appliers { try applier.finish() }
    return count
  }

  /// Applies a set of a transaction that writes alone, which notes the changes itself.
  func apply(alone set: WriteSet, verifying: Bool, _ numbers: Committer) throws {
    defer { appliers.removeAll() }
    try apply(set, verifying: verifying, numbers)
    for applier in appliers { try applier.finish() }
  }

  private func apply(_ set: WriteSet, verifying: Bool, _ numbers: Committer) throws {
    guard !set.writes.isEmpty else { return try applyKeys(of: set) }
    var applier = try applier(of: set.writes[0].record)
    // By the index, since a write is large, and a copy of it counts references.
    for index in set.writes.indices {
      if applier.rows.record !== set.writes[index].record { applier = try self.applier(of: set.writes[index].record) }
      let rowid = set.actualRow(at: index)
      // A later transaction may have been made from a new object that had to be stored elsewhere: then it finds another one.
      if verifying || hasMovedRows { try verify(set.writes[index], at: rowid, applier) }
      switch set.writes[index].kind {
      case .inserted: try insert(set, index, applier, numbers)
      case .updated: try applier.update(rowid, set.bytes(at: index), keepsKeys: set.writes[index].keepsKeys)
      case .deleted: try applier.delete(rowid)
      }
    }
    try applyKeys(of: set)
  }

  /// Writes the keys of the dictionary.
  private func applyKeys(of set: WriteSet) throws {
    if !set.keyChanges.isEmpty { try change(set.keyChanges) }
  }

  private func applier(of record: RecordDescription) throws -> RecordApplier {
    if let known = appliers.first(where: { $0.rows.record === record }) { return known }
    let applier = try RecordApplier(preparedRows(of: record))
    appliers.append(applier)
    return applier
  }

  private func insert(_ set: WriteSet, _ index: Int, _ applier: RecordApplier, _ numbers: Committer) throws {
    let rowid = set.writes[index].rowid
    guard rowid <= applier.lastRow else { return try applier.insert(rowid, set.bytes(at: index)) }
    // Another process has used the number meanwhile. Numbers only rise: indexes that are behind are filled in their order.
    let record = set.writes[index].record
    let actual = numbers.moveRow(of: record, rowid, above: applier.lastRow)
    set.noteMove(of: record, from: rowid, to: actual)
    hasMovedRows = true
    try applier.insert(actual, set.bytes(at: index))
  }

  // MARK: Other processes

  /// Throws if the row is no longer as the change was made from: another process has committed meanwhile.
  private func verify(_ write: Write, at rowid: Int64, _ applier: RecordApplier) throws {
    // A new object's keys are checked by SQLite's constraints.
    guard let base = write.former else { return }
    try applier.finish()
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
