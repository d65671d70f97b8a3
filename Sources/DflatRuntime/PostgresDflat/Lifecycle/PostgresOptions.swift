/// How a workspace uses its server.
public struct PostgresOptions: Sendable {
  /// What becomes of a transaction that conflicts with one of another process.
  public enum Retry: Hashable, Sendable {
    /// Its closure is run again, at most this often, after a random pause that grows.
    case limited(Int)
    /// It fails.
    case never
  }

  /// The connection string: `postgresql://user@host/database`, or `host=... dbname=...`.
  /// See https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-CONNSTRING.
  public var connection: String
  /// The connection string of the server itself, where `connection` leads to a pooler that hands connections out for single
  /// transactions. What needs a session goes there: observing, making tables and building indexes. nil: it goes where `connection`
  /// leads.
  public var directConnection: String?
  /// Whether `connection` leads to a hot standby, from which the workspace reads and to which nobody can write.
  ///
  /// A standby has no serializable transactions. Each fetch and snapshot there is a transaction at the level `REPEATABLE READ`: it shows one
  /// state of the database that commits have made, a moment later than the primary does. Every write, and every transaction that
  /// reads or submits, fails with a `PostgresError` of the cause `.readOnly`; subscribers hear of no commits.
  public var readsStandby = false
  /// How many connections the workspace has at most. A fetch or a transaction beyond that waits for one.
  public var connectionLimit = 10
  /// How long a fetch or a transaction waits for a connection, in seconds. Then it fails.
  public var poolTimeout = 10.0
  /// How long the workspace waits for the server when it connects, in seconds: 2 at least.
  public var connectTimeout = 10
  /// How long a statement may take, in seconds; nil for no limit but that of the server. Without prepared statements it holds for
  /// transactions and snapshots only: a setting of the session would be one of whoever gets the connection next.
  public var statementTimeout: Double?
  /// What becomes of a transaction that conflicts with others. **A closure may run several times on this engine**, and only the
  /// changes of the last time are stored.
  public var retry = Retry.limited(50)
  /// Runs every closure twice, and undoes the first time: to find closures in a test that do something which must not happen
  /// twice, such as sending a mail.
  public var runsClosuresTwice = false
  /// Whether the server prepares statements and keeps settings for a session. A connection that leads to a pooler, such as pgbouncer,
  /// does without them in any case: the session may be another client's in the next transaction.
  public var usesPreparedStatements = true
  /// Whether indexes that the schema has and the database lacks are built in the background.
  public var buildsIndexes = true

  /// The options for a connection string.
  public init(connection: String) {
    self.connection = connection
  }

  /// - Throws: `PostgresError` if nothing may be written.
  func requireWriting(for purpose: String) throws {
    guard readsStandby else { return }
    throw PostgresError(
      cause: .readOnly,
      message: "the workspace reads a standby (PostgresOptions.readsStandby): use one that connects to the primary",
      purpose: purpose)
  }

  /// The options of a connection that has a session of its own.
  var direct: PostgresOptions {
    guard let directConnection else { return self }
    var options = self
    options.connection = directConnection
    options.usesPreparedStatements = true
    return options
  }
}
