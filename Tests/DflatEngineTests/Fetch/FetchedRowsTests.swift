import EngineTestSupport
import FlatBuffersCore
import TestSupport
import Testing

@testable import Dflat
@testable import DflatEngine

@Suite("The rows that a fetch has found")
struct FetchedRowsTests {
  private struct Row {
    let rowid: Int64
    let thing: Thing
  }

  /// Rows of numbers that rise, but for some that have changed places.
  private static func rows(_ random: inout SeededGenerator) -> [Row] {
    let count = random.next(700)
    var rowids = (0..<count).map { Int64($0 * 3 + random.next(3)) }
    let exchanges = [0, 0, 1, 2, count][random.next(5)]
    for _ in 0..<exchanges where count > 1 { rowids.swapAt(random.next(count), random.next(count)) }
    return rowids.map { Row(rowid: $0, thing: Thing(id: Int64(random.next(40)), name: "row \($0)")) }
  }

  @Test("Rows come out in their order, up to the limit, in whatever order they went in", arguments: 1...40)
  func order(seed: Int) throws {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<10 {
      var rows = Self.rows(&random)
      let isByRow = random.next(2) == 0
      let isDescending = random.next(2) == 0
      let limit = random.next(2) == 0 ? Int.max : random.next(400) + 1
      var request = FetchRequest(predicate: nil, limit: limit == .max ? .noLimit : .limit(limit))
      if !isByRow { request.orderBy = [FetchKey(node: .field(Thing.fields.id), isDescending: isDescending)] }
      let expected = rows.sorted { lhs, rhs in
        if !isByRow, lhs.thing.id != rhs.thing.id { return (lhs.thing.id < rhs.thing.id) != isDescending }
        return lhs.rowid < rhs.rowid
      }.prefix(limit)
      // As SQL gives them that has put them in order.
      let isOrdered = random.next(3) == 0
      if isOrdered { rows = Array(expected) }
      let isStanding = random.next(2) == 0
      var found = FetchedRows(
        request, isOrdered: isOrdered, isStarted: true, readAt: 7,
        keepingKeysOf: isStanding ? SortOrder(request.orderBy) : nil)
      for row in rows where !found.isFull {
        let isUsed = try RowEncoder.with { encoder in
          let bytes = try encoder.encode(row.thing)
          let budget = ReadingBudget()
          let table = try #require(FlatBufferTable(rootOf: bytes, within: budget))
          return found.append(table, row.rowid, as: Thing.self, within: budget)
        }
        #expect(isUsed)
      }
      found.finish()
      let things = found.objects.compactMap { $0 as? Thing }
      #expect(things == expected.map(\.thing) && things.map(\._rowid) == expected.map(\.rowid))
      #expect(things.allSatisfy { $0._commitVersion == 7 })
      // A standing query needs the numbers; otherwise the objects have them.
      if isStanding || !found.rowids.isEmpty { #expect(Array(found.rowids) == expected.map(\.rowid)) }
      if isStanding, !isByRow { #expect(found.sortKeys.count == expected.count) }
    }
  }
}
