import CPostgres

/// A row of a result, in PostgreSQL's binary form. It is good until the statement's next row.
struct PostgresRow: ~Copyable {
  private let result: OpaquePointer
  private let row: Int32

  init(_ result: OpaquePointer, _ row: Int32) {
    self.result = result
    self.row = row
  }

  func isNull(_ column: Int32) -> Bool { PQgetisnull(result, row, column) != 0 }

  /// The bytes of a column: of none if it is NULL.
  func bytes(_ column: Int32) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: PQgetvalue(result, row, column), count: Int(PQgetlength(result, row, column)))
  }

  /// An `int8`; 0 if it is NULL, or of another type.
  func integer(_ column: Int32) -> Int64 {
    let bytes = bytes(column)
    return bytes.count == 8 ? Int64(bigEndian: bytes.loadUnaligned(as: Int64.self)) : 0
  }

  /// A `text`.
  func text(_ column: Int32) -> String { String(decoding: bytes(column), as: UTF8.self) }

  /// A `bool`.
  func bool(_ column: Int32) -> Bool { bytes(column).first == 1 }
}
