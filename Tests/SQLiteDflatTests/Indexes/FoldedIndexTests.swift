import Dflat
import EngineTestSupport
import FlatBuffersCore
import Foundation
import TestSupport
import Testing

@testable import SQLiteDflat

/// A version whose names, which are a part of the primary key, and whose notes have an index of their foldings. That of
/// the notes is unique.
private enum Folded: ThingVersion {
  static let record = RecordDescription(
    table: Thing._record.table, primaryKeys: Thing._record.primaryKeys,
    indexes: [
      RecordIndex(Thing.fields.name, folded: true, name: "name"),
      RecordIndex(Thing.fields.note, folded: true, unique: true, name: "note"),
      RecordIndex(Thing.fields.note, name: "note"),
    ])
}

private typealias FoldedThing = OtherThing<Folded>
private let name = QueryExpression<String, FoldedThing>(Thing.fields.name)
private let note = QueryExpression<String, FoldedThing>(Thing.fields.note)

@Suite("An index over folded texts finds what the rows find, and refuses texts that differ only in case and diacritics")
struct FoldedIndexTests {
  private func write(_ store: TestStore, _ things: [Thing]) {
    store.perform([FoldedThing.self]) { context in
      for thing in things { context.try(submit: OtherThingChangeRequest<Folded>(.upsert, thing)) }
    }
  }

  private static func folded(_ text: String) -> [UInt8] {
    Array(TextModel.folded(text, foldsDiacritics: true).utf8)
  }

  @Test(
    "Random conditions and orders find what the rows find, with a full index, a half one and none",
    arguments: LongForm.seeds(ofConditions: count, sample: 6))
  func randomConditions(seeds: Range<Int>) async throws {
    for seed in seeds { try await compare(seed: seed) }
  }

  /// How many rounds of conditions follow changes, and how many conditions all of them have.
  private static let rounds = 4
  private static let count = rounds * 40

  private func compare(seed: Int) async throws {
    let store = try TestStore()
    var generator = PostGenerator(random: SeededGenerator(seed: UInt64(seed)))
    for round in 0..<Self.rounds {
      if round == 1 { try store.damage("DELETE FROM test__thing_v1_1__f6__folded15 WHERE rowid > 20") }
      if round > 1 { try await store.workspace.waitForIndexes(of: FoldedThing.self) }
      let all = store.workspace.fetch(for: FoldedThing.self).all()
      for _ in 0..<Self.count / Self.rounds {
        let text = generator.pick([generator.title(), PostGenerator.strings[0], ""])
        let folded = Self.folded(text)
        let other = generator.title()
        let (condition, holds): (QueryExpression<Bool, FoldedThing>, ([UInt8]) -> Bool) =
          switch Int.random(in: 0..<6, using: &generator.random) {
          case 0: (name.folded == text, { $0 == folded })
          case 1: (name.folded.hasPrefix(text), { $0.starts(with: folded) })
          case 2: (name.folded < text, { $0.lexicographicallyPrecedes(folded) })
          case 3: (name.folded >= text, { !$0.lexicographicallyPrecedes(folded) })
          case 4: (name.folded.in([text, other]), { $0 == folded || $0 == Self.folded(other) })
          default: (name.folded != text, { $0 != folded })
          }
        let expected = all.filter { holds(Self.folded($0.thing.name)) }.map(\.thing.id).sorted()
        let found = store.workspace.fetch(for: FoldedThing.self).where(condition).map(\.thing.id).sorted()
        #expect(found == expected, "seed \(seed), \(condition._node.description)")
        #expect(store.workspace.fetch(for: FoldedThing.self).count(where: condition) == expected.count)
        let sorted = all.sorted {
          let (lhs, rhs) = (Self.folded($0.thing.name), Self.folded($1.thing.name))
          return lhs == rhs ? $0._rowid < $1._rowid : lhs.lexicographicallyPrecedes(rhs)
        }
        let first = store.workspace.fetch(for: FoldedThing.self).all(limit: .limit(5), orderBy: [name.folded.ascending])
        #expect(first.map(\._rowid) == sorted.prefix(5).map(\._rowid))
        let second = store.workspace.fetch(for: FoldedThing.self).all(
          limit: .limit(5), orderBy: [name.folded.ascending], after: first.last)
        #expect(second.map(\._rowid) == sorted.dropFirst(5).prefix(5).map(\._rowid))
      }
      // Neighbouring rows, so that some are updated by one statement.
      write(
        store,
        (0..<30).filter { _ in generator.chance(60) }.map { id in
          Thing(id: Int64(id), name: "", note: "\(generator.title())/\(id)")
        }
          + (0..<20).map { id in
            Thing(id: Int64(100 * (round + 1) + id), name: generator.title(), note: "é-\(round)-\(id)")
          })
    }
    try await store.workspace.waitForIndexes(of: FoldedThing.self)
    let entries = try store.sql("SELECT hex(f14__folded15) FROM test__thing_v1_1__f14__folded15 ORDER BY rowid")
    let expected = store.workspace.fetch(for: FoldedThing.self).all().sorted { $0._rowid < $1._rowid }.map { object in
      [Self.folded(object.thing.note ?? "").map { String(format: "%02X", $0) }.joined()] as [String?]
    }
    #expect(entries == expected)
    #expect(store.errors.values.isEmpty, "\(store.errors.values)")
    LongForm.record(Self.count, "conditions on folded texts with an index")
  }

