import CSQLite
import Dflat
import DflatEngine
import Dispatch

/// Commits the pending transactions of a workspace: those whose closures have returned, and are data.
///
/// One thread at a time has the writer: a leader, which commits what is pending, several transactions at once; a transaction
/// that writes alone, while its closure runs; or the background job that fills indexes. Whoever finds the writer free when
/// something is pending becomes the leader, and goes on while more is pending. So commits are shared when there is much to
/// commit, and a lone transaction is committed at once by the thread that ran its closure.
final class Committer: Sendable {
  private let state = Guarded(State(), rank: .committer)
  private let database: Database
  private let sequence: CommitSequence
  private let completions: Completions
  private let requestCatchUp: @Sendable (RecordDescription) -> Void
  private let thread = DispatchQueue(label: "dflat.commit")

  private struct State {
    var pending: ContiguousArray<QueuedTransaction> = []
    var changes = PendingChanges()
    /// The types whose unique indexes are complete, and how many commits of other processes had been noticed then.
    var completeUniqueIndexes: [ObjectIdentifier: Int] = [:]
    var isWriterTaken = false
    /// Transactions that wait for the writer.
    var waitingTransactions = 0
    /// Whether the committer's own thread is about to look for pending transactions.
    var isThreadScheduled = false
    /// The serials of the transaction that was the last to become pending, and of the last one that was settled.
    var lastSerial: UInt64 = 0
    var settledSerial: UInt64 = 0
  }

  /// How many transactions are committed together at most, and how long their sets are applied: so that the first of them is
  /// not completed late.
  private static let batchLimit = 1024
  private static let batchTime = DispatchTimeInterval.milliseconds(5)

  /// - Parameter requestCatchUp: has the indexes of a type filled that are behind, in the background.
  init(
    database: Database, sequence: CommitSequence, completions: Completions,
    requestCatchUp: @escaping @Sendable (RecordDescription) -> Void
  ) {
    self.requestCatchUp = requestCatchUp
    self.database = database
    self.sequence = sequence
    self.completions = completions
  }

  // MARK: Pending transactions

  /// Takes a transaction whose closure has returned. It is settled when those before it are that share a type with it.
  func add(_ transaction: QueuedTransaction) {
    let isPending = state.withLock { state in
      // One without changes has nothing to be committed, but is not completed before its predecessors.
      if transaction.writes == nil, !transaction.queues.contains(where: { $0.lastSerial > state.settledSerial }),
        transaction.dependencies.isEmpty
      {
        return false
      }
      state.lastSerial += 1
      transaction.serial = state.lastSerial
      for queue in transaction.queues { queue.lastSerial = state.lastSerial }
      state.pending.append(transaction)
      if let set = transaction.writes { state.changes.add(set, of: transaction) }
      return true
    }
    if !isPending { settleAlone(transaction) }
  }

  /// Completes a transaction that is committed, or has nothing to commit.
  func settleAlone(_ transaction: QueuedTransaction) {
    completions.append(.completion(transaction, transaction.failure))
  }

  /// Calls `body` with what the pending transactions make of rows.
  func withPendingChanges<Result>(_ body: (inout PendingChanges) -> Result) -> Result {
    state.withLock { body(&$0.changes) }
  }

  /// Whether all pending transactions are settled that come before one with these queues.
  private func hasPendingPredecessors(_ queues: [TransactionQueue]) -> Bool {
    state.withLock { state in queues.contains { $0.lastSerial > state.settledSerial } }
  }

  /// How far the pending transactions are settled that come before one with these queues, as a serial.
  func settledSerial(of queues: [TransactionQueue]) -> UInt64 {
    state.withLock { state in min(state.settledSerial, queues.reduce(0) { max($0, $1.lastSerial) }) }
  }

  // MARK: Rows and indexes

  /// Hands out the number of a new row that is above `last`, in place of `row`, which another process has used.
  func moveRow(of record: RecordDescription, _ row: Int64, above last: Int64) -> Int64 {
    state.withLock { state in
      state.changes.raiseLastRow(of: record, to: last)
      let actual = state.changes.takeRow(of: record)
      state.changes.noteMove(of: record, from: row, to: actual)
      return actual
    }
  }

