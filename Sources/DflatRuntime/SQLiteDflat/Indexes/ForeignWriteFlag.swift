import Dflat

/// The flag of a type with indexes: others have written to the type's table, perhaps without index entries.
///
/// Three triggers on the table set the flag. They fire for every writer that uses SQL, such as Dflat 0.6. They do not
/// fire for this runtime, which writes the entries, and whose connections disable triggers. A mark counts only while
/// the flag is clear and the triggers exist (see `RecordReader.isComplete(index:)`).
///
/// The indexes' marks are removed and the flag is cleared before the indexes are verified. So the next step notices a
/// write that comes in between.
extension RecordTables {
  /// The table of the flags, with one row for each type. No schema can have a type with this name.
  static let flags = "dflat-foreign-writes"

  private var type: String { "'\(main.doubling("'"))'" }

  /// The SQL condition that the type's flag is clear. It cannot be prepared while the file has no table of flags.
  var isUnwritten: String { "(SELECT written FROM \(RecordTables.flags.quoted) WHERE type = \(type)) IS 0" }

  /// The triggers that set the flag, by their names.
  private var triggers: [(name: String, sql: String)] {
    ["insert", "update", "delete"].map { operation in
      let name = "written__\(main)__\(operation)"
      // An UPDATE, since it cannot conflict: an INSERT would take over the conflict policy of the statement that fires
      // the trigger.
      return (
        name,
        """
        CREATE TRIGGER \(name.quoted) AFTER \(operation.uppercased()) ON \(main.quoted) \
        BEGIN UPDATE \(RecordTables.flags.quoted) SET written = 1 WHERE type = \(type) AND written = 0; END
        """
      )
    }
  }

  /// Returns whether the three triggers are on the type's table. SQLite changes their text when a table is renamed, and
  /// they then count as missing.
  func hasTriggers(on connection: SQLiteConnection) throws -> Bool {
    let triggers = triggers
    let statement = try connection.query(
      "SELECT count(*) FROM sqlite_master WHERE type = 'trigger' AND tbl_name = ? AND sql IN (?, ?, ?)")
    defer { statement.reset() }
    return try FieldValue.text(main).withRowValue { table in
      try FieldValue.text(triggers[0].sql).withRowValue { insert in
        try FieldValue.text(triggers[1].sql).withRowValue { update in
          try FieldValue.text(triggers[2].sql).withRowValue { delete in
            for (index, value) in [table, insert, update, delete].enumerated() {
              statement.bind(borrowing: value, at: Int32(index) + 1)
            }
            return try statement.step() && statement.integer(at: 0) == 3
          }
        }
      }
    }
  }

  /// Returns whether no others are known to have written to the type's table since the flag was cleared. False if the
  /// flag or one of the triggers is missing.
  func isFlagClear(on connection: SQLiteConnection) throws -> Bool {
    guard try connection.hasTable(RecordTables.flags), try hasTriggers(on: connection) else { return false }
    return try connection.run("SELECT \(isUnwritten)", for: "Looking at an index") == "1"
  }

  /// Removes the marks of the type's indexes, and clears the flag. The caller has begun a write transaction.
  ///
  /// It creates the triggers again. So the version of the file's schema changes, and a verification of these indexes,
  /// in this process or another, starts again with the first row.
  func clearFlag(on connection: SQLiteConnection) throws {
    for index in record.indexes.indices { try removeMark(index, on: connection) }
    let purpose: StaticString = "Preparing to notice other writers"
    try connection.run(
      """
      CREATE TABLE IF NOT EXISTS \(RecordTables.flags.quoted) (type TEXT PRIMARY KEY, written INTEGER NOT NULL) \
      WITHOUT ROWID
      """, for: purpose)
    for trigger in triggers {
      // A renamed table has taken its triggers along.
      try connection.run("DROP TRIGGER IF EXISTS \(trigger.name.quoted)", for: purpose)
      try connection.run(trigger.sql, for: purpose)
    }
    try connection.run(
      "INSERT OR REPLACE INTO \(RecordTables.flags.quoted) (type, written) VALUES (\(type), 0)", for: purpose)
  }
}
