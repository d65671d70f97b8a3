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
    private static let keys: Range<Int64> = 0..<3
    /// What a process has recorded, as it is handed from one to the other.
    struct Record: Codable, Sendable {
      struct Entry: Codable, Sendable {
        var name: String
        var isCommitted: Bool
        var operations: [Operation] = []
      }

      struct Operation: Codable, Sendable {
        var isWrite: Bool
        var type: Int
        var key: Int64
        var value: Int64?
      }

      var entries: [Entry] = []
      var failures = 0
      var errors = 0
      var hasHung = false

      func transactions(called: Int, completed: Int) -> [History.Transaction] {
        entries.map { entry in
          History.Transaction(
            name: entry.name,
            operations: entry.operations.map { operation in
              let register = History.RegisterID(type: operation.type, key: operation.key)
              return operation.isWrite ? .write(register, operation.value ?? 0) : .read(register, operation.value)
            }, called: called, accepted: completed, completed: completed, isCommitted: entry.isCommitted)
        }
      }
    }

    // MARK: Recording

    /// Runs random transactions in two workspaces, two threads each.
    private static func record(_ path: String, process: Int, seed: UInt64) -> Record {
      let record = Locked(Record())
      let errors = Collected<any Error>()
      let workspaces = (0..<2).map { _ in
        SQLiteWorkspace(filePath: path, fileProtectionLevel: .noProtection, errorHandler: { errors.append($0) })
      }
      let threads = BackgroundThreads(4) { thread in
        var random = SeededGenerator(seed: seed &* 64 &+ UInt64(process * 8 + thread))
        let writer = Int64(1 + process * 4 + thread)
        for call in 0..<LongForm.sharedCalls.size {
          let name = "\(process).\(thread).\(call)"
          let workspace = workspaces[thread % 2]
          let entry =
            call % 4 == 3
            ? fetch(name, workspace)
            : perform(name, workspace, firstValue: writer * 1_000_000 + Int64(call) * 10, &random)
          guard let entry else {
            record.change { $0.hasHung = true }
            return
          }
          record.change { record in
            record.entries.append(entry)
            if !entry.isCommitted { record.failures += 1 }
          }
        }
      }
      if !threads.end() { record.change { $0.hasHung = true } }
      var result = record.value
      _ = eventually { errors.count >= result.failures }
      result.errors = errors.count
      for workspace in workspaces { workspace.shutdown() }
      return result
    }

    /// Reads all registers in one snapshot.
    private static func fetch(_ name: String, _ workspace: SQLiteWorkspace) -> Record.Entry {
      var entry = Record.Entry(name: name, isCommitted: true)
      workspace.fetchWithinASnapshot {
        for (type, registers) in RegisterType.all.enumerated() {
          let values = registers.readAll(workspace)
          for key in keys {
            entry.operations.append(Record.Operation(isWrite: false, type: type, key: key, value: values[key]))
          }
        }
      }
      return entry
    }

    /// Reads some registers, and then writes all that it has read. Nil when it does not complete.
    private static func perform(
      _ name: String, _ workspace: SQLiteWorkspace, firstValue: Int64, _ random: inout SeededGenerator
    ) -> Record.Entry? {
      let types = Array((0..<3).shuffled(using: &random).prefix(Int.random(in: 1...2, using: &random)))
      var registers: [(type: Int, key: Int64)] = []
      for type in types {
        for key in keys where Int.random(in: 0..<3, using: &random) > 0 { registers.append((type, key)) }
      }
      let pauses = registers.map { _ in UInt32.random(in: 0..<1200, using: &random) }
      let operations = Collected<Record.Operation>()
      let transaction = PendingTransaction(types.map { RegisterType.all[$0].type }, in: workspace) {
        [registers] context in
        for (register, pause) in zip(registers, pauses) {
          let value = RegisterType.all[register.type].read(workspace, register.key)
          operations.append(Record.Operation(isWrite: false, type: register.type, key: register.key, value: value))
          if pause % 2 == 0 { usleep(pause) }
        }
        for (index, register) in registers.enumerated() {
          let value = firstValue + Int64(index)
          do throws(TransactionError) {
            try RegisterType.all[register.type].write(context, register.key, value)
          } catch {
            context.abort()
            return
          }
          operations.append(Record.Operation(isWrite: true, type: register.type, key: register.key, value: value))
          if pauses[index] % 5 == 0 { usleep(pauses[index]) }
        }
      }
      guard let success = transaction.outcome() else { return nil }
      return Record.Entry(name: name, isCommitted: success, operations: operations.values)
    }

    /// Stores all registers, as a transaction that has found none.
    private func create(_ store: TestStore) -> Record {
      var entry = Record.Entry(name: "creation", isCommitted: true)
      for (type, _) in RegisterType.all.enumerated() {
        for key in SharedHistoryTests.keys {
          entry.operations.append(Record.Operation(isWrite: false, type: type, key: key, value: nil))
          entry.operations.append(
            Record.Operation(isWrite: true, type: type, key: key, value: Int64(type) * 10 + key))
        }
      }
      let operations = entry.operations
      let transaction = PendingTransaction(RegisterType.all.map(\.type), in: store.workspace) { context in
        for operation in operations where operation.isWrite {
          #expect(throws: Never.self) {
            try RegisterType.all[operation.type].create(context, operation.key, operation.value ?? 0)
          }
        }
      }
      #expect(transaction.outcome() == true)
      return Record(entries: [entry])
    }

    // MARK: Checking

    private func check(_ records: [Record], _ store: TestStore, creation: Record, seed: Int) {
      for record in records {
        #expect(!record.hasHung)
        #expect(record.entries.contains { $0.isCommitted && $0.operations.contains { $0.isWrite } })
        #expect(record.errors >= record.failures, "\(record.failures) transactions fail, \(record.errors) errors")
      }
      let reader = store.reopened()
      let end = Record(entries: [SharedHistoryTests.fetch("the end", reader)])
      reader.shutdown()
      let history = History(
        transactions: creation.transactions(called: -2, completed: -1)
          + records.flatMap { $0.transactions(called: 0, completed: 1) } + end.transactions(called: 2, completed: 3))
      let violation = history.violation()
      LongForm.record(
        history.transactions.count, "transactions and fetches in histories of several workspaces and processes")
      #expect(violation == nil, "DFLAT_SEED=\(seed)")
    }

    @Test("Some order explains what the transactions of two workspaces saw")
    func twoWorkspaces() throws {
      let seed = LongForm.seed
      let store = try TestStore()
      let creation = create(store)
      let record = SharedHistoryTests.record(store.path, process: 0, seed: UInt64(seed))
      check([record], store, creation: creation, seed: seed)
    }

    @Test("Some order explains what the transactions of several processes saw", arguments: [2, 3])
    func severalProcesses(count: Int) async throws {
      let seed = LongForm.seed
      let store = try TestStore()
      let creation = create(store)
      let own = Collected<Record>()
      let path = store.path
      let threads = BackgroundThreads { _ in
        guard SharedHistoryTests.areReady(count, path) else { return }
        own.append(SharedHistoryTests.record(path, process: 0, seed: UInt64(seed)))
      }
      await withTaskGroup(of: Void.self) { group in
        for process in 1..<count {
          group.addTask { await SharedHistoryTests.runProcess(process, of: count, path, seed: seed) }
        }
      }
      #expect(await onThread { threads.end() })
      let foreign = try (1..<count).map { process in
        try JSONDecoder().decode(
          Record.self, from: Data(contentsOf: URL(fileURLWithPath: "\(path).record\(process)")))
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
          return SharedHistoryTests.areReady(count, path)
            ? SharedHistoryTests.record(path, process: process, seed: UInt64(seed)) : nil
        }
        try JSONEncoder().encode(try #require(record)).write(to: URL(fileURLWithPath: "\(path).record\(process)"))
      }
    }

    /// Waits for all further processes, so that all begin at the same time.
    private static func areReady(_ count: Int, _ path: String) -> Bool {
      eventually {
        (1..<count).allSatisfy { FileManager.default.fileExists(atPath: "\(path).ready\($0)") }
      }
    }
  }
#endif
