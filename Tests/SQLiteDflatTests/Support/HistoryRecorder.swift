import EngineTestSupport
import Dflat
import Dispatch
import Foundation
import SQLiteDflat
import TestSupport

/// Runs random transactions from several threads, and records what they saw and when.
final class HistoryRecorder: @unchecked Sendable {
  // Unchecked because the variables are guarded by the lock.
  private let workspace: SQLiteWorkspace
  private let lock = NSLock()
  private var clock = 0
  private var lastValue: Int64 = 0
  private var transactions: [History.Transaction] = []
  private let pending = DispatchGroup()
  private let keys: Int64 = 3

  /// A transaction that a caller has asked for.
  private final class Call: Sendable {
    let types: Set<Int>
    let done = DispatchGroup()

    init(_ types: Set<Int>) {
      self.types = types
      done.enter()
    }
  }

  init(_ workspace: SQLiteWorkspace) {
    self.workspace = workspace
  }

  /// - Parameter calls: how many transactions and fetches each thread asks for.
  func run(threads: Int, calls: Int, seed: UInt64) -> History? {
    let subscriptions = RegisterType.all.indices.map(subscribe) + (0..<keys).map(subscribeToDictionary)
    defer { for subscription in subscriptions { subscription.cancel() } }
    let callers = DispatchGroup()
    for thread in 0..<threads {
      callers.enter()
      Thread.detachNewThread {
        var random = SeededGenerator(seed: seed &* 31 &+ UInt64(thread))
        var last: Call?
        for call in 0..<calls { self.call("\(thread).\(call)", after: &last, &random) }
        callers.leave()
      }
    }
    let haveCalled = callers.wait(timeout: .now() + patience) == .success
    guard haveCalled, pending.wait(timeout: .now() + patience) == .success else { return nil }
    return lock.withLock { History(transactions: transactions) }
  }

  private func tick() -> Int {
    lock.withLock {
      clock += 1
      return clock
    }
  }

  private func newValue() -> Int64 {
    lock.withLock {
      lastValue += 1
      return lastValue
    }
  }

  private func call(_ name: String, after last: inout Call?, _ random: inout SeededGenerator) {
    switch Int.random(in: 0..<10, using: &random) {
    case 0: fetch(name, types: [Int.random(in: 0..<3, using: &random)])
    case 1: fetch(name, types: [0, 1, 2, History.RegisterID.dictionary])
    default:
      let call = perform(name, seed: random.next(), depth: 0, after: last)
      if Int.random(in: 0..<6, using: &random) == 0 { call.done.wait() }
      last = call
    }
    if Int.random(in: 0..<12, using: &random) == 0 { usleep(UInt32.random(in: 0..<300, using: &random)) }
  }

  /// Records each result that a subscription to all registers of a type delivers.
  private func subscribe(type: Int) -> any WorkspaceSubscription {
    RegisterType.all[type].subscribe(workspace) { [self] values in
      let registers = (0..<keys).map { History.RegisterID(type: type, key: $0) }
      record(registers.map { .read($0, values[$0.key]) }, deliveredBy: type)
    }
  }

  /// Records each value that a subscription to a key of the dictionary delivers.
  private func subscribeToDictionary(key: Int64) -> any WorkspaceSubscription {
    let register = History.RegisterID(type: History.RegisterID.dictionary, key: key)
    return workspace.dictionary.subscribe(register.description, of: Int.self) { [self] change in
      record([.read(register, change.value.map(Int64.init))], deliveredBy: register.type + Int(key))
    }
  }

  private func record(_ operations: [History.Operation], deliveredBy subscription: Int) {
    let time = tick()
    lock.withLock {
      transactions.append(
        History.Transaction(
          name: "delivery of \(subscription)", operations: operations, called: time, accepted: time, completed: time,
          subscription: subscription))
    }
  }

