import Dflat
@testable import DflatEngine
import Testing

@testable import SQLiteDflat

@Suite("Pending transactions are completed in their order")
struct PendingTransactionsTests {
  private let queue = TransactionQueue()

  private func transaction() -> QueuedTransaction {
    QueuedTransaction([], queues: [queue], changesHandler: { _ in }, completion: nil)
  }

  @Test("A transaction without changes is not completed before the completion of a settled predecessor is appended")
  func unappendedCompletion() {
    var pending = PendingTransactions()
    let (first, second, third) = (transaction(), transaction(), transaction())
    first.writes = WriteSet()
    let isFirstPending = pending.add(first)
    pending.settle([first], haveFailed: false)
    // As by another thread, just before the committing thread appends the completion of the first one.
    let isSecondPending = pending.add(second)
    pending.noteCompletions()
    #expect(isFirstPending && isSecondPending)
    // The second one is next, and nothing comes before it that is not completed.
    #expect(pending.first(2).count == 1 && pending.first(2).first === second)
    pending.settle([second], haveFailed: false)
    pending.noteCompletions()
    let isThirdPending = pending.add(third)
    #expect(!isThirdPending && pending.isEmpty)
  }
}
