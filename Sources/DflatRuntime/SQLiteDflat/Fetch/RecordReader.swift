import CSQLite
import Dflat
import FlatBuffersCore

/// The statements by which one connection reads the rows of one type. Each is prepared at its first use, and kept.
final class RecordReader {
  let record: RecordDescription
  /// The parts of a fetch's SQL: the type's table, and for each index the join with its table and the name of its
  /// column.
  let source: String
  let joins: [String]
  let indexColumns: [String]
  private unowned let connection: SQLiteConnection
  private var byRow: SQLiteStatement?
  private var byPrimaryKey: SQLiteStatement?
  private var completeness: [SQLiteStatement?]
  /// For each index, whether it is marked and the type's table has its triggers. The count of preparations of its
  /// `completeness` statement shows whether this is current: SQLite prepares the statement again after each change of
  /// the schema.
  private var marks: [(isMarked: Bool, preparations: Int32)?]

  init(_ record: RecordDescription, on connection: SQLiteConnection) {
    self.record = record
    self.connection = connection
    completeness = Array(repeating: nil, count: record.indexes.count)
    marks = Array(repeating: nil, count: record.indexes.count)
    let tables = RecordTables(record: record)
    source = "\(record.table.quoted) AS m"
    joins = record.indexes.indices.map { " JOIN \(tables.indexTable($0).quoted) AS i\($0) ON i\($0).rowid = m.rowid" }
    indexColumns = record.indexes.indices.map { index in
      // The table of an index over elements is not joined, but searched by a subquery.
      (record.indexes[index].vector == nil ? "i\(index)." : "") + record.indexes[index].key.quoted
    }
  }

  /// Calls `body` with the bytes of a row, valid until it returns; with nil if there is no such row.
  func withRow<Result>(_ rowid: Int64, _ body: (UnsafeRawBufferPointer?) throws -> Result) throws -> Result {
    guard
      let statement = try prepared(
        &byRow, "SELECT p FROM \(record.table.quoted) WHERE rowid = ?", for: "Reading an object")
    else { return try body(nil) }
    defer { statement.reset() }
    statement.bind(rowid, at: 1)
    return try body(statement.step() ? statement.bytes(at: 0) : nil)
  }

  /// Calls `body` with the number and the bytes of the row that has the primary key of `object`; with nil if there is
  /// none.
  func withRow<Result>(
    havingPrimaryKeyOf object: FlatBufferTable,
    _ body: ((rowid: Int64, bytes: UnsafeRawBufferPointer)?) throws -> Result
  ) throws -> Result {
    try withRow(
      bindingKey: { statement in
        for index in record.primaryKeys.indices {
          statement.bind(borrowing: record.columns.value(at: index, in: object), at: Int32(index) + 1)
        }
      }, body)
  }

  /// Calls `body` with the number and the bytes of the row with a primary key of one field; with nil if there is none.
  func withRow<Result>(
    havingPrimaryKey key: FieldValue, _ body: ((rowid: Int64, bytes: UnsafeRawBufferPointer)?) throws -> Result
  ) throws -> Result {
    try key.withRowValue { key in
      try withRow(bindingKey: { $0.bind(borrowing: key, at: 1) }, body)
    }
  }

  /// Calls `body` with the number and the bytes of the row with a primary key of two fields; with nil if there is none.
  func withRow<Result>(
    havingPrimaryKey first: RowValue, _ second: RowValue,
    _ body: ((rowid: Int64, bytes: UnsafeRawBufferPointer)?) throws -> Result
  ) throws -> Result {
    try withRow(
      bindingKey: {
        $0.bind(borrowing: first, at: 1)
        $0.bind(borrowing: second, at: 2)
      }, body)
  }

  /// The SQL that finds a row by its primary key.
  var lookUpByPrimaryKey: String {
    "SELECT rowid, p FROM \(record.table.quoted) WHERE "
      + record.primaryKeys.indices.map { "__pk\($0) = ?" }.joined(separator: " AND ")
  }

  private func withRow<Result>(
    bindingKey bind: (SQLiteStatement) -> Void,
    _ body: ((rowid: Int64, bytes: UnsafeRawBufferPointer)?) throws -> Result
  ) throws -> Result {
    guard
      let statement = try prepared(
        &byPrimaryKey, lookUpByPrimaryKey, for: "Finding an object")
    else { return try body(nil) }
    defer { statement.reset() }
    bind(statement)
    return try body(statement.step() ? (statement.integer(at: 0), statement.bytes(at: 1)) : nil)
  }

