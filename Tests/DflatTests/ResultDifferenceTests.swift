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

  @Test("When two objects change places, one is a move, and the one that has other values need not be it")
  func exchange() {
    let old = list([(rowid: 1, value: 0), (rowid: 2, value: 0)])
    let new = list([(rowid: 2, value: 0), (rowid: 1, value: 1)])
    let difference = ResultDifference(from: old, to: new, isSame: isSame)
    #expect(difference.moves.map(\.from) == [1] && difference.moves.map(\.to) == [0])
    #expect(difference.changes.map(\.from) == [0] && difference.changes.map(\.to) == [1])
  }

  @Test("A list that is merged with edits is what a list of the outcome would be", arguments: 1...60)
  func merging(seed: Int) {
    var random = SeededGenerator(seed: seed)
    let count = [0, 1, 10, 100, 1_000][seed % 5]
    var rows = (0..<count).map { (rowid: Int64($0 * 3), value: 0) }
    var old = list(rows)
    // Again and again, so that chunks of all sizes are met; some of them change in part, some in all rows, some not at all.
    for value in 1...6 {
      let isOpen = seed % 3 == 0 && !rows.isEmpty
      let former = rows
      let last = rows.last?.rowid ?? 0
      let first = value % 2 == 0 ? -5 : Int64.random(in: min(0, last)...last, using: &random)
      var objects: [Box] = []
      var edits: ContiguousArray<StandingQuery.RowEdit> = []
      for rowid in first..<last + 10 where value == 3 || Int.random(in: 0..<4, using: &random) == 0 {
        let index = rows.firstIndex { $0.rowid == rowid }
        // In one round, all rows stay.
        let isKept = value == 3 ? index != nil : Bool.random(using: &random)
        let object = isKept ? Box(value) : nil
        if let object { objects.append(object) }
        edits.append(StandingQuery.RowEdit(rowid: rowid, object: object, key: nil))
        if let index, object != nil {
          rows[index].value = value
        } else if let index {
          rows.remove(at: index)
        } else if object != nil, !isOpen || rowid < last {
          rows.insert((rowid, value), at: rows.firstIndex { $0.rowid > rowid } ?? rows.count)
        }
      }
      withExtendedLifetime(objects) {
        let merge = ObjectList.Merge(old, edits.count, isOpen: isOpen) { (edits[$0].rowid, edits[$0].unretainedObject) }
        #expect(merge.list.rowids == ContiguousArray(rows.map(\.rowid)))
        #expect(merge.list.objects.map { ($0 as? Box)?.value } == rows.map(\.value))
        #expect(merge.list.chunks.allSatisfy { $0.objects.count == $0.rowids.count && !$0.rowids.isEmpty })
        let expected = ResultDifference(from: list(former), to: list(rows), isSame: isSame)
        #expect(merge.difference == expected)
        var entering: [Int64] = []
        merge.list.forEachRow(at: expected.insertions) { entering.append($0) }
        #expect(entering == expected.insertions.map { rows[$0].rowid })
        old = merge.list
      }
    }
  }

  @Test("A merge shares the chunks that it does not change, and the rows of those in which none comes or goes")
  func sharing() {
    let old = list((0..<100_000).map { (rowid: Int64($0), value: 0) })
    let box = Box(1)
    let edits: [ObjectList.Merge.Edit] = [(50_000, Unmanaged.passUnretained(box))]
    let new = ObjectList.Merge(old, 1, isOpen: false) { edits[$0] }.list
    #expect(old.chunks.count > 10)
    #expect(new.chunks.count == old.chunks.count)
    #expect(zip(new.chunks, old.chunks).count { $0 === $1 } == old.chunks.count - 1)
  }

  @Test("Changes of neighbours are given one by one")
  func changes() {
    var difference = ResultDifference()
    difference.appendChanges(from: 3, to: 4)
    difference.appendChanges(from: 4, to: 5, count: 2)
    difference.appendChanges(from: 7, to: 8)
    // Neighbours in the new result, and not in the old one.
    difference.appendChanges(from: 9, to: 9)
    #expect(difference.changes.map(\.from) == [3, 4, 5, 7, 9])
    #expect(difference.changes.map(\.to) == [4, 5, 6, 8, 9])
    let cut = difference.truncated(to: 6, of: 10, from: 10)
    #expect(cut.changes.map(\.to) == [4, 5])
    #expect(!cut.isEmpty)
  }
}
