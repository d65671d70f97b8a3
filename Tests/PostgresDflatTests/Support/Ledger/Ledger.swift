#if compiler(>=6.3) && os(Linux)
  import Dflat
  import EngineTestSupport
  import Foundation
  import Golden_post
  import PostgresDflat
  import TestSupport
  import Testing

  /// A database with chains, a bank and an order book, and the processes that use it while faults happen.
  struct Ledger: Sendable {
    static let database = "ledger"
    /// The schema of another tenant, who has a ledger of the same tables in the same database.
    static let tenant = "tenant"
    let pair: FailoverPair
    /// Where clients write their logs.
    let folder: URL
    /// Where clients of the tenant write theirs.
    var tenantFolder: URL { folder.appending(path: Self.tenant) }

    /// Makes the tables of both ledgers, opens their accounts, and lets a role use them to which the server says no now and then.
    init(_ name: String) async throws {
      pair = try FailoverPair(name)
      folder = FileManager.default.temporaryDirectory.appending(path: "dflat-ledger-\(UUID().uuidString)")
      try FileManager.default.createDirectory(at: tenantFolder, withIntermediateDirectories: true)
      try pair.primary.psql("CREATE DATABASE \(Self.database)")
      try pair.primary.psql("CREATE SCHEMA \(Self.tenant)", in: Self.database)
      for schema in [nil, Self.tenant] { try await openAccounts(in: schema) }
      try pair.primary.runScript(Self.rights, in: Self.database)
    }

    /// Makes the tables of a ledger, and opens its accounts.
    private func openAccounts(in schema: String?) async throws {
      var options = PostgresOptions(connection: pair.primary.connection(to: Self.database))
      options.schema = schema
      let workspace = PostgresWorkspace(options)
      try await workspace.prepare([Post.self, Thing.self, LedgerIntent.Order.self])
      try await workspace.performChanges([Thing.self]) { (context: any TransactionContext) throws -> Void in
        for id in LedgerBank.accounts {
          try context.submit(
            ThingChangeRequest.creation(Thing(id: id, name: "account", big: UInt64(LedgerBank.initial))))
        }
      }
      await workspace.shutdown()
    }

    /// Row level security, of which a role sees all and changes most; and a trigger that drops rows of everybody, now and then.
    private static let rights = """
      CREATE ROLE \(LedgerFaults.role) LOGIN;
      GRANT ALL ON ALL TABLES IN SCHEMA public TO \(LedgerFaults.role);
      GRANT ALL ON ALL SEQUENCES IN SCHEMA public TO \(LedgerFaults.role);
      ALTER TABLE post ENABLE ROW LEVEL SECURITY;
      ALTER TABLE test__thing_v1_1 ENABLE ROW LEVEL SECURITY;
      CREATE POLICY reading ON post FOR SELECT USING (true);
      CREATE POLICY adding ON post FOR INSERT WITH CHECK (random() > 0.03);
      CREATE POLICY reading ON test__thing_v1_1 FOR SELECT USING (true);
      CREATE POLICY changing ON test__thing_v1_1 FOR UPDATE USING (random() > 0.03);
      CREATE FUNCTION drop_some() RETURNS trigger LANGUAGE plpgsql AS
        'BEGIN IF random() < 0.01 THEN RETURN NULL; END IF; RETURN NEW; END';
      CREATE TRIGGER drop_some BEFORE INSERT OR UPDATE ON post FOR EACH ROW EXECUTE FUNCTION drop_some();
      CREATE TRIGGER drop_some BEFORE UPDATE ON register_b FOR EACH ROW EXECUTE FUNCTION drop_some();
      """

    /// Runs clients in processes of their own, and watchers, beside faults, and expects that the checker finds nothing wrong.
    func check(
      _ plans: [LedgerPlan], watchers: [LedgerPlan], _ faults: [LedgerFaults.Fault], seed: Int
    ) async throws {
      let isOver = Gate()
      let faults = LedgerFaults(database: Self.database, faults: faults, seed: seed, pair: pair)
      let happened = Locked<[LedgerFaults.Fault: Int]>([:])
      let thread = BackgroundThreads { _ in
        let counts = faults.happen(until: isOver)
        happened.value = counts
      }
      // A client that does not get on by then fails; see `LedgerClient`. On a busy machine a transaction takes seconds.
      let limit = patience + 20 * Double(plans.map(\.goal).filter { $0 < .max }.max() ?? 0)
      let watch = BackgroundThreads { [folders = [folder.path, tenantFolder.path]] _ in
        guard !isOver.wait(limit) else { return }
        for folder in folders { _ = FileManager.default.createFile(atPath: folder + "/stop", contents: nil) }
      }
      // In this process, since tests wait for the ends of a few other processes only at once.
      let watchersMayEnd = Gate()
      let watching = BackgroundThreads(watchers.count) { number in
        do { try LedgerWatcher.run(watchers[number], until: watchersMayEnd) } catch { Issue.record(error) }
      }
      await withTaskGroup(of: Void.self) { group in
        for plan in plans { group.addTask { await Self.runProcess(plan) } }
      }
      isOver.open()
      #expect(await onThread { thread.end() && watch.end() })
      // Without faults, they are told of all that is stored.
      watchersMayEnd.open()
      #expect(await onThread { watching.end() }, "a watcher hangs")
      // What was reported as failed may not be stored afterwards either.
      let open = "SELECT count(*) FROM pg_stat_activity WHERE datname = '\(Self.database)' AND xact_start IS NOT NULL"
      #expect(eventually { (try? pair.primary.psql(open)) == "0" }, "a transaction stays open")
      // Each ledger by itself: what it has from the other one's clients, nobody has asked for.
      let checkers = [
        LedgerChecker(try LedgerLog.read(folder), try LedgerState(pair.primary, Self.database, schema: "public")),
        LedgerChecker(
          try LedgerLog.read(tenantFolder), try LedgerState(pair.primary, Self.database, schema: Self.tenant)),
      ]
      let problems = checkers.flatMap(\.problems)
      func count(_ outcome: LedgerEntry.Outcome) -> Int { checkers.reduce(0) { $0 + $1.count(outcome) } }
      #expect(
        problems.isEmpty,
        """
        DFLAT_SEED=\(seed), logs in \(folder.path), \(problems.count) problems:
        \(problems.prefix(10).joined(separator: "\n"))
        """)
      // An outage that is longer than a workspace looks for an outcome leaves a commit of each worker unknown, of which a client has two.
      #expect(
        count(.unknown) <= count(.stored) / 20 + 2 * plans.count, "\(count(.unknown)) are unknown")
      LongForm.record(count(.stored), "acknowledged transactions of the ledger")
      LongForm.record(count(.refused), "refused transactions of the ledger")
      LongForm.record(count(.unknown), "transactions of the ledger with an unknown end")
      LongForm.record(count(.observed), "snapshots of the ledger")
      LongForm.record(count(.told), "states that subscribers to the ledger were told")
      for (fault, count) in happened.value { LongForm.record(count, fault.rawValue) }
      pair.stop()
      if problems.isEmpty { try FileManager.default.removeItem(at: folder) }
    }

    private static func runProcess(_ plan: LedgerPlan) async {
      let ending: ExitTest.Condition = plan.lifetime == nil ? .success : .signal(SIGKILL)
      await #expect(processExitsWith: ending, "client \(plan.client)") { [plan = plan as LedgerPlan] in
        let isDone = try await LedgerClient.run(plan)
        #expect(isDone, "a client was stopped before it was done")
      }
    }
  }
#endif
