/// Names of tables, indexes and functions.
package enum PostgresName {
  /// PostgreSQL cuts longer names off.
  private static let limit = 63

  /// A name that is not too long: the end of a longer one is replaced by a hash of all.
  package static func shortened(_ name: String) -> String {
    guard name.utf8.count > limit else { return name }
    var start = name
    while start.utf8.count > limit - 17 { start.removeLast() }
    return "\(start)_\(hash(name))"
  }

  /// A name as SQL has it.
  package static func quoted(_ name: String) -> String {
    "\"" + name.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
  }

  /// A text as a literal of SQL.
  package static func literal(_ text: String) -> String {
    "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''") + "'"
  }

  /// The publication with the observed tables of a schema.
  package static func publication(of schema: String) -> String { shortened("dflat_\(schema)") }

  /// The name of the advisory lock for a table, which is held by who makes the table or an index of it.
  package static func lock(of table: String) -> String { "table \(table)" }

  /// The number of an advisory lock, as an expression of SQL.
  ///
  /// - Parameters:
  ///   - lock: the expression that is the lock's name.
  ///   - schema: the expression that is the name of the schema for which it holds.
  package static func lockNumber(_ lock: String, schema: String) -> String {
    "hashtextextended('dflat ' || \(schema) || ' ' || \(lock), 0)"
  }

  /// The 64-bit FNV-1a hash of a text, in hexadecimal digits. http://www.isthe.com/chongo/tech/comp/fnv/
  package static func hash(_ text: String) -> String {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    let digits = String(hash, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }

  /// A byte as two hexadecimal digits.
  package static func hexadecimal(_ byte: UInt8) -> String { (byte < 16 ? "0" : "") + String(byte, radix: 16) }
}
