import Dflat

/// A kind of statement that writes rows of one type, or entries of one of its indexes.
enum RowStatement {
  /// Parameters: the row number, the key columns, the bytes.
  case insert
  /// Parameters: those of `insert`, for each row of a batch. If a key is already stored, the statement fails, and the
  /// rows before it stay. So SQLite needs no journal to undo a part of the statement.
  case insertBatch
  /// Parameters: the bytes, the row number.
  case update
  /// Parameters: the bytes, the row number, the key columns.
  case updateWithKeys
  /// Parameters: the bytes, the row number, the key columns, which the row must hold.
  case updateIfKeyed
  /// Parameters: the first and the last row number. It calls a function for each row's bytes: see `UpdateFunctions`.
  case updateRange
  /// Parameter: the row number.
  case delete
  /// Parameters: the first and the last row number.
  case deleteRange
  /// Parameters: the row number, the value; in an index over elements, the row number, the position, the value.
  case insertEntry(index: Int)
  /// Parameters: those of `insertEntry`, for each row of a batch.
  case insertEntryBatch(index: Int)
  /// Parameters: the row number, the value.
  case updateEntry(index: Int)
  /// Parameters: the first and the last row number. It calls a function for each row's value: see `UpdateFunctions`.
  case updateEntryRange(index: Int)
  /// Parameter: the row number.
  case deleteEntry(index: Int)
  /// Parameters: the first and the last row number.
  case deleteEntryRange(index: Int)
  /// Reads the values of a row in an index over elements, in the order of their positions. Parameter: the row number.
  case readElements(index: Int)

  /// How many rows a batch stores. One statement for 16 rows takes half as long as 16 statements; more rows save
  /// little.
  static let batchCount = 16

  /// The position of the statement in `RowStatements`.
  fileprivate var number: Int {
    switch self {
    case .insert: 0
    case .insertBatch: 1
    case .update: 2
    case .updateWithKeys: 3
    case .updateIfKeyed: 4
    case .updateRange: 5
    case .delete: 6
    case .deleteRange: 7
    case .insertEntry(let index): 8 + 7 * index
    case .insertEntryBatch(let index): 9 + 7 * index
    case .updateEntry(let index): 10 + 7 * index
    case .updateEntryRange(let index): 11 + 7 * index
    case .deleteEntry(let index): 12 + 7 * index
    case .deleteEntryRange(let index): 13 + 7 * index
    case .readElements(let index): 14 + 7 * index
    }
  }

  /// Returns how many statements a type has.
  fileprivate static func count(of record: RecordDescription) -> Int { 8 + 7 * record.indexes.count }

  /// What the statement does, for error messages.
  fileprivate var purpose: StaticString {
    switch self {
    case .insert: "Storing an object"
    case .insertBatch: "Storing objects"
    case .update, .updateWithKeys, .updateIfKeyed: "Updating an object"
    case .updateRange: "Updating objects"
    case .delete: "Deleting an object"
    case .deleteRange: "Deleting objects"
    case .insertEntry: "Storing an index entry"
    case .insertEntryBatch: "Storing index entries"
    case .updateEntry: "Updating an index entry"
    case .updateEntryRange: "Updating index entries"
    case .deleteEntry: "Deleting an index entry"
    case .deleteEntryRange: "Deleting index entries"
    case .readElements: "Reading index entries"
    }
  }

