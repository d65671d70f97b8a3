import FlatBuffersJSON

/// A fault of a store, or a remark about it.
public struct StoreFault: Sendable, CustomStringConvertible {
  /// The name of the table that the fault is in.
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

  /// Checks every row: that it is an object of its type, that its key columns match the object, and that each index has
  /// exactly the entries that the object's bytes ask for. An index that lacks rows is no fault, and a wrong entry in it
  /// is one only if the runtime relies on the index.
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

  /// Counts rows and entries, and reports the progress now and then.
  struct RowCounter {
    let report: (Progress) -> Void
    var total: Int64 = 0
    private var done: Int64 = 0

    init(report: @escaping (Progress) -> Void) { self.report = report }

    mutating func count() {
      done += 1
      if done % 256 == 0 { report(Progress(done: done, total: total)) }
    }
  }

  /// Returns the number of rows of a table, by which the progress is measured; 0 for a damaged table, whose faults are
  /// reported when its rows are read.
  private func count(_ table: String) throws(InspectionError) -> Int64 {
    do throws(InspectionError) {
      let statement = try database.statement("SELECT count(*) FROM \(ReadOnlyDatabase.quoted(table))")
      return try statement.step() ? statement.integer(0) : 0
    } catch {
      guard error.isDamage else { throw error }
      return 0
    }
  }

  /// Runs SQLite's own check of the file.
  private func checkFile(_ report: (StoreFault) -> Void) throws(InspectionError) {
    if let cut = database.cut { report(StoreFault(table: "file", row: nil, message: cut, isFault: true)) }
    do throws(InspectionError) {
      let check = try database.statement("PRAGMA quick_check(20)")
      while try check.step() {
        let text = check.text(0)
        if text != "ok" { report(StoreFault(table: "file", row: nil, message: text, isFault: true)) }
      }
    } catch {
      // SQLite ends its check at the first page of a table if that is damaged.
      guard error.isDamage else { throw error }
      report(StoreFault(table: "file", row: nil, message: error.description, isFault: true))
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
}
