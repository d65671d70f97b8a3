import Dflat
import DflatEngine
import EngineTestSupport
import TestSupport
import Testing

@Suite("The objects that a transaction has fetched")
struct FetchedObjectsTests {
  private func note(_ things: [Thing], in objects: inout FetchedObjects) {
    let request = FetchRequest(predicate: nil, limit: .limit(1))
    objects.append(ContiguousArray(things), of: request, Thing._record, othersMayCommit: false)
  }

  @Test("A look-up returns the object that was fetched first, and finds those of fetches after an earlier look-up")
  func firstObjects() {
    let (old, new, other) = (Thing(id: 1, _rowid: 1), Thing(id: 1, note: "n", _rowid: 1), Thing(id: 2, _rowid: 2))
    var objects = FetchedObjects()
    note([old], in: &objects)
    let before = [1, 2].map { objects.object(in: RowID(Thing._record, $0)) }
    #expect(before[0] === old && before[1] == nil)
    note([new, other], in: &objects)
    let after = [1, 2].map { objects.object(in: RowID(Thing._record, $0)) }
    #expect(after[0] === old && after[1] === other)
  }

  @Test("Look-ups between fetches take a time that grows with the number of fetches, not with its square")
  func lookUpsBetweenFetches() {
    func time(ofFetches count: Int) -> Duration {
      let thing = Thing(id: 1, _rowid: 1)
      var objects = FetchedObjects()
      var foundCount = 0
      let time = processorTime {
        for _ in 0..<count {
          note([thing], in: &objects)
          if objects.object(in: RowID(Thing._record, 1)) === thing { foundCount += 1 }
        }
      }
      #expect(foundCount == count)
      return time
    }
    let few = time(ofFetches: 1_000)
    let many = time(ofFetches: 10_000)
    #expect(many < few * 40, "\(few), \(many)")
  }
}
