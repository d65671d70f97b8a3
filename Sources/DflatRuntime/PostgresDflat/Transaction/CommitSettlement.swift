import Dispatch

/// Commits transactions that write, and finds out how a commit has ended whose answer was lost.
struct CommitSettlement: Sendable {
  let options: PostgresOptions
  let catalog: TableCatalog

  /// How long it is tried to find out how a commit has ended, in seconds.
  private static let limit = 45.0

  /// Commits the transaction of a connection.
  ///
  /// - Returns: false if it cannot be found out whether the transaction is stored.
  /// - Throws: the reason why it is not stored, and never will be. It is to be rolled back, unless the connection is broken.
  func commit(_ connection: PostgresConnection, for purpose: String) throws -> Bool {
    // Where the server is known to be gone, nothing need be found out.
    try connection.checkIsOpen(for: purpose)
    let token = try catalog.outcomes == .kept ? connection.sendToken(for: purpose) : nil
    let failure: any Error
    do {
      try connection.commit(for: purpose)
      guard connection.replicationWarning.isGiven else {
        if token != nil { connection.removeOldTokens() }
        return true
      }
      // To ask for the outcome takes a commit that comes after this one, for which the server waits again.
      connection.isBroken = true
      failure = connection.lost(purpose)
    } catch {
      // The server has said why it does not commit.
      guard connection.isBroken else {
        // The table may have been dropped: the next transaction that writes looks for it.
        if (error as? PostgresError)?.isMissingRelation == true { catalog.note(.unknown) }
        throw error
      }
      failure = error
    }
    guard let token, let isStored = settle(token, of: connection) else { return false }
    if isStored { return true }
    throw failure
  }

  /// Finds out whether a transaction is stored whose connection is broken, and sees to it that otherwise it never will be.
  ///
  /// - Returns: nil if no server answers that could know.
  func settle(_ token: CommitToken, of connection: PostgresConnection) -> Bool? {
    var parameters = PostgresParameters()
    parameters.append(token.id)
    let purpose = "Settling a commit"
    var pauses = RetryPauses(.limited(100))
    let end = DispatchTime.now() + Self.limit
    repeat {
      do {
        let other = try PostgresConnection(options.direct)
        do {
          var number: Int64?
          // Not on a standby, where nothing can be written.
          try other.begin(.preparing, for: purpose)
          try other.send("SET LOCAL synchronous_commit = on", for: purpose)
          try other.send("SET LOCAL lock_timeout = '1s'", for: purpose)
          try other.query(connection.outcomes.settle, parameters, for: purpose) { row in
            if !row.isNull(0) { number = row.integer(0) }
            return true
          }
          // Until then, the transaction might still commit.
          try other.commit(for: purpose)
          guard !other.replicationWarning.isGiven else { continue }
          return number == token.number
        } catch let error as PostgresError where error.isLockTimeout {
          other.rollBack()
          try terminate(connection, on: other)
        }
      } catch {
        // The server may be starting again.
      }
    } while DispatchTime.now() < end && pauses.wait()
    return nil
  }

  /// Ends the session of a broken connection, which holds its token while COMMIT has not reached it.
  private func terminate(_ connection: PostgresConnection, on other: PostgresConnection) throws {
    guard let process = connection.process else { return }
    var parameters = PostgresParameters()
    parameters.append(process)
    // It has held the lock for a second: another session, which got the process number since, has no transaction of that age.
    try other.query(
      """
      SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE pid = $1 AND xact_start < clock_timestamp() - interval '1 second'
      """, parameters, for: "Settling a commit"
    ) { _ in true }
  }
}
