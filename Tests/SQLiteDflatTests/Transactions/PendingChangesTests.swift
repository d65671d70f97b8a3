import Dflat
@testable import DflatEngine
import FlatBuffersCore
import Golden_post
import TestSupport
import Testing

@testable import SQLiteDflat

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

  @Test("A set that was emptied has nothing of what was in it")
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

@Suite("Two row keys are equal when SQLite would not let two rows have them")
struct RowKeyTests {
  @Test("NULL is no key, and every other unique value is one")
  func keysOfAnObject() throws {
    #expect(try Thing(id: 1).keys().map(\.index) == [nil])
    // The unique index is the fourth.
    #expect(try Thing(id: 1, note: "").keys().map(\.index) == [nil, 3])
  }

  @Test("Keys differ by each of their columns, and by their bytes alone")
  func equality() throws {
    let things = [
      Thing(id: 1), Thing(id: 2), Thing(id: 1, name: "a"), Thing(id: 1, name: "a\0"), Thing(id: 1, name: "é"),
      Thing(id: 1, name: "e\u{301}"),
    ]
    #expect(try Set(things.map { try $0.primaryKey() }).count == things.count)
    #expect(try Thing(id: 1, big: 5, note: "n").primaryKey() == Thing(id: 1).primaryKey())
    let notes = try [Thing(id: 1, note: "n"), Thing(id: 2, note: "n")].map { try #require($0.keys().last) }
    #expect(notes[0] == notes[1])
    // A text of the primary key is no text of the index.
    #expect(try Post(title: "n").primaryKey() != notes[0])
  }
}

@Suite("What pending transactions make of rows")
struct PendingRowsTests {
  private func transaction() -> QueuedTransaction {
    QueuedTransaction([], queues: [], changesHandler: { _ in }, completion: nil)
  }

  private func set(_ things: [Thing], claiming keys: [(RowKey, Int64)] = []) throws -> WriteSet {
    let set = WriteSet()
    for thing in things { try set.add(.updated, thing) }
    for (key, row) in keys { set.claim(key, for: row) }
    return set
  }

  @Test("Of two transactions that change a row, the later one counts, also when the earlier one is settled")
  func laterTransactions() throws {
    var changes = PendingRows()
    let (earlier, later) = (transaction(), transaction())
    let first = try set([Thing(id: 1, _rowid: 1), Thing(id: 2, _rowid: 2)])
    let second = try set([Thing(id: 10, _rowid: 1)])
    changes.add(first, of: earlier)
    changes.add(second, of: later)
    func row(_ rowid: Int64) -> PendingRows.Row? { changes.row(RowID(Thing._record, rowid)) }
    #expect(row(1)?.state.id == 10 && row(1)?.transaction === later)
    #expect(row(2)?.state.id == 2 && row(2)?.transaction === earlier)
    #expect(changes.row(RowID(Post._record, 1)) == nil)
    changes.remove(first, of: earlier)
    #expect(row(1)?.state.id == 10 && row(1)?.transaction === later)
    #expect(row(2) == nil)
    changes.remove(second, of: later)
    #expect(row(1) == nil)
  }

  @Test("A key that a later transaction gives to another row stays there when the earlier one is settled")
  func claims() throws {
    var changes = PendingRows()
    let (earlier, later) = (transaction(), transaction())
    let (moved, kept) = try (Thing(id: 1).primaryKey(), Thing(id: 2).primaryKey())
    let first = try set([], claiming: [(moved, 1), (kept, 3)])
    let second = try set([], claiming: [(moved, 2)])
    changes.add(first, of: earlier)
    changes.add(second, of: later)
    #expect(changes.row(claiming: moved) == 2 && changes.row(claiming: kept) == 3)
    changes.remove(first, of: earlier)
    #expect(changes.row(claiming: moved) == 2 && changes.row(claiming: kept) == nil)
    changes.remove(second, of: later)
    #expect(changes.row(claiming: moved) == nil)
  }

