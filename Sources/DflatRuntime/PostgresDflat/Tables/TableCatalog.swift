import Dflat
import DflatEngine
import Dispatch
import PostgresLayout

/// The state of the database as the workspace knows it: each type's table, its indexes, and numbers for new rows.
final class TableCatalog: Sendable {
  private let state = Guarded(State(), rank: .catalog)

  private struct State {
    private var tables: [ObjectIdentifier: Table] = [:]
    /// The table that was asked for last. It is mostly also the next one.
    private var latest: Table?
    var outcomes = Outcomes.unknown
    /// The time at which `outcomes` was last found out.
    var outcomesFoundAt = DispatchTime.now()

    /// Returns what is known of a type's table; nil if no connection has used it yet.
    mutating func known(_ record: RecordDescription) -> Table? {
      if let latest, latest.layout.record === record { return latest }
      guard let table = tables[ObjectIdentifier(record)] else { return nil }
      latest = table
      return table
    }

    mutating func table(of record: RecordDescription, in schema: String) -> Table {
      if let known = known(record), known.layout.schema == schema { return known }
      let table = Table(DatabaseTable(record, in: schema))
      set(table)
      return table
    }

    mutating func layout(of record: RecordDescription, in schema: String) -> DatabaseTable {
      // Not through `table(of:in:)`, which copies the whole `Table`: each transaction asks several times.
      if let layout = latest?.layout, layout.record === record, layout.schema == schema { return layout }
      return table(of: record, in: schema).layout
    }

    mutating func writableLayout(of record: RecordDescription) -> DatabaseTable? {
      // Not through `known(_:)` for the latest table, for the same reason.
      if let layout = latest?.layout, layout.record === record { return latest?.isWritable == true ? layout : nil }
      guard let table = known(record), table.isWritable else { return nil }
      return table.layout
    }

    mutating func set(_ table: Table) {
      tables[ObjectIdentifier(table.layout.record)] = table
      latest = table
    }

    mutating func forgetAll() {
      tables = [:]
      latest = nil
      outcomes = .unknown
    }

    mutating func forget(_ record: RecordDescription) {
      tables[ObjectIdentifier(record)] = nil
      latest = nil
    }
  }

  /// The known state of a type's table in the database.
  struct Table {
    let layout: DatabaseTable
    /// Whether the table exists with the required columns.
    var exists = false
    /// Whether each index is complete.
    var isIndexUsable: [Bool]
    /// Whether the type may be written: the table exists, and each of its unique indexes exists or cannot be made.
    var isWritable = false
    /// The time at which the database's catalog was last asked; nil if never.
    var lookedAt: DispatchTime?
    /// The unused row numbers. Guarded by the lock of the `TableCatalog`.
    fileprivate let numbers = RowNumbers()

    init(_ layout: DatabaseTable) {
      self.layout = layout
      isIndexUsable = layout.indexes.map { _ in false }
    }

    var isComplete: Bool { exists && isIndexUsable.allSatisfy { $0 } }

    /// Whether the table and its unique indexes exist.
    var hasUniqueIndexes: Bool { exists && zip(layout.indexes, isIndexUsable).allSatisfy { !$0.isUnique || $1 } }
  }

  /// Whether transactions can leave their tokens; see `OutcomeTable`.
  enum Outcomes {
    case unknown
    case kept
    /// The table of outcomes does not exist, or the role lacks a right to it. If the answer to a COMMIT is lost, its
    /// outcome cannot be found out.
    case unavailable
  }

  /// How long the absence of an index is assumed to last. A missing table is looked for each time.
  private static let pause = DispatchTimeInterval.milliseconds(500)
  private static let largestBlock = 1024
  /// The largest block for a transaction that makes very many objects. A larger one would save little.
  private static let largestBlockOfMany = 1 << 14

  /// Returns the known state of a type's table, without asking the database; nil if no connection has used it yet.
  func knownTable(of record: RecordDescription) -> Table? { state.withLock { $0.known(record) } }

  /// Returns the layout of a type's table in the schema of a connection.
  func layout(of record: RecordDescription, on connection: PostgresConnection) -> DatabaseTable {
    let schema = connection.schema
    return state.withLock { $0.layout(of: record, in: schema) }
  }

