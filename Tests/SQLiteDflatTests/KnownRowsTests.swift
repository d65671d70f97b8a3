import Dflat
import Testing

@testable import SQLiteDflat

@Suite("What a transaction knows of rows")
struct KnownRowsTests {
  private final class Thing {}

  private enum Known {
    case read(Thing)
    case stored(Thing)
    case deleted
    case changed

    var isChange: Bool {
      if case .read = self { false } else { true }
    }
  }

  @Test("is what was noted last, as in a dictionary", arguments: 1...8)
  func isWhatWasNotedLast(seed: Int) {
    var random = RandomNumbers(seed: UInt64(seed))
    let rows = KnownRows(ObjectIdentifier(Thing.self), next: nil)
    var model: [Int64: Known] = [:]
    // Rows side by side, far apart, and at the edges.
    let starts: [Int64] = [0, 60, 1 << 40, -3, .min, .max - 70]
    for _ in 0..<4000 {
      let start = starts[Int.random(in: 0..<starts.count, using: &random)]
      let rowid = start + Int64.random(in: 0...70, using: &random)
      let former = model[rowid]
      switch Int.random(in: 0..<4, using: &random) {
      case 0:
        let thing = Thing()
        rows.set(.stored(thing), of: rowid, isChange: false)
        model[rowid] = former?.isChange == true ? .stored(thing) : .read(thing)
      case 1:
        let thing = Thing()
        rows.set(.stored(thing), of: rowid, isChange: true)
        model[rowid] = .stored(thing)
      case 2:
        rows.set(.deleted, of: rowid, isChange: true)
        model[rowid] = .deleted
      default:
        rows.set(.changed, of: rowid, isChange: true)
        model[rowid] = .changed
      }
    }
    for start in starts {
      for distance in 0...70 { check(rows, start + Int64(distance), model) }
    }
    var changes: [Int64] = []
    rows.forEachChange { changes.append($0) }
    #expect(changes.sorted() == model.filter { $0.value.isChange }.keys.sorted())
  }

  private func check(_ rows: KnownRows, _ rowid: Int64, _ model: [Int64: Known]) {
    #expect(rows.contains(rowid) == (model[rowid] != nil))
    switch (rows.state(of: rowid), model[rowid]) {
    case (nil, nil), (.deleted, .deleted), (.changed, .changed): break
    case (.stored(let object), .read(let thing)), (.stored(let object), .stored(let thing)):
      let isSame = object === thing
      #expect(isSame)
    default: Issue.record("row \(rowid) is not what was noted")
    }
  }

  @Test func objectsAreKeptWhileTheyAreKnownAndNoLonger() {
    weak var first: Thing?
    weak var second: Thing?
    weak var third: Thing?
    do {
      let rows = KnownRows(ObjectIdentifier(Thing.self), next: nil)
      do {
        let things = [Thing(), Thing(), Thing()]
        (first, second, third) = (things[0], things[1], things[2])
        for (rowid, thing) in things.enumerated() { rows.set(.stored(thing), of: Int64(rowid), isChange: true) }
      }
      rows.set(.changed, of: 0, isChange: true)
      rows.set(.stored(Thing()), of: 1, isChange: true)
      #expect(first == nil && second == nil && third != nil)
      // The table grows: what is in it stays.
      for rowid in 3..<100 { rows.set(.stored(Thing()), of: Int64(rowid), isChange: true) }
      withExtendedLifetime(rows) { #expect(third != nil) }
    }
    #expect(third == nil)
  }
}
