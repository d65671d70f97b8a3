import Dflat

/// The statements by which the rows of one type are written, each prepared at its first use and kept.
struct RowStatements {
  private let record: RecordDescription
  private let tables: RecordTables
  private let connection: SQLiteConnection
  private var insertStatement: SQLiteStatement?
  private var insertBatchStatement: SQLiteStatement?
  private var updateStatement: SQLiteStatement?
  private var updateRangeStatement: SQLiteStatement?
  private var updateWithKeysStatement: SQLiteStatement?
  private var deleteStatement: SQLiteStatement?
  private var deleteRangeStatement: SQLiteStatement?
  // Those of the index tables, by the indexes.
  private var insertEntryStatements: [SQLiteStatement?]
  private var insertEntryBatchStatements: [SQLiteStatement?]
  private var updateEntryStatements: [SQLiteStatement?]
  private var updateEntryRangeStatements: [SQLiteStatement?]
  private var deleteEntryStatements: [SQLiteStatement?]
  private var deleteEntryRangeStatements: [SQLiteStatement?]

  /// How many rows one statement stores: half of the work of a statement for each. More save little.
  static let batchCount = 16

  init(_ record: RecordDescription, on connection: SQLiteConnection) {
    self.record = record
    self.connection = connection
    tables = RecordTables(record: record)
    let none: [SQLiteStatement?] = Array(repeating: nil, count: record.indexes.count)
    insertEntryStatements = none
    insertEntryBatchStatements = none
    updateEntryStatements = none
    updateEntryRangeStatements = none
    deleteEntryStatements = none
    deleteEntryRangeStatements = none
  }

  private var table: String { tables.main.quoted }
  private var keyColumns: [String] { record.primaryKeys.indices.map { "__pk\($0)" } }

  // MARK: Rows

  /// Parameters: the row number, the key columns, the bytes.
  mutating func insert() throws -> SQLiteStatement {
    if let statement = insertStatement { return statement }
    let columns = keyColumns.map { "\($0), " }.joined()
    let values = keyColumns.map { _ in "?, " }.joined()
    return try prepare(
      &insertStatement, "INSERT INTO \(table) (rowid, \(columns)p) VALUES (?, \(values)?)", "Storing an object")
  }

  /// Parameters: those of `insert()`, for each row of a batch. At the first row that has a key that is stored it fails, and what
  /// it has stored before stays.
  mutating func insertBatch() throws -> SQLiteStatement {
    if let statement = insertBatchStatement { return statement }
    let columns = keyColumns.map { "\($0), " }.joined()
    let values = "(?, " + keyColumns.map { _ in "?, " }.joined() + "?)"
    let rows = Array(repeating: values, count: RowStatements.batchCount).joined(separator: ", ")
    return try prepare(
      &insertBatchStatement, "INSERT OR FAIL INTO \(table) (rowid, \(columns)p) VALUES \(rows)", "Storing objects")
  }

  /// Parameters: the bytes, the row number.
  mutating func update() throws -> SQLiteStatement {
    if let statement = updateStatement { return statement }
    return try prepare(&updateStatement, "UPDATE \(table) SET p = ? WHERE rowid = ?", "Updating an object")
  }

  /// Parameters: the first and the last row number. Asks for each row's bytes: see `UpdateFunctions`.
  mutating func updateRange() throws -> SQLiteStatement {
    if let statement = updateRangeStatement { return statement }
    return try prepare(
      &updateRangeStatement,
      "UPDATE \(table) SET p = dflat_bytes(rowid) WHERE rowid BETWEEN ? AND ? AND dflat_bytes(rowid) NOT NULL",
      "Updating objects")
  }

  /// Parameters: the bytes, the row number, the key columns.
  mutating func updateWithKeys() throws -> SQLiteStatement {
    if let statement = updateWithKeysStatement { return statement }
    let keys = keyColumns.enumerated().map { "\($1) = ?\($0 + 3)" }.joined(separator: ", ")
    return try prepare(
      &updateWithKeysStatement, "UPDATE \(table) SET p = ?1, \(keys) WHERE rowid = ?2", "Updating an object")
  }

