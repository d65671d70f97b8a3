extension PostgresConnection {
  /// The transaction that a connection is in.
  enum Transaction {
    case none
    /// A block between BEGIN and COMMIT.
    case block
    /// A block that could not be begun. The server would take the next statement for a transaction of its own.
    case failed
  }

  /// Begins a transaction. BEGIN is sent together with the next statement, so that it takes no round trip of its own.
  func begin(_ kind: TransactionKind, for purpose: String) throws {
    try send(
      defaults.beginning(of: kind), PostgresParameters(), isPrepared: true, Sent(kind: .beginning, purpose: purpose))
    transaction = .block
    if let transactionTimeout { try send("SET LOCAL statement_timeout = \(transactionTimeout)", for: purpose) }
  }

  /// Commits the transaction, and reads the answers to all that was sent.
  ///
  /// - Throws: the first error of the server's. The transaction is to be rolled back then.
  func commit(for purpose: String) throws {
    try send("COMMIT", PostgresParameters(), isPrepared: true, Sent(kind: .commit, purpose: purpose))
    try finish()
    transaction = .none
  }

  /// Rolls the transaction back, whatever was sent before, and however that has ended.
  func rollBack() {
    defer { transaction = .none }
    do {
      // What comes behind a statement that fails is skipped, so that the answers have to be read first.
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
