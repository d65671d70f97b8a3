import Dflat
import DflatEngine
import EngineTestSupport
import Golden_post
import TestSupport
import Testing

@Suite("A write set holds what was submitted, and the latest write of a row counts")
struct WriteSetTests {
  @Test("The latest write of a row is its state, and other rows have none")
  func states() throws {
    let set = WriteSet()
    #expect(set.isEmpty && set.state(of: Thing._record, 1) == nil)
    try set.add(.inserted, Thing(id: 1, _rowid: 1))
    try set.add(.updated, Thing(id: 2, _rowid: 1))
    #expect(!set.isEmpty && set.state(of: Thing._record, 1)?.id == 2)
    #expect(set.state(of: Thing._record, 2) == nil && set.state(of: Post._record, 1) == nil)
    try set.add(.deleted, Thing(id: 2, _rowid: 1))
    guard case .deleted? = set.state(of: Thing._record, 1) else {
      Issue.record("not deleted")
      return
    }
  }

  @Test("Each write keeps its bytes, however many follow")
  func bytes() throws {
    var random = SeededGenerator(seed: 1)
    let set = WriteSet()
    var expected: [[UInt8]] = []
    for number in 0..<300 {
      let length = Int.random(in: 0...(number < 150 ? 40 : 3000), using: &random)
      let bytes = (0..<length).map { _ in UInt8.random(in: 0...255, using: &random) }
      expected.append(bytes)
      bytes.withUnsafeBytes {
        set.append(
          .updated, Thing._record, Int64(number), $0, keepsKeys: true, from: nil, to: Thing(id: Int64(number)))
      }
    }
    #expect(set.writes.indices.map { Array(set.bytes(at: $0)) } == expected)
    #expect(set.writes.map(\.rowid) == (0..<300).map { Int64($0) })
    #expect(set.isFull)
  }

  @Test("A set of a few small changes is not full, and one that has been emptied is not")
  func fullness() throws {
    let set = WriteSet()
    for number in 1...10 { try set.add(.inserted, Thing(id: Int64(number), _rowid: Int64(number))) }
    #expect(!set.isFull)
    try set.add(.inserted, Thing(id: 11, note: String(repeating: "x", count: 10_000_000), _rowid: 11))
    #expect(set.isFull)
    set.removeAll()
    #expect(!set.isFull && set.isEmpty)
  }

  @Test("A key belongs to the row that it was given to last, and a row has lost the keys that it gave up")
  func keys() throws {
    let set = WriteSet()
    let (first, second) = try (Thing(id: 1).primaryKey(), Thing(id: 2).primaryKey())
    set.claim(first, for: 1)
    set.claim(first, for: 2)
    #expect(set.row(claiming: first) == 2 && set.row(claiming: second) == nil)
    set.giveUp(second, of: 1)
    #expect(set.hasTaken(second, from: 1) && !set.hasTaken(second, from: 2) && !set.hasTaken(first, from: 1))
  }

  @Test("A set that was emptied holds no earlier write")
  func removal() throws {
    let set = WriteSet()
    let key = try Thing(id: 1).primaryKey()
    try set.add(.updated, Thing(id: 2, _rowid: 1))
    set.claim(key, for: 1)
    set.giveUp(key, of: 1)
    set.removeAll()
    #expect(set.isEmpty && set.row(claiming: key) == nil && !set.hasTaken(key, from: 1))
    try set.add(.updated, Thing(id: 3, _rowid: 1))
    let bytes = try RowEncoder().bytes(of: Thing(id: 3, _rowid: 1))
    #expect(set.writes.indices.map { Array(set.bytes(at: $0)) } == [bytes])
  }
}
