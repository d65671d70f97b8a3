import Dflat
import FlatBuffersCore

/// Visits the rows of a type in ascending order, and corrects the entries of an index: adds missing ones, corrects
/// wrong ones, and removes those without a row. The caller has begun a write transaction.
///
/// The rows may be visited in several transactions. Meanwhile writers update the entries that exist, so the entries of
/// verified rows stay right.
struct IndexVerifier {
  /// The most rows that one step of filling and verifying an index reads, unless the caller sets another limit.
  static let batch = 500

  enum Outcome {
    /// Each entry is right, and each row has its entry, except for a few with duplicate values in a unique index.
    case complete
    /// Each row before this one has its entry, and each entry before it is right.
    case reached(next: Int64)
    /// The rows have so many duplicate values in a unique index that no more are looked for.
    case violated
  }

  let record: RecordDescription
  let index: Int
  let connection: SQLiteConnection
  /// The names of the type's table, of the index's table and of its key column, quoted.
  let rows: String
  let entries: String
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
    if record.indexes[index].vector != nil { return try verifyElements(from: first, limit: limit) }
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
        let isDuplicate = try withValue(in: rows.bytes(at: 1)) { value in
          try correct(number, value, number == entry ? entries : nil, &statements, &duplicates)
        }
        switch isDuplicate {
        case nil: return .reached(next: number)
        case true?: if duplicates.isFull { return .violated }
        case false?: break
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

  /// Corrects the entry of a row.
  ///
  /// - Parameter entry: a statement at the row's entry; nil if the row has none.
  /// - Returns: true if another row has the value in a unique index, so that this row gets no entry. Nil if a wrong
  ///   entry was in the way, which is now removed: this row is verified again, since that entry may be the one just
  ///   read.
  private func correct(
    _ number: Int64, _ value: RowValue, _ entry: SQLiteStatement?, _ statements: inout RowStatements,
    _ duplicates: inout DuplicateRows
  ) throws -> Bool? {
    if let entry, entry.holds(value, at: 1) { return false }
    let statement = try statements.prepared(entry != nil ? .updateEntry(index: index) : .insertEntry(index: index))
    do {
      try run(statement, number, value)
      return false
    } catch let error as SQLiteError where error.isConflict {
      guard let holder = try rightEntry(holding: value) else { return nil }
      if entry != nil { try run(statements.prepared(.deleteEntry(index: index)), number, nil) }
      duplicates.append(number, holder: holder)
      return true
    }
  }

  func prepare(_ sql: String) throws -> SQLiteStatement {
    try SQLiteStatement(sql, for: "Filling an index", on: connection, persistent: false)
  }

  private func nextNumber(_ statement: SQLiteStatement) throws -> Int64? {
    try statement.step() ? statement.integer(at: 0) : nil
  }

  private func lowest(_ lhs: Int64?, _ rhs: Int64?) -> Int64? {
    guard let lhs, let rhs else { return lhs ?? rhs }
    return min(lhs, rhs)
  }

  /// Calls `body` with the value that a row's entry should hold, valid until it returns. It is NULL for a row that cannot
  /// be read; a fetch reports such a row.
  private func withValue<Result>(
    in bytes: UnsafeRawBufferPointer, _ body: (RowValue) throws -> Result
  ) rethrows -> Result {
    guard let row = FlatBufferTable(rootOf: ByteBuffer(unsafeBorrowing: bytes)) else { return try body(.null) }
    return try record.withValue(ofColumn: record.column(ofIndex: index), in: row, body)
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
    if !holder.isNull(at: 1), withValue(in: holder.bytes(at: 1), { RowValue.order($0, value) == 0 }) { return number }
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
      withValue(in: row.bytes(at: 0)) { value in
        // A NULL is not equal to another NULL.
        if case .null = value { return }
        if withValue(in: holder.bytes(at: 0), { RowValue.order(value, $0) == 0 }) { found.append((pair, value.text)) }
      }
    }
    return found
  }
}
