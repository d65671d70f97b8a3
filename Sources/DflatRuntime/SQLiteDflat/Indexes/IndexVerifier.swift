import Dflat
import FlatBuffersCore

/// Goes over the rows of a type in the order of their numbers, and makes the entries of an index what they should be: adds those
/// that are missing, corrects those that are wrong, and removes those without a row. In a write transaction.
///
/// The rows may be gone over in several transactions. Meanwhile writers keep the entries right that the rows have, so those of
/// the rows that were verified stay so.
struct IndexVerifier {
  /// How many rows a step of the background job reads at most.
  static let batch = 500

  enum Outcome {
    /// Each row has its entry, and each entry is right.
    case complete
    /// The same holds for the rows before the one of this number, and the entries before it.
    case reached(next: Int64)
    /// Two rows have the same value in a unique index. The index has been emptied: it is of no use.
    case violated(SQLiteError)
  }

  private let record: RecordDescription
  private let index: Int
  private let connection: SQLiteConnection
  private let rows: String
  private let entries: String
  private let key: String

  init(record: RecordDescription, index: Int, connection: SQLiteConnection) {
    self.record = record
    self.index = index
    self.connection = connection
    let tables = RecordTables(record: record)
    rows = tables.main.quoted
    entries = tables.indexTable(index).quoted
    key = record.indexes[index].key.quoted
  }

  /// Verifies the next entries.
  ///
  /// - Parameters:
  ///   - first: the number of the row to begin with.
  ///   - limit: how many rows, and entries without a row, to look at.
  func verify(from first: Int64, limit: Int) throws -> Outcome {
    let rows = try prepare("SELECT rowid, p FROM \(rows) WHERE rowid >= ? ORDER BY rowid")
    let entries = try prepare("SELECT rowid, \(key) FROM \(entries) NOT INDEXED WHERE rowid >= ? ORDER BY rowid")
    defer {
      rows.reset()
      entries.reset()
    }
    rows.bind(first, at: 1)
    entries.bind(first, at: 1)
    var statements = RowStatements(record, on: connection)
    var row = try nextNumber(rows)
    var entry = try nextNumber(entries)
    for _ in 0..<limit {
      guard let number = lowest(row, entry) else { return .complete }
      if number == row {
        let value = value(in: rows.bytes(at: 1))
        if number != entry || !entries.holds(value, at: 1) {
          let statement = try statements.prepared(
            number == entry ? .updateEntry(index: index) : .insertEntry(index: index))
          do {
            try run(statement, number, value)
          } catch let error as SQLiteError where error.isConflict {
            // When the entry in the way was a wrong one, this row is verified again: the entry may be the one that is read.
            return try removeWrongEntry(holding: value) ? .reached(next: number) : empty(because: error)
          }
        }
      } else {
        try run(statements.prepared(.deleteEntry(index: index)), number, nil)
      }
      // What was written is behind what is read next.
      if number == entry { entry = try nextNumber(entries) }
      if number == row { row = try nextNumber(rows) }
    }
    return lowest(row, entry).map { .reached(next: $0) } ?? .complete
  }

  private func prepare(_ sql: String) throws -> SQLiteStatement {
    try SQLiteStatement(sql, for: "Filling an index", on: connection, persistent: false)
  }

  private func nextNumber(_ statement: SQLiteStatement) throws -> Int64? {
    try statement.step() ? statement.integer(at: 0) : nil
  }

  private func lowest(_ lhs: Int64?, _ rhs: Int64?) -> Int64? {
    guard let lhs, let rhs else { return lhs ?? rhs }
    return min(lhs, rhs)
  }

  /// The value that a row's entry should hold. A row that cannot be read has none; a fetch reports it.
  private func value(in bytes: UnsafeRawBufferPointer) -> RowValue {
    guard let row = FlatBufferTable(rootOf: ByteBuffer(unsafeBorrowing: bytes)) else { return .null }
    return record.columns.value(at: record.primaryKeys.count + index, in: row)
  }

  /// - Parameter value: the second parameter, if the statement has one.
  private func run(_ statement: SQLiteStatement, _ number: Int64, _ value: RowValue?) throws {
    statement.bind(number, at: 1)
    if let value { statement.bind(borrowing: value, at: 2) }
    try statement.run()
  }

  // MARK: Unique indexes

  /// Removes the entry with a value unless it is right.
  ///
  /// - Returns: false if it is.
  private func removeWrongEntry(holding value: RowValue) throws -> Bool {
    let holder = try prepare(
      "SELECT e.rowid, m.p FROM \(entries) AS e LEFT JOIN \(rows) AS m ON m.rowid = e.rowid WHERE e.\(key) = ?")
    defer { holder.reset() }
    holder.bind(borrowing: value, at: 1)
    // There is one, or there would be no conflict.
    guard let number = try nextNumber(holder) else { return false }
    if !holder.isNull(at: 1), RowValue.order(self.value(in: holder.bytes(at: 1)), value) == 0 { return false }
    holder.reset()
    let delete = try prepare("DELETE FROM \(entries) WHERE rowid = ?")
    try run(delete, number, nil)
    return true
  }

  private func empty(because error: SQLiteError) throws -> Outcome {
    try connection.run("DELETE FROM \(entries)", for: "Emptying an index")
    return .violated(error)
  }
}
