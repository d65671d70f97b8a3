import Dflat
import EngineTestSupport
import Golden_values
import Golden_vectors
import TestSupport
import Testing

@testable import SQLiteDflat

@Suite("Two versions of a schema, one of which has indexes, use one file beside each other")
struct TwoVersionTests {
  @Test(
    "Both versions find by conditions on vectors what is stored, also beside a program that knows no index",
    arguments: LongForm.seeds(ofConditions: VersionChecks.count, sample: 4))
  func vectors(seeds: Range<Int>) async throws {
    for seed in seeds {
      let store = try TestStore()
      let older = store.reopened()
      let sides = VersionChecks.Sides(
        older: older, newer: store.workspace,
        waitForIndexes: { try await store.workspace.waitForIndexes(of: IndexedBasket.self) },
        rewrite: { id, bytes in
          let digits = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
          try store.sql("UPDATE basket SET p = x'\(digits)' WHERE __pk0 = \(id)")
        })
      for problem in try await VersionChecks.problemsOfVectors(seed: seed, sides) { Issue.record("\(problem)") }
      await older.shutdown()
      #expect(store.errors.values.isEmpty, "\(store.errors.values)")
      LongForm.record(VersionChecks.count, "conditions on vectors, beside an older version")
    }
  }

  @Test(
    "Both versions find by conditions on mapped fields what is stored",
    arguments: LongForm.seeds(ofConditions: VersionChecks.count, sample: 4))
  func values(seeds: Range<Int>) async throws {
    for seed in seeds {
      let store = try TestStore()
      let older = store.reopened()
      let sides = VersionChecks.Sides(
        older: older, newer: store.workspace,
        waitForIndexes: { try await store.workspace.waitForIndexes(of: Shop.Order.self) })
      for problem in try await VersionChecks.problemsOfValues(seed: seed, sides) { Issue.record("\(problem)") }
      await older.shutdown()
      #expect(store.errors.values.isEmpty, "\(store.errors.values)")
      LongForm.record(VersionChecks.count, "conditions on mapped fields, beside an older version")
    }
  }
}
