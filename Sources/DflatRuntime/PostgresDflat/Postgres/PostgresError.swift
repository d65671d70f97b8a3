import Dflat
import DflatEngine

/// What PostgreSQL, or the way to it, refused to do.
public struct PostgresError: Error, Hashable, Sendable {
  /// What kind of failure it is, so that a program can act on it.
  public enum Cause: Hashable, Sendable {
    /// No server answers at the address.
    case unreachable
    /// The connection broke, or the server went away.
    case connectionLost
    /// The user or the password was rejected.
    case loginRejected
    /// The database of the connection string does not exist.
    case missingDatabase
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
    /// A statement took longer than the time limit of the session.
    case statementTimeout
    /// The transaction conflicted with others, each time that it was tried.
    case serializationFailure
    /// The table has other columns than dflat gives it: it is not one of dflat.
    case foreignTable
    /// A setting of the server is not as a feature needs it; the message names the setting.
    case missingSetting
    /// The connection broke while the transaction was being committed, and whether it is stored could not be found out.
    case unknownOutcome
    /// The server takes no writes, as a standby, or the workspace reads one by `PostgresOptions.readsStandby`.
    case readOnly
    /// A row does not hold an object.
    case corruptRow
    /// Anything else; see `sqlState`.
    case other
  }

  /// The kind of the failure.
  public let cause: Cause
  /// The five characters of PostgreSQL's error code, such as `42501`; empty if the failure is none of the server's.
  /// They are described at https://www.postgresql.org/docs/current/errcodes-appendix.html.
  public let sqlState: String
  /// The message of the server or of libpq.
  public let message: String
  /// What was being done, in words.
  public let purpose: String
  /// The constraint that a row would violate, or the unique index; empty if there is none.
  var constraint = ""

  /// Describes a failure.
  public init(cause: Cause, sqlState: String = "", message: String, purpose: String) {
    self.cause = cause
    self.sqlState = sqlState
    self.message = message
    self.purpose = purpose
  }

  /// A failure that the server has reported.
  init(sqlState: String, message: String, purpose: String) {
    self.init(
      cause: Cause(sqlState: sqlState), sqlState: sqlState, message: Self.advising(message, sqlState: sqlState),
      purpose: purpose)
  }

  /// Whether the transaction may succeed if it is run again.
  var isRetryable: Bool { cause == .serializationFailure || cause == .connectionLost }

  /// Whether the server will say the same until somebody changes its settings.
  var isRefusal: Bool {
    switch cause {
    case .missingSetting, .missingPermission, .loginRejected, .missingDatabase, .serverTooOld, .readOnly: true
    default: false
    }
  }

  /// A statement, or COMMIT, comes after a statement that has failed, in the same transaction.
  static func undone(_ purpose: String) -> PostgresError {
    PostgresError(
      sqlState: "25P02", message: "a statement of the transaction has failed, which undoes all of it", purpose: purpose)
  }

  static let divisionByZero = "22012"

  /// A statement has changed fewer rows than it names, all of which the transaction has read or made.
  static func unchangedRow(_ purpose: String) -> PostgresError {
    PostgresError(
      cause: .other, sqlState: divisionByZero,
      message: "the server has left a row out; row level security, or a trigger that returns NULL, does so",
      purpose: purpose)
  }

  /// Whether a primary key or a unique value is taken.
  var isConflict: Bool { sqlState == "23505" }

  /// Each number that the sequence has given is that of a row.
  static func takenNumber(_ purpose: String) -> PostgresError {
    PostgresError(cause: .other, message: "rows come in whose numbers the sequence has not given", purpose: purpose)
  }

  /// The connection broke during COMMIT, and it could not be found out how that has ended.
  static func unknownOutcome(_ purpose: String) -> PostgresError {
    PostgresError(
      cause: .unknownOutcome,
      message: "the connection broke during COMMIT, and it could not be found out whether the transaction is stored",
      purpose: purpose)
  }

  /// Whether a table of that name is there already.
  var isDuplicateTable: Bool { sqlState == "42P07" }

  /// Whether another transaction has held a lock for too long.
  var isLockTimeout: Bool { sqlState == "55P03" }

  /// Whether an object of the database, such as a publication, does not exist.
  var isMissingObject: Bool { sqlState == "42704" }

  /// Whether a table, or a function of an index, is not there.
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
      // read_only_sql_transaction
      case "25006": .readOnly
      case "53100": .diskFull
      case "53300": .tooManyConnections
      // query_canceled, lock_not_available
      case "57014", "55P03": .statementTimeout
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
  /// The kind of a failure to connect, of which libpq has a text alone. What the server says in another language than English
  /// is `.other`.
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
