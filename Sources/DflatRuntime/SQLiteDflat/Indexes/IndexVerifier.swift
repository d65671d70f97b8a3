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
    /// So many rows have the value of another one in a unique index that no more are looked for.
    case violated
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
  ///   - duplicates: gets the rows that hold the value of another one in a unique index, and so have no entry.
  func verify(from first: Int64, limit: Int, _ duplicates: inout DuplicateRows) throws -> Outcome {
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
            guard let holder = try rightEntry(holding: value) else { return .reached(next: number) }
            if number == entry { try run(statements.prepared(.deleteEntry(index: index)), number, nil) }
            duplicates.append(number, holder: holder)
            if duplicates.isFull { return .violated }
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

  /// The number of the entry with a value, which is removed if it is wrong.
  ///
  /// - Returns: nil if it was, or there is none any more.
  private func rightEntry(holding value: RowValue) throws -> Int64? {
    let holder = try prepare(
      "SELECT e.rowid, m.p FROM \(entries) AS e LEFT JOIN \(rows) AS m ON m.rowid = e.rowid WHERE e.\(key) = ?")
    defer { holder.reset() }
    holder.bind(borrowing: value, at: 1)
    guard let number = try nextNumber(holder) else { return nil }
    if !holder.isNull(at: 1), RowValue.order(self.value(in: holder.bytes(at: 1)), value) == 0 { return number }
    holder.reset()
    let delete = try prepare("DELETE FROM \(entries) WHERE rowid = ?")
    try run(delete, number, nil)
    return nil
  }

  /// Removes all entries of a unique index that cannot be built.
  func empty() throws { try connection.run("DELETE FROM \(entries)", for: "Emptying an index") }

  /// The pairs of `duplicates` that hold one value now.
  ///
  /// - Parameter limit: how many to look for.
  func pairs(of duplicates: DuplicateRows, limit: Int = .max) throws -> [(pair: DuplicateRows.Pair, value: String)] {
    let row = try prepare("SELECT p FROM \(rows) WHERE rowid = ?")
    let holder = try prepare("SELECT p FROM \(rows) WHERE rowid = ?")
    var found: [(pair: DuplicateRows.Pair, value: String)] = []
    for pair in duplicates.pairs where found.count < limit {
      defer {
        row.reset()
        holder.reset()
      }
      row.bind(pair.row, at: 1)
      holder.bind(pair.holder, at: 1)
      guard try row.step(), try holder.step() else { continue }
      let value = value(in: row.bytes(at: 0))
      // NULL is not equal to itself.
      if case .null = value { continue }
      if RowValue.order(value, self.value(in: holder.bytes(at: 0))) == 0 {
        found.append((pair, value.text))
      }
    }
    return found
  }
}
