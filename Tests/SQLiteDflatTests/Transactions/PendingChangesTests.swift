import Dflat
import EngineTestSupport
@testable import DflatEngine
import FlatBuffersCore
import Golden_post
import TestSupport
import Testing

@testable import SQLiteDflat

@Suite("Pending changes hold the latest state of each row")
struct PendingChangesTests {
  private func transaction() -> QueuedTransaction {
    QueuedTransaction([], queues: [], changesHandler: { _ in }, completion: nil)
  }

  private func set(_ things: [Thing], claiming keys: [(RowKey, Int64)] = []) throws -> WriteSet {
    let set = WriteSet()
    for thing in things { try set.add(.updated, thing) }
    for (key, row) in keys { set.claim(key, for: row) }
    return set
  }

  @Test("If two transactions change a row, the later one counts, even when the earlier one is settled")
  func laterTransactions() throws {
    var changes = PendingChanges()
    let (earlier, later) = (transaction(), transaction())
    let first = try set([Thing(id: 1, _rowid: 1), Thing(id: 2, _rowid: 2)])
    let second = try set([Thing(id: 10, _rowid: 1)])
    changes.add(first, of: earlier)
    changes.add(second, of: later)
    func row(_ rowid: Int64) -> PendingChanges.Row? { changes.row(RowID(Thing._record, rowid)) }
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
    var changes = PendingChanges()
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
    var changes = PendingChanges()
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
  @Test("All former keys are remembered, each for its row")
  func formerKeys() throws {
    var formerKeys = FormerKeys()
    let keys = try (1...3).map { try Thing(id: $0).primaryKey() }
    formerKeys.append(contentsOf: [(keys[0], 1), (keys[1], 1)])
    formerKeys.append(contentsOf: [(keys[2], 2)])
    let row = RowID(Thing._record, 1)
    #expect(
      formerKeys.contains(keys[0], of: row) && formerKeys.contains(keys[1], of: row)
        && !formerKeys.contains(keys[2], of: row))
    #expect(formerKeys.contains(keys[2], of: RowID(Thing._record, 2)))
  }
}
