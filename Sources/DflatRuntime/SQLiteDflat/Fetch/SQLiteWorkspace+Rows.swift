import Dflat
import DflatEngine

extension SQLiteWorkspace: RowSource {
  package func withRows<Result>(_ body: (any StoredRows) throws -> Result) throws -> Result {
    let database = core.database
    let found = try database.withReader(lentFor: .snapshot, inTransaction: false) {
      try body(SQLiteRows(connection: $0))
    }
    if let found { return found }
    if database.isShutDown { throw StoreError.shutDown }
    return try body(SQLiteRows(connection: nil))
  }
}

/// The rows that a connection reads, in its read transaction.
private struct SQLiteRows: StoredRows {
  /// The connection; nil if nothing is stored.
  let connection: SQLiteConnection?

  func count(of record: RecordDescription) throws -> Int {
    guard let statement = try connection?.query("SELECT COUNT(*) FROM \(record.table.quoted)", ifHasTable: record.table)
    else { return 0 }
    defer { statement.reset() }
    return try statement.step() ? Int(statement.integer(at: 0)) : 0
  }

  func forEach(of record: RecordDescription, _ body: (Int64, UnsafeRawBufferPointer) throws -> Void) throws {
    guard
      let statement = try connection?.query(
        "SELECT rowid, p FROM \(record.table.quoted) ORDER BY rowid", ifHasTable: record.table)
    else { return }
    defer { statement.reset() }
    while try statement.step() { try body(statement.integer(at: 0), statement.bytes(at: 1)) }
  }
}
