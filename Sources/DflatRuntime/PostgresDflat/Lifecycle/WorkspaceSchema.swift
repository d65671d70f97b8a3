import DflatEngine

/// The schema of the database in which a workspace has its tables.
///
/// Unless `PostgresOptions.schema` names it, the first connection of the workspace finds it, and all later ones use it,
/// whatever their own `search_path` is. Somebody may change the setting of the role or the database meanwhile, and
/// behind a pooler, another client may have set it for the session. Every statement qualifies its names, since such a
/// session keeps no setting of ours.
final class WorkspaceSchema: Sendable {
  private let found: Guarded<String?>

  /// Creates the schema of a workspace.
  ///
  /// - Parameter name: its name as the catalog has it; nil if a connection has to find it.
  init(_ name: String?) {
    found = Guarded(name, rank: .catalog)
  }

  /// The SQL expression of the schema that a session makes tables in: the first of its `search_path` that exists and
  /// that its role may use; NULL if there is none. System schemas do not count. A `search_path` may name `pg_temp`,
  /// whose tables vanish with the session.
  static let ofSession = """
    (SELECT s::text FROM unnest(current_schemas(false)) WITH ORDINALITY AS schemas (s, n)
      WHERE left(s::text, 3) <> 'pg_' ORDER BY n LIMIT 1)
    """

  /// The name of the schema as the catalog has it; nil if no connection has found it yet.
  var name: String? { found.withLock { $0 } }

  /// Records the schema that a session has found, unless another one was first.
  ///
  /// - Returns: the schema of the workspace.
  func settle(on name: String) -> String {
    found.withLock { found in
      let settled = found ?? name
      found = settled
      return settled
    }
  }
}
