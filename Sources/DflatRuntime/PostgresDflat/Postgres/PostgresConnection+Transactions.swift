extension PostgresConnection {
  /// The transaction that a connection is in.
  enum Transaction {
    case none
    /// A block between BEGIN and COMMIT.
    case block
    /// A block whose BEGIN has failed. The server would run the next statement in a transaction of its own.
    case failed
  }

  /// Begins a transaction. BEGIN is sent together with the next statement, so that it takes no round trip of its own.
  ///
  /// - Parameter purpose: the operation, in words, for errors.
  /// - Throws: `PostgresError` if the connection is broken. An error of the server comes with the next answer.
  func begin(_ kind: TransactionKind, for purpose: String) throws {
    try send(
      defaults.beginning(of: kind), PostgresParameters(), isPrepared: true, Sent(kind: .beginning, purpose: purpose))
    transaction = .block
    if let transactionTimeout { try send("SET LOCAL statement_timeout = \(transactionTimeout)", for: purpose) }
  }

  /// Commits the transaction, and reads all outstanding answers.
  ///
  /// - Parameter purpose: the operation, in words, for errors.
  /// - Throws: the first error of the server. The caller then rolls the transaction back.
  func commit(for purpose: String) throws {
    try send("COMMIT", PostgresParameters(), isPrepared: true, Sent(kind: .commit, purpose: purpose))
    try finish()
    transaction = .none
  }

  /// Rolls the transaction back, whatever was sent before and however that has ended. If even that fails, the
  /// connection is broken.
  func rollBack() {
    defer { transaction = .none }
    do {
      // The server skips what follows a failed statement, so the answers have to be read first.
      do { try finish() } catch { if isBroken { return } }
      guard transaction != .failed else { return }
      try send("ROLLBACK", for: "Rolling back")
      try finish()
    } catch {
      // Without a connection, the server rolls back by itself.
      isBroken = true
    }
  }
}
