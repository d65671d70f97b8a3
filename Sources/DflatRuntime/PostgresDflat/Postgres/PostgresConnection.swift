import CPostgres
import PostgresLayout

/// A connection to a server, for one thread at a time.
///
/// Statements are sent in libpq's pipeline mode. A statement whose answer is not needed yet waits for the next one
/// whose answer is, and both share a round trip. https://www.postgresql.org/docs/current/libpq-pipeline-mode.html
final class PostgresConnection {
  let handle: OpaquePointer
  /// Whether the session belongs to this connection alone, so that it keeps prepared statements and settings.
  private var usesPreparedStatements: Bool
  /// The statement timeout that each transaction has to set, in milliseconds; nil if the session has set it, or there
  /// is none.
  private(set) var transactionTimeout: Int?
  /// How long a statement may take, in seconds; nil for no limit.
  let statementTimeout: Double?
  /// How long the server may be silent while the session is set up, in seconds; nil afterwards, and without a limit for
  /// connecting.
  var setupLimit: Double?
  /// Whether the connection is unusable.
  var isBroken = false
  var statements = PreparedStatements()
  /// The statements that have been sent and not been answered, in order.
  var unanswered: [Sent] = []
  var unansweredByteCount = 0
  /// The number of the server's process; nil behind a pooler, which reports a different one.
  private(set) var process: Int64?
  /// The schema in which tables are made and looked for: that of the workspace, whatever `search_path` the session has.
  /// Tables of other schemas belong to other applications or tenants.
  private(set) var schema = "public" {
    didSet { outcomes = OutcomeTable(schema: schema) }
  }
  /// The table in which the connection's transactions leave their tokens.
  private(set) var outcomes = OutcomeTable(schema: "public")
  /// The token that the last transaction of the connection has left.
  var token = CommitToken()
  private(set) var defaults: SessionDefaults
  private let isolation: SessionDefaults.Isolation
  /// The transaction that the connection is in.
  var transaction = Transaction.none
  /// Whether a commit was acknowledged that the server's standby may lack.
  let replicationWarning = ReplicationWarning()

  /// A statement that has been sent.
  struct Sent {
    enum Kind {
      case preparation
      case statement
      /// BEGIN: without it, there is no block.
      case beginning
      /// COMMIT, which the server takes for ROLLBACK if a statement of the block has failed.
      case commit
      /// A statement that divides by zero if it changes fewer rows than it must; see `DatabaseTable.checked(_:)`.
      case change
      /// A setting of the session. If it fails, the state of the session is unknown.
      case setting
      /// A synchronization point: the server commits or undoes by itself what comes before it.
      case synchronization
    }

    let kind: Kind
    let purpose: String
    /// The SQL of a preparation. It is not part of the kind, which is read often and copied without counting
    /// references.
    var sql = ""
  }

  /// The most statements that a server keeps prepared for a connection. An app has some dozens.
  private static let statementLimit = 256

  /// The most statements, and the most bytes of their parameters, that are sent before answers are read, so that a
  /// failed transaction does not go on for long. libpq stores only the answers, some 30 bytes each: while the server is
  /// too slow for more statements, sending waits.
  private static let unansweredLimit = (count: 4_096, byteCount: 1 << 24)

  /// The settings by which TCP notices within two minutes that the machine of the server, or the network, is gone. A
  /// statement without a time limit, such as one that makes an index, would otherwise wait for hours, or without end.
  ///
  /// `keepalives_idle` and `keepalives_interval` are in seconds. There is no `tcp_user_timeout`: with it, Linux also
  /// ends the connection to a server that takes no more bytes for now, since a statement waits for a lock.
  /// https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-PARAMKEYWORDS
  private static let keepAlive = [("keepalives_idle", "60"), ("keepalives_interval", "15"), ("keepalives_count", "4")]

  // MARK: Opening and closing

  /// Connects to the server and configures the session.
  ///
  /// - Parameter access: the access of the session's transactions unless their BEGIN says otherwise. A statement outside
  ///   of a transaction block is a transaction of its own.
  /// - Throws: `PostgresError` if there is no connection, no statement is answered in time, or the server is older than
  ///   version 13.
  init(_ options: PostgresOptions, for access: SessionDefaults.Access = .readWrite) throws {
    if access == .readWrite { try options.requireWriting(for: "Connecting to write") }
    let keywords = Self.keepAlive.map(\.0) + ["connect_timeout", "fallback_application_name", "dbname"]
    let values = Self.keepAlive.map(\.1) + ["\(max(2, options.connectTimeout))", "dflat", options.connection]
    // Keywords of the connection string, which comes last, take precedence.
    handle = try withCStringList(keywords) { keywords in
      try withCStringList(values) { values in
        guard let handle = PQconnectdbParams(keywords, values, 1) else {
          throw PostgresError(cause: .other, message: "out of memory", purpose: "Connecting")
        }
        return handle
      }
    }
    usesPreparedStatements = options.usesPreparedStatements
    statementTimeout = options.statementTimeout
    isolation = options.readsStandby ? .repeatableRead : .serializable
    defaults = SessionDefaults(nil, isolation)
    try withinConnectTimeout {
      try configure(access, options.statementTimeout.map(Self.milliseconds), options.workspaceSchema)
    }
  }

