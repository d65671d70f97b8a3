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
/// Once anything in it has failed, even its beginning, every fetch in it fails: the results must not come from several
/// states of the database.
final class PostgresSnapshot {
  private let core: PostgresCore
  /// The connection of the transaction; nil if it could not begin.
  private var connection: PostgresConnection?
  /// The reason why no fetch can be answered; nil while the snapshot is good.
  private var failure: (any Error)?
  /// The commit version of the objects that the snapshot reads.
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

  /// Begins the transaction. Tries again if an idle connection turns out to be closed.
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

  /// Calls `body` with the connection, or throws if the snapshot has failed. An error of `body` fails the snapshot.
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
    let error = end(on: connection)
    core.pool.release(connection)
    // Only now: the error handler may need the connection.
    if let error { core.report(error) }
  }

  /// Ends the transaction.
  ///
  /// - Returns: the error that has to be reported; nil if there is none.
  private func end(on connection: PostgresConnection) -> (any Error)? {
    guard failure == nil else {
      // The fetch that failed has reported its error.
      connection.rollBack()
      return nil
    }
    do {
      // Committed, not rolled back: only then does the server protect what was read from later writes.
      try connection.commit(for: "Ending a snapshot")
      return nil
    } catch {
      connection.rollBack()
      return error
    }
  }
}

/// Sleeps for a random time of at most so many seconds.
func usleepRandomly(upTo seconds: Double) { usleep(UInt32.random(in: 0...UInt32(seconds * 1_000_000))) }
