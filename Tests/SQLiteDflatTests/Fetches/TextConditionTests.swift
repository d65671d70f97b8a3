import Dflat
import EngineTestSupport
import FlatBuffersCore
import TestSupport
import Testing

@testable import SQLiteDflat

@Suite("Texts are searched by their bytes, whatever they hold")
struct TextConditionTests {
  /// A store of things whose names and notes are the texts, with one more that has no note.
  private func store(isIndexed: Bool) throws -> TestStore {
    let store = try TestStore()
    PageTests.fill(store: store, with: TextConditionChecks.things)
    if !isIndexed {
      let index = "test__thing_v1_1__f14"
      try store.sql("DROP TABLE \(index); CREATE VIEW \(index) AS SELECT 0 AS rowid, 0 AS f14")
    }
    return store
  }

  @Test("Conditions on texts find the same objects with an index and without", arguments: [true, false])
  func texts(isIndexed: Bool) throws {
    let store = try store(isIndexed: isIndexed)
    for problem in TextConditionChecks.problems(in: store.workspace) { Issue.record("\(problem)") }
    store.errors.removeAll()
  }

  @Test("A prefix is searched in an index, and nothing else of a text")
  func plans() throws {
    let store = try store(isIndexed: true)
    let things = store.workspace.fetch(for: Thing.self)
    let plan = try things.explain(where: Thing.note.hasPrefix("a"))
    #expect(plan.access == .index(["f14"]) && plan.filter == nil)
    #expect(plan.databasePlan.contains { $0.contains("SEARCH") && $0.contains(">? AND f14<?") }, "\(plan.databasePlan)")
    for condition in [
      Thing.note.hasPrefix(""), !Thing.note.hasPrefix("a"), Thing.note.hasSuffix("a"), Thing.note.contains("a"),
      Thing.note.length == 1, Thing.note.folded == "a", Thing.note.foldedCase.hasPrefix("a"),
    ] {
      #expect(try things.explain(where: condition).access == .scan)
    }
  }

  @Test("A condition of 10,000 terms folds the text of a row once, and 10,000 parts are looked for")
  func manyTerms() throws {
    let store = try store(isIndexed: true)
    var condition = Thing.note.folded.contains("nothing")
    for number in 0..<10_000 { condition = condition || Thing.note.folded.contains("Ä\(number)") }
    let things = store.workspace.fetch(for: Thing.self)
    #expect(things.where(condition).isEmpty)
    PageTests.fill(store: store, with: [Thing(id: 100, note: "xa9999y")])
    #expect(things.where(condition).map(\.id) == [100])
  }

  @Test("A part of 1 MB is found in a text of 100 MB")
  func longTexts() throws {
    let store = try TestStore()
    PageTests.fill(store: store, with: TextConditionChecks.longThings)
    for problem in try TextConditionChecks.problemsOfLongTexts(in: store.workspace) { Issue.record("\(problem)") }
  }
}