  /// Opens a connection whose statements may take any time, as an index of many rows does, even if the role or the
  /// database has a `statement_timeout`. Behind a pooler, that limit stays: a setting might reach another client.
  static func withoutTimeout(
    _ options: PostgresOptions, for access: SessionDefaults.Access = .readWrite
  ) throws -> PostgresConnection {
    var options = options
    options.statementTimeout = nil
    let connection = try PostgresConnection(options, for: access)
    if connection.process != nil {
      try connection.withinConnectTimeout {
        try connection.send("SET statement_timeout = 0", isPrepared: false, for: "Connecting")
        try connection.finish()
      }
    }
    return connection
  }

  /// Returns a time limit in milliseconds, as the server takes it: from 1 to `Int32.max`, about 25 days.
  ///
  /// - Parameter seconds: the time limit; infinity is the longest one.
  private static func milliseconds(_ seconds: Double) -> Int {
    guard seconds < Double(Int32.max) / 1_000 else { return Int(Int32.max) }
    return max(1, Int(max(0, seconds) * 1_000))
  }

  deinit { PQfinish(handle) }

  /// Checks the connection and the server's version, and sets up the session.
  ///
  /// - Parameters:
  ///   - timeout: how long a statement may take, in milliseconds.
  ///   - known: the schema of the workspace; nil to use the schema of the session.
  private func configure(_ access: SessionDefaults.Access, _ timeout: Int?, _ known: WorkspaceSchema?) throws {
    guard PQstatus(handle) == CONNECTION_OK else {
      let message = Self.text(PQerrorMessage(handle))
      throw PostgresError(
        cause: .init(connectionFailure: message), message: PostgresError.advising(message), purpose: "Connecting")
    }
    replicationWarning.listen(to: handle)
    try Self.check(serverVersion: PQserverVersion(handle))
    // Non-blocking, so that no thread waits for a server that takes nothing: see `nextResult(for:)`.
    guard PQenterPipelineMode(handle) == 1, PQsetnonblocking(handle, 1) == 0 else { throw lost("Connecting") }
    let purpose = "Connecting"
    try send("SET client_encoding = 'UTF8'", isPrepared: false, for: purpose)
    var name = known?.name
    let session = "SELECT pg_backend_pid()::bigint, \(WorkspaceSchema.ofSession)"
    try query(session, isPrepared: false, for: purpose) { row in
      if row.integer(0) == Int64(PQbackendPID(handle)) { process = row.integer(0) }
      if name == nil, !row.isNull(1) { name = row.text(1) }
      return true
    }
    guard let found = name else { throw PostgresError.noSchema(purpose) }
    schema = known?.settle(on: found) ?? found
    // A pooler reports a number of its own. It may assign another session to each transaction, with other clients'
    // prepared statements under the same names.
    if process == nil { usesPreparedStatements = false }
    // Behind a pooler, each transaction sets what would otherwise be a setting of the session.
    guard usesPreparedStatements else { return transactionTimeout = timeout }
    // With a role's `default_transaction_deferrable`, transactions that only read would wait for those that write.
    let characteristics = "ISOLATION LEVEL \(isolation.rawValue), \(access.rawValue), NOT DEFERRABLE"
    try send("SET SESSION CHARACTERISTICS AS TRANSACTION \(characteristics)", isPrepared: false, for: purpose)
    if let timeout { try send("SET statement_timeout = \(timeout)", isPrepared: false, for: purpose) }
    try finish()
    defaults = SessionDefaults(access, isolation)
  }

  /// The access of transactions whose BEGIN names none; nil if it is not known.
  var defaultAccess: SessionDefaults.Access? { defaults.access }

  /// Changes the default access of the session to that of the next use, if `SessionDefaults` finds it worthwhile. Only
  /// sends; the next answer tells whether it has failed.
  ///
  /// - Parameter use: `readOnly` for what only reads; `readWrite` for a transaction that writes.
  func prepare(for use: SessionDefaults.Access) throws {
    guard let access = defaults.change(for: use) else { return }
    let sent = Sent(kind: .setting, purpose: "Preparing a connection")
    try send(
      "SET SESSION CHARACTERISTICS AS TRANSACTION \(access.rawValue)", PostgresParameters(), isPrepared: true, sent)
    // In a transaction of its own: the setting has to outlive the next transaction, even if that is undone.
    try check(PQpipelineSync(handle), sent.purpose)
    unanswered.append(Sent(kind: .synchronization, purpose: sent.purpose))
  }