  /// Returns the row that holds the primary key of `object`, or its value of a unique index; nil if there is none.
  ///
  /// - Parameter index: the index; nil for the primary key.
  func row(holding index: Int?, of object: FlatBufferTable) throws -> Int64? {
    guard let index else { return try withRow(havingPrimaryKeyOf: object) { $0?.rowid } }
    let table = RecordTables(record: record).indexTable(index)
    let key = record.indexes[index].key.quoted
    guard let statement = try connection.query("SELECT rowid FROM \(table.quoted) WHERE \(key) = ?", ifHasTable: table)
    else { return nil }
    defer { statement.reset() }
    return try record.withValue(ofColumn: record.column(ofIndex: index), in: object) { value in
      statement.bind(borrowing: value, at: 1)
      guard try statement.step() else { return nil }
      let rowid = statement.integer(at: 0)
      return try isComplete(index: index) || holds(rowid, value, of: index) ? rowid : nil
    }
  }

  /// Returns whether a row holds a value of an index. In an index that cannot be relied on, others may have left a
  /// wrong entry.
  private func holds(_ rowid: Int64, _ value: RowValue, of index: Int) throws -> Bool {
    try withRow(rowid) { bytes in
      guard let bytes, let row = FlatBufferTable(rootOf: ByteBuffer(unsafeBorrowing: bytes)) else { return false }
      return record.withValue(ofColumn: record.column(ofIndex: index), in: row) { RowValue.order($0, value) == 0 }
    }
  }

  /// Returns whether an index can be relied on: it is marked, nobody has written without it since, and every row has
  /// its entry. False if the index's table does not exist.
  ///
  /// The answer holds for the current transaction; every fetch reads in one.
  func isComplete(index: Int) throws -> Bool {
    // Other connections may create or drop the table until the statement runs.
    var attempts = 0
    while true {
      attempts += 1
      let statement: SQLiteStatement
      let isComplete: Bool
      do {
        statement = try completeness[index] ?? completenessStatement(index)
        completeness[index] = statement
        statement.reset()
        isComplete = try statement.step() && statement.integer(at: 0) != 0 && isMarked(index, statement)
      } catch let error as SQLiteError where error.mayBeMissingTable {
        completeness[index]?.reset()
        completeness[index] = nil
        marks[index] = nil
        guard try connection.hasTable(record.table),
          try connection.hasTable(RecordTables(record: record).indexTable(index)),
          try connection.hasTable(RecordTables.flags)
        else { return false }
        if attempts == 3 { throw error }
        continue
      } catch {
        // Without a reset, the statement would keep the read transaction open, and later fetches would show an old
        // state.
        completeness[index]?.reset()
        throw error
      }
      statement.reset()
      return isComplete
    }
  }

  private func completenessStatement(_ index: Int) throws -> SQLiteStatement {
    let tables = RecordTables(record: record)
    return try SQLiteStatement(
      """
      SELECT (SELECT MAX(rowid) FROM \(tables.main.quoted)) \
      IS (SELECT MAX(\(tables.rowColumn(index))) FROM \(tables.indexTable(index).quoted)) AND \(tables.isUnwritten)
      """, for: "Looking at an index", on: connection)
  }

  /// Returns whether an index is marked, and the type's table has its triggers.
  ///
  /// - Parameter statement: the index's statement of `completeness`, which keeps a read transaction open.
  private func isMarked(_ index: Int, _ statement: SQLiteStatement) throws -> Bool {
    let preparations = statement.preparations
    if let mark = marks[index], mark.preparations == preparations { return mark.isMarked }
    let tables = RecordTables(record: record)
    let isMarked = try tables.isMarked(index, on: connection) && tables.hasTriggers(on: connection)
    marks[index] = (isMarked, preparations)
    return isMarked
  }

  /// Returns the statement in `slot`, and prepares it if needed; nil while the type has no table.
  private func prepared(
    _ slot: inout SQLiteStatement?, _ sql: @autoclosure () -> String, for purpose: StaticString
  ) throws -> SQLiteStatement? {
    if let statement = slot { return statement }
    slot = try connection.ifHasTable(record.table) { try SQLiteStatement(sql(), for: purpose, on: connection) }
    return slot
  }
}
