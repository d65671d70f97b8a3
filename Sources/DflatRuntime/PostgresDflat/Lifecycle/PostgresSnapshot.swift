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
final class PostgresSnapshot {
  private let core: PostgresCore
  let connection: PostgresConnection
  /// The commit version of the objects that are read in it.
  let version: UInt64

  init(_ core: PostgresCore) throws {
    self.core = core
    version = core.feed.takeReadVersion()
    connection = try core.pool.acquire(for: .readOnly)
    do {
      try connection.begin(.reading, for: "Beginning a snapshot")
      // PostgreSQL takes its snapshot at the first statement that reads.
      try connection.query("SELECT 1", for: "Beginning a snapshot") { _ in true }
    } catch {
      core.pool.release(connection)
      throw error
    }
  }

  func end() {
    do {
      // Not rolled back: the server protects what was read from later writes only if the transaction commits.
      try connection.commit(for: "Ending a snapshot")
    } catch {
      connection.rollBack()
      // A fetch that has failed has been reported.
      if (error as? PostgresError)?.isUndone != true { core.report(error) }
    }
    core.pool.release(connection)
  }
}

/// Sleeps for a random time.
func usleepRandomly(upTo seconds: Double) { usleep(UInt32.random(in: 0...UInt32(seconds * 1_000_000))) }
