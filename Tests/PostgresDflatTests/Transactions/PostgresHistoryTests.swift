import EngineTestSupport
import TestSupport

#if compiler(>=6.3) && os(Linux)
  import Dflat
  import Foundation
  import PostgresDflat
  import Testing

  @Suite("Transactions of several workspaces and processes on PostgreSQL are strictly serializable")
  struct PostgresHistoryTests {
    private static func record(
      _ connection: String, process: Int, seed: Int,
      _ writeConcurrency: PostgresWorkspace.WriteConcurrency = .concurrent
    ) -> SharedHistory.Record {
      SharedHistory.record(process: process, seed: UInt64(seed), checksReads: true) { errorHandler in
        var options = PostgresOptions(connection: connection)
        // Who loses always would say nothing of the order.
        options.retry = .limited(200)
        return PostgresWorkspace(options, writeConcurrency: writeConcurrency, errorHandler: errorHandler)
      }
    }

    private func check(
      _ records: [SharedHistory.Record], _ database: TestDatabase, creation: SharedHistory.Record, seed: Int
    ) {
      for record in records {
        #expect(!record.hasHung)
        #expect(record.entries.contains { $0.isCommitted && $0.writes })
        #expect(
          record.failures == 0 && record.errors == 0, "\(record.failures) transactions fail, \(record.errors) errors")
      }
      let history = SharedHistory.history(
        creation: creation, records, end: database.workspace, isStrict: true)
      let violation = history.violation()
      LongForm.record(
        history.transactions.count, "transactions and fetches in histories of several workspaces on PostgreSQL")
      #expect(violation == nil, "DFLAT_SEED=\(seed)\n\(violation ?? "")")
      #expect(database.errors.values.isEmpty, "\(database.errors.values)")
    }

    @Test("Some order explains what the transactions of two workspaces saw, and when")
    func twoWorkspaces() throws {
      let seed = LongForm.seed
      let database = try TestDatabase()
      let creation = try #require(SharedHistory.create(in: database.workspace))
      let record = Self.record(database.server.connection(to: database.name), process: 0, seed: seed)
      check([record], database, creation: creation, seed: seed)
    }

    @Test("Some order explains what transactions that run side by side saw, although they share types")
    func unorderedTransactions() throws {
      let seed = LongForm.seed
      let database = try TestDatabase()
      let creation = try #require(SharedHistory.create(in: database.workspace))
      let connection = database.server.connection(to: database.name)
      check([Self.record(connection, process: 0, seed: seed, .unordered)], database, creation: creation, seed: seed)
    }

    @Test("Some order explains what the transactions of several processes saw, and when")
    func severalProcesses() async throws {
      let (seed, count) = (LongForm.seed, 3)
      let database = try TestDatabase()
      let creation = try #require(SharedHistory.create(in: database.workspace))
      let folder = FileManager.default.temporaryDirectory.appending(path: "dflat-\(UUID().uuidString)")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: folder) }
      let path = folder.appending(path: "history").path
      let connection = database.server.connection(to: database.name)
      let own = Collected<SharedHistory.Record>()
      let threads = BackgroundThreads { _ in
        guard SharedHistory.areReady(count, path) else { return }
        own.append(Self.record(connection, process: 0, seed: seed))
      }
      await withTaskGroup(of: Void.self) { group in
        for process in 1..<count {
          group.addTask { await Self.runProcess(process, of: count, connection, path, seed: seed) }
        }
      }
      #expect(await onThread { threads.end() })
      let foreign = try (1..<count).map { process in
        try JSONDecoder().decode(
          SharedHistory.Record.self, from: Data(contentsOf: URL(fileURLWithPath: "\(path).record\(process)")))
      }
      check([try #require(own.values.first)] + foreign, database, creation: creation, seed: seed)
    }

    /// Runs a further process, which leaves its record beside the path.
    private static func runProcess(
      _ process: Int, of count: Int, _ connection: String, _ path: String, seed: Int
    ) async {
      await #expect(processExitsWith: .success) {
        [
          process = process as Int, count = count as Int, connection = connection as String, path = path as String,
          seed = seed as Int
        ] in
        let record = await onThread {
          _ = FileManager.default.createFile(atPath: "\(path).ready\(process)", contents: nil)
          return SharedHistory.areReady(count, path)
            ? PostgresHistoryTests.record(connection, process: process, seed: seed) : nil
        }
        try JSONEncoder().encode(try #require(record)).write(to: URL(fileURLWithPath: "\(path).record\(process)"))
      }
    }
  }
#endif
