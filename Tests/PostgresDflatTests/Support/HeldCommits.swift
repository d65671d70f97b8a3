import EngineTestSupport
import TestSupport
import Testing

extension PostgresServer {
  /// Makes commits wait for a standby that does not exist, until `releaseCommits()`.
  ///
  /// Returns once commits wait: a server tells its processes of a new setting, and each takes it over at its own time.
  func holdCommits() throws {
    try psql("ALTER SYSTEM SET synchronous_standby_names = 'nobody'")
    try psql("SELECT pg_reload_conf()")
    let isHeld = try eventually {
      let probe = BackgroundThreads { _ in
        do {
          try self.psql("DROP TABLE IF EXISTS probe; CREATE TABLE probe ()")
        } catch {
          Issue.record("\(error)")
        }
      }
      while !probe.end(within: 0.05) {
        guard try cancelHeldCommits() else { continue }
        return probe.end()
      }
      return false
    }
    #expect(isHeld)
  }

  /// Cancels the wait of all commits that wait: the server then tells their sessions that they are stored.
  ///
  /// - Returns: whether there were any.
  @discardableResult
  func cancelHeldCommits() throws -> Bool {
    try !psql("SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'").isEmpty
  }

  /// Ends the wait of all commits.
  func releaseCommits() throws {
    try psql("ALTER SYSTEM RESET synchronous_standby_names")
    try psql("SELECT pg_reload_conf()")
  }
}
