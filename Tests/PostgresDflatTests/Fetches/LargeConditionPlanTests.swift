import Dflat
import EngineTestSupport
import FlatBuffersCore
import Testing

@testable import PostgresDflat

@Suite("A fetch by a condition of 20,000 operators is planned on a thread with a small stack")
struct LargeConditionPlanTests {
  @Test(
    "A condition of 20,000 operators is planned with every index, and with none", arguments: ConditionGrowth.allCases,
    [64, 512])
  func plans(growth: ConditionGrowth, stack: Int) async throws {
    try await onThread(ofStack: stack << 10) {
      let large = LargeCondition(growth, count: 20_000)
      for usesIndexes in [true, false] {
        var table = TableCatalog.Table(DatabaseTable(Thing._record, in: "public"))
        table.isIndexUsable = table.isIndexUsable.map { _ in usesIndexes }
        let request = FetchRequest(predicate: large.condition._node)
        let plan = PostgresFetchPlanner(table).makePlan(request, for: .objects)
        let rest = try #require(plan.residual)
        for (thing, truth) in zip(LargeCondition.things, large.truths) {
          var builder = FlatBufferBuilder()
          let root = thing.to(flatBufferBuilder: &builder)
          try builder.finish(root)
          let bytes = builder.finishedBuffer()
          let row = try #require(FlatBufferTable(rootOf: bytes))
          // If SQL answers some of the terms, the rest may be true of other rows, too.
          if truth == true || !plan.sql.contains("WHERE") { #expect(rest.matches(row) == (truth == true)) }
        }
        #expect(PostgresFetchPlanner(table).makePlan(request, for: .count).residual != nil)
      }
    }
  }
}
