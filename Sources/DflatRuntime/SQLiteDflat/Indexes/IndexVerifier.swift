import Dflat
import FlatBuffersCore

/// Visits the rows of a type in ascending order, and corrects the entries of an index: adds missing ones, corrects
/// wrong ones, and removes those without a row. The caller has begun a write transaction.
///
/// The rows may be visited in several transactions. Meanwhile writers update the entries that exist, so the entries of
/// verified rows stay right.
struct IndexVerifier {
  /// The most rows that a step of the background job reads.
  static let batch = 500

  enum Outcome {
    /// Each row has its entry, and each entry is right.
    case complete
    /// Each row before this one has its entry, and each entry before it is right.
    case reached(next: Int64)
    /// So many rows have a duplicate value in a unique index that no more are looked for.
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

  /// Verifies the next rows and entries.
  ///
  /// - Parameters:
  ///   - first: the number of the first row.
  ///   - limit: the most rows, and entries without a row, that are visited.
  ///   - duplicates: gets the rows without an entry, since another row holds their value in a unique index.
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
            // If the entry in the way was wrong, it is removed, and this row is verified again: that entry may be the
            // one just read.
            guard let holder = try rightEntry(holding: value) else { return .reached(next: number) }
            if number == entry { try run(statements.prepared(.deleteEntry(index: index)), number, nil) }
            duplicates.append(number, holder: holder)
            if duplicates.isFull { return .violated }
          }
        }
      } else {
        try run(statements.prepared(.deleteEntry(index: index)), number, nil)
      }
      // Writes concern only numbers up to this one, so they do not affect what is read next.
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

  /// Returns the value that a row's entry should hold. It is NULL for a row that cannot be read; a fetch reports such a
  /// row.
  private func value(in bytes: UnsafeRawBufferPointer) -> RowValue {
    guard let row = FlatBufferTable(rootOf: ByteBuffer(unsafeBorrowing: bytes)) else { return .null }
    return record.columns.value(at: record.primaryKeys.count + index, in: row)
  }

  /// Runs a statement for one entry.
  ///
  /// - Parameter value: the second parameter; nil if the statement has none.
  private func run(_ statement: SQLiteStatement, _ number: Int64, _ value: RowValue?) throws {
    statement.bind(number, at: 1)
    if let value { statement.bind(borrowing: value, at: 2) }
    try statement.run()
  }

  // MARK: Unique indexes

  /// Returns the row of the entry with a value, if the entry is right. A wrong entry is removed.
  ///
  /// - Returns: nil if the entry was wrong, or there is none.
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

  /// Returns the pairs of `duplicates` whose rows hold the same value now.
  ///
  /// - Parameter limit: the most pairs that are looked for.
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
      // A NULL is not equal to another NULL.
      if case .null = value { continue }
      if RowValue.order(value, self.value(in: holder.bytes(at: 0))) == 0 {
        found.append((pair, value.text))
      }
    }
    return found
  }
}
