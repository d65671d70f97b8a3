import Dflat
import DflatEngine
import Dispatch

/// Commits the pending transactions of a workspace, whose closures have returned.
///
/// One thread at a time has the writer: a leader, which commits several pending transactions together; a transaction
/// that writes alone, while its closure runs; or the background job that fills indexes. A thread that finds the writer
/// free while transactions are pending becomes the leader, and goes on while more are pending. So commits are shared
/// when there is much to commit, and a lone transaction is committed at once by the thread that ran its closure.
final class Committer: Sendable {
  private let state = Guarded(State(), rank: .committer)
  private let database: Database
  private let sequence: CommitSequence
  private let completions: Completions
  private let requestCatchUp: @Sendable (RecordDescription) -> Void
  private let thread = DispatchQueue(label: "dflat.commit")

  struct State {
    var pending = PendingTransactions()
    var numbers = RowNumbers()
    var formerKeys = FormerKeys()
    var uniqueIndexes = CompleteUniqueIndexes()
    var suspension = SuspensionState()
    fileprivate var writer = WriterAccess()
  }

  /// Whether the transaction that has the writer has to fail, since the store is being suspended.
  let writerIsRecalled = SharedFlag()

  /// The most transactions that are committed together. The time for which sets are applied is limited as well:
  /// otherwise the first of the transactions would be completed late.
  private static let batchLimit = 1024
  private static let batchTime = DispatchTimeInterval.milliseconds(5)

  /// Makes a committer without pending transactions.
  /// - Parameter requestCatchUp: starts to fill the indexes of a type that are behind, in the background.
  init(
    database: Database, sequence: CommitSequence, completions: Completions,
    requestCatchUp: @escaping @Sendable (RecordDescription) -> Void
  ) {
    self.requestCatchUp = requestCatchUp
    self.database = database
    self.sequence = sequence
    self.completions = completions
  }

  /// Calls `body` with the state, under the committer's lock.
  func withState<Result>(_ body: (inout State) -> Result) -> Result { state.withLock(body) }

  /// Adds a transaction whose closure has returned. A transaction that changes nothing is settled after its pending
  /// predecessors.
  func add(_ transaction: QueuedTransaction) {
    if !state.withLock({ $0.pending.add(transaction) }) { complete(transaction) }
  }

  /// Completes a transaction that is committed, or has nothing to commit.
  func complete(_ transaction: QueuedTransaction) { completions.appendCompletion(of: transaction, transaction.failure) }

  func hasFailed(_ transaction: QueuedTransaction) -> Bool { state.withLock { _ in transaction.hasFailed } }

  // MARK: Leading

  /// Commits what is pending, or lets the committer's thread do so, after a closure has returned. Does nothing if
  /// another thread has the writer: that thread commits what is pending.
  ///
  /// - Parameter hasNext: whether another closure is about to run, so that its transaction may be committed together
  ///   with this one.
  func closureHasEnded(hasNext: Bool) {
    enum Step { case nothing, startThread, commit }
    let step: Step = state.withLock { state in
      guard !state.pending.isEmpty, !state.writer.isTaken else { return .nothing }
      // The committer's thread commits, so that closures and commits overlap.
      if hasNext { return state.writer.scheduleThread() ? .startThread : .nothing }
      return state.writer.take() ? .commit : .nothing
    }
    switch step {
    case .nothing: break
    case .startThread: thread.async { self.lead() }
    case .commit:
      _ = commitBatch()
      releaseWriter()
    }
  }

  /// Commits batches until nothing is pending, on the committer's own thread.
  private func lead() {
    while true {
      let isLeader = state.withLock { state in
        if !state.pending.isEmpty, !state.writer.isAwaited, state.writer.take() { return true }
        state.writer.endThread()
        return false
      }
      guard isLeader else { return }
      _ = commitBatch()
      completions.makeCallsInBackground()
      database.checkpointLog()
      state.withLock { $0.writer.release() }
      state.notifyAll()
    }
  }

  /// Waits until the pending transactions that come before a transaction with these queues are settled. If the writer
  /// is free meanwhile, the calling thread commits them.
  func settlePredecessors(of queues: [TransactionQueue]) {
    while true {
      let isLeader: Bool = state.wait { state in
        if state.pending.isSettled(before: queues) { return false }
        return state.writer.take() ? true : nil
      }
      guard isLeader else { return }
      _ = commitBatch()
      releaseWriter()
      completions.makeCallsInBackground()
    }
  }

  // MARK: The writer

  enum WriterPriority {
    /// The writer comes next, after everything that is pending now has been committed.
    case transaction
    /// The writer comes when nothing is pending, and no transaction waits for it.
    case background
  }

  /// Takes the writer for a transaction and commits what was pending before, unless the store is suspended. Release it
  /// with `releaseWriter()`.
  ///
  /// - Throws: `SuspensionError` if the store is suspended.
  func acquireWriterUnlessSuspended() throws {
    state.withLock { $0.writer.beginWaiting() }
    let last: UInt64? = state.wait { state -> UInt64?? in
      if state.writer.takeAwaited() { return state.pending.lastSerial }
      guard state.suspension.isSuspended else { return nil }
      state.writer.endWaiting()
      return .some(nil)
    }
    guard let last else { throw SuspensionError.suspended }
    commitPending(upTo: last)
  }

