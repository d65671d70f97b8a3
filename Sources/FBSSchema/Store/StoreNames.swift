/// The names on disk of root tables, and the version in the names of indexes of folded texts. They never change.
public enum StoreNames {
  /// Returns the name of a root table's SQLite table: `A.B.Name` with `(v: "1.1")` is `a__b__name_v1_1`.
  public static func tableName(for table: TableDefinition) -> String {
    let path = (table.name.namespace + [table.name.name]).map(lowercased).joined(separator: "__")
    guard let version = table.version else { return path }
    return path + "_v" + String(version.map { $0 == "." ? "_" : $0 })
  }

  /// The major version of Unicode by which texts are folded. It is part of the names of indexes of folded texts, since
  /// another version may fold a text in another way. The runtime has the table of foldings; a test compares the two.
  public static let unicodeVersionOfFolding = 15

  /// Returns a name in lowercase. Names are ASCII, and must be the same in every locale.
  private static func lowercased(_ name: String) -> String {
    String(decoding: name.utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
  }
}
