/// The type of a primary key's column, or of an index function's result.
package enum ColumnType: Sendable {
  case integer
  /// The type for unsigned numbers of 64 bits.
  case numeric
  case real
  /// The type for the bytes of a struct, and for a string as its bytes, which sort as dflat sorts strings and may
  /// contain NUL.
  case bytes

  package init(_ storage: StoredField.Storage) {
    self =
      switch storage {
      case .uint64, .unionType64: .numeric
      case .float, .double: .real
      case .string, .stringOffset64, .bytes: .bytes
      default: .integer
      }
  }

  /// The name of the type in SQL, as `format_type` spells it.
  package var sql: String {
    switch self {
    case .integer: "bigint"
    case .numeric: "numeric"
    case .real: "double precision"
    case .bytes: "bytea"
    }
  }
}

/// The form of strings and bytes in keys and indexes. An index entry has room for some 2,700 bytes. The form of a
/// string or bytes longer than the limit has the first bytes and a hash of the whole, so that different values have
/// different forms.
package enum KeyForm {
  /// The most bytes that a form contains unchanged.
  package static let limit = 1000

  /// Returns the SQL expression of the form of `value`, an SQL expression of type `bytea`.
  package static func sql(_ value: String) -> String {
    "CASE WHEN length(\(value)) <= \(limit) THEN \(value) ELSE substring(\(value) FROM 1 FOR \(limit)) || sha256(\(value)) END"
  }
}
