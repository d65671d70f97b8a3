/// The statements that the server has prepared for a connection.
///
/// Transactions are alike: what has followed a statement the last time mostly follows it again, and is found without a look at a
/// table.
struct PreparedStatements {
  private struct Statement {
    let sql: String
    let name: String
    /// The index of the statement that followed this one last.
    var next = 0
  }

  private var statements: [Statement] = []
  private var indices: [String: Int] = [:]
  /// The index of the statement that was found last.
  private var latest = 0
  /// How many there have been. A name is used once.
  private var total = 0

  var count: Int { statements.count }

  /// The name under which a statement is prepared; nil if it is not.
  mutating func name(of sql: String) -> String? {
    guard latest < statements.count else { return nil }
    let expected = statements[latest].next
    // A text is compared with itself at once, by its address.
    if statements[expected].sql == sql {
      latest = expected
      return statements[expected].name
    }
    guard let index = indices[sql] else { return nil }
    follow(with: index)
    return statements[index].name
  }

  /// Notes that a statement is being prepared.
  ///
  /// - Returns: its name.
  mutating func add(_ sql: String) -> String {
    total += 1
    let statement = Statement(sql: sql, name: "dflat_\(total)")
    statements.append(statement)
    indices[sql] = statements.count - 1
    follow(with: statements.count - 1)
    return statement.name
  }

  /// Forgets a statement that the server could not prepare.
  mutating func remove(_ sql: String) {
    guard let index = indices.removeValue(forKey: sql) else { return }
    // Others keep their places. No statement is empty.
    statements[index] = Statement(sql: "", name: "")
  }

  private mutating func follow(with index: Int) {
    statements[latest].next = index
    latest = index
  }

  /// Forgets all statements: the server does so, too.
  mutating func removeAll() {
    statements = []
    indices = [:]
    latest = 0
  }
}
