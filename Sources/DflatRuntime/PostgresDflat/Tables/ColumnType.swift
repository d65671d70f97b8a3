import Dflat

/// The type of a column of a primary key, or of what the function of an index returns.
enum ColumnType {
  case integer
  /// For unsigned numbers of 64 bits.
  case numeric
  case real
  /// A string as its bytes, which sorts as dflat does, and may contain NUL.
  case bytes

  init(_ storage: FieldStorage) {
    self =
      switch storage {
      case .uint64, .unionType64: .numeric
      case .float, .double: .real
      case .string, .stringOffset64: .bytes
      default: .integer
      }
  }

  /// The name of the type in SQL, as `format_type` spells it.
  var sql: String {
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
enum KeyForm {
  /// How many bytes of a string are as they are.
  static let limit = 1000

  /// The form of a `bytea`.
  static func sql(_ value: String) -> String {
    "CASE WHEN length(\(value)) <= \(limit) THEN \(value) ELSE substring(\(value) FROM 1 FOR \(limit)) || sha256(\(value)) END"
  }
}

/// Names of tables, indexes and functions.
enum PostgresName {
  /// PostgreSQL cuts longer names off.
  private static let limit = 63

  /// A name that is not too long: the end of a longer one is replaced by a hash of all.
  static func shortened(_ name: String) -> String {
    guard name.utf8.count > limit else { return name }
    var start = name
    while start.utf8.count > limit - 17 { start.removeLast() }
    return "\(start)_\(hash(name))"
  }

  /// A name as SQL has it.
  static func quoted(_ name: String) -> String {
    "\"" + name.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
  }

  /// A text as a literal of SQL.
  static func literal(_ text: String) -> String {
    "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''") + "'"
  }

  /// The 64-bit FNV-1a hash of a text, in hexadecimal digits. http://www.isthe.com/chongo/tech/comp/fnv/
  static func hash(_ text: String) -> String {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    let digits = String(hash, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }

  /// A byte as two hexadecimal digits.
  static func hexadecimal(_ byte: UInt8) -> String { (byte < 16 ? "0" : "") + String(byte, radix: 16) }
}
