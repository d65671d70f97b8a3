import CSQLite
import Dflat
import FlatBuffersCore

extension Atom {
  /// The object of a row.
  ///
  /// - Throws: `SQLiteError` when the row's bytes are not an object at all.
  static func object(in bytes: UnsafeRawBufferPointer, _ rowid: Int64, path: String) throws -> Self {
    guard let row = FlatBufferTable(rootOf: ByteBuffer(unsafeBorrowing: bytes)), let object = object(in: row, rowid)
    else { throw SQLiteError.corruptRow(rowid, of: _record, path: path) }
    return object
  }

  /// The object of a row; nil when the row was made to say more than so few bytes can.
  static func object(in row: FlatBufferTable, _ rowid: Int64) -> Self? {
    // What shares nothing costs at most twice its bytes. Others may write only once what they say several times.
    ReadingBudget.read(row, budget: 8 * row.window.count + 65_536) { Self($0, _rowid: rowid) }
  }
}

extension SQLiteError {
  static func corruptRow(_ rowid: Int64, of record: RecordDescription, path: String) -> SQLiteError {
    SQLiteError(
      extendedCode: SQLITE_CORRUPT, message: "row \(rowid) of \(record.table) does not hold an object",
      purpose: "Reading an object", path: path)
  }
}
