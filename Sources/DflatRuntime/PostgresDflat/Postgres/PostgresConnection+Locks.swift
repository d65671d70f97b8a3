import Dispatch
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

  /// How a thread waits for a lock: without limit, since an index may take hours.
  struct LockWait {
    /// Whether nobody needs the lock any more.
    var isCancelled: () -> Bool = { false }
    /// Called once, with an error that names the session that holds the lock, if the wait takes long. The program that
    /// has the session may have been stopped. Without a right to see locks, the error names no session.
    var onDelay: (PostgresError) -> Void = { _ in }
    /// The time after which `onDelay` is called, in seconds. A table is made in less.
    var delay = 60.0
  }

  /// Begins a transaction that holds the lock `name` until the transaction ends. Waits until the lock is free, or
  /// nobody needs it any more.
  func begin(locking name: String, for purpose: String, _ wait: LockWait = LockWait()) throws {
    try waitForLock(name, for: purpose, wait) { try beginIfFree(locking: name, for: purpose) }
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

  /// Calls `body` while the session holds the lock `name`. Waits until the lock is free, or nobody needs it any more.
  func withLock(_ name: String, for purpose: String, _ wait: LockWait, _ body: () throws -> Void) throws {
    try waitForLock(name, for: purpose, wait) { try withLockIfFree(name, for: purpose, body) }
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
    var isDone = false
    try query("SELECT \(function)(\(Self.lockNumber))", lockParameters(name), for: purpose) { row in
      isDone = row.bool(0)
      return true
    }
    return isDone
  }

  /// Returns the parameters of a statement that contains `lockNumber`.
  private func lockParameters(_ name: String) -> PostgresParameters {
    var parameters = PostgresParameters()
    parameters.append(text: schema)
    parameters.append(text: name)
    return parameters
  }

  /// Calls `attempt` until it returns true, however long that takes. Between two calls, the thread sleeps for a random
  /// time of at most 5 ms at first, and of at most 200 ms later.
  ///
  /// - Throws: the error of `attempt`; `CancellationError` if nobody needs the lock any more before it is free.
  private func waitForLock(
    _ name: String, for purpose: String, _ wait: LockWait, _ attempt: () throws -> Bool
  ) throws {
    var pause = 0.005
    var reportTime: DispatchTime? = DispatchTime.now() + wait.delay
    while try !attempt() {
      if wait.isCancelled() { throw CancellationError() }
      if let time = reportTime, DispatchTime.now() >= time {
        let error = try delay(ofLock: name, for: purpose, after: wait.delay)
        // Without a holder, the lock has just become free, or has gone to another session.
        reportTime = error == nil ? DispatchTime.now() + wait.delay : nil
        if let error { wait.onDelay(error) }
      }
      usleepRandomly(upTo: pause)
      // An index may take hours, and its end should be noticed soon.
      pause = min(2 * pause, 0.2)
    }
  }

  /// Returns the error that names the session that holds a lock; nil if none does.
  ///
  /// - Parameter seconds: for how long the lock has been waited for.
  private func delay(ofLock name: String, for purpose: String, after seconds: Double) throws -> PostgresError? {
    var holder: String?
    do {
      // A lock with a number of 64 bits has the upper half in `classid`, the lower one in `objid`, and 1 in `objsubid`.
      try query(
        """
        SELECT l.pid::bigint, coalesce(a.application_name, '')::text, coalesce(host(a.client_addr), '')::text
        FROM pg_locks l LEFT JOIN pg_stat_activity a ON a.pid = l.pid
        WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 1
          AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
          AND ((l.classid::bigint << 32) | l.objid::bigint) = \(Self.lockNumber)
        """, lockParameters(name), isPrepared: false, for: purpose
      ) { row in
        let session = row.integer(0)
        let program = [row.text(1), row.text(2)].filter { !$0.isEmpty }.joined(separator: " at ")
        // The session may well be building an index, which takes hours.
        holder = """
          session \(session) of the server holds\(program.isEmpty ? "" : " (\(program))"); if the program of that \
          session has been stopped, SELECT pg_terminate_backend(\(session)) ends the session
          """
        return true
      }
    } catch let error as PostgresError where !isBroken {
      // Some servers do not let every role see the locks. That is no reason to give up.
      holder = "another session of the server holds, and which one cannot be found out: \(error.message)"
    }
    return holder.map { holder in
      PostgresError(
        cause: .other, message: "it still waits, after \(seconds) seconds, for a lock that \(holder)", purpose: purpose)
    }
  }
}
