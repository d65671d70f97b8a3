import Dflat

/// The mark of an index: this runtime has built or verified it, so that each row has its entry, and each entry is right.
///
/// Without its mark an index is not relied on, whatever it holds; nor with it once somebody else has written to the type (see
/// `ForeignWriteFlag.swift`). An index that looks complete may be wrong: Dflat 0.6 updates
/// rows, and no entries, while an index is half built.
///
/// The mark is a trigger on the table of the index that never fires. So it goes with the table when that is dropped, it is
/// made and removed in the transaction that gives reason to, everybody ignores it who does not know it, and a connection
/// that has looked it up need not look again until the schema of the file changes.
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

  /// Marks an index whose every entry is known to be right, and that is not marked. In a write transaction.
  func setMark(_ index: Int, on connection: SQLiteConnection) throws {
    // A table that somebody has renamed has taken its trigger along.
    try connection.run("DROP TRIGGER IF EXISTS \(mark(index).quoted)", for: "Marking an index")
    // Nobody changes the number of an entry, which is that of its row.
    try connection.run(
      """
      CREATE TRIGGER \(mark(index).quoted) BEFORE UPDATE OF rowid ON \(indexTable(index).quoted) \
      BEGIN SELECT 1; END
      """, for: "Marking an index")
  }

  /// Removes the mark of an index, in a write transaction.
  ///
  /// - Returns: whether it had one.
  @discardableResult
  func removeMark(_ index: Int, on connection: SQLiteConnection) throws -> Bool {
    guard try isMarked(index, on: connection) else { return false }
    try connection.run("DROP TRIGGER \(mark(index).quoted)", for: "Marking an index")
    return true
  }
}
