import CSQLite
import Dflat
import DflatEngine

extension Atom {
  /// Reads the object of a row that `connection` has read.
  ///
  /// - Throws: `SQLiteError` if the row's bytes hold no object, or refer to more than they can hold.
  static func object(
    in bytes: UnsafeRawBufferPointer, _ rowid: Int64, on connection: SQLiteConnection
  ) throws -> Self {
    guard let object = undamagedObject(in: bytes, rowid, readAt: connection.commitVersion) else {
      throw SQLiteError.corruptRow(rowid, of: _record, path: connection.path)
    }
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
