/// How a workspace uses its server.
///
/// ```swift
/// var options = PostgresOptions(connection: "postgresql://app@pooler.example.com:6432/app")
/// options.directConnection = "postgresql://app@db.example.com/app"
/// options.statementTimeout = 30
/// options.connectionLimit = 20
/// ```
///
/// A workspace takes the options when it is made; later changes of the variable have no effect on it.
///
/// See also: ``PostgresWorkspace``, Documentation/postgres.md (Every option), Documentation/postgres-running.md
/// (Connections).
public struct PostgresOptions: Sendable {
  /// Whether a transaction is run again after a conflict with another one, or after a lost connection.
  ///
  /// See also: Documentation/postgres-running.md (A closure may run several times).
  public enum Retry: Hashable, Sendable {
    /// Its closure is run again, at most this often, after a random pause that grows.
    case limited(Int)
    /// The transaction fails. Its closure may still run again once something is made that its types need, such as a
    /// table.
    case never
  }

  /// The connection string: `postgresql://user@host/database`, or `host=... dbname=...`.
  /// See https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-CONNSTRING.
  public var connection: String
  /// The connection string of the server itself, for use where `connection` leads to a pooler that lends connections
  /// for single transactions. Observing, making tables and building indexes need a session and use this connection
  /// string. If it is nil, they use `connection`.
  public var directConnection: String?
  /// The schema of the database in which the workspace has its tables. It has to exist. Give its name as the server's
  /// catalog has it, without quotes: case matters. The `search_path` of connections has no effect then.
  ///
  /// If it is nil, the first connection of the workspace finds the schema: the first one of its `search_path` that
  /// exists and that the role may use. Set this property if `connection` leads to a pooler: another client may have
  /// changed the `search_path` of the session that it lends.
  ///
  /// See also: Documentation/postgres-promises.md (What is in the database?).
  public var schema: String?
  /// Whether `connection` leads to a hot standby, from which the workspace reads and to which nobody can write.
  ///
  /// A standby has no serializable transactions. Each fetch and snapshot there is a transaction at the level
  /// `REPEATABLE READ`: it shows one committed state of the database, a moment later than the primary does. Every
  /// write, and every transaction that reads or submits, fails with a `PostgresError` of the cause `.readOnly`.
  /// Subscribers hear of no commits.
  public var readsStandby = false
  /// How many connections the workspace has at most. A fetch or a transaction beyond that waits for one.
  public var connectionLimit = 10
  /// How long a fetch or a transaction waits for a connection before it fails, in seconds.
  public var poolTimeout = 10.0
  /// How long each attempt to open a connection may take, in seconds. Values below 2 count as 2. A `connect_timeout` in
  /// the connection string takes precedence.
  ///
  /// The server may be silent for as long once more before it answers the first statements. A pooler accepts a
  /// connection at once, and answers when it has a connection to the server to spare. If it may take longer, set a
  /// higher value. When the time is over, the fetch or transaction fails with the cause `.unreachable`.
  public var connectTimeout = 10
  /// How long a statement may take, in seconds; nil for no limit except the server's. Without prepared statements, the
  /// server enforces it in transactions and snapshots only: behind a pooler, a setting of the session would reach the
  /// next client. The workspace gives up any other fetch five seconds after the limit.
  public var statementTimeout: Double?
  /// What happens to a transaction that conflicts with others. **A closure may run several times on this engine**, and
  /// only the changes of the last run are stored.
  public var retry = Retry.limited(50)
  /// Whether every closure runs twice, with the first run undone. Tests set it to find closures that do something which
  /// must not happen twice, such as sending a mail.
  public var runsClosuresTwice = false
  /// Whether the server prepares statements and keeps settings for a session. A connection through a pooler, such as
  /// pgbouncer, does without them in any case: the next transaction may get another session.
  public var usesPreparedStatements = true
  /// Whether indexes that the schema has and the database lacks are built in the background.
  public var buildsIndexes = true
  /// The schema of the workspace that uses these options, which all of its connections share; nil for options that no
  /// workspace uses yet.
  private(set) var workspaceSchema: WorkspaceSchema?

  /// The options for a connection string.
  public init(connection: String) {
    self.connection = connection
  }

  /// The options for one workspace, whose connections find its schema once, unless `schema` names it.
  var forWorkspace: PostgresOptions {
    var options = self
    options.workspaceSchema = WorkspaceSchema(schema)
    return options
  }

  /// Finds the schema of the workspace on a connection to `connection`, unless it is known. To be called before a
  /// connection to `directConnection`, which may be the first one and have another `search_path`.
  func findSchema() throws {
    guard directConnection != nil, let workspaceSchema, workspaceSchema.name == nil else { return }
    _ = try PostgresConnection(self, for: .readOnly)
  }

  /// Checks that the workspace may write.
  ///
  /// - Parameter purpose: the operation, in words, for errors.
  /// - Throws: `PostgresError` with the cause `.readOnly` if it reads a standby.
  func requireWriting(for purpose: String) throws {
    guard readsStandby else { return }
    throw PostgresError(
      cause: .readOnly,
      message: "the workspace reads a standby (PostgresOptions.readsStandby): use one that connects to the primary",
      purpose: purpose)
  }

  /// The options for a connection with a session of its own: the connection string is `directConnection`, if that is
  /// set.
  var direct: PostgresOptions {
    guard let directConnection else { return self }
    var options = self
    options.connection = directConnection
    options.usesPreparedStatements = true
    return options
  }
}