  /// Returns the layout of a type's table if the type is known to be writable, or nil.
  func writableLayout(of record: RecordDescription) -> DatabaseTable? {
    state.withLock { $0.writableLayout(of: record) }
  }

  /// Returns the state of a type's table. Asks the database if the table may have changed since it was last asked.
  func table(of record: RecordDescription, on connection: PostgresConnection) throws -> Table {
    let schema = connection.schema
    let known = state.withLock { $0.table(of: record, in: schema) }
    if known.isComplete { return known }
    if let lookedAt = known.lookedAt, known.exists, DispatchTime.now() < lookedAt + TableCatalog.pause { return known }
    return try look(for: record, on: connection)
  }

  /// Asks the database for the state of a type's table, and records it.
  ///
  /// - Throws: `PostgresError` with the cause `.foreignTable` if the table has other columns, or `.missingSchema` if
  ///   the schema does not exist any more.
  func look(for record: RecordDescription, on connection: PostgresConnection) throws -> Table {
    let layout = layout(of: record, on: connection)
    let purpose = "Looking for the table of \(layout.record.table)"
    var columns: [String: String] = [:]
    // A missing table is no error, and reads as empty. A missing schema is one.
    var hasSchema = false
    let name = connection.parameters(naming: layout.name)
    try connection.query(
      """
      SELECT a.attname::text, format_type(a.atttypid, a.atttypmod) FROM pg_namespace n
      LEFT JOIN pg_class c ON c.relnamespace = n.oid AND c.relname = $1
      LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
      WHERE n.nspname = $2
      """, name, for: purpose
    ) { row in
      hasSchema = true
      if !row.isNull(0) { columns[row.text(0)] = row.text(1) }
      return true
    }
    guard hasSchema else { throw PostgresError.missingSchema(layout.schema, purpose) }
    var usable: Set<String> = []
    if !columns.isEmpty {
      try checkColumns(columns, of: layout)
      try connection.query(
        """
        SELECT c.relname::text FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
        WHERE i.indrelid = \(PostgresConnection.namedRelation) AND i.indisvalid AND i.indisready
        """, name, for: purpose
      ) { row in
        usable.insert(row.text(0))
        return true
      }
    }
    return state.withLock { state in
      var table = state.table(of: record, in: layout.schema)
      table.exists = !columns.isEmpty
      table.isIndexUsable = layout.indexes.map { usable.contains($0.name) }
      if !table.exists { table.isWritable = false }
      table.lookedAt = .now()
      state.set(table)
      return table
    }
  }

  private func checkColumns(_ columns: [String: String], of layout: DatabaseTable) throws {
    for (name, type) in layout.layout.columns where columns[name] != type {
      throw PostgresError(
        cause: .foreignTable,
        message: """
          the table \(layout.name) is not one of dflat: its column \(name) should be of type \(type), and \
          \(columns[name].map { "is of type \($0)" } ?? "is not there")
          """, purpose: "Looking for the table of \(layout.record.table)")
    }
  }

  /// Records that a type may be written. Does nothing if its table has just been forgotten: the next use looks for it.
  func noteWritable(_ record: RecordDescription) {
    state.withLock { state in
      guard var table = state.known(record) else { return }
      table.isWritable = true
      state.set(table)
    }
  }

  var outcomes: Outcomes { state.withLock { $0.outcomes } }

  func note(_ outcomes: Outcomes) {
    state.withLock { state in
      state.outcomes = outcomes
      state.outcomesFoundAt = .now()
    }
  }

  /// Asks the database whether transactions can leave their tokens, unless it is known that they can.
  ///
  /// - Returns: false if the table does not exist, or the role lacks a right.
  func lookForOutcomes(on connection: PostgresConnection) throws -> Bool {
    if outcomes != .unknown { return true }
    return try findOutcomes(on: connection)
  }

  /// Asks the database once in a while whether transactions can leave their tokens, if it is known that they could not:
  /// somebody may have made the table meanwhile, or granted the right. Call it outside of a transaction.
  func lookForOutcomesAgain(on connection: PostgresConnection) throws {
    let isDue: Bool = state.withLock { state in
      guard state.outcomes == .unavailable, DispatchTime.now() >= state.outcomesFoundAt + TableCatalog.pause else {
        return false
      }
      state.outcomesFoundAt = .now()
      return true
    }
    if isDue { _ = try findOutcomes(on: connection) }
  }

