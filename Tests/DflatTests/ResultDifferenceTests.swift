import TestSupport
import Testing

@testable import Dflat

@Suite("Differences between results")
struct ResultDifferenceTests {
  /// A list of objects whose rows are given; objects that are new for their row have another value.
  private func list(_ rows: [(rowid: Int64, value: Int)]) -> ObjectList {
    ObjectList(
      ContiguousArray(rows.map { Box($0.value) as AnyObject }), ContiguousArray(rows.map(\.rowid)), [])
  }

  private final class Box {
    let value: Int
    init(_ value: Int) { self.value = value }
  }

  private func isSame(_ lhs: AnyObject, _ rhs: AnyObject) -> Bool { (lhs as? Box)?.value == (rhs as? Box)?.value }

  @Test("Applied to what the old list shows, a difference gives what the new one shows", arguments: 1...60)
  func random(seed: Int) {
    var random = SeededGenerator(seed: seed)
    // Few elements and many, few differences and many: they are applied in different ways.
    let old = (0..<Int.random(in: 0...40, using: &random)).map { (rowid: Int64($0), value: 0) }
    var new = old
    for _ in 0..<Int.random(in: 0...(seed % 2 == 0 ? 3 : 30), using: &random) {
      switch Int.random(in: 0..<4, using: &random) {
      case 0 where !new.isEmpty: new.remove(at: Int.random(in: 0..<new.count, using: &random))
      case 1:
        let row = (rowid: Int64.random(in: 100...1_000_000, using: &random), value: 0)
        new.insert(row, at: Int.random(in: 0...new.count, using: &random))
      case 2 where !new.isEmpty:
        let row = new.remove(at: Int.random(in: 0..<new.count, using: &random))
        new.insert(row, at: Int.random(in: 0...new.count, using: &random))
      case 3 where !new.isEmpty: new[Int.random(in: 0..<new.count, using: &random)].value += 1
      default: break
      }
    }
    let difference = ResultDifference(from: list(old), to: list(new), isSame: isSame)
    var shown = old.map { "\($0.rowid): \($0.value)" }
    difference.apply(to: &shown) { "\(new[$0].rowid): \(new[$0].value)" }
    #expect(shown == new.map { "\($0.rowid): \($0.value)" })
    #expect(difference.isEmpty == (old.elementsEqual(new, by: ==)))
  }

  @Test("A list that is merged with edits is what a list of the outcome would be", arguments: 1...60)
  func merging(seed: Int) {
    var random = SeededGenerator(seed: seed)
    let count = [0, 1, 10, 100, 1_000][seed % 5]
    var rows = (0..<count).map { (rowid: Int64($0 * 3), value: 0) }
    let old = list(rows)
    let isOpen = seed % 3 == 0
    var objects: [Box] = []
    var edits: ContiguousArray<StandingQuery.RowEdit> = []
    for rowid in Int64(-5)..<Int64(count * 3 + 5) where Int.random(in: 0..<4, using: &random) == 0 {
      let object = Bool.random(using: &random) ? Box(1) : nil
      if let object { objects.append(object) }
      edits.append(StandingQuery.RowEdit(rowid: rowid, object: object, key: nil))
      let former = rows.firstIndex { $0.rowid == rowid }
      if let former, object != nil {
        rows[former].value = 1
      } else if let former {
        rows.remove(at: former)
      } else if object != nil, !isOpen || rowid < Int64((count - 1) * 3) {
        rows.insert((rowid, 1), at: rows.firstIndex { $0.rowid > rowid } ?? rows.count)
      }
    }
    withExtendedLifetime(objects) {
      let merge = ObjectList.Merge(old, edits, isOpen: isOpen)
      #expect(merge.list.rowids == ContiguousArray(rows.map(\.rowid)))
      #expect(merge.list.objects.map { ($0 as? Box)?.value } == rows.map(\.value))
      let expected = ResultDifference(from: old, to: list(rows), isSame: isSame)
      #expect(merge.difference == expected)
      #expect(merge.entering == ContiguousArray(expected.insertions.map { rows[$0].rowid }))
      #expect(merge.leaving == ContiguousArray(expected.removals.map { old.rowids[$0] }))
    }
  }
}