  fileprivate func sql(for tables: RecordTables) -> String {
    let table = tables.main.quoted
    let keys = tables.record.primaryKeys.indices.map { "__pk\($0)" }
    switch self {
    case .insert: return "INSERT INTO \(table) \(insertedColumns(keys)) VALUES \(insertedValues(keys))"
    case .insertBatch:
      return "INSERT OR FAIL INTO \(table) \(insertedColumns(keys)) VALUES \(batch(of: insertedValues(keys)))"
    case .update: return "UPDATE \(table) SET p = ? WHERE rowid = ?"
    case .updateWithKeys:
      let columns = keys.enumerated().map { ", \($1) = ?\($0 + 3)" }.joined()
      return "UPDATE \(table) SET p = ?1\(columns) WHERE rowid = ?2"
    case .updateIfKeyed:
      let conditions = keys.enumerated().map { " AND \($1) = ?\($0 + 3)" }.joined()
      return "UPDATE \(table) SET p = ?1 WHERE rowid = ?2\(conditions)"
    case .updateRange:
      return """
        UPDATE \(table) SET p = dflat_bytes(rowid) WHERE rowid BETWEEN ? AND ? AND dflat_bytes(rowid) NOT NULL
        """
    case .delete: return "DELETE FROM \(table) WHERE rowid = ?"
    case .deleteRange: return "DELETE FROM \(table) WHERE rowid BETWEEN ? AND ?"
    case .insertEntry(let index), .insertEntryBatch(let index), .updateEntry(let index), .updateEntryRange(let index),
      .deleteEntry(let index), .deleteEntryRange(let index), .readElements(let index):
      let (table, key) = (tables.indexTable(index).quoted, tables.record.indexes[index].key.quoted)
      return tables.record.indexes[index].vector == nil ? entrySQL(table, key) : elementSQL(table, key)
    }
  }

  private func entrySQL(_ table: String, _ key: String) -> String {
    switch self {
    case .insertEntryBatch: "INSERT OR FAIL INTO \(table) (rowid, \(key)) VALUES \(batch(of: "(?, ?)"))"
    case .updateEntry: "UPDATE \(table) SET \(key) = ?2 WHERE rowid = ?1 AND \(key) IS NOT ?2"
    case .updateEntryRange:
      """
      UPDATE \(table) SET \(key) = dflat_value(rowid) WHERE rowid BETWEEN ? AND ? AND dflat_bytes(rowid) NOT NULL \
      AND \(key) IS NOT dflat_value(rowid)
      """
    case .deleteEntry: "DELETE FROM \(table) WHERE rowid = ?"
    case .deleteEntryRange: "DELETE FROM \(table) WHERE rowid BETWEEN ? AND ?"
    default: "INSERT INTO \(table) (rowid, \(key)) VALUES (?, ?)"
    }
  }

  /// Returns the statements for an index over elements. Changed entries of a row are deleted and stored again.
  private func elementSQL(_ table: String, _ key: String) -> String {
    switch self {
    case .deleteEntry: "DELETE FROM \(table) WHERE row = ?"
    case .deleteEntryRange: "DELETE FROM \(table) WHERE row BETWEEN ? AND ?"
    case .readElements: "SELECT \(key) FROM \(table) WHERE row = ? ORDER BY position"
    default: "INSERT INTO \(table) (row, position, \(key)) VALUES (?, ?, ?)"
    }
  }

  private func insertedColumns(_ keys: [String]) -> String { "(rowid, \(keys.map { "\($0), " }.joined())p)" }

  private func insertedValues(_ keys: [String]) -> String { "(?, \(keys.map { _ in "?, " }.joined())?)" }

  private func batch(of values: String) -> String {
    Array(repeating: values, count: RowStatement.batchCount).joined(separator: ", ")
  }
}

/// The statements of one type on one connection. Each is prepared at its first use, and kept.
struct RowStatements {
  private let tables: RecordTables
  private let connection: SQLiteConnection

  var record: RecordDescription { tables.record }

  /// The prepared statements, by `RowStatement.number`; nil until the first use.
  private var statements: [SQLiteStatement?]

  init(_ record: RecordDescription, on connection: SQLiteConnection) {
    tables = RecordTables(record: record)
    self.connection = connection
    statements = Array(repeating: nil, count: RowStatement.count(of: record))
  }

  mutating func prepared(_ statement: RowStatement) throws -> SQLiteStatement {
    if let prepared = statements[statement.number] { return prepared }
    let prepared = try SQLiteStatement(statement.sql(for: tables), for: statement.purpose, on: connection)
    statements[statement.number] = prepared
    return prepared
  }
}
