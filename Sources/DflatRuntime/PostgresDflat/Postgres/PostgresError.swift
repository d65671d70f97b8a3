import Dflat
import DflatEngine

/// A failure of PostgreSQL, or of the connection to it.
///
/// ```swift
/// do {
///   print(try await workspace.fetch(for: Post.self).async.count())
/// } catch StoreError.failed(let error as PostgresError) where error.cause == .unreachable {
///   print("the server is away")
/// }
/// ```
///
/// It is the cause of a `TransactionError` or a `StoreError`, or comes to the workspace's error handler. Messages say
/// which option or setting to change, where one is the reason.
///
/// See also: ``PostgresWorkspace``, Documentation/postgres-running.md (Errors).
public struct PostgresError: Error, Hashable, Sendable {
  /// The kind of a failure, so that a program can act on it.
  public enum Cause: Hashable, Sendable {
    /// No server answers at the address, or none answers the first statements of a new connection.
    case unreachable
    /// The connection broke, or the server went away.
    case connectionLost
    /// The user or the password was rejected.
    case loginRejected
    /// The database of the connection string does not exist.
    case missingDatabase
    /// The schema of the database in which the workspace has its tables does not exist, or the role may not use it.
    case missingSchema
    /// The role lacks a right.
    case missingPermission
    /// The server is older than version 13.
    case serverTooOld
    /// The server, or the workspace's pool, has no connection left.
    case tooManyConnections
    /// The server has no room left on its disk.
    case diskFull
    /// A value is larger than PostgreSQL can store: a field has at most 1 GB.
    case valueTooLarge
    /// A statement, a transaction, or a pause within a transaction took longer than the session's limit for it.
    case statementTimeout
    /// The transaction conflicted with others at every attempt.
    case serializationFailure
    /// A table of the expected name has other columns than dflat gives it: dflat did not make it.
    case foreignTable
    /// A setting of the server does not allow a feature. The message names the setting.
    case missingSetting
    /// The connection broke during the commit, and it could not be found out whether the transaction is stored.
    case unknownOutcome
    /// The server is a standby, which takes no writes, or `PostgresOptions.readsStandby` is set.
    case readOnly
    /// The bytes of a row do not hold an object.
    case corruptRow
    /// Anything else; see `sqlState`.
    case other
  }

  /// The kind of the failure.
  public let cause: Cause
  /// The five characters of PostgreSQL's error code, such as `42501`; empty if the failure does not come from the
  /// server. The codes are described at https://www.postgresql.org/docs/current/errcodes-appendix.html.
  public let sqlState: String
  /// The message of the server or of libpq.
  public let message: String
  /// The operation that failed, in words, such as "Beginning a transaction".
  public let purpose: String
  /// The constraint or unique index that a row would violate; empty if there is none.
  var constraint = ""
  /// Whether a policy of row level security refuses a row. A right on the table that the role lacks has the same code.
  var isPolicyViolation = false

  /// Creates the error of a failure.
  ///
  /// - Parameters:
  ///   - cause: the kind of the failure.
  ///   - sqlState: PostgreSQL's error code; empty if the failure does not come from the server.
  ///   - message: the message of the server or of libpq.
  ///   - purpose: the operation that failed, in words.
  public init(cause: Cause, sqlState: String = "", message: String, purpose: String) {
    self.cause = cause
    self.sqlState = sqlState
    self.message = message
    self.purpose = purpose
  }

  /// Creates the error of a failure that the server has reported. The cause follows from `sqlState`, and advice is
  /// added to `message`.
  init(sqlState: String, message: String, purpose: String) {
    self.init(
      cause: Cause(sqlState: sqlState), sqlState: sqlState, message: Self.advising(message, sqlState: sqlState),
      purpose: purpose)
  }

  /// Whether the transaction may succeed if it is run again.
  var isRetryable: Bool { cause == .serializationFailure || cause == .connectionLost }

  /// Whether each new attempt fails alike until somebody changes the settings of the server or of the workspace.
  var isRefusal: Bool {
    switch cause {
    case .missingSetting, .missingPermission, .loginRejected, .missingDatabase, .missingSchema, .serverTooOld,
      .readOnly:
      true
    default: false
    }
  }

  /// Returns the error of a statement, or COMMIT, that follows a failed statement in the same transaction.
  static func undone(_ purpose: String) -> PostgresError {
    PostgresError(
      sqlState: "25P02", message: "a statement of the transaction has failed, which undoes all of it", purpose: purpose)
  }

  static let divisionByZero = "22012"

  /// Returns the error of a statement that has changed fewer rows than it names. The transaction has read or made all
  /// of them.
  static func unchangedRow(_ purpose: String) -> PostgresError {
    PostgresError(
      cause: .other, sqlState: divisionByZero,
      message: "the server has left a row out; row level security, or a trigger that returns NULL, does so",
      purpose: purpose)
  }