  /// Notes the row numbers that a transaction with the writer has used: they are not used again, also if it is rolled back.
  func noteRows(_ writer: WriterConnection) {
    state.withLock { state in
      writer.forEachRows { state.changes.raiseLastRow(of: $0.record, to: $0.lastRow) }
    }
  }

  /// The row of an object that was handed out with the number `row`, if that is another one.
  func actualRow(of record: RecordDescription, _ row: Int64) -> Int64? {
    state.withLock { $0.changes.actualRow(record, row) }
  }

  /// Whether the unique indexes of a type are known to be complete, or to be of no use, unless another process has written.
  func hasCompleteUniqueIndexes(_ record: RecordDescription) -> Bool {
    let foreignCommits = sequence.foreignCommits
    return state.withLock { $0.completeUniqueIndexes[ObjectIdentifier(record)] == foreignCommits }
  }

  func noteCompleteUniqueIndexes(_ record: RecordDescription) {
    let foreignCommits = sequence.foreignCommits
    state.withLock { $0.completeUniqueIndexes[ObjectIdentifier(record)] = foreignCommits }
  }

  func hasFailed(_ transaction: QueuedTransaction) -> Bool { state.withLock { _ in transaction.hasFailed } }

  // MARK: Leading

  /// A closure has returned, and what it has submitted is pending.
  ///
  /// - Parameter hasNext: whether another closure goes on at once, so that its transaction may be committed together with this.
  func closureHasEnded(hasNext: Bool) {
    enum Step { case nothing, schedule, lead }
    let step: Step = state.withLock { state in
      guard !state.isWriterTaken, !state.pending.isEmpty else { return .nothing }
      if hasNext {
        // Closures and commits overlap.
        if state.isThreadScheduled { return .nothing }
        state.isThreadScheduled = true
        return .schedule
      }
      state.isWriterTaken = true
      return .lead
    }
    switch step {
    case .nothing: break
    case .schedule: thread.async { self.lead() }
    case .lead:
      _ = commitBatch()
      releaseWriter()
    }
  }

  /// Commits what is pending until nothing is, on the committer's own thread.
  private func lead() {
    while true {
      let isLeader = state.withLock { state in
        guard !state.isWriterTaken, state.waitingTransactions == 0, !state.pending.isEmpty else {
          state.isThreadScheduled = false
          return false
        }
        state.isWriterTaken = true
        return true
      }
      guard isLeader else { return }
      _ = commitBatch()
      completions.makeCallsInBackground()
      state.withLock { $0.isWriterTaken = false }
      state.notifyAll()
    }
  }

  /// Waits until the transactions are committed that come before one with these queues, and are pending. The calling thread
  /// leads if nobody does.
  func settlePredecessors(of queues: [TransactionQueue]) {
    enum Step { case done, lead }
    guard hasPendingPredecessors(queues) else { return }
    while true {
      let step: Step = state.wait { state in
        guard queues.contains(where: { $0.lastSerial > state.settledSerial }) else { return .done }
        if state.isWriterTaken { return nil }
        state.isWriterTaken = true
        return .lead
      }
      guard case .lead = step else { return }
      _ = commitBatch()
      releaseWriter()
      completions.makeCallsInBackground()
    }
  }

  // MARK: The writer

  enum WriterPriority {
    /// Next, and after all that is pending has been committed.
    case transaction
    /// Only while nothing is pending, and no transaction waits.
    case background
  }

  /// Takes the writer. Nothing is pending then that was pending before. Give it back with `releaseWriter()`.
  func acquireWriter(_ priority: WriterPriority) {
    switch priority {
    case .transaction:
      state.withLock { $0.waitingTransactions += 1 }
      let last = state.wait { state -> UInt64? in
        if state.isWriterTaken { return nil }
        state.isWriterTaken = true
        state.waitingTransactions -= 1
        return state.lastSerial
      }
      var hasCommitted = false
      while state.withLock({ $0.settledSerial < last }), commitBatch() { hasCommitted = true }
      if hasCommitted { completions.makeCallsInBackground() }
    case .background:
      state.wait { state -> Void? in
        if state.isWriterTaken || state.waitingTransactions > 0 || !state.pending.isEmpty { return nil }
        state.isWriterTaken = true
        return ()
      }
    }
  }

