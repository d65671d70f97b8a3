import EngineTestSupport
import Dflat
import Foundation
import SQLiteDflat

/// Counters that several workspaces of one file increment, each with a twin of another type that has the same value.
enum SharedCounters {
  typealias Counter = Register<TagA>
  typealias Twin = Register<TagC>

  static let types: [Any.Type] = [Counter.self, Twin.self]
  static let keys: Range<Int64> = 0..<2

  /// From what a transaction makes the new value.
  enum Style: Int, CaseIterable, Sendable {
    /// From what a fetch in the closure has returned.
    case fetchInTheClosure
    /// From the latest state of an object that was fetched before the transaction.
    case objectFetchedBefore
    /// The same three times in each transaction: the second time from its own change.
    case severalChanges
  }

  /// What the writers of a workspace have done.
  struct Outcome: Codable, Sendable {
    /// By how much each counter was incremented, in transactions that completed with true.
    var increments: [Int64: Int64] = [:]
    var successes = 0
    var failures = 0
    var errors = 0
    /// The first of them: once counters and twins differ, each fetch finds that.
    var problems: [String] = []

    mutating func report(_ problem: String) {
      if problems.count < 3 { problems.append(problem) }
    }
  }

  static func create(in workspace: SQLiteWorkspace) -> Bool? {
    PendingTransaction(types, in: workspace) { context in
      for key in keys {
        context.try(submit: RegisterRequest<TagA>(.create, key: key, value: 0))
        context.try(submit: RegisterRequest<TagC>(.create, key: key, value: 0))
      }
    }.outcome()
  }

  /// The values of the counters and of their twins, of one snapshot.
  static func read(_ workspace: SQLiteWorkspace) -> (counters: [Int64: Int64], twins: [Int64: Int64]) {
    workspace.fetchWithinASnapshot {
      (RegisterType.all[0].readAll(workspace), RegisterType.all[2].readAll(workspace))
    }
  }

  /// Increments counters from several threads, and tries again what fails, while another thread reads.
  ///
  /// - Parameter count: how many transactions each thread gets stored.
  static func increment(
    in workspace: SQLiteWorkspace, _ style: Style, threads: Int, count: Int, errors: Collected<any Error>
  ) -> Outcome {
    let outcome = Locked(Outcome())
    let stop = Gate()
    let reader = BackgroundThreads { _ in
      while !stop.isOpen {
        let (counters, twins) = read(workspace)
        if counters != twins {
          outcome.change { $0.report("a fetch finds \(counters), and twins \(twins)") }
        }
      }
    }
    let writers = BackgroundThreads(threads) { _ in
      var old = Array(workspace.fetch(for: Counter.self).all())
      for number in 0..<count {
        // Objects of different age.
        if number % 5 == 4 { old = Array(workspace.fetch(for: Counter.self).all()) }
        let key = keys.randomElement() ?? 0
        var attempts = 0
        while !increment(key, style, old, workspace, outcome) {
          attempts += 1
          guard attempts < 500 else {
            outcome.change { $0.report("fails again and again") }
            return
          }
          usleep(UInt32.random(in: 0..<2000))
        }
      }
    }
    if !writers.end() { outcome.change { $0.report("hangs") } }
    stop.open()
    if !reader.end() { outcome.change { $0.report("a fetch hangs") } }
    var result = outcome.value
    // An error may be told of after the completion.
    _ = eventually { errors.count >= result.failures }
    result.errors = errors.count
    return result
  }

  /// Returns whether the transaction has completed with true.
  private static func increment(
    _ key: Int64, _ style: Style, _ old: [Counter], _ workspace: SQLiteWorkspace, _ outcome: Locked<Outcome>
  ) -> Bool {
    let steps: Int64 = style == .severalChanges ? 3 : 1
    let transaction = PendingTransaction(types, in: workspace) { context in
      do {
        if style == .fetchInTheClosure {
          try incrementFetched(key, workspace, context)
        } else {
          for _ in 0..<steps { try incrementLatest(key, old, context) }
        }
      } catch {
        // The completion tells of it.
        context.abort()
      }
    }
    let success = transaction.outcome()
    outcome.change { outcome in
      switch success {
      case true?:
        outcome.successes += 1
        outcome.increments[key, default: 0] += steps
      case false?: outcome.failures += 1
      case nil: outcome.report("a transaction hangs")
      }
    }
    return success != false
  }

  private struct Missing: Error {}

  /// Makes the new values from what fetches return, and the requests only then.
  private static func incrementFetched(
    _ key: Int64, _ workspace: SQLiteWorkspace, _ context: any TransactionContext
  ) throws {
    let (counters, twins) = (RegisterType.all[0], RegisterType.all[2])
    guard let counter = counters.read(workspace, key) else { throw Missing() }
    pause()
    guard let twin = twins.read(workspace, key) else { throw Missing() }
    pause()
    try counters.write(context, key, counter + 1)
    pause()
    try twins.write(context, key, twin + 1)
  }

  /// Makes both requests, from the latest states, and submits them later.
  private static func incrementLatest(_ key: Int64, _ old: [Counter], _ context: any TransactionContext) throws {
    let object = old.first { $0.key == key } ?? Counter(key: key, value: 0)
    guard let counter = CurrentTransaction.latest(object) else { throw Missing() }
    pause()
    guard let twin = CurrentTransaction.latest(Twin(key: key, value: 0)) else { throw Missing() }
    pause()
    try context.submit(RegisterRequest<TagA>(.update(counter), key: key, value: counter.value + 1))
    pause()
    try context.submit(RegisterRequest<TagC>(.update(twin), key: key, value: twin.value + 1))
  }

  /// Lets others come between two steps, sometimes.
  private static func pause() {
    if Bool.random() { usleep(UInt32.random(in: 0..<1500)) }
  }
}