  @Test("The index is used for equality, ranges, lists, prefixes and the first objects of its order")
  func plans() async throws {
    let store = try TestStore()
    write(store, (0..<50).map { Thing(id: $0, name: "Name \($0)", note: "É\($0)") })
    try await store.workspace.waitForIndexes(of: FoldedThing.self)
    let objects = store.workspace.fetch(for: FoldedThing.self)
    for condition in [
      name.folded == "NAME 3", name.folded < "b", name.folded.in(["A", "B"]), name.folded.hasPrefix("Näme"),
    ] {
      #expect(try objects.explain(where: condition).access == .index(["name"]), "\(condition._node.description)")
    }
    for condition in [name.folded != "a", name.folded.hasSuffix("3"), name.foldedCase == "name 3", name == "Name 3"] {
      #expect(try objects.explain(where: condition).access != .index(["name"]), "\(condition._node.description)")
    }
    let order = try objects.explain(limit: .limit(3), orderBy: [name.folded.descending])
    #expect(order.access == .index(["name"]) && !order.sortsRows)
    #expect(objects.where(note.folded == "e7").map(\.thing.id) == [7])
  }

  // A workspace verifies an index anew only once, so each condition has a store of its own.
  @Test(
    "A wrong entry is noticed by the fetch that it misleads, and corrected",
    arguments: [name.folded == "ARGER", "b" > name.folded, name.folded.hasPrefix("ar")])
  private func wrongEntries(condition: QueryExpression<Bool, FoldedThing>) async throws {
    let store = try TestStore()
    let table = "test__thing_v1_1__f6__folded15"
    write(store, [Thing(id: 1, name: "Ärger", note: "1"), Thing(id: 2, name: "Banane", note: "2")])
    try await store.workspace.waitForIndexes(of: FoldedThing.self)
    try store.damage("UPDATE \(table) SET f6__folded15 = 'arger' WHERE rowid = 2")
    #expect(store.workspace.fetch(for: FoldedThing.self).where(condition).map(\.thing.id) == [1])
    #expect(
      eventually { (try? store.sql("SELECT f6__folded15 FROM \(table) ORDER BY 1")) == [["arger"], ["banane"]] })
  }

  @Test("A second object whose text folds to that of another is refused, and the error names the field")
  func refusals() throws {
    let store = try TestStore()
    write(store, [Thing(id: 1, note: "Café"), Thing(id: 2, note: "tea"), Thing(id: 3), Thing(id: 4)])
    store.perform([FoldedThing.self]) { context in
      do {
        try context.submit(OtherThingChangeRequest<Folded>(.create, Thing(id: 5, note: "CAFE\u{301}")))
        Issue.record("stored")
      } catch TransactionError.objectAlreadyExists(let key) {
        #expect(key.fields == [TakenKey.Field(name: "note", value: "\"cafe\"")] && !key.isPrimaryKey)
      } catch {
        Issue.record(error)
      }
      // Its own text may change its case, and be exchanged in one transaction.
      context.try(submit: OtherThingChangeRequest<Folded>(.upsert, Thing(id: 1, note: "CAFÉ")))
      context.try(submit: OtherThingChangeRequest<Folded>(.upsert, Thing(id: 1, note: "coffee")))
      context.try(submit: OtherThingChangeRequest<Folded>(.upsert, Thing(id: 2, note: "Cafe")))
    }
    #expect(store.workspace.fetch(for: FoldedThing.self).where(note.folded == "café").map(\.thing.id) == [2])
    #expect(store.errors.values.isEmpty, "\(store.errors.values)")
  }

  @Test("Of two new objects of one transaction whose texts fold alike, the second is refused, and the first is stored")
  func refusalsWithinATransaction() throws {
    let store = try TestStore()
    store.perform([FoldedThing.self]) { context in
      context.try(submit: OtherThingChangeRequest<Folded>(.create, Thing(id: 1, note: "Milk")))
      #expect(throws: TransactionError.objectAlreadyExists) {
        try context.submit(OtherThingChangeRequest<Folded>(.create, Thing(id: 2, note: "MILK")))
      }
    }
    #expect(store.workspace.fetch(for: FoldedThing.self).all().map(\.thing.id) == [1])
    #expect(store.errors.values.isEmpty, "\(store.errors.values)")
  }

  @Test("Stored texts that fold alike are reported with their rows, and the index is filled once they differ")
  func violations() async throws {
    let store = try TestStore()
    store.perform([OtherThing<WithoutUniqueness>.self]) { context in
      for (id, note) in ["Tea", "coffee", "tea"].enumerated() {
        context.try(
          submit: OtherThingChangeRequest<WithoutUniqueness>(.create, Thing(id: Int64(id), name: "\(id)", note: note)))
      }
    }
    let objects = store.workspace.fetch(for: FoldedThing.self)
    #expect(objects.where(note.folded == "TEA").map(\.thing.id) == [0, 2])
    #expect(eventually { store.errors.values.contains { "\($0)".contains("\"tea\" in the rows 1, 3") } })
    store.errors.removeAll()
    write(store, [Thing(id: 2, name: "2", note: "milk")])
    try await store.workspace.waitForIndexes(of: FoldedThing.self)
    #expect(try objects.explain(where: note.folded == "TEA").access == .index(["note"]))
    #expect(objects.where(note.folded == "TEA").map(\.thing.id) == [0])
  }

  @Test("Texts that are no UTF-8, hold NUL or are long fold in the index as they do in the rows")
  func strangeTexts() async throws {
    let store = try TestStore()
    let texts = ["a\0B", "\u{301}", "", String(repeating: "Ä", count: 100_000), "\u{10FFFF}X"]
    write(store, texts.enumerated().map { Thing(id: Int64($0), name: $1, note: "\($0)") })
    try await store.workspace.waitForIndexes(of: FoldedThing.self)
    for (id, text) in texts.enumerated() {
      let found = store.workspace.fetch(for: FoldedThing.self).where(name.folded == text).map(\.thing.id)
      // A mark alone folds to nothing, as an empty text does.
      #expect(found == (text.isEmpty || text == "\u{301}" ? [1, 2] : [Int64(id)]), "\(id)")
    }
  }
}
