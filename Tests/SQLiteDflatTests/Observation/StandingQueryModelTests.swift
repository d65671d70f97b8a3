import EngineTestSupport
import Dflat
import Foundation
import Golden_post
import TestSupport
import Testing

@testable import SQLiteDflat

@Suite("Standing queries give what a fetch gives, after every commit")
struct StandingQueryModelTests {
  /// How many queries a history has: twelve, and one more in every fifth round.
  private static let count = 12 + LongForm.standingCommits.size / 5

  @Test(
    "Random queries are current after each of many random transactions",
    arguments: LongForm.seeds(ofConditions: count, sample: 16))
  func randomHistory(seeds: Range<Int>) throws {
    for seed in seeds { try compare(seed: seed) }
  }

  private func compare(seed: Int) throws {
    let store = try TestStore()
    var generator = PostGenerator(random: SeededGenerator(seed: UInt64(seed)))
    var rows: [Int64: Post] = [:]
    var observers: [ResultObserver] = []
    for round in 0..<LongForm.standingCommits.size {
      let comment = "seed \(seed), round \(round)"
      if observers.count < 12 || generator.chance(20) {
        if observers.count >= 12 { observers.remove(at: Int.random(in: 0..<12, using: &generator.random)).cancel() }
        observers.append(observer(store.workspace, &generator))
      }
      change(store, &rows, &generator)
      for observer in observers { observer.check(comment) }
    }
    #expect(store.errors.values.isEmpty)
    #expect(observers.contains { $0.updateCount > 0 })
    LongForm.record(LongForm.standingCommits.size, "commits that standing queries follow")
  }

  @Test(
    "Random queries are current after transactions that are committed together",
    arguments: LongForm.seeds(ofConditions: 12, sample: 8))
  func queuedTransactions(seeds: Range<Int>) throws {
    for seed in seeds { try compareQueued(seed: seed) }
  }

  private func compareQueued(seed: Int) throws {
    let store = try TestStore()
    var generator = PostGenerator(random: SeededGenerator(seed: UInt64(1000 + seed)))
    let observers = (0..<12).map { _ in observer(store.workspace, &generator) }
    for round in 0..<max(4, LongForm.standingCommits.size / 10) {
      let seeds = (0..<20).map { _ in generator.random.next() }
      let transactions = seeds.map { seed in
        PendingTransaction([Post.self], in: store.workspace) { context in
          var generator = PostGenerator(random: SeededGenerator(seed: seed))
          for _ in 0..<Int.random(in: 1...4, using: &generator.random) {
            let post = generator.post(title: generator.title())
            context.try(submit: PostChangeRequest.upsertRequest(post))
            if generator.chance(30), let request = PostChangeRequest.deletionRequest(post) {
              context.try(submit: request)
            }
          }
        }
      }
      for each in transactions { #expect(each.outcome() == true) }
      for observer in observers { observer.check("seed \(seed), round \(round)") }
    }
    #expect(store.errors.values.isEmpty)
  }

  private func observer(_ workspace: SQLiteWorkspace, _ generator: inout PostGenerator) -> ResultObserver {
    let condition =
      generator.chance(90) ? generator.condition(depth: Int.random(in: 0...3, using: &generator.random)) : nil
    let keys = generator.keys()
    let limit: Limit = generator.chance(60) ? .noLimit : .limit(Int.random(in: 0...6, using: &generator.random))
    let orderBy = keys.map(\.orderBy)
    let query = condition?.query
    return ResultObserver("\(condition?.description ?? "all") by \(keys), \(limit)", in: workspace) {
      if let query { return workspace.fetch(for: Post.self).where(query, limit: limit, orderBy: orderBy) }
      return workspace.fetch(for: Post.self).all(limit: limit, orderBy: orderBy)
    }
  }

  /// Runs one transaction of several changes, which may be aborted.
  private func change(_ store: TestStore, _ rows: inout [Int64: Post], _ generator: inout PostGenerator) {
    let isAborted = generator.chance(15)
    var draft = rows
    var inner = generator
    inner.random = SeededGenerator(seed: generator.random.next())
    store.perform([Post.self], completing: !isAborted) { context in
      // Now and then so many that the transaction writes them through.
      let count = inner.chance(10) ? 100 : Int.random(in: 1...8, using: &inner.random)
      for _ in 0..<count {
        let post = inner.post(title: inner.title())
        let rowids = draft.keys.sorted()
        let target = rowids.isEmpty ? nil : draft[inner.pick(rowids)]
        switch Int.random(in: 0..<10, using: &inner.random) {
        case 0..<5:
          switch context.try(submit: PostChangeRequest.upsertRequest(post)) {
          case .inserted(let stored), .updated(let stored): draft[stored._rowid] = stored
          default: break
          }
        case 5..<8:
          guard let target, let request = PostChangeRequest.changeRequest(target) else { continue }
          if inner.chance(60) { request.priority = post.priority }
          if inner.chance(50) { request.color = post.color }
          if inner.chance(50) { request.content = post.content }
          if case .updated(let stored) = context.try(submit: request) { draft[stored._rowid] = stored }
        default:
          guard let target, let request = PostChangeRequest.deletionRequest(target) else { continue }
          context.try(submit: request)
          draft[target._rowid] = nil
        }
      }
      if isAborted { #expect(context.abort()) }
    }
    if !isAborted { rows = draft }
  }
}
