import Dflat
import EngineTestSupport
import PostgresDflat
import TestSupport
import Testing

@Suite("An index over folded texts in PostgreSQL finds what the rows find, and refuses texts that fold alike")
struct PostgresFoldedIndexTests {
  private let name = FoldedThing.name
  private let note = FoldedThing.note

  private func write(_ database: TestDatabase, _ things: [Thing]) {
    database.perform([FoldedThing.self]) { context in
      for thing in things { context.try(submit: FoldedThingChangeRequest(.upsert, thing)) }
    }
  }

  private static func folded(_ text: String) -> [UInt8] {
    Array(TextModel.folded(text, foldsDiacritics: true).utf8)
  }

  private static let count = 80

  @Test(
    "Random conditions and orders find what the rows find, with an index and without",
    arguments: LongForm.seeds(ofConditions: count, sample: 4))
  func randomConditions(seeds: Range<Int>) throws {
    for seed in seeds { try compare(seed: seed) }
  }

  private func compare(seed: Int) throws {
    let database = try TestDatabase { $0.buildsIndexes = false }
    var generator = PostGenerator(random: SeededGenerator(seed: UInt64(seed)))
    // Longer than an entry of the index holds, alike at the start and different at the end.
    let long = ["B", "a", "Á"].map { String(repeating: "É", count: 1_200) + $0 }
    write(
      database,
      (0..<60).map { id in
        Thing(id: Int64(id), name: generator.chance(10) ? generator.pick(long) : generator.title(), note: "\(id)")
      })
    for isIndexed in [true, false] {
      if !isIndexed {
        let names = try database.sql(
          "SELECT quote_ident(indexname) FROM pg_indexes WHERE indexname LIKE '%\\_\\_folded%'")
        for name in names.split(separator: "\n") { try database.sql("DROP INDEX \(name)") }
      }
      let workspace = database.other { $0.buildsIndexes = false }
      defer { workspace.shutdown() }
      let objects = workspace.fetch(for: FoldedThing.self)
      #expect(try (objects.explain(where: name.folded == "a").access == .index(["name"])) == isIndexed)
      let all = objects.all()
      for _ in 0..<Self.count / 2 {
        let text = generator.pick([generator.title(), generator.pick(long), ""])
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
        let expected = all.filter { holds(Self.folded($0.thing.name)) }.map(\.id).sorted()
        #expect(objects.where(condition).map(\.id).sorted() == expected, "seed \(seed), \(condition._node.description)")
        #expect(objects.count(where: condition) == expected.count)
      }
      let sorted = all.sorted {
        let (lhs, rhs) = (Self.folded($0.thing.name), Self.folded($1.thing.name))
        return lhs == rhs ? $0._rowid < $1._rowid : lhs.lexicographicallyPrecedes(rhs)
      }
      var last: FoldedThing?
      for page in 0..<12 {
        let found = objects.all(limit: .limit(5), orderBy: [name.folded.ascending], after: last)
        #expect(found.map(\.id) == sorted.dropFirst(5 * page).prefix(5).map(\.id), "seed \(seed), page \(page)")
        last = found.last
      }
    }
    #expect(database.errors.values.isEmpty, "\(database.errors.values)")
    LongForm.record(Self.count, "conditions on folded texts in PostgreSQL, with an index and without")
  }

  @Test("PostgreSQL searches the index for equality and prefixes, and reads it in the order of foldings")
  func plans() async throws {
    let database = try TestDatabase()
    write(database, (0..<3_000).map { Thing(id: $0, name: "Name \($0)", note: "É\($0)") })
    try database.sql("ANALYZE folded_thing")
    let objects = database.workspace.fetch(for: FoldedThing.self)
    for condition in [
      name.folded == "NAME 3", name.folded < "b", name.folded.in(["A", "B"]), name.folded.hasPrefix("Näme"),
    ] {
      #expect(try objects.explain(where: condition).access == .index(["name"]), "\(condition._node.description)")
    }
    for condition in [name.folded.hasSuffix("3"), name.foldedCase == "name 3", name == "Name 3"] {
      #expect(try objects.explain(where: condition).access == .scan, "\(condition._node.description)")
    }
    #expect(objects.where(name.folded.hasPrefix("NÄME 299")).map(\.id) == [299] + Array(2990..<3000))
    let order = try objects.explain(limit: .limit(3), orderBy: [name.folded.descending])
    #expect(order.access == .index(["name"]) && !order.sortsRows)
    let function = try database.sql(
      "SELECT quote_ident(proname) FROM pg_proc WHERE proname LIKE 'dflat_f6__folded15_%'")
    let plan = try database.runScript(
      """
      EXPLAIN SELECT m.p FROM folded_thing m WHERE \(function)(m.p) = 'name 3';
      EXPLAIN SELECT m.p FROM folded_thing m ORDER BY \(function)(m.p) NULLS FIRST, m.rowid LIMIT 3;
      """)
    #expect(plan.split(separator: "\n").filter { $0.contains("Index Scan") }.count == 2, "\(plan)")
  }

  @Test("A second object whose text folds to that of another is refused, and the error names the field")
  func refusals() throws {
    let database = try TestDatabase()
    write(database, [Thing(id: 1, note: "Café"), Thing(id: 2, note: "tea"), Thing(id: 3), Thing(id: 4)])
    let refusal = Locked<(any Error)?>(nil)
    database.perform([FoldedThing.self]) { context in
      // Of a closure that has run again, the last run counts.
      do {
        try context.submit(FoldedThingChangeRequest(.create, Thing(id: 5, note: "CAFE\u{301}")))
        refusal.value = nil
      } catch {
        refusal.value = error
      }
    }
    guard case TransactionError.objectAlreadyExists(let key)? = refusal.value else {
      Issue.record("\(String(describing: refusal.value))")
      return
    }
    #expect(key.fields.map(\.name) == ["note"] && !key.isPrimaryKey, "\(key)")
    database.perform([FoldedThing.self]) { context in
      // Its own text may change its case, and be exchanged in one transaction.
      context.try(submit: FoldedThingChangeRequest(.upsert, Thing(id: 1, note: "CAFÉ")))
      context.try(submit: FoldedThingChangeRequest(.upsert, Thing(id: 1, note: "coffee")))
      context.try(submit: FoldedThingChangeRequest(.upsert, Thing(id: 2, note: "Cafe")))
    }
    #expect(database.workspace.fetch(for: FoldedThing.self).where(note.folded == "café").map(\.id) == [2])
    #expect(database.errors.values.isEmpty, "\(database.errors.values)")
  }
}