  /// Parameters: the row number; of a range, the first and the last one.
  mutating func delete(isRange: Bool) throws -> SQLiteStatement {
    if isRange {
      if let statement = deleteRangeStatement { return statement }
      return try prepare(
        &deleteRangeStatement, "DELETE FROM \(table) WHERE rowid BETWEEN ? AND ?", "Deleting objects")
    }
    if let statement = deleteStatement { return statement }
    return try prepare(&deleteStatement, "DELETE FROM \(table) WHERE rowid = ?", "Deleting an object")
  }

  // MARK: Index entries

  /// Parameters: the row number, the value.
  mutating func insertEntry(_ index: Int) throws -> SQLiteStatement {
    if let statement = insertEntryStatements[index] { return statement }
    let (table, key) = entryNames(index)
    return try prepare(
      &insertEntryStatements[index], "INSERT INTO \(table) (rowid, \(key)) VALUES (?1, ?2)", "Storing an index entry")
  }

  /// Parameters: those of `insertEntry(_:)`, for each row of a batch.
  mutating func insertEntryBatch(_ index: Int) throws -> SQLiteStatement {
    if let statement = insertEntryBatchStatements[index] { return statement }
    let (table, key) = entryNames(index)
    let rows = Array(repeating: "(?, ?)", count: RowStatements.batchCount).joined(separator: ", ")
    return try prepare(
      &insertEntryBatchStatements[index], "INSERT OR FAIL INTO \(table) (rowid, \(key)) VALUES \(rows)",
      "Storing index entries")
  }

  /// Parameters: the row number, the value.
  mutating func updateEntry(_ index: Int) throws -> SQLiteStatement {
    if let statement = updateEntryStatements[index] { return statement }
    let (table, key) = entryNames(index)
    return try prepare(
      &updateEntryStatements[index], "UPDATE \(table) SET \(key) = ?2 WHERE rowid = ?1 AND \(key) IS NOT ?2",
      "Updating an index entry")
  }

  /// Parameters: the first and the last row number. Asks for each row's value: see `UpdateFunctions`.
  mutating func updateEntryRange(_ index: Int) throws -> SQLiteStatement {
    if let statement = updateEntryRangeStatements[index] { return statement }
    let (table, key) = entryNames(index)
    return try prepare(
      &updateEntryRangeStatements[index],
      "UPDATE \(table) SET \(key) = dflat_value(rowid) WHERE rowid BETWEEN ? AND ? AND dflat_bytes(rowid) NOT NULL "
        + "AND \(key) IS NOT dflat_value(rowid)", "Updating index entries")
  }

  /// Parameters: the row number; of a range, the first and the last one.
  mutating func deleteEntries(_ index: Int, isRange: Bool) throws -> SQLiteStatement {
    let table = tables.indexTable(index).quoted
    if isRange {
      if let statement = deleteEntryRangeStatements[index] { return statement }
      return try prepare(
        &deleteEntryRangeStatements[index], "DELETE FROM \(table) WHERE rowid BETWEEN ?1 AND ?2",
        "Deleting index entries")
    }
    if let statement = deleteEntryStatements[index] { return statement }
    return try prepare(
      &deleteEntryStatements[index], "DELETE FROM \(table) WHERE rowid = ?1", "Deleting an index entry")
  }

  private func entryNames(_ index: Int) -> (table: String, key: String) {
    (tables.indexTable(index).quoted, record.indexes[index].key.quoted)
  }

  private func prepare(
    _ slot: inout SQLiteStatement?, _ sql: String, _ purpose: StaticString
  ) throws -> SQLiteStatement {
    let statement = try SQLiteStatement(sql, for: purpose, on: connection)
    slot = statement
    return statement
  }
}