  /// Waits for the writer and takes it. What was pending before is then committed. Release it with `releaseWriter()`.
  func acquireWriter(_ priority: WriterPriority) {
    switch priority {
    case .transaction:
      state.withLock { $0.writer.beginWaiting() }
      commitPending(upTo: state.wait { state in state.writer.takeAwaited() ? state.pending.lastSerial : nil })
    case .background:
      state.wait { state -> Void? in
        state.pending.isEmpty && !state.writer.isAwaited && state.writer.take() ? () : nil
      }
    }
  }

  /// Commits the pending transactions up to a serial. The caller has the writer.
  private func commitPending(upTo last: UInt64) {
    var hasCommitted = false
    while state.withLock({ $0.pending.settledSerial < last }), commitBatch() { hasCommitted = true }
    if hasCommitted { completions.makeCallsInBackground() }
  }

  /// Releases the writer, and makes sure that what has become pending meanwhile is committed.
  func releaseWriter() {
    database.checkpointLog()
    let startsThread = state.withLock { state in
      state.writer.release()
      // A waiting transaction first commits what is pending.
      return !state.pending.isEmpty && !state.writer.isAwaited && state.writer.scheduleThread()
    }
    state.notifyAll()
    if startsThread { thread.async { self.lead() } }
  }

  // MARK: Suspending. See `Suspension`.

  /// Calls `body` until it returns something, again after each change of the state.
  ///
  /// - Returns: nil if `body` still returns nil at `end`.
  func wait<Result>(until end: DispatchTime, for body: (inout State) -> Result?) -> Result? {
    if end == .distantFuture { return state.wait(for: body) }
    return state.wait(atMost: end.timeFromNow, for: body)
  }

  func notifyAll() { state.notifyAll() }

  /// Ends a suspension, and starts a thread that commits the pending transactions, if no other thread will. Does not
  /// wait for the commits.
  ///
  /// - Parameter hasWriter: whether the calling thread has the writer, which is released then.
  func endSuspension(hasWriter: Bool) {
    let startsThread = state.withLock { state in
      if hasWriter { state.writer.release() }
      state.writer.endReserving()
      state.suspension.finishEnd()
      return !state.pending.isEmpty && !state.writer.isTaken && !state.writer.isAwaited && state.writer.scheduleThread()
    }
    state.notifyAll()
    if startsThread { thread.async { self.lead() } }
  }

  // MARK: Committing

  /// Commits the first pending transactions together. If that fails, it commits them one by one. The caller has the
  /// writer.
  ///
  /// - Returns: false if nothing is pending.
  private func commitBatch() -> Bool {
    let batch = state.withLock { $0.pending.first(Committer.batchLimit) }
    guard !batch.isEmpty else { return false }
    guard batch.count > 1, !batch.contains(where: hasFailedDependency) else {
      commitAlone(batch[0])
      return true
    }
    do {
      let count = try commitTogether(batch[...])
      settle(batch.prefix(count))
    } catch {
      // SQLite has rolled all of them back. Committed one by one, only those fail that must.
      for transaction in batch { commitAlone(transaction) }
    }
    return true
  }

  private func hasFailedDependency(_ transaction: QueuedTransaction) -> Bool {
    !transaction.dependencies.isEmpty && transaction.dependencies.contains(where: hasFailed)
  }

  /// Commits the first of some transactions in one SQLite transaction.
  ///
  /// - Returns: how many were committed. The others were left out because the time for applying sets was over.
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

  /// Removes transactions, which are committed or have failed, from the pending ones, and appends their completions.
  private func settle(_ transactions: ArraySlice<QueuedTransaction>, failure: (any Error)? = nil) {
    state.withLock { $0.pending.settle(transactions, haveFailed: failure != nil) }
    state.notifyAll()
    for transaction in transactions {
      transaction.writes = nil
      // Or a chain of transactions, each of which owns the one before it, would be released by as many nested calls.
      transaction.dependencies = []
      if let failure, transaction.failure == nil { transaction.failure = TransactionError(failure) }
    }
    if let failure {
      // The app is told if any of them is its own.
      completions.appendError(
        failure, depth: transactions.lazy.map(\.handlerDepth).min() ?? 0,
        isOfHandler: transactions.allSatisfy(\.isOfHandler))
    }
    completions.appendCompletions(of: transactions)
    state.withLock { $0.pending.noteCompletions() }
  }
}

extension Committer.State {
  /// Begins to suspend the store: no other thread can take the writer from now on. Returns nil while another thread
  /// suspends or resumes it.
  mutating func beginSuspension() -> SuspensionState.BeginStep? {
    let step = suspension.begin()
    if case .begun = step { writer.reserve() }
    return step
  }

  mutating func takeReservedWriter() -> Bool { writer.takeReserved() }
}
