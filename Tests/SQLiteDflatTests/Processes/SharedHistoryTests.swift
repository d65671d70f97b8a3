import EngineTestSupport
import TestSupport

#if compiler(>=6.3) && os(Linux)
  import Dflat
  import Foundation
  import SQLiteDflat
  import Testing

  /// The order of the calls is not checked: between processes, a commit may show later. But some order explains it
  /// all, with what the file held before first and what it holds in the end last.
  @Suite("Transactions of several workspaces and processes are serializable")
  struct SharedHistoryTests {
    private static func record(_ path: String, process: Int, seed: Int) -> SharedHistory.Record {
      SharedHistory.record(process: process, seed: UInt64(seed)) {
        SQLiteWorkspace(filePath: path, fileProtectionLevel: .noProtection, errorHandler: $0)
      }
    }

    private func check(_ records: [SharedHistory.Record], _ store: TestStore, creation: SharedHistory.Record, seed: Int)
    {
      for record in records {
        #expect(!record.hasHung)
        #expect(record.entries.contains { $0.isCommitted && $0.writes })
        #expect(record.errors >= record.failures, "\(record.failures) transactions fail, \(record.errors) errors")
      }
      let reader = store.reopened()
      // Between processes, a commit may show later.
      let history = SharedHistory.history(creation: creation, records, end: reader, isStrict: false)
      reader.shutdown()
      let violation = history.violation()
      LongForm.record(
        history.transactions.count, "transactions and fetches in histories of several workspaces and processes")
      #expect(violation == nil, "DFLAT_SEED=\(seed)")
    }

    @Test("Some order explains what the transactions of two workspaces saw")
    func twoWorkspaces() throws {
      let seed = LongForm.seed
      let store = try TestStore()
      let creation = try #require(SharedHistory.create(in: store.workspace))
      let record = SharedHistoryTests.record(store.path, process: 0, seed: seed)
      check([record], store, creation: creation, seed: seed)
    }

    @Test("Some order explains what the transactions of several processes saw", arguments: [2, 3])
    func severalProcesses(count: Int) async throws {
      let seed = LongForm.seed
      let store = try TestStore()
      let creation = try #require(SharedHistory.create(in: store.workspace))
      let own = Collected<SharedHistory.Record>()
      let path = store.path
      let threads = BackgroundThreads { _ in
        guard SharedHistory.areReady(count, path) else { return }
        own.append(SharedHistoryTests.record(path, process: 0, seed: seed))
      }
      await withTaskGroup(of: Void.self) { group in
        for process in 1..<count {
          group.addTask { await SharedHistoryTests.runProcess(process, of: count, path, seed: seed) }
        }
      }
      #expect(await onThread { threads.end() })
      let foreign = try (1..<count).map { process in
        try JSONDecoder().decode(
          SharedHistory.Record.self, from: Data(contentsOf: URL(fileURLWithPath: "\(path).record\(process)")))
      }
      check([try #require(own.values.first)] + foreign, store, creation: creation, seed: seed)
      #expect(try store.sql("PRAGMA integrity_check") == [["ok"]])
    }

    /// Runs a further process, which leaves its record beside the file.
    private static func runProcess(_ process: Int, of count: Int, _ path: String, seed: Int) async {
      await #expect(processExitsWith: .success) {
        [process = process as Int, count = count as Int, path = path as String, seed = seed as Int] in
        let record = await onThread {
          _ = FileManager.default.createFile(atPath: "\(path).ready\(process)", contents: nil)
          return SharedHistory.areReady(count, path)
            ? SharedHistoryTests.record(path, process: process, seed: seed) : nil
        }
        try JSONEncoder().encode(try #require(record)).write(to: URL(fileURLWithPath: "\(path).record\(process)"))
      }
    }
  }
#endif