  /// Returns the error for a session in which no table can be made.
  static func noSchema(_ purpose: String) -> PostgresError {
    PostgresError(
      cause: .missingSchema,
      message: """
        no schema of the search_path exists that the role may use: create it, grant USAGE on it, set another \
        search_path for the role, or name a schema in PostgresOptions.schema
        """, purpose: purpose)
  }

  /// Returns the error for a workspace whose schema does not exist, or not any more.
  static func missingSchema(_ name: String, _ purpose: String) -> PostgresError {
    PostgresError(sqlState: "3F000", message: "schema \"\(name)\" does not exist", purpose: purpose)
  }

  /// Whether another row has the same row number, primary key or unique value.
  var isConflict: Bool { sqlState == "23505" }

  /// Returns the error for row numbers from the sequence that are taken again and again.
  static func takenNumber(_ purpose: String) -> PostgresError {
    PostgresError(cause: .other, message: "rows come in whose numbers the sequence has not given", purpose: purpose)
  }

  /// Returns the error for a connection that broke during COMMIT, with an outcome that could not be found out.
  static func unknownOutcome(_ purpose: String) -> PostgresError {
    PostgresError(
      cause: .unknownOutcome,
      message: "the connection broke during COMMIT, and it could not be found out whether the transaction is stored",
      purpose: purpose)
  }

  /// Whether one of the values that were to be stored may be the reason: it is too large, or a constraint, a trigger or
  /// row level security refuses it.
  var isAboutAValue: Bool {
    if cause == .valueTooLarge || isAboutMemory || isPolicyViolation { return true }
    return switch sqlState.prefix(2) {
    // data exceptions, violated constraints, errors of triggers
    case "22", "23", "38", "39", "44", "P0": true
    default: false
    }
  }

  /// Whether the server has no memory for something, now or at all. It reports some values as internal errors that take
  /// more than it can ever allocate.
  var isAboutMemory: Bool { sqlState == "53200" || sqlState == "XX000" }

  /// Whether a table of that name already exists.
  var isDuplicateTable: Bool { sqlState == "42P07" }

  /// Whether another transaction has held a lock for too long.
  var isLockTimeout: Bool { sqlState == "55P03" }

  /// Whether an object of the database, such as a publication, does not exist.
  var isMissingObject: Bool { sqlState == "42704" }

  /// Whether a table, or a function of an index, does not exist.
  var isMissingRelation: Bool { sqlState == "42P01" || sqlState == "42883" }
}

extension PostgresError.Cause {
  /// The kind that an error code of the server stands for.
  init(sqlState: String) {
    self =
      switch sqlState {
      // serialization_failure, deadlock_detected
      case "40001", "40P01": .serializationFailure
      case "42501": .missingPermission
      case "3D000": .missingDatabase
      // invalid_schema_name
      case "3F000": .missingSchema
      // read_only_sql_transaction
      case "25006": .readOnly
      case "53100": .diskFull
      case "53300": .tooManyConnections
      // query_canceled, lock_not_available, idle_in_transaction_session_timeout, transaction_timeout
      case "57014", "55P03", "25P03", "25P04": .statementTimeout
      // program_limit_exceeded, and the memory that a value of a gigabyte would take
      case "54000", "53200": .valueTooLarge
      default:
        switch sqlState.prefix(2) {
        case "28": .loginRejected
        // connection exceptions, and an administrator who shuts down
        case "08", "57": .connectionLost
        default: .other
        }
      }
  }
}

extension PostgresError: CustomStringConvertible {
  /// The failure in a sentence, for people.
  public var description: String {
    "\(purpose) failed: \(message)" + (sqlState.isEmpty ? "" : " (PostgreSQL code \(sqlState))")
  }
}

extension PostgresError.Cause {
  /// The kind of a failure to connect, for which libpq gives only a text. A text in another language than English gives
  /// `.other` if it contains `FATAL`, and `.unreachable` otherwise.
  init(connectionFailure message: String) {
    func says(_ parts: String...) -> Bool { parts.contains { message.contains($0) } }
    self =
      if says("too many clients", "remaining connection slots", "too many connections", "no more connections allowed") {
        .tooManyConnections
      } else if says("unsupported startup parameter") {
        .missingSetting
      } else if says("starting up", "shutting down", "in recovery mode") {
        .unreachable
      } else if says("database \"") && says("does not exist") {
        .missingDatabase
      } else if says("authentication failed", "no password supplied", "no pg_hba.conf entry", "role \"") {
        .loginRejected
      } else if says("permission denied", "replication role") {
        .missingPermission
      } else if says("FATAL") {
        .other
      } else {
        .unreachable
      }
  }
}

extension PostgresError: DatabaseError {
  package var isDiskFull: Bool { cause == .diskFull }
}

extension PostgresError: TransientError {
  package var isTransient: Bool { isRetryable }
}
