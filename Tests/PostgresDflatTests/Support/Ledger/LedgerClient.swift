import Dflat
import EngineTestSupport
import Foundation
import Golden_post
import PostgresDflat
import TestSupport

/// What a client of the ledger is to do: what its process is given.
struct LedgerPlan: Codable, Sendable {
  /// Where it writes its logs, and where a file `stop` ends it.
  var folder: String
  var client: Int
  var seed: Int
  var connection: String
  /// The server itself, if the connection leads to a pooler.
  var directConnection: String?
  /// The schema of its tables; nil for that of the search path.
  var schema: String?
  /// Whether it has few connections, waits for them a short time only, and runs transactions of one type side by side.
  var isShort = false
  /// How many transactions each of its workers gets stored.
  var goal: Int
  /// After so many seconds the process is killed; nil if it ends by itself.
  var lifetime: Double?
  /// Whether what a snapshot has seen must be stored for good. A primary that has started again may show what its standby lacks.
  var trustsSnapshots = true
}

/// A process that appends to chains, transfers money, and opens and fills orders, and logs what it is told.
final class LedgerClient: Sendable {
  private static let workers = 2
  private let plan: LedgerPlan
  private let shared: PostgresWorkspace

  private init(_ plan: LedgerPlan) {
    self.plan = plan
    shared = Self.workspace(plan)
  }

  /// Runs a client to its end. Returns false if it was stopped before it has reached its goal.
  static func run(_ plan: LedgerPlan) async throws -> Bool {
    let client = LedgerClient(plan)
    client.endIfItHangs()
    if let lifetime = plan.lifetime {
      Thread.detachNewThread {
        Thread.sleep(forTimeInterval: lifetime)
        kill(getpid(), SIGKILL)
      }
    }
    let reached = try await withThrowingTaskGroup(of: Bool.self) { group in
      for worker in 0..<workers { group.addTask { try await client.work(worker) } }
      return try await group.reduce(true) { $0 && $1 }
    }
    await client.shared.shutdown()
    return reached
  }

  static func workspace(_ plan: LedgerPlan) -> PostgresWorkspace {
    var options = PostgresOptions(connection: plan.connection)
    options.directConnection = plan.directConnection
    options.schema = plan.schema
    options.connectTimeout = 5
    if plan.isShort {
      options.connectionLimit = 2
      options.poolTimeout = 0.3
      options.retry = .limited(5)
    }
    // What an error says is known by what becomes of the transaction.
    return PostgresWorkspace(options, writeConcurrency: plan.isShort ? .unordered : .concurrent, errorHandler: { _ in })
  }

  private var isStopped: Bool { FileManager.default.fileExists(atPath: plan.folder + "/stop") }

  /// Ends the process a minute and a half after it was told to stop, so that a hang is a failure.
  private func endIfItHangs() {
    Thread.detachNewThread { [self] in
      while !isStopped { sleep(1) }
      sleep(90)
      // Not `exit`, which may wait for locks that are held for ever.
      _exit(9)
    }
  }

  /// What a worker knows without having read it.
  private struct Knowledge {
    /// The highest index of each chain of which it knows that it is stored.
    var newest: [Int: Int] = [:]

    mutating func note(_ chain: Int, _ index: Int) -> String? {
      let known = newest[chain, default: -1]
      newest[chain] = max(known, index)
      return index < known ? "chain \(chain) ends at \(index), after \(known) was stored" : nil
    }
  }

  private func work(_ worker: Int) async throws -> Bool {
    var random = SeededGenerator(seed: plan.seed &* 1_000 &+ plan.client * 10 + worker)
    let log = try LedgerLog("\(plan.folder)/\(plan.client)-\(worker).log")
    defer { log.close() }
    var own = Self.workspace(plan)
    var knowledge = Knowledge()
    var (stored, number) = (0, 0)
    while stored < plan.goal, !isStopped {
      number += 1
      let operation = Int64(plan.client * 10 + worker + 1) * 1_000_000 + Int64(number)
      // A workspace whose first fetch fails knows nothing of the tables either.
      if random.once(in: 15) {
        await own.shutdown()
        own = Self.workspace(plan)
      }
      let workspace = random.once(in: 3) ? shared : own
      if random.once(in: 8) {
        if let entry = observe(operation, workspace, &random, &knowledge) { try log.write(entry) }
        continue
      }
      let intent = LedgerIntent(operation, &random)
      try log.write(LedgerEntry(operation: operation, outcome: .begun))
      let entry = await perform(intent, workspace, &knowledge)
      try log.write(entry)
      if entry.outcome == .stored { stored += 1 } else { try await Task.sleep(for: .milliseconds(random.next(40))) }
    }
    await own.shutdown()
    return stored >= plan.goal
  }

  private func perform(
    _ intent: LedgerIntent, _ workspace: PostgresWorkspace, _ knowledge: inout Knowledge
  ) async -> LedgerEntry {
    var entry = LedgerEntry(operation: intent.operation, outcome: .refused)
    let runs = Locked<[String]>([])
    do {
      let result = try await workspace.performChanges(LedgerIntent.types) {
        (context: any TransactionContext) throws -> LedgerIntent.Result in
        let run = Swift.Result { try intent.perform(context, workspace) }
        runs.change { $0.append("\(run.map(\.effect))") }
        return try run.get()
      }
      entry.outcome = .stored
      entry.effect = result.effect
      if let (chain, index) = result.newest { entry.problem = knowledge.note(chain, index) }
      if case .append(let chain, let index, _) = result.effect { _ = knowledge.note(chain, index) }
    } catch let error as TransactionError {
      if (error.cause as? PostgresError)?.cause == .unknownOutcome { entry.outcome = .unknown }
      entry.reason = "\(runs.value): \(error) \(error.cause.map { "\($0)" } ?? "")"
    } catch {
      // The closure has found nothing to do.
      entry.reason = "\(runs.value): \(error)"
    }
    return entry
  }

  private static func accounts(in workspace: any Workspace, oneByOne: Bool) -> [Thing] {
    let things = workspace.fetch(for: Thing.self)
    guard oneByOne else { return Array(things.all()) }
    return LedgerBank.accounts.compactMap { (id: Int64) -> Thing? in
      things.first(where: Thing.id == id && Thing.name == "account")
    }
  }

  /// Reads the bank and a chain in one snapshot. nil if that fails.
  private func observe(
    _ operation: Int64, _ workspace: PostgresWorkspace, _ random: inout SeededGenerator, _ knowledge: inout Knowledge
  ) -> LedgerEntry? {
    let chain = random.next(LedgerChain.count)
    // With a fetch for each account, only a snapshot of all of them has the right sum.
    let isOneByOne = random.once(in: 2)
    guard
      let (accounts, versions) = try? workspace.fetchWithinASnapshot({ () throws -> ([Thing], [Post]) in
        let accounts = Self.accounts(in: workspace, oneByOne: isOneByOne)
        return (accounts, Array(LedgerIntent.versions(of: chain, in: workspace)))
      })
    else { return nil }
    var entry = LedgerEntry(operation: operation, outcome: .observed)
    entry.total = accounts.reduce(0) { $0 + Int64($1.big) }
    entry.problem = LedgerChain.problem(chain, versions)
    if plan.trustsSnapshots {
      entry.seen = versions.last.map { [$0.title] } ?? []
      entry.problem = entry.problem ?? knowledge.note(chain, versions.count - 1)
    }
    return entry
  }
}
