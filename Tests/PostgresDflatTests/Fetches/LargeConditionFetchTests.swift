import Dflat
import EngineTestSupport
import Testing

@testable import PostgresDflat

@Suite("A fetch by a condition of many operators gives what the condition is on each object")
struct LargeConditionFetchTests {
  /// Few enough for the server to answer all terms, more than it is sent, and very many.
  private static let counts = [14, 100, 400, 20_000]

  @Test("Conditions of few, several hundred and 20,000 operators", arguments: ConditionGrowth.allCases)
  func fetches(growth: ConditionGrowth) async throws {
    let database = try TestDatabase()
    database.perform([Thing.self]) { context in
      for thing in LargeCondition.things { context.try(submit: ThingChangeRequest.creation(thing)) }
    }
    // As much stack as a thread of Dispatch has on Apple's systems.
    try await onThread(ofStack: 512 << 10) {
      for count in Self.counts {
        for isOfKey in [false, true] {
          LargeCondition(growth, count: count, isOfKey: isOfKey)
            .checkFetches(database.workspace, "\(count) operators, of the primary key: \(isOfKey)")
        }
      }
    }
    #expect(database.errors.values.isEmpty, "\(database.errors.values)")
  }

  private func plan(_ growth: ConditionGrowth, _ count: Int) -> PostgresFetchPlan {
    let table = TableCatalog.Table(DatabaseTable(Thing._record, in: "public"))
    let request = FetchRequest(predicate: LargeCondition(growth, count: count, isOfKey: true).condition._node)
    return PostgresFetchPlanner(table).makePlan(request, for: .objects)
  }

  @Test("The server answers up to 500 terms of the primary key that are nested 16 deep at most")
  func answeredByServer() {
    for (growth, count) in [(ConditionGrowth.or, 100), (.orOnTheRight, 100), (.not, 14), (.alternating, 14)] {
      let plan = plan(growth, count)
      #expect(plan.residual == nil && plan.sql.contains("__pk0"), "\(growth): \(plan.sql)")
    }
    // Of a chain of &&, it answers as many terms as it is sent.
    let part = plan(.and, 400)
    #expect(part.residual != nil && part.sql.split(separator: " AND ").count > 100, "\(part.sql)")
    for (growth, count) in [(ConditionGrowth.or, 400), (.not, 400), (.alternating, 399)] {
      let plan = plan(growth, count)
      #expect(plan.residual != nil && !plan.sql.contains("WHERE"), "\(growth): \(plan.sql)")
    }
  }
}
