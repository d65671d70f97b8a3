import CSQLite
import Dflat

/// The tables of one type: their names, and the statements that create them.
struct RecordTables {
  let record: RecordDescription

  var main: String { record.table }

  func indexTable(_ index: Int) -> String { "\(record.table)__\(record.indexes[index].key)" }

  func index(_ index: Int) -> String { "index__\(indexTable(index))" }

  /// Returns the column of an index's table that holds the number of an entry's row.
  func rowColumn(_ index: Int) -> String { record.indexes[index].vector == nil ? "rowid" : "row" }

  /// Creates the missing tables, and drops the indexes that the type no longer has. If others may have written without
  /// the indexes, it removes the indexes' marks. The caller has begun a write transaction.
  ///
  /// - Returns: whether others may have written without the indexes, so that their marks do not count.
  @discardableResult
  func create(on connection: SQLiteConnection) throws -> Bool {
    let keys = record.primaryKeys.indices.map { "__pk\($0)" }
    let columns = zip(keys, record.primaryKeys).map { "\($0) \($1.storage.columnType)" }
    try connection.run(
      """
      CREATE TABLE IF NOT EXISTS \(main.quoted) (rowid INTEGER PRIMARY KEY AUTOINCREMENT, \
      \(columns.joined(separator: ", ")), p BLOB, UNIQUE(\(keys.joined(separator: ", "))))
      """, for: "Creating a table")
    let isWritten = try !record.indexes.isEmpty && !isFlagClear(on: connection)
    if isWritten { try clearFlag(on: connection) }
    for index in record.indexes.indices {
      try createIndex(index, on: connection)
    }
    try dropForgottenIndexes(on: connection)
    return isWritten
  }

  /// Returns the highest row number that the table has ever used; 0 if it has used none. At most `highestRow`, whatever another
  /// program has written to the file, so that counting on passes no limit of integers.
  func lastRow(on connection: SQLiteConnection) throws -> Int64 {
    // SQLite creates `sqlite_sequence` with the first table that has AUTOINCREMENT, and adds a table's row at its first
    // insertion. The column has no type, so a number may be stored as a text.
    guard try connection.hasTable("sqlite_sequence") else { return 0 }
    let last = try connection.run(
      """
      SELECT max(ifnull((SELECT max(CAST(seq AS INTEGER)) FROM sqlite_sequence WHERE name = '\(main.doubling("'"))'), 0), \
      ifnull((SELECT max(rowid) FROM \(main.quoted)), 0))
      """, for: "Finding the last row")
    return min(last.flatMap { Int64($0) } ?? 0, RecordTables.highestRow)
  }

  /// Checks the number of a new row.
  ///
  /// - Throws: `SQLiteError` with `SQLITE_FULL` if the numbers have come near their end. Stored rows can still be changed and
  ///   deleted.
  func checkNumber(_ row: Int64, on connection: SQLiteConnection) throws {
    guard row <= RecordTables.highestRow else {
      throw SQLiteError(
        extendedCode: SQLITE_FULL, message: "the row numbers of \(main) have come near their end, to \(row)",
        purpose: "Storing a new row", path: connection.path)
    }
  }

  /// The highest number for a new row. A million million numbers are left above it, more than a process can use.
  private static let highestRow = Int64.max - 1 << 40

  /// Drops the indexes of other versions of the schema. This version does not maintain them. A version that has them
  /// would take them for complete, since their entries may be wrong but none is missing. When they are dropped, that
  /// version builds them again.
  private func dropForgottenIndexes(on connection: SQLiteConnection) throws {
    // Another type's table may have such a name, but not these columns.
    let prefix = main.doubling("'") + "__"
    let tables = try SQLiteStatement(
      """
      SELECT name FROM sqlite_master WHERE type = 'table' AND substr(name, 1, length('\(prefix)')) = '\(prefix)' \
      AND (SELECT group_concat(c.name, '/') FROM pragma_table_info(sqlite_master.name) AS c) \
      IN ('rowid/' || substr(name, length('\(prefix)') + 1), 'row/position/' || substr(name, length('\(prefix)') + 1))
      """, for: "Looking for indexes", on: connection, persistent: false)
    var forgotten: [String] = []
    while try tables.step() {
      let name = tables.text(at: 0)
      if !record.indexes.indices.contains(where: { indexTable($0) == name }) { forgotten.append(name) }
    }
    tables.reset()
    for name in forgotten { try connection.run("DROP TABLE \(name.quoted)", for: "Dropping an index") }
  }

  /// Returns whether the index at `position` in the record is unique in the file; nil if the file does not have it.
  func isUnique(_ position: Int, on connection: SQLiteConnection) throws -> Bool? {
    try connection.run(
      """
      SELECT "unique" FROM pragma_index_list('\(indexTable(position).doubling("'"))') \
      WHERE name = '\(index(position).doubling("'"))'
      """, for: "Looking at an index"
    ).map { $0 == "1" }
  }

  private func createIndex(_ position: Int, on connection: SQLiteConnection) throws {
    let index = record.indexes[position]
    let table = indexTable(position)
    // An index that is now unique in the schema, or is no longer unique, is built again.
    let unique = try isUnique(position, on: connection)
    if let unique, unique != index.isUnique {
      try connection.run("DROP TABLE \(table.quoted)", for: "Dropping an index")
    }
    let key = index.key.quoted
    let column = "\(key) \(index.field.storage.columnType)"
    // A row has several entries in an index over elements, in the order of their positions.
    let contents =
      index.vector == nil
      ? "(rowid INTEGER PRIMARY KEY, \(column))"
      : "(row INTEGER, position INTEGER, \(column), PRIMARY KEY (row, position)) WITHOUT ROWID"
    try connection.run("CREATE TABLE IF NOT EXISTS \(table.quoted) \(contents)", for: "Creating an index")
    try connection.run(
      """
      CREATE \(index.isUnique ? "UNIQUE " : "")INDEX IF NOT EXISTS \(self.index(position).quoted) \
      ON \(table.quoted) (\(key))
      """, for: "Creating an index")
    // An index of no rows needs no verification.
    if try !isMarked(position, on: connection), try isEmpty(main, on: connection), try isEmpty(table, on: connection) {
      try setMark(position, on: connection)
    }
  }

  private func isEmpty(_ table: String, on connection: SQLiteConnection) throws -> Bool {
    try connection.run("SELECT 1 FROM \(table.quoted) LIMIT 1", for: "Creating an index") == nil
  }
}
