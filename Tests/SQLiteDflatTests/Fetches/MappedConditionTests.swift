import Dflat
import EngineTestSupport
import Foundation
import Golden_values
import TestSupport
import Testing

@Suite("Conditions on dates, durations, amounts, identifiers and types of the app")
struct MappedConditionTests {
  private static let count = 150

  @Test(
    "Random conditions find the objects that they mean for the stored numbers, with full indexes, half ones and none",
    arguments: LongForm.seeds(ofConditions: count, sample: 4))
  func randomConditions(seeds: Range<Int>) async throws {
    for seed in seeds { try await compare(seed: seed) }
  }

  private func compare(seed: Int) async throws {
    let indexes = Shop.Order._record.indexes.map { "shop__order__\($0.key)" }
    let store = try TestStore()
    func check(isRepeated: Bool) async throws {
      let problems = try await MappedValueChecks.problems(
        seed: seed, conditions: Self.count, isRepeated: isRepeated, in: store.workspace)
      for problem in problems { Issue.record("\(problem)") }
    }
    try await check(isRepeated: false)
    // The last rows lack their entries, as they do while an index is filled.
    for index in indexes { try store.sql("DELETE FROM \(index) WHERE rowid > 30") }
    try await check(isRepeated: true)
    // The fetches have requested the indexes.
    try await store.workspace.waitForIndexes(of: Shop.Order.self)
    try await check(isRepeated: true)
    #expect(store.errors.values.isEmpty, "\(store.errors.values)")
    for index in indexes {
      // An index that cannot be filled.
      let key = index.dropFirst("shop__order__".count)
      try store.sql("DROP TABLE \(index); CREATE VIEW \(index) AS SELECT 0 AS rowid, 0 AS \(key)")
    }
    try await check(isRepeated: true)
    store.errors.removeAll()
  }

  @Test("Conditions with rare constants, with an index and without")
  func rareConstants() async throws {
    let store = try TestStore()
    for isIndexed in [false, true] {
      let problems = try await RareConstantChecks.problems(isRepeated: isIndexed, in: store.workspace)
      for problem in problems { Issue.record("\(problem)") }
      try await store.workspace.waitForIndexes(of: Shop.Order.self)
    }
    #expect(store.errors.values.isEmpty, "\(store.errors.values)")
  }

  @Test("By an index, no row is read to find that no object has a value that no field can hold")
  func unstorableConstants() async throws {
    let store = try TestStore()
    let workspace = store.workspace
    #expect(try await RareConstantChecks.problems(isRepeated: false, in: workspace).isEmpty)
    try await workspace.waitForIndexes(of: Shop.Order.self)
    let never = Date(timeIntervalSince1970: .nan)
    let queries: [QueryExpression<Bool, Shop.Order>] = [Shop.Order.created == never, Shop.Order.created.in([never])]
    for query in queries {
      #expect(try workspace.fetch(for: Shop.Order.self).explain(where: query).access == .index(["created"]))
    }
  }

  @Test(
    "Subscribers to random conditions are told what holds", arguments: LongForm.seeds(ofConditions: 40, sample: 4))
  func subscribers(seeds: Range<Int>) async throws {
    for seed in seeds {
      let store = try TestStore()
      let problems = try await MappedValueChecks.problems(
        ofSubscribers: 40, seed: seed, transactions: 30, in: store.workspace)
      for problem in problems { Issue.record("\(problem)") }
      #expect(store.errors.values.isEmpty, "\(store.errors.values)")
    }
  }
}
