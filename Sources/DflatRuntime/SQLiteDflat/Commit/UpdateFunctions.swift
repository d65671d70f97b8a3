import CSQLite
import Dflat
import FlatBuffersCore

/// The SQL functions by which SQLite asks what an `UPDATE` of several rows is to write. Beginning and ending a statement is most of
/// the work of updating one row, and calling a function is little.
///
/// - `dflat_bytes(rowid)` is the row's new bytes; NULL if the row stays as it is.
/// - `dflat_value(rowid)` is the value that these bytes have for an index.
///
/// For the thread that has the connection.
final class UpdateFunctions {
  /// The rows that are being updated, in the order of their numbers.
  private var rows: ContiguousArray<EncodedRow> = []
  /// Where the row is that was asked for last: SQLite goes over the rows in their order.
  private var position = 0
  /// The type of the rows, and the column of the index whose entries are being updated.
  private var record: RecordDescription?
  private var column = 0

  /// Adds the functions to a connection, which owns them from then on.
  init(on connection: SQLiteConnection) throws {
    try connection.addFunction("dflat_bytes", owner: self) { context, _, arguments in
      guard let row = UpdateFunctions.of(context)?.row(arguments) else { return sqlite3_result_null(context) }
      // No destructor is SQLITE_STATIC: the bytes stay as they are while the statement runs.
      sqlite3_result_blob64(context, row.bytes.baseAddress, UInt64(row.bytes.count), nil)
    }
    try connection.addFunction("dflat_value", owner: self) { context, _, arguments in
      guard let functions = UpdateFunctions.of(context), let row = functions.row(arguments),
        let record = functions.record
      else { return sqlite3_result_null(context) }
      let value = record.columns.value(at: functions.column, in: FlatBufferTable(ofEncoded: row.bytes))
      SQLiteStatement.setResult(of: context, borrowing: value)
    }
  }

  /// Calls `body`, in which statements may ask for the bytes of `rows`.
  func withRows<Result>(
    _ rows: ContiguousArray<EncodedRow>, of record: RecordDescription, _ body: () throws -> Result
  ) rethrows -> Result {
    self.rows = rows
    self.record = record
    defer { self.rows = [] }
    return try body()
  }

  /// Says for which column of the type `dflat_value` answers, and that SQLite begins with the first row again.
  func begin(column: Int = 0) {
    self.column = column
    position = 0
  }

  private static func of(_ context: OpaquePointer?) -> UpdateFunctions? {
    // The connection keeps the owner of a function alive.
    sqlite3_user_data(context).map { Unmanaged<UpdateFunctions>.fromOpaque($0).takeUnretainedValue() }
  }

  /// The row whose number is the first argument.
  private func row(_ arguments: UnsafeMutablePointer<OpaquePointer?>?) -> EncodedRow? {
    guard let arguments else { return nil }
    let rowid = sqlite3_value_int64(arguments[0])
    // From the first one, should SQLite ever go back.
    if position >= rows.count || rows[position].rowid > rowid { position = 0 }
    while position < rows.count, rows[position].rowid < rowid { position += 1 }
    return position < rows.count && rows[position].rowid == rowid ? rows[position] : nil
  }
}
