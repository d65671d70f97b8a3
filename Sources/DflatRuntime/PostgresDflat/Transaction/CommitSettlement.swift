import Dispatch

/// Commits transactions that write, and finds out the outcome of a commit whose answer was lost.
struct CommitSettlement: Sendable {
  let options: PostgresOptions
  let catalog: TableCatalog

  /// How long the outcome of a commit is looked for, in seconds.
  private static let limit = 45.0

  /// Commits the transaction of a connection.
  ///
  /// - Parameter purpose: the operation, in words, for errors.
  /// - Returns: false if it cannot be found out whether the transaction is stored.
  /// - Throws: the reason why the transaction is not stored, and never will be. The caller rolls it back unless the
  ///   connection is broken.
  func commit(_ connection: PostgresConnection, for purpose: String) throws -> Bool {
    // If the server is known to be gone before COMMIT, there is no outcome to find out.
    try connection.checkIsOpen(for: purpose)
    // Others may just have forgotten whether the table is there.
    let keepsOutcome = try catalog.outcomes != .unavailable && catalog.lookForOutcomes(on: connection)
    let token = try keepsOutcome ? connection.sendToken(for: purpose) : nil
    let failure: any Error
    do {
      try connection.commit(for: purpose)
      guard connection.replicationWarning.isGiven else {
        if token != nil { connection.removeOldTokens() } else { lookForOutcomesAgain(on: connection) }
        return true
      }
      // To ask for the outcome takes a commit that comes after this one, for which the server waits again.
      connection.isBroken = true
      failure = connection.lost(purpose)
    } catch {
      // The connection works, so the error is the server's reason.
      guard connection.isBroken else {
        // The table of outcomes may have been dropped: the next writing transaction looks for it.
        if (error as? PostgresError)?.isMissingRelation == true { catalog.note(.unknown) }
        throw error
      }
      failure = error
    }
    guard let token, let isStored = settle(token, of: connection) else { return false }
    if isStored { return true }
    throw failure
  }

  /// Looks after a commit without a token whether later ones can leave theirs. Not before the commit: a failure of the
  /// look-up would keep it from being sent.
  private func lookForOutcomesAgain(on connection: PostgresConnection) {
    do {
      try catalog.lookForOutcomesAgain(on: connection)
    } catch {
      // A later commit looks again.
    }
  }

  /// Finds out whether a transaction whose connection is broken is stored. If it is not, makes sure that it never will
  /// be.
  ///
  /// - Returns: whether it is stored; nil if no server that could know answers in time.
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
          // A BEGIN for writing, so that a standby refuses: it cannot settle anything.
          try other.begin(.preparing, for: purpose)
          try other.send("SET LOCAL synchronous_commit = on", for: purpose)
          try other.send("SET LOCAL lock_timeout = '1s'", for: purpose)
          try other.query(connection.outcomes.settle, parameters, for: purpose) { row in
            if !row.isNull(0) { number = row.integer(0) }
            return true
          }
          // Only after this commit, the lost transaction cannot commit any more.
          try other.commit(for: purpose)
          guard !other.replicationWarning.isGiven else { continue }
          return number == token.number
        } catch let error as PostgresError where error.isLockTimeout {
          other.rollBack()
          try terminate(connection, on: other)
        }
      } catch {
        // The server may be restarting.
      }
    } while DispatchTime.now() < end && pauses.wait()
    return nil
  }

  /// Ends the server's session of a broken connection. It still holds the lock on its token's row if COMMIT has not
  /// reached it.
  private func terminate(_ connection: PostgresConnection, on other: PostgresConnection) throws {
    guard let process = connection.process else { return }
    var parameters = PostgresParameters()
    parameters.append(process)
    // The session has held the lock for a second. A newer session with the same process number has no transaction of
    // that age.
    try other.query(
      """
      SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE pid = $1 AND xact_start < clock_timestamp() - interval '1 second'
      """, parameters, for: "Settling a commit"
    ) { _ in true }
  }
}
