import Dflat
import EngineTestSupport
import Foundation
import Golden_post
import PostgresDflat
import TestSupport

/// Subscribes to the chains, the bank and the orders, and logs the states that it is told.
///
/// Now and then it does so anew. When all clients have ended, it expects that it is told what is stored.
final class LedgerWatcher: Sendable {
  private let plan: LedgerPlan
  private let log: LedgerLog

  private init(_ plan: LedgerPlan) throws {
    self.plan = plan
    log = try LedgerLog("\(plan.folder)/\(plan.client)-watcher.log")
  }

  /// Watches until a gate opens.
  static func run(_ plan: LedgerPlan, until mayEnd: Gate) throws {
    let watcher = try LedgerWatcher(plan)
    var random = SeededGenerator(seed: plan.seed &* 1_000 &+ plan.client * 10 + 9)
    while true {
      let workspace = LedgerClient.workspace(plan)
      // A fetch fails while the server is away.
      var subjects = watcher.subscribe(in: workspace)
      while subjects == nil, !mayEnd.wait(0.02) { subjects = watcher.subscribe(in: workspace) }
      let isOver = mayEnd.wait(Double(1_000 + random.next(5_000)) / 1_000)
      if isOver { watcher.expectToldOfAll(subjects ?? []) }
      for subject in subjects ?? [] { subject.subscription.cancel() }
      workspace.shutdown()
      if isOver { break }
    }
    watcher.log.close()
  }

  /// What is subscribed to.
  private struct Subject {
    /// The state that was told last; at first, the one that was fetched.
    let told: Locked<LedgerSight>
    let subscription: any WorkspaceSubscription
    /// Fetches the present state; nil if that fails.
    let fetch: () -> LedgerSight?
  }

  /// Subscribes to everything. nil if a fetch fails.
  private func subscribe(in workspace: PostgresWorkspace) -> [Subject]? {
    var subjects: [Subject?] = (0..<LedgerChain.count).map { chain in
      subject(workspace, { LedgerIntent.versions(of: chain, in: workspace) }, { LedgerSight(chain, $0) })
    }
    subjects.append(subject(workspace, { workspace.fetch(for: Thing.self).all() }, { LedgerSight($0) }))
    subjects.append(subject(workspace, { workspace.fetch(for: LedgerIntent.Order.self).all() }, { LedgerSight($0) }))
    let all = subjects.compactMap { $0 }
    if all.count == subjects.count { return all }
    for subject in all { subject.subscription.cancel() }
    return nil
  }

  private func subject<Element: Atom & Equatable>(
    _ workspace: PostgresWorkspace, _ fetch: @escaping @Sendable () -> FetchedResult<Element>,
    _ sight: @escaping @Sendable ([Element]) -> LedgerSight
  ) -> Subject? {
    guard let result = try? workspace.fetchWithinASnapshot({ () throws in fetch() }) else { return nil }
    let told = Locked(sight(Array(result)))
    note(told.value, after: nil)
    let subscription = workspace.subscribe(fetchedResult: result) { [self] result in
      let state = sight(Array(result))
      // Calls of one subscription come one after the other.
      note(state, after: told.value)
      told.value = state
    }
    return Subject(told: told, subscription: subscription) {
      (try? workspace.fetchWithinASnapshot { () throws in fetch() }).map { sight(Array($0)) }
    }
  }

  /// Logs a state, and what is wrong with it.
  private func note(_ state: LedgerSight, after former: LedgerSight?) {
    var entry = LedgerEntry(operation: 0, outcome: .told)
    entry.total = state.total
    entry.problem = state.problem
    if plan.trustsSnapshots {
      // The others were logged before.
      let logged = Set(former?.marks ?? [])
      if state.total == nil { entry.seen = state.marks.filter { !logged.contains($0) } }
      entry.problem = entry.problem ?? former?.problem(before: state)
    }
    write(entry)
  }

  private func write(_ entry: LedgerEntry) {
    var entry = entry
    entry.problem = entry.problem.map { "watcher \(plan.client): \($0)" }
    do { try log.write(entry) } catch { fatalError("the log cannot be written: \(error)") }
  }

  /// Waits until the states that were told last are those that are stored. Logs a problem if they are not after ten minutes.
  private func expectToldOfAll(_ subjects: [Subject]) {
    var missing: [(told: LedgerSight, stored: LedgerSight?)] = []
    let isTold = eventually(within: 600) {
      missing = subjects.map { ($0.told.value, $0.fetch()) }.filter { $0 != $1 }
      return missing.isEmpty
    }
    if isTold { return }
    for (told, stored) in missing {
      var entry = LedgerEntry(operation: 0, outcome: .told)
      entry.problem = """
        was told of \(told.marks.count) rows last, the newest \(told.marks.last ?? "none"), and \
        \(stored.map { "\($0.marks.count) are stored, the newest \($0.marks.last ?? "none")" } ?? "no fetch succeeds")
        """
      write(entry)
    }
  }
}
