import Dflat
import EngineTestSupport
import Foundation
import Golden_post
import PostgresLayout
import TestSupport
import Testing

@testable import PostgresDflat

@Suite("A preparation that is cancelled waits for nobody")
struct CancelledPreparationTests {
  @Test("A cancelled preparation ends although another process goes on making the table")
  func lockedTable() async throws {
    let database = try TestDatabase()
    let workspace = database.workspace
    let holder = try PostgresConnection(workspace.core.options)
    try holder.begin(locking: PostgresName.lock(of: "post"), for: "Testing")
    let failure = Locked<(any Error)?>(nil)
    let hasEnded = Gate()
    let preparation = Task {
      do { try await workspace.prepare([Post.self]) } catch { failure.value = error }
      hasEnded.open()
    }
    // Each attempt to get the lock is a transaction, which is rolled back.
    let waiting = """
      SELECT count(*) FROM pg_stat_activity
      WHERE datname = current_database() AND application_name = 'dflat' AND query = 'ROLLBACK'
      """
    #expect(await onThread { eventually { (try? database.sql(waiting)) == "1" } })
    preparation.cancel()
    // The lock is held until then.
    #expect(await onThread { hasEnded.wait(300) })
    holder.rollBack()
    await preparation.value
    #expect(failure.value is CancellationError, "\(String(describing: failure.value))")
    #expect(try database.sql("SELECT to_regclass('post') IS NULL") == "t")
    #expect(database.errors.values.isEmpty, "\(database.errors.values)")
  }
}
