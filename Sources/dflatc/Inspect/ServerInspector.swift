import FBSSchema
import FlatBuffersJSON
import PostgresLayout
import StoreInspection

/// Reads a store in a PostgreSQL database by a schema, as `StoreInspector` reads a file. Its tables are in the database
/// schema that is the first in the role's search path.
final class ServerInspector: StoreReader {
  let contents: StoredTypes
  let notes: [String] = []
  let isCutOff = false
  private let psql: PsqlRun
  private let tables: PostgresTables
  /// The columns of each table of the database.
  private let columns: [String: Set<String>]
  /// The indexes of the database, and whether each is complete.
  private let indexes: [String: Bool]

  /// Connects, and reads the lists of tables and indexes.
  /// - Throws: `InspectionError` if that fails.
  init(_ connection: String, _ schema: Schema) throws(InspectionError) {
    contents = StoredTypes(schema)
    tables = PostgresTables(schema)
    psql = try PsqlRun(connection)
    var columns: [String: Set<String>] = [:]
    var indexes: [String: Bool] = [:]
    // By the name itself: a cast to `regnamespace` would parse it as an identifier of SQL.
    let relations =
      "pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = current_schema()"
    try psql.rows(of: [
      """
      SELECT 't', \(Self.hex("c.relname")), \(Self.hex("a.attname")) FROM pg_attribute a, \(relations)
      AND a.attrelid = c.oid AND c.relkind IN ('r', 'p') AND a.attnum > 0 AND NOT a.attisdropped
      """,
      "SELECT 'i', \(Self.hex("c.relname")), i.indisvalid FROM pg_index i, \(relations) AND i.indexrelid = c.oid",
    ]) { row in
      let name = Self.text(row[1])
      if row[0].elementsEqual("t".utf8) {
        columns[name, default: []].insert(Self.text(row[2]))
      } else {
        indexes[name] = row[2].elementsEqual("t".utf8)
      }
      return true
    }
    self.columns = columns
    self.indexes = indexes
  }

  // MARK: Tables and indexes

  func overview() throws(InspectionError) -> StoreOverview {
    let all = types + (columns[table(of: dictionary)] == nil ? [] : [dictionary])
    var failures: [(table: String, error: InspectionError)] = []
    let known = Set(all.map(table(of:)) + [OutcomeTable.name])
    let others = columns.filter { $0.value.isSuperset(of: ["rowid", "p"]) && !known.contains($0.key) }.keys.sorted()
    var counted: [String] = []
    for type in all where columns[table(of: type)] != nil {
      do throws(InspectionError) {
        try requireColumns(of: type)
        counted.append(table(of: type))
      } catch {
        failures.append((table(of: type), error))
      }
    }
    var counts: [String: (rows: Int64, bytes: Int64)] = [:]
    let names = counted + others
    let queries = names.enumerated().map {
      "SELECT \($0), count(*), COALESCE(sum(octet_length(p)), 0) FROM \(PostgresName.quoted($1))"
    }
    if !queries.isEmpty {
      try psql.rows(of: queries) { row in
        counts[names[Int(Self.integer(row[0]))]] = (Self.integer(row[1]), Self.integer(row[2]))
        return true
      }
    }
    let entries = all.map { type in
      let count = counts[table(of: type)]
      return StoreOverview.Entry(
        type: type, tableName: table(of: type), count: count?.rows, byteCount: count?.bytes ?? 0,
        indexes: states(of: type))
    }
    let unknown = others.map { StoreOverview.UnknownTable(name: $0, count: counts[$0]?.rows ?? 0, indexOf: nil) }
    return StoreOverview(entries: entries, unknown: unknown, failures: failures)
  }

  private func states(of type: StoredType) -> [(index: StoredType.Index, state: StoreOverview.IndexState)] {
    guard type.sqlName != dictionary.sqlName else { return [] }
    let layout = tables.layout(of: type.table)
    return zip(type.indexes, layout.indexes).map { index, made in
      (index, indexes[made.name].map { $0 ? .complete : .behind } ?? .missing)
    }
  }

  /// Returns the name of a type's table, shortened to PostgreSQL's limit.
  private func table(of type: StoredType) -> String { PostgresName.shortened(type.sqlName) }

  private func requireColumns(of type: StoredType) throws(InspectionError) {
    let name = table(of: type)
    for column in ["rowid", "p"] + type.primaryKey.indices.map({ "__pk\($0)" })
    where columns[name]?.contains(column) != true {
      throw InspectionError(
        "the table `\(name)` has no column `\(column)`: another schema, or another program, has made it",
        isDamage: true)
    }
  }

  // MARK: Objects