  /// Gives the writer back, and sees to it that somebody commits what has become pending meanwhile.
  func releaseWriter() {
    let isScheduled = state.withLock { state in
      state.isWriterTaken = false
      guard !state.pending.isEmpty, state.waitingTransactions == 0, !state.isThreadScheduled else { return false }
      state.isThreadScheduled = true
      return true
    }
    state.notifyAll()
    if isScheduled { thread.async { self.lead() } }
  }

  // MARK: Committing

  /// Commits the first pending transactions together. For the thread that has the writer.
  ///
  /// - Returns: false if nothing is pending.
  private func commitBatch() -> Bool {
    // A copy, or else the array would be copied when they are removed from it.
    let batch = state.withLock { Array($0.pending.prefix(Committer.batchLimit)) }
    guard !batch.isEmpty else { return false }
    guard batch.count > 1, !batch.contains(where: hasFailedDependency) else {
      commitAlone(batch[0])
      return true
    }
    do {
      let count = try commitTogether(batch[...])
      settle(batch.prefix(count))
    } catch {
      // SQLite has undone all of them. Each by itself shows which of them have to fail.
      for transaction in batch { commitAlone(transaction) }
    }
    return true
  }

  private func hasFailedDependency(_ transaction: QueuedTransaction) -> Bool {
    !transaction.dependencies.isEmpty && transaction.dependencies.contains(where: hasFailed)
  }

  /// - Returns: how many have been committed.
  private func commitTogether(_ batch: ArraySlice<QueuedTransaction>) throws -> Int {
    guard batch.contains(where: { $0.writes != nil }) else { return batch.count }
    let writer = try database.writer()
    try writer.begin()
    do {
      let count = try writer.apply(batch, until: .now() + Committer.batchTime, self)
      let changes: CommitSequence.Changes =
        sequence.hasListener
        ? .transactions(batch.prefix(count).compactMap { $0.writes.map(\.committedTransaction) }) : .unknown
      try writer.commit(publishing: changes)
      if writer.hasIndexBehind { for record in writer.recordsBehind { requestCatchUp(record) } }
      return count
    } catch {
      writer.rollBack()
      throw error
    }
  }

  private func commitAlone(_ transaction: QueuedTransaction) {
    var failure: (any Error)?
    if hasFailedDependency(transaction) {
      failure = SubmissionError.undone
    } else {
      do {
        _ = try commitTogether([transaction])
      } catch {
        failure = error
      }
    }
    settle([transaction], failure: failure)
  }

  /// Removes transactions, which are committed or have failed, from those that are pending, and has them completed.
  private func settle(_ transactions: ArraySlice<QueuedTransaction>, failure: (any Error)? = nil) {
    state.withLock { state in
      state.pending.removeFirst(transactions.count)
      for transaction in transactions {
        if let set = transaction.writes { state.changes.remove(set, of: transaction) }
        if failure != nil { transaction.hasFailed = true }
        state.settledSerial = transaction.serial
      }
    }
    state.notifyAll()
    for transaction in transactions {
      transaction.writes = nil
      // Or a chain of them, each of which holds the one before it, would be released by as many nested calls.
      transaction.dependencies = []
      if let failure, transaction.failure == nil { transaction.failure = TransactionError(failure) }
    }
    if let failure { completions.append(.error(failure)) }
    if transactions.count == 1, let transaction = transactions.first {
      completions.append(.completion(transaction, transaction.failure))
    } else {
      completions.append(contentsOf: transactions.map { .completion($0, $0.failure) })
    }
  }
}

extension TransactionError {
  /// What a transaction is told of an error that the error handler gets.
  init(_ error: any Error) {
    self = (error as? SQLiteError)?.code == SQLITE_FULL ? .diskFull : .others
  }
}
