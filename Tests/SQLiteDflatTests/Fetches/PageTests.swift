import EngineTestSupport
import Dflat
import Foundation
import TestSupport
import Testing

@testable import SQLiteDflat

@Suite("The pages of a result, one after the other, are the whole result")
struct PageTests {
  /// An order as a query has it, and what it means: the rank of a value, nil for NULL.
  struct Key {
    let name: String
    let orderBy: OrderBy<Thing>
    let order: (Thing, Thing) -> Int

    init<Value: Comparable>(
      _ name: String, _ field: OrderBy<Thing>, descending: Bool = false, _ value: @escaping (Thing) -> Value?
    ) {
      self.name = descending ? name + " descending" : name
      orderBy = descending ? field.descending : field
      order = { lhs, rhs in
        let order =
          switch (value(lhs), value(rhs)) {
          case (nil, nil): 0
          case (nil, _?): -1
          case (_?, nil): 1
          case (let lhs?, let rhs?): lhs < rhs ? -1 : lhs == rhs ? 0 : 1
          }
        return descending ? -order : order
      }
    }
  }

  static func keys(_ generator: inout PostGenerator) -> [Key] {
    (0..<generator.pick([0, 1, 1, 2, 2, 3])).map { _ in
      let descending = generator.chance(50)
      return switch Int.random(in: 0..<8, using: &generator.random) {
      case 7:
        Key("note.folded", Thing.note.folded.ascending, descending: descending) {
          $0.note.map { Bytes(TextModel.folded($0, foldsDiacritics: true)) }
        }
      case 0: Key("big", Thing.big.ascending, descending: descending, \.big)
      case 1: Key("ratio", Thing.ratio.ascending, descending: descending) { $0.ratio.isNaN ? nil : $0.ratio }
      case 2: Key("flag", Thing.flag.ascending, descending: descending) { $0.flag ? 1 : 0 }
      case 3: Key("note", Thing.note.ascending, descending: descending) { $0.note.map(Bytes.init) }
      case 4: Key("name", Thing.name.ascending, descending: descending) { Bytes($0.name) }
      case 5: Key("id", Thing.id.ascending, descending: descending, \.id)
      default:
        Key("list", [7, .max, 0].firstIndex(of: Thing.big), descending: descending) {
          [7, .max, 0].firstIndex(of: $0.big)
        }
      }
    }
  }

  /// A text by its bytes.
  struct Bytes: Comparable {
    let bytes: [UInt8]
    init(_ text: String) { bytes = Array(text.utf8) }
    static func < (lhs: Bytes, rhs: Bytes) -> Bool { lhs.bytes.lexicographicallyPrecedes(rhs.bytes) }
  }

  static func fill(_ store: TestStore, _ generator: inout PostGenerator) {
    var things: [Thing] = []
    for id in 0..<60 {
      things.append(
        Thing(
          id: Int64(id / 3), name: generator.pick(PostGenerator.strings) + "\(id)",
          big: generator.pick(EdgeValueTests.unsigned), ratio: generator.pick(EdgeValueTests.reals),
          flag: generator.chance(50), note: generator.chance(50) ? nil : "\(generator.title())\(id)"))
    }
    fill(store: store, with: things)
  }

  static func fill(store: TestStore, with things: [Thing]) {
    store.perform([Thing.self]) { context in
      for thing in things { context.try(submit: ThingChangeRequest.creation(thing)) }
    }
  }

  @Test("Pages in any order follow each other through ties, NULL, NaN and numbers above Int64.max", arguments: 1...12)
  func pages(seed: Int) throws {
    var generator = PostGenerator(random: SeededGenerator(seed: UInt64(seed)))
    let store = try TestStore()
    PageTests.fill(store, &generator)
    let all = store.workspace.fetch(for: Thing.self).all()
    for key in ["f8", "f10", "f12", "f14"] where generator.chance(30) {
      // An index that cannot be filled.
      let index = "test__thing_v1_1__\(key)"
      try store.sql("DROP TABLE \(index); CREATE VIEW \(index) AS SELECT 0 AS rowid, 0 AS \(key)")
    }
    for _ in 0..<40 {
      let keys = PageTests.keys(&generator)
      let expected = all.sorted { lhs, rhs in
        for key in keys {
          let order = key.order(lhs, rhs)
          if order != 0 { return order < 0 }
        }
        return lhs._rowid < rhs._rowid
      }
      let size = Int.random(in: 1...20, using: &generator.random)
      var rowids: [Int64] = []
      var last: Thing?
      repeat {
        let page = store.workspace.fetch(for: Thing.self).all(
          limit: .limit(size), orderBy: keys.map(\.orderBy), after: last)
        rowids += page.map(\._rowid)
        last = page.count == size ? page.last : nil
      } while last != nil && rowids.count <= 60
      #expect(rowids == expected.map(\._rowid), "seed \(seed): by \(keys.map(\.name)), pages of \(size)")
    }
    store.errors.removeAll()
  }

