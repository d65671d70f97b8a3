/// Advice for errors whose message, from the server or a pooler, names the problem and no remedy.
extension PostgresError {
  /// Appends to a message the option of `PostgresOptions` that concerns it.
  ///
  /// - Parameters:
  ///   - sqlState: PostgreSQL's error code; empty if the failure does not come from the server.
  ///   - message: a message in English. A message in another language gets advice only if the code is enough to choose
  ///     it.
  static func advising(_ message: String, sqlState: String = "") -> String {
    guard let advice = advice(for: message, sqlState) else { return message }
    return "\(message); \(advice)"
  }

  private static func advice(for message: String, _ sqlState: String) -> String? {
    func says(_ parts: String...) -> Bool { parts.contains { message.contains($0) } }
    // invalid_sql_statement_name, duplicate_prepared_statement: a pooler has handed out the session of another client.
    if ["26000", "42P05"].contains(sqlState) || says("prepared statement") {
      return """
        a pooler changes sessions between transactions: set PostgresOptions.usesPreparedStatements to false, and \
        PostgresOptions.directConnection for what needs a session
        """
    }
    if says("unsupported startup parameter") {
      return """
        a pooler does not take it: leave it out of PostgresOptions.connection, and set it for the role (ALTER ROLE ... SET), or name \
        it in pgbouncer's ignore_startup_parameters; PostgresOptions.directConnection may have it
        """
    }
    if sqlState == "53300"
      || says("too many clients", "too many connections", "remaining connection slots", "no more connections allowed")
    {
      return "PostgresOptions.connectionLimit is how many connections this workspace may have"
    }
    // invalid_schema_name
    if sqlState == "3F000" { return "create it, or name another one in PostgresOptions.schema" }
    // feature_not_supported: "cannot use serializable mode in a hot standby"
    if sqlState == "0A000", says("hot standby") {
      return "PostgresOptions.readsStandby has a workspace read a standby"
    }
    // query_canceled
    if sqlState == "57014", says("statement timeout") {
      return "it is PostgresOptions.statementTimeout, or a setting of the server, the database or the role"
    }
    return nil
  }
}
