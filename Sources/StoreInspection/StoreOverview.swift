import FlatBuffersJSON

/// The numbers of objects and bytes in a store, and the states of its indexes.
public struct StoreOverview: Sendable {
  /// The state of an index.
  public enum IndexState: String, Sendable {
    /// The index has an entry for each row, and the runtime has built or verified it.
    case complete
    /// The index lacks the entries of some rows.
    case behind
    /// The index has no table.
    case missing = "not built"
    /// The index looks complete but is not verified: Dflat 0.6 has left it, or another program has written to the
    /// objects since. The runtime verifies it before use.
    case unverified
  }

  /// A type of the schema.
  public struct Entry: Sendable {
    /// The type that the table stores.
    public let type: StoredType
    /// The table in which its objects are stored.
    public let tableName: String
    /// The number of objects; nil if the file has no table for them.
    public let count: Int64?
    /// The size of all objects in bytes, without SQLite's overhead.
    public let byteCount: Int64
    /// The indexes and their states.
    public let indexes: [(index: StoredType.Index, state: IndexState)]

    package init(
      type: StoredType, tableName: String, count: Int64?, byteCount: Int64,
      indexes: [(index: StoredType.Index, state: IndexState)]
    ) {
      self.type = type
      self.tableName = tableName
      self.count = count
      self.byteCount = byteCount
      self.indexes = indexes
    }
  }

  /// A table of the file that is not in the schema.
  public struct UnknownTable: Sendable {
    /// The name of the table.
    public let name: String
    /// The number of rows.
    public let count: Int64
    /// The type of which it is an index, judging by its name; nil for other names.
    public let indexOf: String?

    package init(name: String, count: Int64, indexOf: String?) {
      self.name = name
      self.count = count
      self.indexOf = indexOf
    }
  }

  /// The types of the schema, and the dictionary if the store has one.
  public let entries: [Entry]
  /// The tables that are not in the schema.
  public let unknown: [UnknownTable]
  /// The tables that could not be read, with the reasons.
  public let failures: [(table: String, error: InspectionError)]

  package init(entries: [Entry], unknown: [UnknownTable], failures: [(table: String, error: InspectionError)]) {
    self.entries = entries
    self.unknown = unknown
    self.failures = failures
  }
}

extension StoreInspector {
  /// Counts the content of the file. Tables that cannot be read are listed as failures, and the rest is counted.
  public func overview() throws(InspectionError) -> StoreOverview {
    try database.withSnapshot { () throws(InspectionError) in
      let names = Set(try tableNames())
      var failures: [(table: String, error: InspectionError)] = []
      func attempt<T>(_ table: String, _ standard: T, _ body: () throws(InspectionError) -> T) -> T {
        do throws(InspectionError) {
          return try body()
        } catch {
          failures.append((table, error))
          return standard
        }
      }
      var entries: [StoreOverview.Entry] = []
      var known: Set<String> = [StoreInspector.foreignWrites]
      let all = types + (names.contains(dictionary.sqlName) ? [dictionary] : [])
      for type in all {
        known.insert(type.sqlName)
        let (count, bytes) = attempt(type.sqlName, (nil as Int64?, 0 as Int64)) { () throws(InspectionError) in
          guard names.contains(type.sqlName) else { return (nil, 0) }
          try database.requireColumns(type.columns, of: type.sqlName)
          let statement = try database.statement(
            "SELECT count(*), total(length(p)) FROM \(ReadOnlyDatabase.quoted(type.sqlName))")
          return try statement.step() ? (statement.integer(0), statement.integer(1)) : (nil, 0)
        }
        var indexes: [(index: StoredType.Index, state: StoreOverview.IndexState)] = []
        for index in type.indexes {
          known.insert(type.tableName(of: index))
          let state = attempt(type.tableName(of: index), .missing) { () throws(InspectionError) in
            try self.state(of: index, type, names)
          }
          indexes.append((index, state))
        }
        entries.append(
          .init(type: type, tableName: type.sqlName, count: count, byteCount: bytes, indexes: indexes))
      }
      var unknown: [StoreOverview.UnknownTable] = []
      for name in names.subtracting(known).sorted() {
        let count = attempt(name, 0 as Int64) { () throws(InspectionError) in
          let statement = try database.statement("SELECT count(*) FROM \(ReadOnlyDatabase.quoted(name))")
          return try statement.step() ? statement.integer(0) : 0
        }
        let owner = all.first { name.hasPrefix($0.sqlName + "__f") && !names.contains(name + "__f") }
        unknown.append(.init(name: name, count: count, indexOf: owner?.name))
      }
      return StoreOverview(entries: entries, unknown: unknown, failures: failures)
    }
  }

  func state(
    of index: StoredType.Index, _ type: StoredType, _ names: Set<String>
  ) throws(InspectionError) -> StoreOverview.IndexState {
    let table = type.tableName(of: index)
    guard names.contains(table) else { return .missing }
    try database.requireColumns(index.columns, of: table)
    func last(_ table: String, _ column: String = "rowid") throws(InspectionError) -> Int64? {
      guard names.contains(table) else { return nil }
      let statement = try database.statement("SELECT MAX(\(column)) FROM \(ReadOnlyDatabase.quoted(table))")
      return try statement.step() && !statement.isNull(0) ? statement.integer(0) : nil
    }
    guard try last(table, index.rowColumn) == last(type.sqlName) else { return .behind }
    // The runtime's mark is a trigger that never fires.
    let mark = try database.statement(
      "SELECT 1 FROM sqlite_master WHERE type = 'trigger' AND name = ? AND tbl_name = ?")
    mark.bind("verified__" + table, at: 1)
    mark.bind(table, at: 2)
    guard try mark.step() else { return .unverified }
    return try mayBeWrittenByOthers(type, names) ? .unverified : .complete
  }

  /// The runtime's table that lists the types whose objects other programs have written. Triggers on their tables fill
  /// it.
  private static let foreignWrites = "dflat-foreign-writes"

  private func mayBeWrittenByOthers(_ type: StoredType, _ names: Set<String>) throws(InspectionError) -> Bool {
    let table = StoreInspector.foreignWrites
    guard names.contains(table) else { return true }
    try database.requireColumns(["type", "written"], of: table)
    let flag = try database.statement("SELECT 1 FROM \(ReadOnlyDatabase.quoted(table)) WHERE type = ? AND written = 0")
    flag.bind(type.sqlName, at: 1)
    guard try flag.step() else { return true }
    let triggers = try database.statement(
      """
      SELECT count(*) FROM sqlite_master WHERE type = 'trigger' AND tbl_name = ? AND instr(sql, ?) \
      AND name IN (?, ?, ?)
      """)
    triggers.bind(type.sqlName, at: 1)
    triggers.bind(ReadOnlyDatabase.quoted(table), at: 2)
    for (index, operation) in ["insert", "update", "delete"].enumerated() {
      triggers.bind("written__\(type.sqlName)__\(operation)", at: Int32(index) + 3)
    }
    guard try triggers.step() else { return true }
    return triggers.integer(0) != 3
  }
}
