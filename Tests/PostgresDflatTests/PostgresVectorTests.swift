import Dflat
import EngineTestSupport
import Golden_vectors
import PostgresDflat
import Testing

@Suite("Conditions on vectors mean in PostgreSQL what they mean in SQLite")
struct PostgresVectorTests {
  @Test("Random conditions find the objects that they mean in Swift", arguments: 1...3)
  func randomConditions(seed: Int) throws {
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
