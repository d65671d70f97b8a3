import Dflat
import DflatEngine

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// A read transaction that is open on a thread.
///
/// Once it has failed, whether in a fetch or before the first one, every fetch in it fails: what is read must not be of several states
/// of the database.
final class PostgresSnapshot {
  private let core: PostgresCore
  /// nil if the transaction could not be begun.
  private var connection: PostgresConnection?
  /// Why no fetch can be answered; nil while the snapshot is good.
  private var failure: (any Error)?
  /// The commit version of the objects that are read in it.
  private let version: UInt64

  init(_ core: PostgresCore) {
    self.core = core
    version = core.feed.takeReadVersion()
    do {
      connection = try Self.begin(core)
    } catch {
      failure = error
    }
  }

  /// Begins the transaction, again if an idle connection turns out to have been closed.
  private static func begin(_ core: PostgresCore) throws -> PostgresConnection {
    try core.reporter.forks.check()
    var pauses = RetryPauses(core.options.retry)
    while true {
      let connection = try core.pool.acquire(for: .readOnly)
      do {
        try connection.begin(.reading, for: "Beginning a snapshot")
        // PostgreSQL takes its snapshot at the first statement that reads.
        try connection.query("SELECT 1", for: "Beginning a snapshot") { _ in true }
        return connection
      } catch {
        core.pool.release(connection)
        guard let error = error as? PostgresError, error.isRetryable, pauses.wait() else { throw error }
        core.pool.dropIdle()
      }
    }
  }

  /// Calls `body` with the connection, unless the snapshot has failed.
  func read<Result>(
    _ body: (PostgresConnection, PostgresCore.ReadContext) throws -> Result
  ) throws -> Result {
    guard let connection, failure == nil else { throw failure ?? StoreError.shutDown }
    do {
      return try body(connection, PostgresCore.ReadContext(commitVersion: version, canCancel: false))
    } catch {
      failure = error
      throw error
    }
  }

  func end() {
    guard let connection else { return }
    defer { core.pool.release(connection) }
    // A fetch that has failed has been reported.
    if failure != nil { return connection.rollBack() }
    do {
      // Not rolled back: the server protects what was read from later writes only if the transaction commits.
      try connection.commit(for: "Ending a snapshot")
    } catch {
      connection.rollBack()
      core.report(error)
    }
  }
}

/// Sleeps for a random time.
func usleepRandomly(upTo seconds: Double) { usleep(UInt32.random(in: 0...UInt32(seconds * 1_000_000))) }
