import Dflat
import EngineTestSupport
import TestSupport
import Testing

@Suite("Arithmetic on integers is exact on PostgreSQL")
struct PostgresArithmeticTests {
  @Test("Near the ends of Int64, UInt64 and what a Double tells apart")
  func agreement() throws {
    var generator = SeededGenerator(seed: 1)
    let things = ExactNumbers.things(&generator)
    let database = try TestDatabase()
    database.perform([Thing.self]) { context in
      for thing in things { context.try(submit: ThingChangeRequest.creation(thing)) }
    }
    ExactNumbers.check(database.workspace, things, 40, &generator) { Issue.record("\($0)") }
    #expect(database.errors.values.isEmpty, "\(database.errors.values)")
  }
}
