import EngineTestSupport
import Foundation
import TestSupport
import Testing

/// What happens to the ledger's server while clients use it, chosen at random.
struct LedgerFaults: Sendable {
  enum Fault: String, Sendable {
    case crash = "crashes of the server"
    case killedSession = "sessions killed with -9, which restarts the server"
    case failover = "failovers to a standby"
    case stoppedSession = "sessions that stood still"
    case endedSessions = "times that sessions were ended"
    case cancelledStatements = "times that statements were cancelled"
    case connectionLimit = "times that a role had no connection left"
    case noConnections = "times that the server had no connection left"
    case timeouts = "times with timeouts of milliseconds"
    case lockedTable = "times that a table was locked"
  }

  static let role = "ledger_app"

  let database: String
  /// What may happen, each as often as it stands here.
  let faults: [Fault]
  let seed: Int
  let pair: FailoverPair

  /// Lets faults happen until a gate opens, and leaves the server as it was.
  ///
  /// - Returns: how often each has happened.
  func happen(until isOver: Gate) -> [Fault: Int] {
    var random = SeededGenerator(seed: seed &* 7 &+ 3)
    var counts: [Fault: Int] = [:]
    var standbyNumber = 1
    var lastDuration: UInt32 = 0
    while !isOver.isOpen {
      // At least as long as the last fault took, so that clients get on where a slow machine makes faults long.
      usleep(UInt32(20_000 + random.next(300_000)) + lastDuration)
      let begun = ContinuousClock.now
      defer { lastDuration = UInt32(min(10_000_000, begun.duration(to: .now) / .microseconds(1))) }
      let fault = random.pick(faults)
      do {
        if fault == .failover {
          try pair.addStandby(standbyNumber)
          // Sessions that wait for the standby are ended, and their waits are cancelled.
          for _ in 0..<random.next(6) {
            usleep(UInt32(random.next(150_000)))
            let fault = random.pick([Fault.endedSessions, .cancelledStatements])
            try happen(fault, &random)
            counts[fault, default: 0] += 1
          }
          try pair.failOver()
          standbyNumber = 1 - standbyNumber
        } else {
          try happen(fault, &random)
        }
        counts[fault, default: 0] += 1
      } catch {
        Issue.record("\(fault): \(error)")
        return counts
      }
    }
    return counts
  }

  private func happen(_ fault: Fault, _ random: inout SeededGenerator) throws {
    let server = pair.primary
    /// A server that restarts itself cannot be asked.
    func sql(_ sql: String) { _ = try? server.psql(sql, in: database) }
    let pause = UInt32(20_000 + random.next(200_000))
    let others = "FROM pg_stat_activity WHERE datname = '\(database)' AND pid <> pg_backend_pid()"
    let some = "SELECT pid \(others) ORDER BY random() LIMIT \(1 + random.next(4))"
    switch fault {
    case .crash:
      try server.stop()
      usleep(pause)
      try server.start()
    case .killedSession:
      let process = try? server.psql("SELECT pid \(others) ORDER BY random() LIMIT 1")
      if let process = process.flatMap({ Int32($0) }) {
        kill(process, SIGKILL)
        // Once the server has noticed the end of the process, it ends all sessions, and starts again.
        _ = eventually(within: 60) { kill(process, 0) != 0 }
      }
      try restore("SELECT 1", on: server)
    case .failover: break
    case .stoppedSession:
      guard let process = (try? server.psql(some)).flatMap({ Int32($0.split(separator: "\n").first ?? "") }) else {
        return
      }
      kill(process, SIGSTOP)
      usleep(pause * 5)
      kill(process, SIGCONT)
    case .endedSessions:
      sql("SELECT pg_terminate_backend(pid) FROM (\(some)) t")
    case .cancelledStatements:
      sql("SELECT pg_cancel_backend(pid) FROM (\(some)) t")
    case .connectionLimit:
      sql("ALTER ROLE \(Self.role) CONNECTION LIMIT \(random.next(3))")
      sql("SELECT pg_terminate_backend(pid) \(others) AND usename = '\(Self.role)'")
      usleep(pause)
      try restore("ALTER ROLE \(Self.role) CONNECTION LIMIT -1", on: server)
    case .noConnections:
      let sessions = UsedUpConnections(server, database)
      defer { sessions.close() }
      try sessions.fill()
      // Those that clients have pooled, too, so that they need new ones.
      sessions.run(
        """
        SELECT pg_terminate_backend(pid) \(others) AND backend_type = 'client backend' \
        AND application_name <> '\(UsedUpConnections.name)'
        """)
      var isUsedUp = false
      for _ in 0..<10 {
        usleep(pause / 2)
        try sessions.fill()
        // A client may have ended a session since, so that one of the attempts is enough.
        isUsedUp = isUsedUp || (try? server.psql("SELECT 1")) == nil
      }
      guard isUsedUp else { throw ProgramFailure("the server has connections left") }
      sessions.close()
      try restore("SELECT 1", on: server)
    case .timeouts:
      let names = ["statement_timeout", "lock_timeout", "idle_in_transaction_session_timeout"]
      for name in names { sql("ALTER DATABASE \(database) SET \(name) = '\(1 + random.next(30))ms'") }
      sql("SELECT pg_terminate_backend(pid) \(others)")
      usleep(pause)
      for name in names { try restore("ALTER DATABASE \(database) RESET \(name)", on: server) }
      // Sessions that have begun meanwhile would keep them.
      sql("SELECT pg_terminate_backend(pid) \(others)")
    case .lockedTable:
      sql("BEGIN; LOCK TABLE post IN EXCLUSIVE MODE; SELECT pg_sleep(\(Double(pause) / 1_000_000)); COMMIT")
    }
  }

  private func restore(_ sql: String, on server: PostgresServer) throws {
    // The server may be restarting itself.
    guard eventually({ (try? server.psql(sql)) != nil }) else { throw ProgramFailure(sql) }
  }
}
