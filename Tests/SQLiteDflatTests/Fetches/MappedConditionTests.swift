import Dflat
import EngineTestSupport
import Foundation
import Golden_values
import TestSupport
import Testing

@Suite("Conditions on dates, durations, amounts, identifiers and types of the app")
struct MappedConditionTests {
  @Test(
    "Random conditions find the objects that they mean for the stored numbers, with indexes and without",
    arguments: LongForm.seeds(4))
  func randomConditions(seed: Int) async throws {
    let store = try TestStore()
    for isIndexed in [false, true] {
      let problems = try await MappedValueChecks.problems(
        seed: seed, conditions: 300, isRepeated: isIndexed, in: store.workspace)
      for problem in problems { Issue.record("\(problem)") }
      // The first fetches have requested the indexes.
      try await store.workspace.waitForIndexes(of: Shop.Order.self)
    }
    #expect(store.errors.values.isEmpty, "\(store.errors.values)")
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

  @Test("Subscribers to random conditions are told what holds", arguments: LongForm.seeds(4))
  func subscribers(seed: Int) async throws {
    let store = try TestStore()
    let problems = try await MappedValueChecks.problems(
      ofSubscribers: 40, seed: seed, transactions: 30, in: store.workspace)
    for problem in problems { Issue.record("\(problem)") }
    #expect(store.errors.values.isEmpty, "\(store.errors.values)")
  }
}