  private func findOutcomes(on connection: PostgresConnection) throws -> Bool {
    var isUsable = false
    try connection.query(
      """
      SELECT has_table_privilege(oid, 'SELECT') AND has_table_privilege(oid, 'INSERT')
        AND has_table_privilege(oid, 'UPDATE') AND has_table_privilege(oid, 'DELETE')
      FROM pg_class WHERE oid = \(PostgresConnection.namedRelation)
      """, connection.parameters(naming: OutcomeTable.name), for: "Looking for the table of outcomes"
    ) { row in
      isUsable = row.bool(0)
      return true
    }
    if isUsable { note(.kept) }
    return isUsable
  }

  /// Forgets the state of a type's table. Called when a table that was known to exist does not.
  func forget(_ record: RecordDescription) {
    state.withLock { $0.forget(record) }
  }

  /// Forgets the tables of all types. Called when one that was known to exist does not.
  func forgetAll() { state.withLock { $0.forgetAll() } }

  // MARK: Row numbers

  /// Forgets the unused numbers taken for a type: rows may have them.
  func dropNumbers(of record: RecordDescription) {
    state.withLock { state in
      if let table = state.known(record) { table.numbers.removeAll() }
    }
  }

  /// Takes a number for a new row, which no other row has or will have.
  ///
  /// - Parameter count: how many objects the transaction has changed. It is likely to make as many more.
  func takeNumber(
    of record: RecordDescription, afterMany count: Int, on connection: PostgresConnection
  ) throws -> Int64 {
    let schema = connection.schema
    if let number = state.withLock({ $0.table(of: record, in: schema).numbers.take() }) { return number }
    let (layout, blockSize) = state.withLock { state in
      let table = state.table(of: record, in: schema)
      table.numbers.blockSize = min(4 * table.numbers.blockSize, TableCatalog.largestBlock)
      return (table.layout, max(table.numbers.blockSize, min(count, TableCatalog.largestBlockOfMany)))
    }
    var numbers: [ClosedRange<Int64>] = []
    var parameters = PostgresParameters()
    parameters.append(Int64(blockSize))
    try connection.query(layout.takeNumbers, parameters, for: "Numbering a new object of \(record.table)") { row in
      numbers.append(row.integer(0)...max(row.integer(0), row.integer(1)))
      return true
    }
    return try state.withLock { state in
      let table = state.table(of: record, in: schema)
      // Another transaction of the workspace may have added numbers, too.
      table.numbers.add(numbers)
      guard let number = table.numbers.take() else {
        throw PostgresError(
          cause: .foreignTable, message: "the column rowid of \(layout.name) has no sequence",
          purpose: "Numbering a new object of \(record.table)")
      }
      return number
    }
  }
}

/// The unused row numbers of a type that were taken from the database's sequence. Guarded by the lock of the
/// `TableCatalog`.
private final class RowNumbers: @unchecked Sendable {
  // Unchecked because the catalog's lock guards it.

  /// The unused numbers, the lowest last.
  private var ranges: [ClosedRange<Int64>] = []
  /// How many numbers are taken at once: more each time.
  var blockSize = 1

  func add(_ taken: [ClosedRange<Int64>]) {
    // The lowest number is used first: objects are returned in the order of their rows.
    ranges = (ranges + taken).sorted { $0.lowerBound > $1.lowerBound }
  }

  func removeAll() { ranges = [] }

  func take() -> Int64? {
    guard let lowest = ranges.popLast() else { return nil }
    if lowest.count > 1 { ranges.append(lowest.lowerBound + 1...lowest.upperBound) }
    return lowest.lowerBound
  }
}

extension PostgresConnection {
  /// The SQL expression of the relation with the name `$1` in the schema `$2`, read from the catalog. Functions that
  /// look a name up search other schemas, too, and may answer from what the session has cached.
  static let namedRelation = """
    (SELECT c.oid FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.relname = $1 AND n.nspname = $2)
    """

  /// Returns parameters for a name and the schema of the connection.
  func parameters(naming name: String) -> PostgresParameters {
    var parameters = PostgresParameters()
    parameters.append(text: name)
    parameters.append(text: schema)
    return parameters
  }
}