  /// Reads all registers of the types as they are at one commit version.
  private func fetch(_ name: String, types: [Int]) {
    let called = tick()
    var operations: [History.Operation] = []
    workspace.fetchWithinASnapshot {
      for type in types {
        let registers = (0..<keys).map { History.RegisterID(type: type, key: $0) }
        if type == History.RegisterID.dictionary {
          for register in registers {
            let value = workspace.dictionary[register.description, Int.self]
            operations.append(.read(register, value.map(Int64.init)))
          }
        } else {
          let values = RegisterType.all[type].readAll(workspace)
          for register in registers { operations.append(.read(register, values[register.key])) }
        }
      }
    }
    let completed = tick()
    lock.withLock {
      transactions.append(
        History.Transaction(
          name: "fetch \(name)", operations: operations, called: called, accepted: completed, completed: completed))
    }
  }

  @discardableResult
  private func perform(_ name: String, seed: UInt64, depth: Int, after last: Call?) -> Call {
    var random = SeededGenerator(seed: seed)
    let types = Array((0..<3).shuffled(using: &random).prefix(Int.random(in: 1...2, using: &random)))
    let call = Call(Set(types))
    pending.enter()
    // Written by the closure, and read when that has returned.
    let operations = Collected<History.Operation>()
    let called = tick()
    let record = Collected<Int>()
    workspace.performChanges(types.map { RegisterType.all[$0].type }) { [self, random] context in
      var random = random
      // It may wait for an earlier one before it writes; while it does, only for one of its types, which has written.
      if let last, Int.random(in: 0..<16, using: &random) == 0 { last.done.wait() }
      change(types, context, operations, &random)
      if let last, !last.types.isDisjoint(with: types), Int.random(in: 0..<16, using: &random) == 0 { last.done.wait() }
      if depth < 2, Int.random(in: 0..<8, using: &random) == 0 {
        perform("\(name)'", seed: random.next(), depth: depth + 1, after: nil)
      }
      // A closure may go on after its last submission, while others wait for the lock.
      if Int.random(in: 0..<20, using: &random) == 0 { usleep(200) }
    } completionHandler: { [self] success in
      let completed = tick()
      lock.withLock {
        transactions.append(
          History.Transaction(
            name: name, types: Set(types), operations: operations.values, called: called,
            accepted: record.values.first ?? completed, completed: completed, isCommitted: success))
      }
      call.done.leave()
      pending.leave()
    }
    record.append(tick())
    return call
  }

  private func change(
    _ types: [Int], _ context: any TransactionContext, _ operations: Collected<History.Operation>,
    _ random: inout SeededGenerator
  ) {
    for _ in 0..<Int.random(in: 1...4, using: &random) {
      let type = types[Int.random(in: 0..<types.count, using: &random)]
      let key = Int64.random(in: 0..<keys, using: &random)
      let register = History.RegisterID(type: type, key: key)
      let registers = RegisterType.all[type]
      if Int.random(in: 0..<4, using: &random) == 0 { usleep(UInt32.random(in: 0..<100, using: &random)) }
      if Int.random(in: 0..<5, using: &random) == 0 {
        changeDictionary(key, context, operations, &random)
        continue
      }
      let before = registers.read(workspace, key)
      operations.append(.read(register, before))
      let value = newValue()
      do throws(TransactionError) {
        switch Int.random(in: 0..<10, using: &random) {
        case 0..<3: continue
        case 3:
          // A conflict when there is one, which must leave the rest alone.
          try registers.create(context, key, value)
        case 4 where Int.random(in: 0..<3, using: &random) == 0:
          try registers.write(context, key, value)
          context.abort()
        default: try registers.write(context, key, value)
        }
        operations.append(.write(register, value))
      } catch {
        if error != .objectAlreadyExists { return }
      }
    }
  }

  /// Reads a key of the dictionary in the transaction, and mostly sets it.
  private func changeDictionary(
    _ key: Int64, _ context: any TransactionContext, _ operations: Collected<History.Operation>,
    _ random: inout SeededGenerator
  ) {
    let register = History.RegisterID(type: History.RegisterID.dictionary, key: key)
    let name = register.description
    operations.append(.read(register, context.dictionary[name, Int.self].map(Int64.init)))
    guard Int.random(in: 0..<3, using: &random) > 0 else { return }
    let value = newValue()
    context.dictionary[name] = Int(value)
    operations.append(.write(register, value))
  }
}
