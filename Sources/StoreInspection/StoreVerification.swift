import FlatBuffersJSON

/// A fault of a store, or a remark about it.
public struct StoreFault: Sendable, CustomStringConvertible {
  /// The table.
  public let table: String
  /// The number of the row; nil if the message is about the whole table or file.
  public let row: Int64?
  /// The fault or remark, as a sentence without a full stop.
  public let message: String
  /// Whether the message is a fault; false for a remark.
  public let isFault: Bool

  package init(table: String, row: Int64?, message: String, isFault: Bool) {
    self.table = table
    self.row = row
    self.message = message
    self.isFault = isFault
  }

  /// The message with its location: `post, row 7: ...`.
  public var description: String { "\(table)\(row.map { ", row \($0)" } ?? ""): \(message)" }
}

extension StoreInspector {
  /// The progress of a verification.
  public struct Progress: Sendable {
    /// The number of rows and entries checked so far.
    public let done: Int64
    /// The number of all rows and entries.
    public let total: Int64

    package init(done: Int64, total: Int64) {
      self.done = done
      self.total = total
    }
  }

  /// Checks every row: that it is an object of its type, that its key columns match the object, and that the entries of
  /// indexes do; of an index of folded texts or of elements, that each entry has a row and each row an entry, and that
  /// a folded text's entry is NULL if the object has no text. An index that lacks rows is no fault, and a wrong entry
  /// in it is one only if the runtime relies on the index.
  public func verify(
    progress: @escaping (Progress) -> Void, _ report: (StoreFault) -> Void
  ) throws(InspectionError) {
    try database.withSnapshot { () throws(InspectionError) in
      try checkFile(report)
      let names = Set(try tableNames())
      let all = (types + [dictionary]).filter { names.contains($0.sqlName) }
      var counter = RowCounter(report: progress)
      for type in all {
        counter.total += try count(type.sqlName)
        for index in type.indexes where names.contains(type.tableName(of: index)) {
          counter.total += try count(type.tableName(of: index))
        }
      }
      for type in all {
        do throws(InspectionError) {
          try verifyRows(of: type, &counter, report)
          for index in type.indexes where names.contains(type.tableName(of: index)) {
            try verifyEntries(of: index, type, names, &counter, report)
          }
        } catch {
          guard error.isDamage else { throw error }
          report(StoreFault(table: type.sqlName, row: nil, message: error.description, isFault: true))
        }
      }
    }
  }

  private struct RowCounter {
    let report: (Progress) -> Void
    var total: Int64 = 0
    private var done: Int64 = 0

    init(report: @escaping (Progress) -> Void) { self.report = report }

    mutating func count() {
      done += 1
      if done % 256 == 0 { report(Progress(done: done, total: total)) }
    }
  }

  private func count(_ table: String) throws(InspectionError) -> Int64 {
    let statement = try database.statement("SELECT count(*) FROM \(ReadOnlyDatabase.quoted(table))")
    return try statement.step() ? statement.integer(0) : 0
  }

  /// Runs SQLite's own check of the file.
  private func checkFile(_ report: (StoreFault) -> Void) throws(InspectionError) {
    if let cut = database.cut { report(StoreFault(table: "file", row: nil, message: cut, isFault: true)) }
    let check = try database.statement("PRAGMA quick_check(20)")
    while try check.step() {
      let text = check.text(0)
      if text != "ok" { report(StoreFault(table: "file", row: nil, message: text, isFault: true)) }
    }
  }

  private func verifyRows(
    of type: StoredType, _ counter: inout RowCounter, _ report: (StoreFault) -> Void
  ) throws(InspectionError) {
    try database.requireColumns(type.columns, of: type.sqlName)
    let keys = type.primaryKey.indices.map { ", __pk\($0)" }.joined()
    let statement = try database.statement(
      "SELECT rowid, p\(keys) FROM \(ReadOnlyDatabase.quoted(type.sqlName)) ORDER BY rowid")
    var check = RowCheck(table: type.sqlName, type)
    while try statement.step() {
      counter.count()
      let row = statement.integer(0)
      check.check(contents.read(statement.bytes(1), type, row), row, report) { index, value in
        statement.holds(value, Int32(index) + 2)
      }
    }
    check.finish(report)
  }

  private func verifyEntries(
    of index: StoredType.Index, _ type: StoredType, _ names: Set<String>, _ counter: inout RowCounter,
    _ report: (StoreFault) -> Void
  ) throws(InspectionError) {
    let table = type.tableName(of: index)
    let state = try state(of: index, type, names)
    let isReliedOn = state == .complete
    let suffix = isReliedOn ? "" : ", in an index that is \(state.rawValue) and so not used"
    func fault(_ row: Int64, _ message: String) {
      report(StoreFault(table: table, row: row, message: message + suffix, isFault: isReliedOn))
    }
    let key = ReadOnlyDatabase.quoted(index.key)
    let column = index.rowColumn
    let entries = try database.statement(
      """
      SELECT e.\(column), e.\(key), m.rowid, m.p FROM \(ReadOnlyDatabase.quoted(table)) AS e \
      LEFT JOIN \(ReadOnlyDatabase.quoted(type.sqlName)) AS m ON m.rowid = e.\(column) ORDER BY e.\(column)
      """)
    while try entries.step() {
      counter.count()
      let row = entries.integer(0)
      guard !entries.isNull(2) else {
        fault(row, "the entry has no row")
        continue
      }
      guard !index.kind.entries.areElements else { continue }
      // Damaged rows are reported elsewhere.
      guard case .object(let object, _) = contents.read(entries.bytes(3), type, row) else { continue }
      let value = object.value(at: index.path)
      // The folded text itself is not compared: the table of foldings is part of the runtime.
      let isEqual =
        index.kind.entries == .foldedText
        ? entries.isNull(1) == (value == .null)
        : entries.holds(value, 1)
      if !isEqual { fault(row, "the entry of `\(index.name)` is not that of the object's bytes") }
    }
    guard isReliedOn else { return }
    let missing = try database.statement(
      """
      SELECT rowid FROM \(ReadOnlyDatabase.quoted(type.sqlName)) WHERE rowid NOT IN \
      (SELECT \(column) FROM \(ReadOnlyDatabase.quoted(table)))
      """)
    while try missing.step() { fault(missing.integer(0), "the row has no entry in the index of `\(index.name)`") }
  }
}