  /// A row has the key, loses it, and gets it back, each by a transaction.
  @Test("A key that a later transaction gives back to the same row stays claimed when the earlier one is settled")
  func claimsOfOneRow() throws {
    var changes = PendingRows()
    let (earlier, later) = (transaction(), transaction())
    let key = try Thing(id: 1).primaryKey()
    let first = try set([], claiming: [(key, 1)])
    let second = try set([], claiming: [(key, 1)])
    changes.add(first, of: earlier)
    changes.add(second, of: later)
    changes.remove(first, of: earlier)
    #expect(changes.row(claiming: key) == 1)
    changes.remove(second, of: later)
    #expect(changes.row(claiming: key) == nil)
  }
}

@Suite("The numbers of new rows")
struct RowNumbersTests {
  @Test("No number is handed out twice, and none that the table has used")
  func rowNumbers() {
    var numbers = RowNumbers()
    #expect(numbers.next(of: Thing._record) == nil)
    numbers.raise(to: 7, of: Thing._record)
    #expect(numbers.next(of: Thing._record) == 8 && numbers.next(of: Post._record) == nil)
    #expect(numbers.take(for: Thing._record) == 8)
    numbers.raise(to: 3, of: Thing._record)
    #expect(numbers.take(for: Thing._record) == 9 && numbers.last(of: Thing._record) == 9)
    #expect(numbers.take(for: Post._record) == 1)
  }

  @Test("A row that was moved is found by the number that was handed out, in its own table")
  func movedRows() {
    var numbers = RowNumbers()
    #expect(numbers.actualRow(5, of: Thing._record) == nil)
    #expect(numbers.move(5, above: 8, of: Thing._record) == 9)
    #expect(numbers.actualRow(5, of: Thing._record) == 9)
    #expect(numbers.actualRow(9, of: Thing._record) == nil && numbers.actualRow(5, of: Post._record) == nil)
    #expect(numbers.take(for: Thing._record) == 10)
  }
}

@Suite("The former keys of rows")
struct FormerKeysTests {
  @Test("All of them are remembered, each for its row")
  func formerKeys() throws {
    var formerKeys = FormerKeys()
    let keys = try (1...3).map { try Thing(id: $0).primaryKey() }
    formerKeys.append(contentsOf: [(keys[0], 1), (keys[1], 1)])
    formerKeys.append(contentsOf: [(keys[2], 2)])
    let row = RowID(Thing._record, 1)
    #expect(
      formerKeys.contain(keys[0], of: row) && formerKeys.contain(keys[1], of: row)
        && !formerKeys.contain(keys[2], of: row))
    #expect(formerKeys.contain(keys[2], of: RowID(Thing._record, 2)))
  }
}

extension Atom where Self: FlatBuffersEncodable {
  /// The primary key and the unique values that are not NULL.
  fileprivate func keys() throws -> [RowKey] {
    try RowEncoder.with { RowKey.all(of: FlatBufferTable(ofEncoded: try $0.encode(self)), Self._record) }
  }

  fileprivate func primaryKey() throws -> RowKey {
    let key = try RowEncoder.with {
      RowKey.primaryKey(of: FlatBufferTable(ofEncoded: try $0.encode(self)), Self._record)
    }
    return try #require(key)
  }
}

extension RowEncoder {
  fileprivate func bytes(of object: some FlatBuffersEncodable) throws -> [UInt8] { Array(try encode(object)) }
}

extension WriteSet {
  /// Adds a change of the row that `thing` names.
  fileprivate func add(_ kind: RowChange.Kind, _ thing: Thing) throws {
    let bytes = kind == .deleted ? [] : try RowEncoder().bytes(of: thing)
    bytes.withUnsafeBytes {
      append(kind, Thing._record, thing._rowid, $0, keepsKeys: false, from: nil, to: thing)
    }
  }
}

extension RowState {
  /// The key of the thing that the row holds.
  fileprivate var id: Int64? {
    if case .stored(let object) = self { (object as? Thing)?.id } else { nil }
  }
}
