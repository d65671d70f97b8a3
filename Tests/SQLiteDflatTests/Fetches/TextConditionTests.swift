import Dflat
import EngineTestSupport
import FlatBuffersCore
import TestSupport
import Testing

@testable import SQLiteDflat

@Suite("Texts are searched by their bytes, whatever they hold")
struct TextConditionTests {
  /// NUL, lone combining marks, code points without characters, the last one, and texts that are equal in Unicode alone.
  static let texts = [
    "", "\0", "a\0b", "a\0c", "ab", "Ab", "é", "e\u{301}", "\u{301}", "\u{378}", "\u{378}x", "\u{7F}", "\u{80}", "ÿ",
    "Ā",
    "\u{D7FF}", "\u{E000}", "\u{FFFF}", "\u{10FFFF}", "\u{10FFFF}\u{10FFFF}", "a\u{10FFFF}", "a\u{10FFFF}b", "b",
    "'%_\\[*?",
    "%", "_", "日本", "日本語",
  ]

  /// A store of things whose names and notes are the texts, with one more that has no note.
  private func store(isIndexed: Bool) throws -> TestStore {
    let store = try TestStore()
    PageTests.fill(
      store: store,
      with: Self.texts.enumerated().map { Thing(id: Int64($0), name: $1, note: $1) } + [Thing(id: -1, name: "none")])
    if !isIndexed {
      let index = "test__thing_v1_1__f14"
      try store.sql("DROP TABLE \(index); CREATE VIEW \(index) AS SELECT 0 AS rowid, 0 AS f14")
    }
    return store
  }

  @Test("By a key, with an index and without", arguments: [true, false])
  func texts(isIndexed: Bool) throws {
    let store = try store(isIndexed: isIndexed)
    let things = store.workspace.fetch(for: Thing.self)
    for part in Self.texts {
      for field in [Thing.note, Thing.name] {
        func ids(_ condition: QueryExpression<Bool, Thing>) -> [Int64] {
          let ids = things.where(condition && Thing.id >= 0).map(\.id)
          #expect(things.count(where: condition && Thing.id >= 0) == ids.count)
          return ids
        }
        func expected(_ holds: (String) -> Bool) -> [Int64] {
          Self.texts.indices.filter { holds(Self.texts[$0]) }.map(Int64.init)
        }
        let bytes = Array(part.utf8)
        #expect(ids(field.hasPrefix(part)) == expected { $0.utf8.starts(with: bytes) }, "\(bytes)")
        #expect(ids(!field.hasPrefix(part)) == expected { !$0.utf8.starts(with: bytes) }, "\(bytes)")
        #expect(
          ids(field.hasSuffix(part)) == expected { $0.utf8.reversed().starts(with: bytes.reversed()) }, "\(bytes)")
        #expect(ids(field.contains(part)) == expected { TextModel.contains($0, part) }, "\(bytes)")
        let length = part.unicodeScalars.count
        #expect(ids(field.length == length) == expected { $0.unicodeScalars.count == length }, "\(bytes)")
      }
    }
    #expect(things.where(Thing.note.isEmpty).map(\.id) == [0])
    for condition in [Thing.note.hasPrefix(""), Thing.note.contains(""), Thing.note.isEmpty, Thing.note.length >= 0] {
      #expect(!things.where(condition || !condition).map(\.id).contains(-1))
      #expect(things.where(condition.isNull).map(\.id) == [-1])
    }
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

  @Test("A text of 100 MB, and a part of 1 MB")
  func longTexts() throws {
    let part = (0..<170_000).map { "\($0)," }.joined()
    let text = part + String(repeating: "-", count: 100_000_000) + part + "end"
    #expect(part.utf8.count > 1_000_000)
    let store = try TestStore()
    PageTests.fill(store: store, with: [Thing(id: 1, note: text), Thing(id: 2, note: "0,"), Thing(id: 3)])
    let things = store.workspace.fetch(for: Thing.self)
    func ids(_ condition: QueryExpression<Bool, Thing>) throws -> [Int64] {
      try things.throwing.where(condition).map(\.id)
    }
    #expect(try ids(Thing.note.hasPrefix(part)) == [1] && ids(Thing.note.hasPrefix("0,")) == [1, 2])
    #expect(try ids(Thing.note.hasSuffix(part + "end")) == [1] && ids(Thing.note.hasSuffix(",")) == [2])
    #expect(try ids(Thing.note.contains(part + "end")) == [1] && ids(Thing.note.contains(part + "x")).isEmpty)
    #expect(try ids(Thing.note.contains(",end")) == [1])
    #expect(try ids(Thing.note.length > 2) == [1])
    #expect(try ids(Thing.note.folded.hasSuffix(part + "END")) == [1])
  }
}