  func forEach(
    _ type: StoredType, where filter: Filter?, order: (path: FieldPath, isDescending: Bool)?, limit: Int?,
    _ body: (StoreInspector.Row) throws(InspectionError) -> Bool
  ) throws(InspectionError) {
    guard columns[table(of: type)] != nil, limit != 0 else { return }
    try requireColumns(of: type)
    let query = "SELECT rowid, encode(p, 'hex') FROM \(PostgresName.quoted(table(of: type))) ORDER BY rowid"
    var first = order.map { FirstRows<VerifiedObject>(isDescending: $0.isDescending, limit: limit) }
    var count = 0
    var isWanted = true
    try psql.rows(of: [query]) { (columns) throws(InspectionError) in
      let row = contents.read(Self.bytes(columns[1]), type, Self.integer(columns[0]))
      guard case .object(let object, let number) = row else {
        isWanted = try body(row)
        return isWanted
      }
      if let filter, filter.evaluate(object) != true { return true }
      if let order {
        first?.add(object, number, key: object.value(at: order.path))
        return true
      }
      count += 1
      return try body(row) && limit.map { count < $0 } ?? true
    }
    guard isWanted else { return }
    for entry in first?.sorted() ?? [] {
      guard try body(.object(entry.content, entry.row)) else { return }
    }
  }

  func verify(
    progress: @escaping (StoreInspector.Progress) -> Void, _ report: (StoreFault) -> Void
  ) throws(InspectionError) {
    let overview = try overview()
    for failure in overview.failures {
      report(StoreFault(table: failure.table, row: nil, message: "\(failure.error)", isFault: true))
    }
    let total = overview.entries.reduce(0) { $0 + ($1.count ?? 0) }
    var done: Int64 = 0
    for entry in overview.entries where entry.count != nil {
      for index in entry.indexes where index.state == .behind {
        report(
          StoreFault(
            table: entry.tableName, row: nil,
            message: "the index of `\(index.index.name)` is being built, or was left incomplete, and so not used",
            isFault: false))
      }
      try verifyRows(of: entry.type, report) {
        done += 1
        if done % 256 == 0 { progress(.init(done: done, total: total)) }
      }
    }
  }

  private func verifyRows(
    of type: StoredType, _ report: (StoreFault) -> Void, _ count: () -> Void
  ) throws(InspectionError) {
    let name = table(of: type)
    let keyTypes = type.sqlName == dictionary.sqlName ? [.bytes, .bytes] : tables.layout(of: type.table).keyTypes
    let keys = keyTypes.enumerated().map { index, keyType in
      if case .bytes = keyType { ", encode(__pk\(index), 'hex')" } else { ", __pk\(index)" }
    }.joined()
    var check = RowCheck(table: name, type)
    try psql.rows(of: ["SELECT rowid, encode(p, 'hex')\(keys) FROM \(PostgresName.quoted(name)) ORDER BY rowid"]) {
      row in
      count()
      let number = Self.integer(row[0])
      check.check(contents.read(Self.bytes(row[1]), type, number), number, report) { index, value in
        guard index + 2 < row.count else { return false }
        return Self.isKey(row[index + 2], keyTypes[index], of: value)
      }
      return true
    }
    check.finish(report)
  }

  /// Returns whether a column of the primary key holds a value. For a long string, the column holds the start of the
  /// string and a hash of the whole: see `KeyForm`.
  private static func isKey(_ column: Substring.UTF8View, _ type: ColumnType, of value: FieldValue) -> Bool {
    if column.elementsEqual("\\N".utf8) { return value == .null }
    let text = String(Substring(column))
    switch (type, value) {
    case (.bytes, .text(let expected)), (.bytes, .bytes(let expected)):
      let stored = bytes(column)
      guard expected.count > KeyForm.limit else { return stored == expected }
      return stored == Array(expected.prefix(KeyForm.limit)) + SHA256.hash(of: expected)
    case (.integer, .integer(let expected)), (.numeric, .integer(let expected)): return Int64(text) == expected
    case (.numeric, .unsigned(let expected)): return UInt64(text) == expected
    case (.real, .real(let expected)): return Double(text) == expected
    default: return false
    }
  }

  // MARK: The output of psql

  /// Returns the SQL expression for a text column as hexadecimal digits, which `COPY` does not escape.
  private static func hex(_ name: String) -> String { "encode(convert_to(\(name)::text, 'UTF8'), 'hex')" }

  private static func text(_ digits: Substring.UTF8View) -> String { String(decoding: bytes(digits), as: UTF8.self) }

  private static func integer(_ digits: Substring.UTF8View) -> Int64 { Int64(String(Substring(digits))) ?? 0 }

  private static func bytes(_ digits: Substring.UTF8View) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(digits.count / 2)
    var high: UInt8?
    for digit in digits {
      let value = digit < 0x3A ? digit &- 0x30 : digit &- 0x57
      if let first = high {
        bytes.append(first << 4 | value & 0xF)
        high = nil
      } else {
        high = value & 0xF
      }
    }
    return bytes
  }
}
