/// The names of tables, indexes and functions in PostgreSQL.
package enum PostgresName {
  /// The most bytes of a name. PostgreSQL truncates longer ones.
  private static let limit = 63

  /// Returns a name of at most 63 bytes: the end of a longer one is replaced by a hash of the whole.
  package static func shortened(_ name: String) -> String {
    guard name.utf8.count > limit else { return name }
    var start = name
    while start.utf8.count > limit - 17 { start.removeLast() }
    return "\(start)_\(hash(name))"
  }

  /// Returns a name as a quoted identifier of SQL.
  package static func quoted(_ name: String) -> String {
    enclosed(name, by: "\"")
  }

  /// Returns a name as a quoted identifier that is qualified by a schema, or by none if `schema` is nil.
  ///
  /// The statements of a workspace qualify every name. Otherwise a name may mean a temporary table, or the table of
  /// another schema in the search path once that of the workspace is dropped.
  package static func qualified(_ name: String, in schema: String?) -> String {
    guard let schema else { return quoted(name) }
    return "\(quoted(schema)).\(quoted(name))"
  }

  /// Returns a text as a literal of SQL.
  package static func literal(_ text: String) -> String {
    enclosed(text, by: "'")
  }

  /// Returns a text in quotes, each quote in it twice. By code points: a quote with a combining mark after it is another
  /// character, but ends the text all the same.
  private static func enclosed(_ text: String, by quote: Unicode.Scalar) -> String {
    var enclosed = String.UnicodeScalarView([quote])
    for scalar in text.unicodeScalars {
      if scalar == quote { enclosed.append(quote) }
      enclosed.append(scalar)
    }
    enclosed.append(quote)
    return String(enclosed)
  }

  /// Returns the name of the publication of a schema's observed tables.
  package static func publication(of schema: String) -> String { shortened("dflat_\(schema)") }

  /// Returns the name of the advisory lock for a table, which is held while the table or an index of it is made.
  package static func lock(of table: String) -> String { "table \(table)" }

  /// Returns the SQL expression of an advisory lock's number.
  ///
  /// - Parameters:
  ///   - lock: the expression of the lock's name.
  ///   - schema: the expression of the name of the schema to which the lock belongs.
  package static func lockNumber(_ lock: String, schema: String) -> String {
    "hashtextextended('dflat ' || \(schema) || ' ' || \(lock), 0)"
  }

  /// Returns the 64-bit FNV-1a hash of a text, in hexadecimal digits. http://www.isthe.com/chongo/tech/comp/fnv/
  package static func hash(_ text: String) -> String {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    let digits = String(hash, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }

  /// Returns a byte as two hexadecimal digits.
  package static func hexadecimal(_ byte: UInt8) -> String { (byte < 16 ? "0" : "") + String(byte, radix: 16) }
}
