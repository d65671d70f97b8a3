import Dflat
import DflatEngine
import Dispatch

/// What the database has of each type: its table, its indexes, and numbers for new rows.
final class TableCatalog: Sendable {
  private let state = Guarded(State(), rank: .catalog)

  private struct State {
    var tables: [ObjectIdentifier: Table] = [:]

    mutating func table(of record: RecordDescription) -> Table {
      let key = ObjectIdentifier(record)
      if let table = tables[key] { return table }
      let table = Table(DatabaseTable(record))
      tables[key] = table
      return table
    }
  }

  /// What is known of a type's table.
  struct Table {
    let layout: DatabaseTable
    /// Whether it is there, with the columns that it has to have.
    var exists = false
    /// Whether each index is complete.
    var isIndexUsable: [Bool]
    /// Whether the type may be written: the table is there, and its unique indexes are, or cannot be made.
    var isWritable = false
    /// Whether the server sends its commits to who observes.
    var isPublished = false
    /// When the catalog of the database was asked last.
    var lookedAt: DispatchTime?
    /// Row numbers that nobody has used, the lowest last.
    fileprivate var numbers: [ClosedRange<Int64>] = []
    /// How many numbers are taken at once: more with each time.
    fileprivate var blockSize = 1

    fileprivate init(_ layout: DatabaseTable) {
      self.layout = layout
      isIndexUsable = layout.indexes.map { _ in false }
    }

    var isComplete: Bool { exists && isIndexUsable.allSatisfy { $0 } }

    /// Whether the table and its unique indexes are there.
    var hasUniqueIndexes: Bool { exists && zip(layout.indexes, isIndexUsable).allSatisfy { !$0.isUnique || $1 } }
  }

  /// How long it is relied on that a table or an index is not there.
  private static let pause = DispatchTimeInterval.milliseconds(500)
  private static let largestBlock = 1024
  /// For a transaction that makes very many objects: a larger one would save little.
  private static let largestBlockOfMany = 1 << 14

  /// What is known of a type.
  func table(of record: RecordDescription) -> Table { state.withLock { $0.table(of: record) } }

  /// What the database has of a type. It is asked if it may have more by now than is known.
  func table(of record: RecordDescription, on connection: PostgresConnection) throws -> Table {
    let known = table(of: record)
    if known.isComplete { return known }
    if let lookedAt = known.lookedAt, known.exists, DispatchTime.now() < lookedAt + TableCatalog.pause { return known }
    return try look(for: record, on: connection)
  }

  /// Asks the database.
  ///
  /// - Throws: `PostgresError` with the cause `.foreignTable` if the table has other columns.
  func look(for record: RecordDescription, on connection: PostgresConnection) throws -> Table {
    let layout = table(of: record).layout
    let purpose = "Looking for the table of \(layout.record.table)"
    var columns: [String: String] = [:]
    var name = PostgresParameters()
    name.append(text: layout.table)
    try connection.query(
      """
      SELECT attname::text, format_type(atttypid, atttypmod) FROM pg_attribute
      WHERE attrelid = to_regclass($1) AND attnum > 0 AND NOT attisdropped
      """, name, for: purpose
    ) { row in
      columns[row.text(0)] = row.text(1)
      return true
    }
    var usable: Set<String> = []
    if !columns.isEmpty {
      try checkColumns(columns, of: layout)
      try connection.query(
        """
        SELECT c.relname::text FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
        WHERE i.indrelid = to_regclass($1) AND i.indisvalid AND i.indisready
        """, name, for: purpose
      ) { row in
        usable.insert(row.text(0))
        return true
      }
    }
    return state.withLock { state in
      var table = state.table(of: record)
      table.exists = !columns.isEmpty
      table.isIndexUsable = layout.indexes.map { usable.contains($0.name) }
      if !table.exists { table.isWritable = false }
      table.lookedAt = .now()
      state.tables[ObjectIdentifier(record)] = table
      return table
    }
  }

  private func checkColumns(_ columns: [String: String], of layout: DatabaseTable) throws {
    for (name, type) in layout.columns where columns[name] != type {
      throw PostgresError(
        cause: .foreignTable,
        message: """
          the table \(layout.name) is not one of dflat: its column \(name) should be of type \(type), and \
          \(columns[name].map { "is of type \($0)" } ?? "is not there")
          """, purpose: "Looking for the table of \(layout.record.table)")
    }
  }

  func noteWritable(_ record: RecordDescription) {
    state.withLock { state in
      var table = state.table(of: record)
      table.isWritable = true
      state.tables[ObjectIdentifier(record)] = table
    }
  }

  func isPublished(_ record: RecordDescription) -> Bool { state.withLock { $0.table(of: record).isPublished } }

  func notePublished(_ record: RecordDescription) {
    state.withLock { state in
      var table = state.table(of: record)
      table.isPublished = true
      state.tables[ObjectIdentifier(record)] = table
    }
  }

  /// Forgets what is known of a type: a table that was known to be there is not.
  func forget(_ record: RecordDescription) {
    state.withLock { state in state.tables[ObjectIdentifier(record)] = nil }
  }

  // MARK: Row numbers

  /// The number of a new row, which no other row has or will have.
  ///
  /// - Parameter count: how many objects the transaction has changed, which is likely to make as many more.
  func takeNumber(
    of record: RecordDescription, afterMany count: Int, on connection: PostgresConnection
  ) throws -> Int64 {
    let key = ObjectIdentifier(record)
    // In place: a copy of the table would copy its numbers.
    if let number = state.withLock({ $0.tables[key]?.takeNumber() }) { return number }
    let (layout, blockSize) = state.withLock { state in
      var table = state.table(of: record)
      table.blockSize = min(4 * table.blockSize, TableCatalog.largestBlock)
      state.tables[key] = table
      return (table.layout, max(table.blockSize, min(count, TableCatalog.largestBlockOfMany)))
    }
    var numbers: [ClosedRange<Int64>] = []
    var parameters = PostgresParameters()
    parameters.append(Int64(blockSize))
    try connection.query(layout.takeNumbers, parameters, for: "Numbering a new object of \(record.table)") { row in
      numbers.append(row.integer(0)...max(row.integer(0), row.integer(1)))
      return true
    }
    // The lowest is used first: objects come in the order of their rows.
    numbers.sort { $0.lowerBound > $1.lowerBound }
    return try state.withLock { state in
      var table = state.table(of: record)
      // Another transaction may have taken some, too.
      table.numbers = (numbers + table.numbers).sorted { $0.lowerBound > $1.lowerBound }
      defer { state.tables[key] = table }
      guard let number = table.takeNumber() else {
        throw PostgresError(
          cause: .foreignTable, message: "the column rowid of \(layout.name) has no sequence",
          purpose: "Numbering a new object of \(record.table)")
      }
      return number
    }
  }
}

extension TableCatalog.Table {
  fileprivate mutating func takeNumber() -> Int64? {
    guard let lowest = numbers.popLast() else { return nil }
    if lowest.count > 1 { numbers.append(lowest.lowerBound + 1...lowest.upperBound) }
    return lowest.lowerBound
  }
}