  @Test("A page follows the object as it was fetched, although that has since been changed or deleted")
  func aPageFollowsAnObjectThatHasSinceBeenChangedOrDeleted() throws {
    let store = try TestStore()
    store.perform([Thing.self]) { context in
      for id in 0..<9 { context.try(submit: ThingChangeRequest.creation(Thing(id: Int64(id), big: UInt64(id / 3)))) }
    }
    let things = store.workspace.fetch(for: Thing.self)
    let order = [Thing.big.descending]
    let first = things.all(limit: .limit(4), orderBy: order)
    #expect(first.map(\.id) == [6, 7, 8, 3])
    store.perform([Thing.self]) { context in
      ThingChangeRequest.deletion(first[3]).map { _ = context.try(submit: $0) }
      let request = ThingChangeRequest.change(first[1])
      request?.thing = Thing(id: 7, big: 0)
      request.map { _ = context.try(submit: $0) }
    }
    #expect(things.all(orderBy: order, after: first[3]).map(\.id) == [4, 5, 0, 1, 2, 7])
    #expect(things.where(Thing.id < 5, limit: .limit(2), orderBy: order, after: first[3]).map(\.id) == [4, 0])
    // By what it was, not by what it is now.
    #expect(things.all(limit: .limit(2), orderBy: order, after: first[1]).map(\.id) == [8, 4])
    // An object that was never stored comes before its equals.
    #expect(things.all(limit: .limit(3), orderBy: order, after: Thing(id: 1, big: 1)).map(\.id) == [4, 5, 0])
    #expect(things.all(limit: .limit(0), orderBy: order, after: first[0]).isEmpty)
    #expect(store.errors.values.isEmpty)
  }

  @Test("An order by the place in a list of a million values looks each value up, and searches for none")
  func orderByALongList() throws {
    let store = try TestStore()
    let count = 20_000
    store.perform([Thing.self]) { context in
      for id in 0..<count {
        context.try(submit: ThingChangeRequest.creation(Thing(id: Int64(id), big: UInt64(id))))
      }
    }
    let order = (0..<1_000_000).reversed().map { UInt64($0) }.firstIndex(of: Thing.big)
    let things = store.workspace.fetch(for: Thing.self)
    let few = processorTime { #expect(things.where(Thing.id < 20, orderBy: [order]).first?.id == 19) }
    let many = processorTime { #expect(things.all(orderBy: [order]).first?.id == Int64(count - 1)) }
    // A search through the list for each object would take a thousand times as long.
    #expect(many < few * 50, "\(few) for 20 objects, \(many) for \(count)")
    #expect(store.errors.values.isEmpty)
  }

  @Test("A later page is reached by a search in the key or index, not by skipping rows")
  func aLaterPageIsSearchedForNotCountedTo() throws {
    let store = try TestStore()
    store.perform([Thing.self]) { $0.try(submit: ThingChangeRequest.creation(Thing(id: 1))) }
    func plan(_ order: [OrderBy<Thing>]) throws -> String {
      try #require(
        try store.workspace.core.withConnection { connection in
          var request = FetchRequest(predicate: nil, limit: .limit(3), orderBy: order)
          request.start = try PageStart(Thing(id: 5, big: 4, ratio: 2))
          let plan = try SQLiteFetchPlanner(Thing._record, connection.reader(for: Thing._record)).makePlan(
            request, for: .objects)
          #expect(plan.isStarted && plan.isLimited)
          return try PlainSQL.run("EXPLAIN QUERY PLAN " + plan.sql, in: store.path).compactMap { $0.last ?? nil }
            .joined(separator: "; ")
        })
    }
    let search = "SEARCH m USING INTEGER PRIMARY KEY (rowid=?)"
    #expect(try plan([]) == "SEARCH m USING INTEGER PRIMARY KEY (rowid>?)")
    #expect(
      try plan([Thing.big.ascending])
        == "SEARCH i0 USING COVERING INDEX index__test__thing_v1_1__f8 (f8>?); \(search)")
    #expect(
      try plan([Thing.big.descending]).hasPrefix("SEARCH i0 USING COVERING INDEX index__test__thing_v1_1__f8 (f8<?)"))
    #expect(
      try plan([Thing.ratio.ascending])
        == "SEARCH i1 USING COVERING INDEX index__test__thing_v1_1__f10 (f10>?); \(search)")
    #expect(try plan([Thing.id.ascending, Thing.name.ascending]).hasPrefix("SEARCH m USING INDEX sqlite_autoindex"))
  }
}
