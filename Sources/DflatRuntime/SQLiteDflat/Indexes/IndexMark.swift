import Dflat

/// The mark of an index: this runtime has built or verified the index, so that each row has its entry, and each entry
/// is right.
///
/// A fetch relies only on a marked index, and only while no others have written to the type (see
/// `ForeignWriteFlag.swift`). An unmarked index may look complete and yet be wrong: Dflat 0.6 updates rows, but not
/// entries, while an index is half built.
///
/// The mark is a trigger on the index's table that never fires. It is dropped with the table. It is created and removed
/// in the transaction that verifies or invalidates the index. Programs that do not know it ignore it. A connection that
/// has looked it up need not do so again until the schema of the file changes.
extension RecordTables {
  private func mark(_ index: Int) -> String { "verified__\(indexTable(index))" }

  func isMarked(_ index: Int, on connection: SQLiteConnection) throws -> Bool {
    let trigger = try connection.query(
      "SELECT 1 FROM sqlite_master WHERE type = 'trigger' AND name = ? AND tbl_name = ?")
    defer { trigger.reset() }
    return try FieldValue.text(mark(index)).withRowValue { mark in
      try FieldValue.text(indexTable(index)).withRowValue { table in
        trigger.bind(borrowing: mark, at: 1)
        trigger.bind(borrowing: table, at: 2)
        return try trigger.step()
      }
    }
  }

  /// Marks an unmarked index whose entries are all known to be right. The caller has begun a write transaction.
  func setMark(_ index: Int, on connection: SQLiteConnection) throws {
    // A renamed table has taken its trigger along.
    try connection.run("DROP TRIGGER IF EXISTS \(mark(index).quoted)", for: "Marking an index")
    // It never fires: an entry has the number of its row, which nobody changes.
    try connection.run(
      """
      CREATE TRIGGER \(mark(index).quoted) BEFORE UPDATE OF \(rowColumn(index)) ON \(indexTable(index).quoted) \
      BEGIN SELECT 1; END
      """, for: "Marking an index")
  }

  /// Removes the mark of an index. The caller has begun a write transaction.
  ///
  /// - Returns: whether the index was marked.
  @discardableResult
  func removeMark(_ index: Int, on connection: SQLiteConnection) throws -> Bool {
    guard try isMarked(index, on: connection) else { return false }
    try connection.run("DROP TRIGGER \(mark(index).quoted)", for: "Marking an index")
    return true
  }
}
