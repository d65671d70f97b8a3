import Dflat
import EngineTestSupport
import Golden_values
import Golden_vectors
import PostgresDflat
import TestSupport
import Testing

@Suite("Two versions of a schema, one of which has indexes, use one database of PostgreSQL beside each other")
struct PostgresTwoVersionTests {
  @Test(
    "Both versions find by conditions on vectors what is stored, also beside a program that knows no index",
    arguments: LongForm.seeds(ofConditions: VersionChecks.count, sample: 2))
  func vectors(seeds: Range<Int>) async throws {
    for seed in seeds {
      let database = try TestDatabase()
      let older = database.other()
      let sides = VersionChecks.Sides(
        older: older, newer: database.workspace,
        waitForIndexes: { try await database.workspace.waitForIndexes(of: IndexedBasket.self) },
        rewrite: { id, bytes in
          let digits = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
          try database.sql("UPDATE basket SET p = '\\x\(digits)' WHERE __pk0 = \(id)")
        })
      for problem in try await VersionChecks.problemsOfVectors(seed: seed, sides) { Issue.record("\(problem)") }
      await older.shutdown()
      #expect(database.errors.values.isEmpty, "\(database.errors.values)")
      LongForm.record(VersionChecks.count, "conditions on vectors in PostgreSQL, beside an older version")
    }
  }

  @Test(
    "Both versions find by conditions on mapped fields what is stored",
    arguments: LongForm.seeds(ofConditions: VersionChecks.count, sample: 2))
  func values(seeds: Range<Int>) async throws {
    for seed in seeds {
      let database = try TestDatabase()
      let older = database.other()
      let sides = VersionChecks.Sides(
        older: older, newer: database.workspace,
        waitForIndexes: { try await database.workspace.waitForIndexes(of: Shop.Order.self) })
      for problem in try await VersionChecks.problemsOfValues(seed: seed, sides) { Issue.record("\(problem)") }
      await older.shutdown()
      #expect(database.errors.values.isEmpty, "\(database.errors.values)")
      LongForm.record(VersionChecks.count, "conditions on mapped fields in PostgreSQL, beside an older version")
    }
  }
}
