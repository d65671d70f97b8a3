#if compiler(>=6.3) && os(Linux)
  import EngineTestSupport
  import Foundation
  import TestSupport
  import Testing

  @Suite("Nothing acknowledged is lost, nothing refused is stored, nothing is stored twice or decided on empty answers")
  struct PostgresLedgerTests {
    private static let goal = LongForm.ledgerTransactions.size

    @Test("while the server crashes, sessions end, connections are cut at any byte, and limits are hit")
    func crashes() async throws {
      let seed = LongForm.seed
      let ledger = try await Ledger("ledger")
      let server = ledger.pair.primary
      let pooler = try Pooler(server)
      let proxy = try ByteCuttingProxy(server, seed: seed)
      let direct = server.connection(to: Ledger.database)
      let app = server.connection(to: Ledger.database, user: LedgerFaults.role)
      func plan(_ client: Int, _ connection: String) -> LedgerPlan {
        LedgerPlan(folder: ledger.folder.path, client: client, seed: seed, connection: connection, goal: Self.goal)
      }
      var pooled = plan(1, pooler.connection(to: Ledger.database))
      pooled.directConnection = direct
      let cut = server.connection(to: Ledger.database, user: LedgerFaults.role, through: proxy.folder)
      var short = plan(
        3, app + " options='-c lock_timeout=100 -c idle_in_transaction_session_timeout=300 -c statement_timeout=2000'")
      short.isShort = true
      // It is killed after it has begun to write.
      var mortal = plan(4, direct)
      mortal.goal = .max
      mortal.lifetime = 1 + Double(seed % 30) / 10
      // Each subscribes in another way to what they all do.
      let proxied = server.connection(to: Ledger.database, through: proxy.folder)
      var watchers = [pooled, plan(6, direct), plan(7, proxied)]
      watchers[0].client = 5
      // Another tenant gets the sessions of the pooler in turn with the others, and the rows of its own schema.
      var tenant = pooled
      tenant.client = 8
      tenant.schema = Ledger.tenant
      tenant.folder = ledger.tenantFolder.path
      watchers.append(tenant)
      watchers[3].client = 9
      try await ledger.check(
        [plan(0, direct), pooled, tenant, plan(2, cut), short, mortal], watchers: watchers,
        [
          .crash, .killedSession, .stoppedSession, .endedSessions, .endedSessions, .endedSessions, .cancelledStatements,
          .cancelledStatements, .connectionLimit, .connectionLimit, .noConnections, .noConnections, .timeouts,
          .lockedTable,
        ], seed: seed)
      LongForm.record(proxy.count, "connections that were cut at a byte")
      proxy.close()
      withExtendedLifetime(pooler) {}
    }

    @Test("while the primary crashes, and a standby that has confirmed each commit takes its place")
    func failovers() async throws {
      let seed = LongForm.seed
      let ledger = try await Ledger("failover")
      let plans = (0..<4).map { client in
        var plan = LedgerPlan(
          folder: ledger.folder.path, client: client, seed: seed,
          connection: ledger.pair.connection(
            to: Ledger.database, as: client == 2 ? LedgerFaults.role : ledger.pair.primary.user),
          goal: Self.goal)
        plan.trustsSnapshots = false
        return plan
      }
      let pooler = try Pooler(ledger.pair.primary, at: ledger.pair.currentFolder)
      var pooled = plans[0]
      pooled.client = 4
      pooled.connection = pooler.connection(to: Ledger.database)
      pooled.directConnection = plans[0].connection
      try await ledger.check(
        [plans[0], pooled, plans[1], plans[2]], watchers: [plans[3]],
        [.failover, .failover, .crash, .killedSession, .stoppedSession, .lockedTable, .noConnections],
        seed: seed)
      withExtendedLifetime(pooler) {}
    }
  }
#endif
