import CSQLite
import Dflat
import FlatBuffersCore

extension Atom {
  /// The object of a row, which `connection` has read.
  ///
  /// - Throws: `SQLiteError` when the row's bytes are not an object at all, or lead to more than they can hold.
  static func object(
    in bytes: UnsafeRawBufferPointer, _ rowid: Int64, on connection: SQLiteConnection
  ) throws -> Self {
    let budget = ReadingBudget()
    guard let row = FlatBufferTable(rootOf: bytes, within: budget) else {
      throw SQLiteError.corruptRow(rowid, of: _record, path: connection.path)
    }
    let object = Self(row, _rowid: rowid, _commitVersion: connection.commitVersion)
    guard budget.end() else { throw SQLiteError.corruptRow(rowid, of: _record, path: connection.path) }
    return object
  }
}

extension SQLiteError {
  static func corruptRow(_ rowid: Int64, of record: RecordDescription, path: String) -> SQLiteError {
    SQLiteError(
      extendedCode: SQLITE_CORRUPT, message: "row \(rowid) of \(record.table) does not hold an object",
      purpose: "Reading an object", path: path)
  }
}
