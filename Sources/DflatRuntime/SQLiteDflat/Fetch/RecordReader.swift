import CSQLite
import Dflat
import FlatBuffersCore

/// The statements by which one connection reads the rows of one type. All are prepared at their first use and kept.
final class RecordReader {
  let record: RecordDescription
  /// The parts of which the SQL of a fetch is composed: the table, and for each index how its table is joined and what
  /// its column is called.
  let source: String
  let joins: [String]
  let indexColumns: [String]
  private unowned let connection: SQLiteConnection
  private var byRow: SQLiteStatement?
  private var byPrimaryKey: SQLiteStatement?
  private var completeness: [SQLiteStatement?]
  /// Whether each index is marked, and the type's table has its triggers, as was found when its statement of `completeness` had been prepared so often. SQLite prepares it
  /// anew whenever the file's schema has changed.
  private var marks: [(isMarked: Bool, preparations: Int32)?]

  init(_ record: RecordDescription, on connection: SQLiteConnection) {
    self.record = record
    self.connection = connection
    completeness = Array(repeating: nil, count: record.indexes.count)
    marks = Array(repeating: nil, count: record.indexes.count)
    let tables = RecordTables(record: record)
    source = "\(record.table.quoted) AS m"
    joins = record.indexes.indices.map { " JOIN \(tables.indexTable($0).quoted) AS i\($0) ON i\($0).rowid = m.rowid" }
    indexColumns = record.indexes.indices.map { "i\($0).\(record.indexes[$0].key.quoted)" }
  }

  /// Calls `body` with the bytes of a row, which are good until it returns; with nil when there is no such row.
  func withRow<Result>(_ rowid: Int64, _ body: (UnsafeRawBufferPointer?) throws -> Result) throws -> Result {
    guard
      let statement = try prepared(
        &byRow, "SELECT p FROM \(record.table.quoted) WHERE rowid = ?", for: "Reading an object")
    else { return try body(nil) }
    defer { statement.reset() }
    statement.bind(rowid, at: 1)
    return try body(statement.step() ? statement.bytes(at: 0) : nil)
  }

  /// Calls `body` with the number and the bytes of the row that has the primary key of `object`.
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

  /// Calls `body` with the number and the bytes of the row whose primary key, a single one, is `key`.
  func withRow<Result>(
    havingPrimaryKey key: FieldValue, _ body: ((rowid: Int64, bytes: UnsafeRawBufferPointer)?) throws -> Result
  ) throws -> Result {
    try key.withRowValue { key in
      try withRow(bindingKey: { $0.bind(borrowing: key, at: 1) }, body)
    }
  }

  /// The same of a primary key of two fields.
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

  /// The statement that finds the object with a primary key.
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

  /// The number of the row that holds the primary key of `object`, or its value of a unique index; nil if there is none.
  ///
  /// - Parameter index: the index; nil for the primary key.
  func row(holding index: Int?, of object: FlatBufferTable) throws -> Int64? {
    guard let index else { return try withRow(havingPrimaryKeyOf: object) { $0?.rowid } }
    let table = RecordTables(record: record).indexTable(index)
    let key = record.indexes[index].key.quoted
    guard let statement = try connection.query("SELECT rowid FROM \(table.quoted) WHERE \(key) = ?", ifHasTable: table)
    else { return nil }
    defer { statement.reset() }
    let value = record.columns.value(at: record.primaryKeys.count + index, in: object)
    statement.bind(borrowing: value, at: 1)
    guard try statement.step() else { return nil }
    let rowid = statement.integer(at: 0)
    return try isComplete(index: index) || holds(rowid, value, of: index) ? rowid : nil
  }

  /// Whether a row holds a value. Others may have left an entry in an index that is not relied on.
  private func holds(_ rowid: Int64, _ value: RowValue, of index: Int) throws -> Bool {
    try withRow(rowid) { bytes in
      guard let bytes, let row = FlatBufferTable(rootOf: ByteBuffer(unsafeBorrowing: bytes)) else { return false }
      return RowValue.order(record.columns.value(at: record.primaryKeys.count + index, in: row), value) == 0
    }
  }

  /// Whether the index may be relied on: it is marked, nobody else has written beside it since, and every row has its entry. False
  /// when the index's table is missing.
  ///
  /// The answer holds for the transaction in which it is given: every fetch reads in one.
  func isComplete(index: Int) throws -> Bool {
    // Somebody may drop the table or make it, at any time before the statement runs.
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
        // Unless it is reset, it keeps the read transaction open, and later fetches would show what was stored then.
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
      SELECT (SELECT MAX(rowid) FROM \(tables.main.quoted)) IS (SELECT MAX(rowid) FROM \(tables.indexTable(index).quoted)) \
      AND \(tables.isUnwritten)
      """, for: "Looking at an index", on: connection)
  }

  /// - Parameter statement: that of `completeness`, which keeps a read transaction open.
  private func isMarked(_ index: Int, _ statement: SQLiteStatement) throws -> Bool {
    let preparations = statement.preparations
    if let mark = marks[index], mark.preparations == preparations { return mark.isMarked }
    let tables = RecordTables(record: record)
    let isMarked = try tables.isMarked(index, on: connection) && tables.hasTriggers(on: connection)
    marks[index] = (isMarked, preparations)
    return isMarked
  }

  /// The statement in `slot`, prepared if it is not there yet; nil while the type has no table.
  private func prepared(
    _ slot: inout SQLiteStatement?, _ sql: @autoclosure () -> String, for purpose: StaticString
  ) throws -> SQLiteStatement? {
    if let statement = slot { return statement }
    slot = try connection.ifHasTable(record.table) { try SQLiteStatement(sql(), for: purpose, on: connection) }
    return slot
  }
}
