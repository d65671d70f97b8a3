/// The statements that the server has prepared for a connection.
struct PreparedStatements {
  private var names: [String: String] = [:]
  /// How many statements have ever been prepared. No name is used twice.
  private var total = 0

  var count: Int { names.count }

  /// Returns the name under which a statement is prepared; nil if it is not prepared.
  func name(of sql: String) -> String? { names[sql] }

  /// Records that a statement is being prepared.
  ///
  /// - Returns: its name.
  mutating func add(_ sql: String) -> String {
    total += 1
    let name = "dflat_\(total)"
    names[sql] = name
    return name
  }

  /// Forgets a statement that the server could not prepare.
  mutating func remove(_ sql: String) { names[sql] = nil }

  /// Forgets all statements. The caller has the server do so, too.
  mutating func removeAll() { names = [:] }
}
