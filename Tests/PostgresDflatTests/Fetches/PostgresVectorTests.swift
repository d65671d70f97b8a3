import Dflat
import EngineTestSupport
import Golden_vectors
import PostgresDflat
import TestSupport
import Testing

@Suite("Conditions on vectors mean in PostgreSQL what they mean in SQLite")
struct PostgresVectorTests {
  @Test(
    "Random conditions find the objects that they mean in Swift",
    arguments: LongForm.seeds(ofConditions: 100, sample: 3))
  func randomConditions(seeds: Range<Int>) throws {
    for seed in seeds {
      let database = try TestDatabase()
      let problems = VectorChecks.problems(seed: seed, conditions: 100, in: database.workspace) { baskets in
        database.perform([Basket.self]) { transaction in
          for basket in baskets { transaction.try(submit: BasketChangeRequest.creationRequest(basket)) }
        }
      }
      for problem in problems { Issue.record("\(problem)") }
      #expect(database.errors.values.isEmpty, "\(database.errors.values)")
    }
  }

  @Test(
    "Subscribers to random conditions are told what holds", arguments: LongForm.seeds(ofConditions: 20, sample: 1))
  func randomSubscribers(seeds: Range<Int>) async throws {
    for seed in seeds {
      let database = try TestDatabase()
      let problems = try await VectorChecks.problems(
        ofSubscribers: 20, seed: seed, transactions: 15, in: database.workspace)
      for problem in problems { Issue.record("\(problem)") }
      #expect(database.errors.values.isEmpty, "\(database.errors.values)")
    }
  }
}
