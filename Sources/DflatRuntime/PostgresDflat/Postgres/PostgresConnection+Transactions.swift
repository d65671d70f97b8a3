extension PostgresConnection {
  /// The transaction that a connection is in.
  enum Transaction {
    case none
    /// A block between BEGIN and COMMIT.
    case explicit
    /// The server begins it with the first statement, and commits it when the pipeline is synchronized. That spares a short
    /// transaction two of its statements. https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-FLOW-PIPELINING
    case implicit
    /// An implicit one that has failed. The server has undone it, and would take the next statement for the beginning of another.
    case failed
  }

  /// Begins a transaction.
  ///
  /// - Parameter isNumbered: whether `transactionNumber` is wanted. It comes with the answer to the next statement.
  func begin(_ kind: TransactionKind, isNumbered: Bool = false, for purpose: String) throws {
    transactionNumber = nil
    if let statement = defaults.beginning(of: kind) {
      try begin(statement, purpose)
    } else {
      transaction = .implicit
    }
    if let transactionTimeout { try send("SET LOCAL statement_timeout = \(transactionTimeout)", for: purpose) }
    wantsTransactionNumber = isNumbered
  }

  /// Makes a block of the transaction, with what it has executed: savepoints need one.
  func makeBlock(for purpose: String) throws {
    if transaction == .implicit { try begin("BEGIN", purpose) }
  }

  private func begin(_ statement: String, _ purpose: String) throws {
    try send(statement, PostgresParameters(), isPrepared: true, Sent(kind: .beginning, purpose: purpose))
    transaction = .explicit
  }

  /// Commits the transaction, and reads the answers to all that was sent.
  ///
  /// - Throws: the first error of the server's. The transaction is to be rolled back then.
  func commit(for purpose: String) throws {
    if transaction == .implicit {
      // The server ends it now, whether it can be committed or not.
      transaction = .failed
      try readAnswers(nil, endingTransactionFor: purpose) { _ in false }
    } else {
      try send("COMMIT", PostgresParameters(), isPrepared: true, Sent(kind: .commit, purpose: purpose))
      try finish()
    }
    transaction = .none
  }

  /// Rolls the transaction back, whatever was sent before, and however that has ended.
  func rollBack() {
    wantsTransactionNumber = false
    defer { transaction = .none }
    do {
      // What comes behind a statement that fails is skipped, so that the answers have to be read first.
      do { try finish() } catch { if isBroken { return } }
      guard transaction != .failed else { return }
      try send("ROLLBACK", for: "Rolling back")
      try readAnswers(nil, endingTransactionFor: "Rolling back") { _ in false }
    } catch {
      // Without a connection, the server rolls back by itself.
      isBroken = true
    }
  }

  /// The number of the transaction, as an expression.
  static let currentTransactionNumber = "pg_current_xact_id()"

  /// Asks for the number of the transaction, unless it has been asked for.
  func askForTransactionNumber() throws {
    guard wantsTransactionNumber else { return }
    wantsTransactionNumber = false
    let sent = Sent(kind: .transactionNumber, purpose: "Beginning a transaction")
    try send("SELECT \(Self.currentTransactionNumber)", PostgresParameters(), isPrepared: true, sent)
  }
}