  /// Checks the version of the server.
  ///
  /// - Parameter version: for example 150004 for version 15.4.
  /// - Throws: `PostgresError` if the server is too old.
  static func check(serverVersion version: Int32) throws {
    guard version < 13_00_00 else { return }
    throw PostgresError(
      cause: .serverTooOld, message: "the server has version \(version / 10_000), and 13 or newer is needed",
      purpose: "Connecting")
  }

  // MARK: Sending

  /// Sends a statement. The next `query` or `finish()` reads its answer, and throws if the statement fails.
  ///
  /// - Parameters:
  ///   - sql: one statement, with its parameters as `$1` and so on.
  ///   - isChange: whether the statement divides by zero if it changes fewer rows than it must; see
  ///     `DatabaseTable.checked(_:)`.
  ///   - isPrepared: whether the server prepares it, since it will be used again.
  ///   - purpose: what the statement is for, in words, for errors.
  func send(
    _ sql: String, _ parameters: PostgresParameters = PostgresParameters(), isChange: Bool = false,
    isPrepared: Bool = true, for purpose: String
  ) throws {
    try send(sql, parameters, isPrepared: isPrepared, Sent(kind: isChange ? .change : .statement, purpose: purpose))
  }

  func send(_ sql: String, _ parameters: PostgresParameters, isPrepared: Bool, _ sent: Sent) throws {
    let purpose = sent.purpose
    guard !isBroken else { throw lost(purpose) }
    guard transaction != .failed else { throw PostgresError.undone(purpose) }
    try Self.check(byteCount: parameters.byteCount, for: purpose)
    // Not captured through the connection, which would be retained for each closure.
    let (handle, count) = (handle, Int32(parameters.count))
    if isPrepared, usesPreparedStatements {
      // In a closure: a string that is passed to C directly would be copied to memory of its own.
      let isSent = try name(of: sql, parameters, purpose).withCString { name in
        parameters.withPointers { values, lengths, formats in
          PQsendQueryPrepared(handle, name, count, values, lengths, formats, 1)
        }
      }
      try check(isSent, purpose)
    } else {
      try check(
        parameters.withPointers { values, lengths, formats in
          PQsendQueryParams(handle, sql, count, parameters.types, values, lengths, formats, 1)
        }, purpose)
    }
    unanswered.append(sent)
    unansweredByteCount += parameters.byteCount
  }

  /// Checks that a statement fits into a message to the server, which has less than 1 GB. The server would close the
  /// connection to a client that sends more, as if the connection had broken.
  ///
  /// - Parameters:
  ///   - byteCount: the size of the statement's parameters in bytes.
  ///   - purpose: the operation, in words, for errors.
  /// - Throws: `PostgresError` with the cause `.valueTooLarge` if the parameters are too large.
  static func check(byteCount: Int, for purpose: String) throws {
    // The remaining 64 KiB are room for the message's header and the lengths of the values.
    guard byteCount > 1 << 30 - 1 << 16 else { return }
    throw PostgresError(
      cause: .valueTooLarge, message: "\(byteCount) bytes are more than a row can hold: it has less than 1 GB",
      purpose: purpose)
  }

  /// Reads all outstanding answers if there are many.
  func finishIfMuchIsUnanswered() throws {
    if unanswered.count >= Self.unansweredLimit.count || unansweredByteCount >= Self.unansweredLimit.byteCount {
      try finish()
    }
  }

  /// Returns the name of a prepared statement. Sends it to be prepared if it has not been.
  private func name(of sql: String, _ parameters: PostgresParameters, _ purpose: String) throws -> String {
    if let name = statements.name(of: sql) { return name }
    if statements.count >= Self.statementLimit {
      statements.removeAll()
      try check(PQsendQueryParams(handle, "DEALLOCATE ALL", 0, nil, nil, nil, nil, 1), purpose)
      unanswered.append(Sent(kind: .statement, purpose: purpose))
    }
    let name = statements.add(sql)
    try check(PQsendPrepare(handle, name, sql, Int32(parameters.count), parameters.types), purpose)
    unanswered.append(Sent(kind: .preparation, purpose: purpose, sql: sql))
    return name
  }

  func check(_ isSent: Int32, _ purpose: String) throws {
    if isSent == 1 { return }
    // The fate of everything sent before is unknown.
    isBroken = true
    throw lost(purpose)
  }

  // MARK: Failing

  func lost(_ purpose: String) -> PostgresError {
    let message = Self.text(PQerrorMessage(handle))
    return PostgresError(
      cause: .connectionLost, message: message.isEmpty ? "the connection is closed" : message, purpose: purpose)
  }

  /// Returns a handle that cancels the statements of this connection from any thread; nil if the connection is broken.
  func cancellation() -> Cancellation? { PQgetCancel(handle).map(Cancellation.init) }

  /// Returns the text of a message of libpq, without the line feed at its end.
  static func text(_ message: UnsafePointer<CChar>?) -> String {
    guard let message else { return "" }
    var text = String(cString: message)
    while text.last?.isNewline == true { text.removeLast() }
    return text
  }
}
