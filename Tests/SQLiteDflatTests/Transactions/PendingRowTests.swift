import Dflat
import EngineTestSupport
@testable import DflatEngine
import FlatBuffersCore
import Golden_post
import TestSupport
import Testing

@testable import SQLiteDflat

@Suite("Pending transactions hold the latest state of each row")
struct PendingRowTests {
  private func transaction(_ writes: WriteSet) -> QueuedTransaction {
    let transaction = QueuedTransaction([], queues: [], changesHandler: { _ in }, completion: nil)
    transaction.writes = writes
    return transaction
  }

  private func set(_ things: [Thing], claiming keys: [(RowKey, Int64)] = []) throws -> WriteSet {
    let set = WriteSet()
    for thing in things { try set.add(.updated, thing) }
    for (key, row) in keys { set.claim(key, for: row) }
    return set
  }

  /// Returns pending transactions, the earlier of which comes first.
  private func pendingTransactions(_ earlier: QueuedTransaction, _ later: QueuedTransaction) -> PendingTransactions {
    var pending = PendingTransactions()
    let arePending = [pending.add(earlier), pending.add(later)]
    #expect(arePending == [true, true])
    return pending
  }

  @Test("If two transactions change a row, the later one counts, even when the earlier one is settled")
  func laterTransactions() throws {
    let earlier = transaction(try set([Thing(id: 1, _rowid: 1), Thing(id: 2, _rowid: 2)]))
    let later = transaction(try set([Thing(id: 10, _rowid: 1)]))
    var pending = pendingTransactions(earlier, later)
    let (one, two) = (RowID(Thing._record, 1), RowID(Thing._record, 2))
    #expect(pending.row(one)?.state.id == 10 && pending.row(one)?.transaction === later)
    #expect(pending.row(two)?.state.id == 2 && pending.row(two)?.transaction === earlier)
    #expect(pending.row(RowID(Post._record, 1)) == nil)
    pending.settle([earlier], haveFailed: false)
    #expect(pending.row(one)?.state.id == 10 && pending.row(one)?.transaction === later)
    #expect(pending.row(two) == nil)
    pending.settle([later], haveFailed: false)
    #expect(pending.row(one) == nil)
  }

  @Test("A key that a later transaction gives to another row stays there when the earlier one is settled")
  func claims() throws {
    let (moved, kept) = try (Thing(id: 1).primaryKey(), Thing(id: 2).primaryKey())
    let earlier = transaction(try set([], claiming: [(moved, 1), (kept, 3)]))
    let later = transaction(try set([], claiming: [(moved, 2)]))
    var pending = pendingTransactions(earlier, later)
    #expect(pending.row(claiming: moved) == 2 && pending.row(claiming: kept) == 3)
    pending.settle([earlier], haveFailed: false)
    #expect(pending.row(claiming: moved) == 2 && pending.row(claiming: kept) == nil)
    pending.settle([later], haveFailed: false)
    #expect(pending.row(claiming: moved) == nil)
  }

  /// A row has the key, loses it, and gets it back, each by a transaction.
  @Test("A key that a later transaction gives back to the same row stays claimed when the earlier one is settled")
  func claimsOfOneRow() throws {
    let key = try Thing(id: 1).primaryKey()
    let earlier = transaction(try set([], claiming: [(key, 1)]))
    let later = transaction(try set([], claiming: [(key, 1)]))
    var pending = pendingTransactions(earlier, later)
    pending.settle([earlier], haveFailed: false)
    #expect(pending.row(claiming: key) == 1)
    pending.settle([later], haveFailed: false)
    #expect(pending.row(claiming: key) == nil)
  }
}

@Suite("The numbers of new rows")
struct RowNumbersTests {
  @Test("No number is handed out twice, and none that the table has used")
  func rowNumbers() {
    var numbers = RowNumbers()
    #expect(numbers.next(of: Thing._record, after: 0) == nil)
    numbers.raise(to: 7, of: Thing._record)
    #expect(numbers.next(of: Thing._record, after: 0) == 8 && numbers.next(of: Post._record, after: 0) == nil)
    #expect(numbers.take(for: Thing._record) == 8)
    numbers.raise(to: 3, of: Thing._record)
    #expect(numbers.take(for: Thing._record) == 9 && numbers.last(of: Thing._record) == 9)
    #expect(numbers.take(for: Post._record) == 1)
    // Others have committed: the numbers are unknown until they are looked up.
    #expect(numbers.next(of: Thing._record, after: 1) == nil)
    numbers.noteLookUp(20, of: Thing._record, after: 1)
    #expect(numbers.next(of: Thing._record, after: 1) == 21 && numbers.next(of: Thing._record, after: 2) == nil)
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
