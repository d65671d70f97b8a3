import CPostgres

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// The way in which a connection reads the answers to the statements that it has sent.
extension PostgresConnection {
  /// Sends a statement, and reads its answer and all earlier ones.
  ///
  /// - Parameters:
  ///   - rows: whether the rows are collected before `body` is called.
  ///   - isPrepared: whether the server prepares the statement, since it will be used again.
  ///   - purpose: the operation, in words, for errors.
  ///   - body: called with each row, as long as it returns true.
  /// - Throws: the first error of the server, of this statement or an earlier one; otherwise what `body` throws.
  func query(
    _ sql: String, _ parameters: PostgresParameters = PostgresParameters(), rows: Rows = .collected,
    isPrepared: Bool = true, for purpose: String, _ body: (borrowing PostgresRow) throws -> Bool
  ) throws {
    try send(sql, parameters, isPrepared: isPrepared, for: purpose)
    try readAnswers(rows, body)
  }

  /// How the rows of a query are received.
  enum Rows {
    /// All at once, for a query with few rows.
    case collected
    /// One by one, so that memory does not grow with their number.
    case streamed
    /// One by one. When no more rows are wanted, the server is told to end the statement, which undoes the transaction
    /// that it is in.
    case cancellable
  }

  /// Reads all outstanding answers.
  func finish() throws {
    if !unanswered.isEmpty { try readAnswers(nil) { _ in false } }
  }

  /// Whether an answer is outstanding.
  var hasUnanswered: Bool { !unanswered.isEmpty }

  /// Reads all outstanding answers, and calls `body` with the rows of the last statement.
  ///
  /// - Parameter rows: how the rows of the last statement are received; nil if it has none that are wanted.
  /// - Throws: the first error of the server; otherwise what `body` throws, after the last answer.
  private func readAnswers(_ rows: Rows?, _ body: (borrowing PostgresRow) throws -> Bool) throws {
    defer { forgetAnswered() }
    unansweredByteCount = 0
    var failure: (any Error)?
    var isCommitted = false
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
          if !isWanted, rows == .cancellable { try cancel(after: failure, for: purpose) }
        case PGRES_COMMAND_OK:
          isAnswered = true
          // The server treats COMMIT as ROLLBACK if a statement of the block has failed.
          guard case .commit = unanswered[index].kind else { break }
          isCommitted = strcmp(PQcmdStatus(result), "COMMIT") == 0
          if !isCommitted { failure = failure ?? PostgresError.undone(purpose) }
        case PGRES_PIPELINE_ABORTED: break
        default:
          let error = error(of: result, unanswered[index])
          // A statement that was cancelled because no more rows are wanted has not failed. Of any other, the error tells
          // that the transaction is undone, whether or not its rows are still wanted.
          if isWanted || rows != .cancellable, failure == nil { failure = error }
          // No answer follows, though a pooler may keep its socket open.
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
    // What is reported after a COMMIT does not undo it. A statement_timeout that passes while the server executes COMMIT
    // is reported when the server reads the next message: the answers are COMMIT, and then the error.
    if !isCommitted { failure = failure ?? refusal }
    if PQstatus(handle) != CONNECTION_OK { isBroken = true }
    if isBroken { throw failure ?? lost(purpose) }
    if let failure { throw failure }
  }

  /// Reads up to the mark that ends a pipeline. If the mark does not come, marks the connection as broken: what the
  /// server has done is unknown.
  ///
  /// - Returns: the error before the mark if the server could not commit a statement outside of a block; otherwise nil.
  private func readMark(_ purpose: String) throws -> PostgresError? {
    var failure: PostgresError?
    // Between an error and the mark, there is one nil result. On a lost connection, none follows.
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
    // Keeps the memory for the next statements. There are mostly two or three: `removeAll` takes longer.
    while unanswered.popLast() != nil {}
  }

  /// Returns the error that answers a statement. Marks the connection as broken if the server has ended the session.
  private func error(of result: OpaquePointer, _ sent: Sent) -> PostgresError {
    func field(_ code: Character) -> String {
      Self.text(PQresultErrorField(result, Int32(code.asciiValue ?? 0)))
    }
    let state = field("C")
    // An error of the connection itself has no code.
    guard !state.isEmpty else {
      isBroken = true
      return lost(sent.purpose)
    }
    // Division by zero in a trigger comes with a context.
    if case .change = sent.kind, state == PostgresError.divisionByZero, field("W").isEmpty {
      return .unchangedRow(sent.purpose)
    }
    let texts = [field("M"), field("D")].filter { !$0.isEmpty }
    var error = PostgresError(
      sqlState: state, message: texts.isEmpty ? "the server gives no reason" : texts.joined(separator: ": "),
      purpose: sent.purpose)
    error.constraint = field("n")
    // The text is in the language of the server. The function that checks policies has this name in all versions.
    error.isPolicyViolation = state == "42501" && field("R") == "ExecWithCheckOptions"
    if error.cause == .connectionLost || ["FATAL", "PANIC"].contains(field("V")) { isBroken = true }
    return error
  }
}
