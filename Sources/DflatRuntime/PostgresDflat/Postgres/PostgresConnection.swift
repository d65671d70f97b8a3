import CPostgres
import PostgresLayout

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// A connection to a server, for one thread at a time.
///
/// Statements are sent in libpq's pipeline mode: one whose answer is not needed yet waits for the next one whose answer is, and
/// both take one way to the server and back. https://www.postgresql.org/docs/current/libpq-pipeline-mode.html
final class PostgresConnection {
  let handle: OpaquePointer
  /// Whether the session is one of this connection alone, which keeps statements and settings.
  private var usesPreparedStatements: Bool
  /// In milliseconds, where each transaction has to set it; nil if the session has, or there is none.
  private(set) var transactionTimeout: Int?
  /// How long a statement may take, in seconds; nil if it may take as long as it takes.
  let statementTimeout: Double?
  /// Whether the connection cannot be used any more.
  var isBroken = false
  private var statements = PreparedStatements()
  /// What has been sent and not been answered, in order.
  private(set) var unanswered: [Sent] = []
  private var unansweredByteCount = 0
  /// The number of the server's process; nil behind a pooler, which says another one.
  private(set) var process: Int64?
  /// The schema in which tables are made and looked for. Those of other schemas are of other applications, or other tenants.
  private(set) var schema = "public" {
    didSet { outcomes = OutcomeTable(schema: schema) }
  }
  /// Where the connection's transactions leave their tokens.
  private(set) var outcomes = OutcomeTable(schema: "public")
  /// The token that the last transaction has left.
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
      /// A statement that divides by zero if it changes fewer rows than it has to.
      case change
      /// A setting of the session: without it, nothing is known of the session.
      case setting
      /// The end of what the server commits or undoes by itself.
      case synchronization
    }

    let kind: Kind
    let purpose: String
    /// The statement that is prepared. It is no part of the kind, which is looked at often and is copied without counting references.
    var sql = ""
  }

  /// A server keeps at most so many statements prepared for a connection: an app has some dozens.
  private static let statementLimit = 256

  /// How much may be sent before answers are read, so that a transaction that has failed does not go on for long. libpq keeps no
  /// more than the answers, of some 30 bytes each: what the server is too slow for is waited for.
  private static let unansweredLimit = (count: 4_096, byteCount: 1 << 24)

  // MARK: Opening and closing

  /// - Parameter access: what the session's transactions may do unless their BEGIN says otherwise. A statement outside of a
  ///   transaction is one by itself.
  /// - Throws: `PostgresError` if there is no connection, or the server is older than version 13.
  init(_ options: PostgresOptions, for access: SessionDefaults.Access = .readWrite) throws {
    if access == .readWrite { try options.requireWriting(for: "Connecting to write") }
    let keywords = ["connect_timeout", "fallback_application_name", "dbname"]
    let values = ["\(max(2, options.connectTimeout))", "dflat", options.connection]
    // What stands in the connection string, the last of them, takes precedence.
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
    try configure(access, options.statementTimeout.map { max(1, Int($0 * 1_000)) })
  }

  deinit { PQfinish(handle) }

  /// - Parameter timeout: how long a statement may take, in milliseconds.
  private func configure(_ access: SessionDefaults.Access, _ timeout: Int?) throws {
    guard PQstatus(handle) == CONNECTION_OK else {
      let message = Self.text(PQerrorMessage(handle))
      throw PostgresError(
        cause: .init(connectionFailure: message), message: PostgresError.advising(message), purpose: "Connecting")
    }
    replicationWarning.listen(to: handle)
    try Self.check(serverVersion: PQserverVersion(handle))
    // So that nothing waits for a server that takes nothing: see `nextResult(for:)`.
    guard PQenterPipelineMode(handle) == 1, PQsetnonblocking(handle, 1) == 0 else { throw lost("Connecting") }
    let purpose = "Connecting"
    try send("SET client_encoding = 'UTF8'", isPrepared: false, for: purpose)
    try query("SELECT pg_backend_pid()::bigint, current_schema()::text", isPrepared: false, for: purpose) { row in
      if row.integer(0) == Int64(PQbackendPID(handle)) { process = row.integer(0) }
      if !row.isNull(1) { schema = row.text(1) }
      return true
    }
    // A pooler says a number of its own. It may hand out another session for each transaction, in which the names of prepared statements
    // are those of other clients.
    if process == nil { usesPreparedStatements = false }
    // What would be set for the session of a pooler is set for each transaction.
    guard usesPreparedStatements else { return transactionTimeout = timeout }
    // Where a role has `default_transaction_deferrable`, what only reads would wait for those who write.
    let characteristics = "ISOLATION LEVEL \(isolation.rawValue), \(access.rawValue), NOT DEFERRABLE"
    try send("SET SESSION CHARACTERISTICS AS TRANSACTION \(characteristics)", isPrepared: false, for: purpose)
    if let timeout { try send("SET statement_timeout = \(timeout)", isPrepared: false, for: purpose) }
    try finish()
    defaults = SessionDefaults(access, isolation)
  }

  /// What a transaction is unless its BEGIN says otherwise; nil if that is not known.
  var defaultAccess: SessionDefaults.Access? { defaults.access }

  /// Readies the session for what follows, and sends what that takes.
  ///
  /// - Parameter use: `readOnly` for what only reads; `readWrite` for a transaction that writes.
  func prepare(for use: SessionDefaults.Access) throws {
    guard let access = defaults.change(for: use) else { return }
    let sent = Sent(kind: .setting, purpose: "Preparing a connection")
    try send(
      "SET SESSION CHARACTERISTICS AS TRANSACTION \(access.rawValue)", PostgresParameters(), isPrepared: true, sent)
    // In a transaction of its own: it has to hold for the next one, and not to be undone with that.
    try check(PQpipelineSync(handle), sent.purpose)
    unanswered.append(Sent(kind: .synchronization, purpose: sent.purpose))
  }

  /// - Parameter version: such as 150004 of version 15.4.
  /// - Throws: `PostgresError` if the server is too old.
  static func check(serverVersion version: Int32) throws {
    guard version < 13_00_00 else { return }
    throw PostgresError(
      cause: .serverTooOld, message: "the server has version \(version / 10_000), and 13 or newer is needed",
      purpose: "Connecting")
  }

  // MARK: Sending

  /// Sends a statement. Its answer is read with that of the next `query` or `finish()`, which throws if the statement fails.
  ///
  /// - Parameters:
  ///   - sql: one statement, with its parameters as `$1` and so on.
  ///   - isChange: whether it divides by zero if it changes fewer rows than it has to; see `DatabaseTable.checked(_:)`.
  ///   - isPrepared: whether the server prepares it, since it will be used again.
  ///   - purpose: what is done, in words, for errors.
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
    // Not captured with the connection, which would be retained for each closure.
    let (handle, count) = (handle, Int32(parameters.count))
    if isPrepared, usesPreparedStatements {
      // In a closure, since a text that is handed to C as it is would be copied to memory of its own.
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

  /// A message to the server has less than 1 GB. It would close the connection to one that has more, as if that had broken.
  ///
  /// - Throws: `PostgresError` if the parameters of a statement are too large.
  static func check(byteCount: Int, for purpose: String) throws {
    // The rest is room for the message's header and the lengths of the values.
    guard byteCount > 1 << 30 - 1 << 16 else { return }
    throw PostgresError(
      cause: .valueTooLarge, message: "\(byteCount) bytes are more than a row can hold: it has less than 1 GB",
      purpose: purpose)
  }

  /// Reads the answers to what was sent if there is much of it.
  func finishIfMuchIsUnanswered() throws {
    if unanswered.count >= Self.unansweredLimit.count || unansweredByteCount >= Self.unansweredLimit.byteCount {
      try finish()
    }
  }

  /// The name of a prepared statement, which is sent to be prepared if it has not been.
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

  private func check(_ isSent: Int32, _ purpose: String) throws {
    if isSent == 1 { return }
    // Nothing can be known of what was sent before.
    isBroken = true
    throw lost(purpose)
  }

  // MARK: Answers

  /// Sends a statement, and reads the answers to it and to all that was sent before.
  ///
  /// - Parameters:
  ///   - rows: whether they are collected before `body` is called.
  ///   - isPrepared: whether the server prepares the statement, since it will be used again.
  ///   - body: is called with each row, as long as it returns true.
  func query(
    _ sql: String, _ parameters: PostgresParameters = PostgresParameters(), rows: Rows = .collected,
    isPrepared: Bool = true, for purpose: String, _ body: (borrowing PostgresRow) throws -> Bool
  ) throws {
    try send(sql, parameters, isPrepared: isPrepared, for: purpose)
    try readAnswers(rows, body)
  }

  /// How the rows of a query come.
  enum Rows {
    /// All at once: of a query that has few.
    case collected
    /// One by one, so that memory does not grow with their number.
    case streamed
    /// The same; and when no more rows are wanted, the server is told to end the statement. That undoes the transaction that it
    /// is in.
    case cancellable
  }

  /// Reads the answers to all that was sent.
  func finish() throws {
    if !unanswered.isEmpty { try readAnswers(nil) { _ in false } }
  }

  /// Whether an answer has not been read.
  var hasUnanswered: Bool { !unanswered.isEmpty }

  /// - Parameters:
  ///   - rows: how the rows of the last statement come; nil if it has none that are wanted.
  /// - Throws: the first error of the server's; or else what `body` throws, after the last answer.
  private func readAnswers(_ rows: Rows?, _ body: (borrowing PostgresRow) throws -> Bool) throws {
    defer { forgetAnswered() }
    unansweredByteCount = 0
    var failure: (any Error)?
    let purpose = unanswered.last?.purpose ?? ""
    try check(PQpipelineSync(handle), purpose)
    for index in unanswered.indices {
      if case .synchronization = unanswered[index].kind {
        _ = try readMark(purpose)
        continue
      }
      let isWantedStatement = index == unanswered.count - 1 && rows != nil
      if isWantedStatement, rows != .collected { PQsetSingleRowMode(handle) }
      var isAnswered = false
      var isWanted = true
      while let result = try nextResult(for: purpose) {
        defer { PQclear(result) }
        switch PQresultStatus(result) {
        case PGRES_SINGLE_TUPLE, PGRES_TUPLES_OK:
          isAnswered = true
          guard isWantedStatement, isWanted, failure == nil else { continue }
          for row in 0..<PQntuples(result) where isWanted {
            do {
              isWanted = try body(PostgresRow(result, row))
            } catch {
              failure = error
              isWanted = false
            }
          }
          if !isWanted, rows == .cancellable { cancel() }
        case PGRES_COMMAND_OK:
          isAnswered = true
          // COMMIT is taken for ROLLBACK if a statement of the block has failed.
          if case .commit = unanswered[index].kind, strcmp(PQcmdStatus(result), "COMMIT") != 0 {
            failure = failure ?? PostgresError.undone(purpose)
          }
        case PGRES_PIPELINE_ABORTED: break
        default:
          let error = error(of: result, unanswered[index])
          // A statement that was cancelled because nobody wants more of it has not failed.
          if isWanted, failure == nil { failure = error }
          // Nothing follows, though a pooler may keep its socket open.
          if isBroken { throw failure ?? error }
        }
      }
      if isAnswered { continue }
      switch unanswered[index].kind {
      case .preparation: statements.remove(unanswered[index].sql)
      case .setting: isBroken = true
      case .beginning: transaction = .failed
      case .commit, .statement, .change, .synchronization: break
      }
    }
    let refusal = try readMark(purpose)
    failure = failure ?? refusal
    if PQstatus(handle) != CONNECTION_OK { isBroken = true }
    if isBroken { throw failure ?? lost(purpose) }
    if let failure { throw failure }
  }

  /// Reads up to the mark that ends a pipeline. Without it, the connection is broken: it is not known what the server has done.
  ///
  /// - Returns: the error that stands before it where a statement outside of a block cannot be committed.
  private func readMark(_ purpose: String) throws -> PostgresError? {
    var failure: PostgresError?
    // Between an error and the mark, there is one answer that is nil. Without a connection, none follows.
    for _ in 0..<3 where !isBroken {
      guard let result = try nextResult(for: purpose) else { continue }
      defer { PQclear(result) }
      guard PQresultStatus(result) == PGRES_FATAL_ERROR else { return failure }
      let error = error(of: result, Sent(kind: .synchronization, purpose: purpose))
      failure = failure ?? error
    }
    isBroken = true
    return failure
  }

  private func forgetAnswered() {
    if unanswered.count >= 64 { unanswered = [] }
    // The memory is kept for what comes next. Mostly there are two or three: to remove all at once takes longer.
    while unanswered.popLast() != nil {}
  }

  /// The error that is the answer to a statement. The connection is broken if the server ends the session with it.
  private func error(of result: OpaquePointer, _ sent: Sent) -> PostgresError {
    func field(_ code: Character) -> String {
      Self.text(PQresultErrorField(result, Int32(code.asciiValue ?? 0)))
    }
    let state = field("C")
    // The connection itself reports without a code.
    guard !state.isEmpty else {
      isBroken = true
      return lost(sent.purpose)
    }
    // A trigger that divides by zero has a context.
    if case .change = sent.kind, state == PostgresError.divisionByZero, field("W").isEmpty {
      return .unchangedRow(sent.purpose)
    }
    let texts = [field("M"), field("D")].filter { !$0.isEmpty }
    var error = PostgresError(
      sqlState: state, message: texts.isEmpty ? "the server gives no reason" : texts.joined(separator: ": "),
      purpose: sent.purpose)
    error.constraint = field("n")
    if error.cause == .connectionLost || ["FATAL", "PANIC"].contains(field("V")) { isBroken = true }
    return error
  }

  func lost(_ purpose: String) -> PostgresError {
    let message = Self.text(PQerrorMessage(handle))
    return PostgresError(
      cause: .connectionLost, message: message.isEmpty ? "the connection is closed" : message, purpose: purpose)
  }

  /// Asks the server to end the statement that it executes.
  private func cancel() { cancellation()?.request() }

  /// What ends the statements of this connection from any thread; nil if it is broken.
  func cancellation() -> Cancellation? { PQgetCancel(handle).map(Cancellation.init) }

  /// A message of libpq, which ends with a line feed.
  static func text(_ message: UnsafePointer<CChar>?) -> String {
    guard let message else { return "" }
    var text = String(cString: message)
    while text.last?.isNewline == true { text.removeLast() }
    return text
  }
}
