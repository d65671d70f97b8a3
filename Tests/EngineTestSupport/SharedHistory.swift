import Dflat
import Foundation
import TestSupport

/// Random transactions of several workspaces and processes in one store, and what they saw.
package enum SharedHistory {
  private static let keys: Range<Int64> = 0..<3

  /// What a process has recorded, as it is handed from one to the other.
  package struct Record: Codable, Sendable {
    package struct Entry: Codable, Sendable {
      var name: String
      package var isCommitted: Bool
      var operations: [Operation] = []
      /// When it was asked for, and when it was complete, in nanoseconds of a clock that all processes share.
      var called = 0
      var completed = 0

      package var writes: Bool { operations.contains { $0.isWrite } }
    }

    struct Operation: Codable, Sendable {
      var isWrite: Bool
      var type: Int
      var key: Int64
      var value: Int64?
    }

    package var entries: [Entry] = []
    package var failures = 0
    package var errors = 0
    package var hasHung = false

    fileprivate func transactions(_ times: (Entry) -> (called: Int, completed: Int)) -> [History.Transaction] {
      entries.map { entry in
        let (called, completed) = times(entry)
        return History.Transaction(
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
  ///
  /// - Parameters:
  ///   - checksReads: whether the engine looks at what transactions only read, too. Then they write some of what they have read, so
  ///     that each may rest on what another one writes; and what only reads is a transaction, which is run again.
  ///   - makeWorkspace: makes a workspace with an error handler.
  package static func record(
    process: Int, seed: UInt64, checksReads: Bool = false,
    _ makeWorkspace: (@escaping @Sendable (any Error) -> Void) -> any Workspace
  ) -> Record {
    let record = Locked(Record())
    let errors = Collected<any Error>()
    let workspaces = (0..<2).map { _ in makeWorkspace { errors.append($0) } }
    let threads = BackgroundThreads(4) { thread in
      var random = SeededGenerator(seed: seed &* 64 &+ UInt64(process * 8 + thread))
      let writer = Int64(1 + process * 4 + thread)
      for call in 0..<LongForm.sharedCalls.size {
        let name = "\(process).\(thread).\(call)"
        let workspace = workspaces[thread % 2]
        let called = now()
        var entry =
          call % 4 == 3
          ? (checksReads ? read(name, workspace) : fetch(name, workspace))
          : perform(
            name, workspace, firstValue: writer * 1_000_000 + Int64(call) * 10, writesAll: !checksReads, &random)
        entry?.called = called
        entry?.completed = now()
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
    for workspace in workspaces { workspace.shutdown(flags: [], completion: nil) }
    return result
  }

  private static func now() -> Int { Int(DispatchTime.now().uptimeNanoseconds) }

  /// Reads all registers in one transaction. Nil when it does not complete.
  private static func read(_ name: String, _ workspace: any Workspace) -> Record.Entry? {
    let entries = Collected<Record.Entry>()
    let transaction = PendingTransaction(RegisterType.all.map(\.type), in: workspace) { _ in
      entries.append(fetch(name, workspace))
    }
    guard let success = transaction.outcome(), var entry = entries.values.last else { return nil }
    entry.isCommitted = success
    return entry
  }

  /// Reads all registers in one snapshot.
  package static func fetch(_ name: String, _ workspace: any Workspace) -> Record.Entry {
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

  /// Reads some registers, and then writes all that it has read, or some of it. Nil when it does not complete.
  private static func perform(
    _ name: String, _ workspace: any Workspace, firstValue: Int64, writesAll: Bool, _ random: inout SeededGenerator
  ) -> Record.Entry? {
    let types = Array((0..<3).shuffled(using: &random).prefix(Int.random(in: 1...2, using: &random)))
    var registers: [(type: Int, key: Int64)] = []
    for type in types {
      for key in keys where Int.random(in: 0..<3, using: &random) > 0 { registers.append((type, key)) }
    }
    let pauses = registers.map { _ in UInt32.random(in: 0..<1200, using: &random) }
    let isWritten = registers.map { _ in writesAll || Int.random(in: 0..<2, using: &random) == 0 }
    let operations = Collected<Record.Operation>()
    let transaction = PendingTransaction(types.map { RegisterType.all[$0].type }, in: workspace) {
      [registers] context in
      // Where a closure may run several times, the last time counts.
      operations.removeAll()
      for (register, pause) in zip(registers, pauses) {
        let value = RegisterType.all[register.type].read(workspace, register.key)
        operations.append(Record.Operation(isWrite: false, type: register.type, key: register.key, value: value))
        if pause % 2 == 0 { usleep(pause) }
      }
      for (index, register) in registers.enumerated() where isWritten[index] {
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
  ///
  /// - Returns: nil if that fails.
  package static func create(in workspace: any Workspace) -> Record? {
    var entry = Record.Entry(name: "creation", isCommitted: true)
    for (type, _) in RegisterType.all.enumerated() {
      for key in keys {
        entry.operations.append(Record.Operation(isWrite: false, type: type, key: key, value: nil))
        entry.operations.append(
          Record.Operation(isWrite: true, type: type, key: key, value: Int64(type) * 10 + key))
      }
    }
    let operations = entry.operations
    let hasFailed = Locked(false)
    let transaction = PendingTransaction(RegisterType.all.map(\.type), in: workspace) { context in
      for operation in operations where operation.isWrite {
        do throws(TransactionError) {
          try RegisterType.all[operation.type].create(context, operation.key, operation.value ?? 0)
        } catch {
          hasFailed.value = true
        }
      }
    }
    return transaction.outcome() == true && !hasFailed.value ? Record(entries: [entry]) : nil
  }

  // MARK: Checking

  /// All that was done in a store: with what it held before first, and what it holds in the end last.
  ///
  /// - Parameter isStrict: whether a transaction that was complete comes before one that is asked for later, in whatever process.
  package static func history(
    creation: Record, _ records: [Record], end workspace: any Workspace, isStrict: Bool
  ) -> History {
    let end = Record(entries: [fetch("the end", workspace)])
    return History(
      transactions: creation.transactions { _ in (-2, -1) }
        + records.flatMap { $0.transactions { isStrict ? ($0.called, $0.completed) : (0, 1) } }
        + end.transactions { _ in (.max - 1, .max) })
  }

  /// Waits for all further processes, so that all begin at the same time.
  ///
  /// - Parameter path: where each leaves an empty file when it is ready.
  package static func areReady(_ count: Int, _ path: String) -> Bool {
    eventually {
      (1..<count).allSatisfy { FileManager.default.fileExists(atPath: "\(path).ready\($0)") }
    }
  }
}
