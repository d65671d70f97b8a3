import CPostgres

/// A row of a result, in PostgreSQL's binary form. It is valid until the statement's next row is read.
struct PostgresRow: ~Copyable {
  private let result: OpaquePointer
  private let row: Int32

  init(_ result: OpaquePointer, _ row: Int32) {
    self.result = result
    self.row = row
  }

  func isNull(_ column: Int32) -> Bool { PQgetisnull(result, row, column) != 0 }

  /// Returns the bytes of a column: empty if it is NULL.
  func bytes(_ column: Int32) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: PQgetvalue(result, row, column), count: Int(PQgetlength(result, row, column)))
  }

  /// Returns the value of an `int8` column; 0 if it is NULL, or of another type.
  func integer(_ column: Int32) -> Int64 {
    let bytes = bytes(column)
    return bytes.count == 8 ? Int64(bigEndian: bytes.loadUnaligned(as: Int64.self)) : 0
  }

  /// Returns the value of a `text` column.
  func text(_ column: Int32) -> String { String(decoding: bytes(column), as: UTF8.self) }

  /// Returns the value of a `bool` column; false if it is NULL.
  func bool(_ column: Int32) -> Bool { bytes(column).first == 1 }
}
