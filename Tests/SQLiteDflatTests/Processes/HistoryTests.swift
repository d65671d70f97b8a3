import EngineTestSupport
import Dflat
import Dispatch
import Foundation
import SQLiteDflat
import TestSupport
import Testing

@Suite("Transactions are strictly serializable")
struct HistoryTests {
  @Test("Some order explains what random transactions saw", arguments: [false, true])
  func randomHistories(isSerial: Bool) throws {
    for seed in LongForm.seeds(LongForm.histories.size) {
      let store = try TestStore(writeConcurrency: isSerial ? .serial : .concurrent)
      let run = HistoryRecorder(store.workspace).run(threads: 4, calls: 40, seed: UInt64(seed))
      let history = try #require(run, "DFLAT_SEED=\(seed): hangs")
      #expect(history.transactions.count >= 160)
      let violation = history.violation()
      #expect(violation == nil, "DFLAT_SEED=\(seed)\n\(violation ?? "")")
      #expect(store.errors.values.isEmpty)
      LongForm.record(history.transactions.count, "transactions, fetches and deliveries in histories of one process")
    }
  }

  @Test("The checker reports a lost update when two workspaces schedule transactions of one type")
  func theCheckerFindsWhatTwoSchedulersDo() throws {
    // Two workspaces of one file do not know of each other's types: as bad a scheduler as can be.
    let store = try TestStore()
    let other = store.reopened()
    defer { other.shutdown() }
    let registers = RegisterType.all[0]
    let register = History.RegisterID(type: 0, key: 1)
    func transaction(_ name: String, _ called: Int, _ completed: Int, _ value: Int64, after seen: Int64?)
      -> History.Transaction
    {
      History.Transaction(
        name: name, types: [0], operations: [.read(register, seen), .write(register, value)], called: called,
        accepted: called + 1, completed: completed)
    }
    let seen = Collected<(Int, Int64?)>()
    store.perform([registers.type]) { context in
      seen.append((1, registers.read(store.workspace, 1)))
      store.perform([registers.type], in: other) { context in
        seen.append((2, registers.read(other, 1)))
        #expect(throws: Never.self) { try registers.write(context, 1, 20) }
      }
      #expect(throws: Never.self) { try registers.write(context, 1, 10) }
    }
    let reads = Dictionary(uniqueKeysWithValues: seen.values)
    let history = History(transactions: [
      transaction("outer", 1, 8, 10, after: reads[1] ?? nil), transaction("inner", 3, 6, 20, after: reads[2] ?? nil),
    ])
    #expect(history.violation()?.contains("an update was lost") == true)
    #expect(!history.isExplained())
  }

  @Test("The checker refuses a history that has been spoiled", arguments: 1...20)
  func spoiledHistory(seed: Int) throws {
    let store = try TestStore()
    let run = HistoryRecorder(store.workspace).run(threads: 2, calls: 12, seed: UInt64(seed))
    let history = try #require(run)
    var random = SeededGenerator(seed: UInt64(seed))
    var refused = 0
    for _ in 0..<40 {
      var spoiled = history
      let number = Int.random(in: 0..<history.transactions.count, using: &random)
      guard spoiled.transactions[number].isCommitted else { continue }
      // One that has replaced what it read: then it and another have replaced the same value. What a transaction only
      // reads may well be older.
      let operations = spoiled.transactions[number].operations
      let reads = operations.indices.filter { index in
        guard case .read(let register, .some) = operations[index] else { return false }
        return operations[index...].contains { if case .write(register, _) = $0 { true } else { false } }
      }
      guard let index = reads.randomElement(using: &random),
        case .read(let register, let value?) = spoiled.transactions[number].operations[index]
      else { continue }
      // As if the transaction had not seen the last one that was before it.
      spoiled.transactions[number].operations[index] = .read(register, history.value(before: value, at: register))
      #expect(spoiled.violation() != nil, "\(spoiled)")
      refused += 1
    }
    #expect(refused > 0)
  }

  @Test("The checker refuses deliveries in another order than that of the commits", arguments: 1...10)
  func deliveriesInAnotherOrder(seed: Int) throws {
    let store = try TestStore()
    let run = HistoryRecorder(store.workspace).run(threads: 2, calls: 12, seed: UInt64(seed))
    let history = try #require(run)
    var refused = 0
    for subscription in RegisterType.all.indices {
      let deliveries = history.transactions.indices.filter { history.transactions[$0].subscription == subscription }
      for (first, second) in zip(deliveries, deliveries.dropFirst()) {
        var spoiled = history
        spoiled.transactions[first].operations = history.transactions[second].operations
        spoiled.transactions[second].operations = history.transactions[first].operations
        #expect(spoiled.violation() != nil, "\(spoiled)")
        refused += 1
      }
    }
    #expect(refused > 0)
  }

  @Test("The checker agrees with trying every order", arguments: 1...8)
  func checkerAgainstSearch(seed: Int) {
    var random = SeededGenerator(seed: UInt64(seed))
    var explained = 0
    for _ in 0..<300 {
      let history = History(random: &random)
      let isExplained = history.isExplained()
      #expect((history.violation() == nil) == isExplained, "\(history): \(history.violation() ?? "fine")")
      if isExplained { explained += 1 }
    }
    // Else it would be enough to say always the same.
    #expect(explained > 20 && explained < 280)
  }
}

extension History {
  /// The value that `value` replaced.
  fileprivate func value(before value: Int64, at register: RegisterID) -> Int64? {
    for transaction in transactions {
      guard let write = transaction.operations.firstIndex(of: .write(register, value)) else { continue }
      for case .read(register, let before) in transaction.operations[..<write] { return before }
    }
    return nil
  }

  /// A few transactions on two registers, that may have been run in some order or may not.
  fileprivate init(random: inout SeededGenerator) {
    self.init(transactions: [])
    var registers: [RegisterID: Int64] = [:]
    var old = registers
    var value: Int64 = 0
    for number in 0..<Int.random(in: 2...6, using: &random) {
      // Mostly each sees what those before it have left, and some see less.
      let seen = Int.random(in: 0..<5, using: &random) == 0 ? old : registers
      var own = seen
      var transaction = Transaction(name: "\(number)", called: 0, accepted: 0, completed: 0)
      transaction.types = Set((0..<2).filter { _ in Bool.random(using: &random) })
      transaction.isCommitted = Int.random(in: 0..<8, using: &random) != 0
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        let register = RegisterID(type: Int.random(in: 0..<2, using: &random), key: 0)
        transaction.operations.append(.read(register, own[register]))
        guard Bool.random(using: &random) else { continue }
        value += 1
        transaction.operations.append(.write(register, value))
        own[register] = value
      }
      // Times of one call after the other, with some overlap.
      let start = 100 * number + Int.random(in: 0..<250, using: &random)
      transaction.called = start * 8 + number
      transaction.accepted = transaction.called + 8 * Int.random(in: 1..<60, using: &random)
      transaction.completed = transaction.accepted + 8 * Int.random(in: 1..<150, using: &random)
      old = registers
      if transaction.isCommitted || Int.random(in: 0..<4, using: &random) == 0 { registers.merge(own) { $1 } }
      transactions.append(transaction)
    }
  }
}
