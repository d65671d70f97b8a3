/// The type of a column of a primary key, or of what the function of an index returns.
package enum ColumnType: Sendable {
  case integer
  /// For unsigned numbers of 64 bits.
  case numeric
  case real
  /// A string as its bytes, which sorts as dflat does, and may contain NUL.
  case bytes

  package init(_ storage: StoredField.Storage) {
    self =
      switch storage {
      case .uint64, .unionType64: .numeric
      case .float, .double: .real
      case .string, .stringOffset64: .bytes
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

/// The form in which strings stand in keys and indexes. An entry of an index has room for some 2,700 bytes: of a string that is
/// longer than the limit, it has the first bytes and a hash of all, so that different strings have different forms.
package enum KeyForm {
  /// How many bytes of a string are as they are.
  package static let limit = 1000

  /// The form of a `bytea`.
  package static func sql(_ value: String) -> String {
    "CASE WHEN length(\(value)) <= \(limit) THEN \(value) ELSE substring(\(value) FROM 1 FOR \(limit)) || sha256(\(value)) END"
  }
}
