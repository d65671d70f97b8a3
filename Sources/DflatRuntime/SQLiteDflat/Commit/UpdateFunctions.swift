import CSQLite
import Dflat
import FlatBuffersCore

/// The SQL functions that give SQLite the new contents of rows in an `UPDATE` of several rows. Most of the work of
/// updating one row is to begin and end a statement; to call a function is little.
///
/// - `dflat_bytes(rowid)` is the row's new bytes; NULL if the row stays as it is.
/// - `dflat_value(rowid)` is the value in these bytes for the column of an index.
///
/// They are used by the thread that has the connection.
final class UpdateFunctions {
  /// The rows that are being updated, in ascending order of their numbers.
  private var rows: ContiguousArray<EncodedRow> = []
  /// The index of the row that was last asked for: SQLite visits the rows in ascending order.
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
      let isFolded = record.isFolded(column: functions.column)
      record.withValue(ofColumn: functions.column, in: FlatBufferTable(ofEncoded: row.bytes)) { value in
        SQLiteStatement.setResult(of: context, to: value, isCopied: isFolded)
      }
    }
  }

  /// Calls `body`, whose statements may ask the functions for the bytes of `rows`.
  func withRows<Result>(
    _ rows: ContiguousArray<EncodedRow>, of record: RecordDescription, _ body: () throws -> Result
  ) rethrows -> Result {
    self.rows = rows
    self.record = record
    defer { self.rows = [] }
    return try body()
  }

  /// Prepares for a statement, which visits the rows from the first one.
  ///
  /// - Parameter column: the column of the type that `dflat_value` reads.
  func begin(column: Int = 0) {
    self.column = column
    position = 0
  }

  private static func of(_ context: OpaquePointer?) -> UpdateFunctions? {
    // Not retained: the connection keeps the owner of a function alive.
    sqlite3_user_data(context).map { Unmanaged<UpdateFunctions>.fromOpaque($0).takeUnretainedValue() }
  }

  /// Returns the row whose number is the first argument; nil if it is not among the updated rows.
  private func row(_ arguments: UnsafeMutablePointer<OpaquePointer?>?) -> EncodedRow? {
    guard let arguments else { return nil }
    let rowid = sqlite3_value_int64(arguments[0])
    // Starts from the first row if SQLite ever goes back.
    if position >= rows.count || rows[position].rowid > rowid { position = 0 }
    while position < rows.count, rows[position].rowid < rowid { position += 1 }
    return position < rows.count && rows[position].rowid == rowid ? rows[position] : nil
  }
}
