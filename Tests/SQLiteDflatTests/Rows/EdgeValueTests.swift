import Dflat
import EngineTestSupport
import Foundation
import SQLiteDflat
import Testing

@Suite("Extreme values are found alike by every path")
struct EdgeValueTests {
  static let unsigned: [UInt64] = [0, 1, UInt64(Int64.max), UInt64(Int64.max) + 1, .max - 1, .max]
  static let reals: [Double] = [-.infinity, -1, -0.0, 0, .leastNonzeroMagnitude, 1, .infinity, .nan]

  private func storeOfThings(spoil: Bool) throws -> TestStore {
    let store = try TestStore()
    store.perform([Thing.self]) { context in
      for (index, big) in EdgeValueTests.unsigned.enumerated() {
        context.try(submit: ThingChangeRequest.creation(Thing(id: Int64(index), name: "u", big: big)))
      }
      for (index, ratio) in EdgeValueTests.reals.enumerated() {
        context.try(submit: ThingChangeRequest.creation(Thing(id: Int64(index), name: "r", ratio: ratio)))
      }
    }
    // Without its index, the field is read from the rows' bytes. The index is not built again: a view in its place cannot be
    // filled.
    if spoil {
      for key in ["f8", "f10"] {
        try store.sql(
          "DROP TABLE test__thing_v1_1__\(key); CREATE VIEW test__thing_v1_1__\(key) AS SELECT 0 AS rowid, 0 AS \(key)")
      }
    }
    return store
  }

  @Test("Unsigned integers above Int64.max are found and ordered by their values", arguments: [false, true])
  func unsigned(spoil: Bool) throws {
    let store = try storeOfThings(spoil: spoil)
    let things = store.workspace.fetch(for: Thing.self)
    for value in EdgeValueTests.unsigned {
      func expected(_ holds: (UInt64) -> Bool) -> [UInt64] { EdgeValueTests.unsigned.filter(holds) }
      #expect(things.where(Thing.name == "u" && Thing.big == value).map(\.big) == [value])
      #expect(things.where(Thing.name == "u" && Thing.big < value).map(\.big) == expected { $0 < value })
      #expect(things.where(Thing.name == "u" && Thing.big >= value).map(\.big) == expected { $0 >= value })
      #expect(things.where(Thing.name == "u" && Thing.big.in([value, 5])).map(\.big) == [value])
    }
    let descending = things.where(Thing.name == "u", limit: .limit(4), orderBy: [Thing.big.descending])
    #expect(descending.map(\.big) == EdgeValueTests.unsigned.reversed().prefix(4).map { $0 })
    #expect(things.where(Thing.name == "u" && Thing.big + 1 > UInt64(Int64.max)).count == 4)
  }

  @Test("NaN counts as absent, and -0.0 equals 0.0", arguments: [false, true])
  func reals(spoil: Bool) throws {
    let store = try storeOfThings(spoil: spoil)
    let things = store.workspace.fetch(for: Thing.self)
    func found(_ condition: QueryExpression<Bool, Thing>) -> [Int64] {
      things.where(Thing.name == "r" && condition).map(\.id)
    }
    #expect(found(Thing.ratio == 0) == [2, 3])
    #expect(found(Thing.ratio == -0.0) == [2, 3])
    #expect(found(Thing.ratio < 0) == [0, 1])
    #expect(found(Thing.ratio >= 0) == [2, 3, 4, 5, 6])
    #expect(found(Thing.ratio.isNull) == [7])
    #expect(found(Thing.ratio.isNotNull).count == 7)
    #expect(found(Thing.ratio == .nan).isEmpty)
    #expect(found(Thing.ratio != .nan).isEmpty)
    #expect(found(Thing.ratio == .infinity) == [6])
    let ordered = things.where(Thing.name == "r", limit: .limit(9), orderBy: [Thing.ratio.ascending])
    #expect(ordered.map(\.id) == [7, 0, 1, 2, 3, 4, 5, 6])
    let all = things.where(Thing.name == "r", orderBy: [Thing.ratio.ascending])
    #expect(all.map(\.id) == ordered.map(\.id))
    // The object itself keeps every bit.
    #expect(ordered.map(\.ratio.bitPattern).contains((-0.0).bitPattern))
    #expect(ordered.first?.ratio.isNaN == true)
  }

  @Test("Bools are conditions", arguments: [false, true])
  func bools(isIndexed: Bool) throws {
    let store = try TestStore()
    store.perform([Thing.self]) { context in
      for id in 0..<6 { context.try(submit: ThingChangeRequest.creation(Thing(id: Int64(id), flag: id % 3 == 0))) }
    }
    if !isIndexed { try store.sql("DROP TABLE test__thing_v1_1__f12") }
    let things = store.workspace.fetch(for: Thing.self)
    #expect(things.where(Thing.flag).map(\.id) == [0, 3])
    #expect(things.where(!Thing.flag).map(\.id) == [1, 2, 4, 5])
    #expect(things.where(Thing.flag == false && Thing.id > 1).map(\.id) == [2, 4, 5])
    #expect(things.where(Thing.flag || Thing.id == 1).map(\.id) == [0, 1, 3])
  }

  @Test("An update to a value that is equal but has other bytes is written")
  func anUpdateToAnEqualValueOfOtherBytesIsWritten() throws {
    let store = try TestStore()
    store.perform([Thing.self]) { context in
      context.try(submit: ThingChangeRequest.creation(Thing(id: 1, ratio: 0.0, note: "é")))
    }
    store.perform([Thing.self]) { context in
      let request = ThingChangeRequest.change(Thing(id: 1))
      request?.thing = Thing(id: 1, ratio: -0.0, note: "e\u{301}")
      guard let request, case .updated? = context.try(submit: request) else {
        Issue.record("not updated")
        return
      }
    }
    let thing = store.workspace.fetch(for: Thing.self).where(Thing.note == "e\u{301}").first
    #expect(thing?.ratio.sign == .minus)
    #expect(store.workspace.fetch(for: Thing.self).where(Thing.note == "é").isEmpty)
  }
}
