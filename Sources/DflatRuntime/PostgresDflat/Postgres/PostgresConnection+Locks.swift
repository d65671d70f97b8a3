import PostgresLayout

/// Advisory locks, which processes of dflat hold while they make tables and indexes. Each belongs to a name in a
/// schema.
///
/// In each function, `name` is the name of the lock in the connection's schema. `purpose` is the operation for which it
/// is taken, such as "Creating a table", and becomes a part of errors.
///
/// To get a lock, a thread tries and sleeps in turn. A statement that waited for it would hold a snapshot, and CREATE
/// INDEX CONCURRENTLY waits for snapshots to end. So a session that builds an index under a lock and a session that
/// waits for that lock would deadlock.
extension PostgresConnection {
  /// The number of a lock, as an SQL expression. The schema is `$1`, and the name is `$2`.
  private static let lockNumber = PostgresName.lockNumber("$2", schema: "$1")

  /// Begins a transaction that holds the lock `name` until the transaction ends. Waits, without limit, until the lock
  /// is free, or `isCancelled` returns true.
  func begin(locking name: String, for purpose: String, isCancelled: () -> Bool = { false }) throws {
    try waitForLock(isCancelled) { try beginIfFree(locking: name, for: purpose) }
  }

  /// Begins a transaction that holds the lock `name` until the transaction ends, unless another session holds the lock.
  /// It does not wait for the lock.
  ///
  /// - Returns: false if another session holds the lock. Then no transaction is open.
  func beginIfFree(locking name: String, for purpose: String) throws -> Bool {
    try begin(.preparing, for: purpose)
    var isLocked = false
    do {
      isLocked = try tryLock(name, "pg_try_advisory_xact_lock", for: purpose)
    } catch {
      rollBack()
      throw error
    }
    if !isLocked { rollBack() }
    return isLocked
  }

  /// Calls `body` while the session holds the lock `name`. Waits, without limit, until the lock is free, or
  /// `isCancelled` returns true.
  func withLock(_ name: String, for purpose: String, isCancelled: () -> Bool, _ body: () throws -> Void) throws {
    try waitForLock(isCancelled) { try withLockIfFree(name, for: purpose, body) }
  }

  /// Calls `body` while the session holds the lock `name`, unless another session holds it. It does not wait for the
  /// lock.
  ///
  /// - Returns: false if another session holds the lock. Then `body` was not called.
  func withLockIfFree(_ name: String, for purpose: String, _ body: () throws -> Void) throws -> Bool {
    guard try tryLock(name, "pg_try_advisory_lock", for: purpose) else { return false }
    defer {
      if !isBroken {
        // If the lock cannot be released, closing the connection releases it.
        do { _ = try tryLock(name, "pg_advisory_unlock", for: purpose) } catch { isBroken = true }
      }
    }
    try body()
    return true
  }

  private func tryLock(_ name: String, _ function: String, for purpose: String) throws -> Bool {
    var parameters = PostgresParameters()
    parameters.append(text: schema)
    parameters.append(text: name)
    var isDone = false
    try query("SELECT \(function)(\(Self.lockNumber))", parameters, for: purpose) { row in
      isDone = row.bool(0)
      return true
    }
    return isDone
  }

  /// Calls `attempt` until it returns true, however long that takes. Between two calls, the thread sleeps for a random
  /// time of at most 5 ms at first, and of at most 200 ms later.
  ///
  /// - Throws: the error of `attempt`; `CancellationError` if `isCancelled` returns true before the lock is free.
  private func waitForLock(_ isCancelled: () -> Bool, _ attempt: () throws -> Bool) throws {
    var pause = 0.005
    while try !attempt() {
      if isCancelled() { throw CancellationError() }
      usleepRandomly(upTo: pause)
      // An index may take hours, and its end should be noticed soon.
      pause = min(2 * pause, 0.2)
    }
  }
}
