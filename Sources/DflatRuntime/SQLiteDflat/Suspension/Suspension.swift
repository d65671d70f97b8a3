import Dflat
import DflatEngine
import Dispatch

/// Suspends and resumes a store. While the store is suspended, it holds no lock of its file.
///
/// The thread that suspends takes the writer and keeps it, so that nobody commits. It waits for the lent readers, and
/// closes the file, since SQLite holds locks while a connection is open. To resume, the writer is released, and the
/// next use opens the file.
struct Suspension {
  private let core: SQLiteCore
  private var committer: Committer { core.committer }

  init(_ core: SQLiteCore) {
    self.core = core
  }

  // MARK: Suspending

  /// Suspends the store within some seconds. If that fails, the store goes on as before.
  ///
  /// - Throws: `SuspensionError` if the store is not suspended.
  func begin(within seconds: Double) throws(SuspensionError) {
    if core.isInUseByThread { throw .calledInside }
    let end = DispatchTime.now() + max(0, min(seconds, 1e6))
    switch committer.wait(until: end, for: { $0.beginSuspension() }) {
    case nil: throw .transactionInProgress
    case .isSuspended: return
    case .isForbidden:
      // A closed store holds no lock either.
      guard core.database.waitUntilClosed(until: end) else { throw .transactionInProgress }
      return
    case .begun: break
    }
    core.scheduler.pause()
    let hasWriter = takeWriter(until: end)
    guard hasWriter == true else {
      cancel(hasWriter: false, hasClosed: false)
      throw hasWriter == nil ? .transactionInProgress : .resumed
    }
    let hasClosed = core.database.suspend(until: end) { committer.withState { $0.suspension.isCancelled } }
    guard hasClosed == true, committer.withState({ $0.suspension.finishBeginning() }) else {
      cancel(hasWriter: true, hasClosed: hasClosed == true)
      throw hasClosed == nil ? .readingInProgress : .resumed
    }
    committer.notifyAll()
  }

  /// Takes the writer. A transaction that has it may end in the first half of the time; after that it fails.
  ///
  /// - Returns: nil if the time is over; false if the store was resumed meanwhile.
  private func takeWriter(until end: DispatchTime) -> Bool? {
    let take: (inout Committer.State) -> Bool? = { state in
      if state.suspension.isCancelled { return false }
      return state.takeReservedWriter() ? true : nil
    }
    let half = DispatchTime.now() + (end.timeFromNow / 2)
    if let hasWriter = committer.wait(until: half, for: take) { return hasWriter }
    committer.writerIsRecalled.set(true)
    defer { committer.writerIsRecalled.set(false) }
    return committer.wait(until: end, for: take)
  }

  // MARK: Resuming

  /// Resumes the store if it is suspended or being suspended.
  ///
  /// - Parameters:
  ///   - isForGood: whether the store is shut down, so that it is not suspended again.
  ///   - tellsListeners: whether listeners are told at once that others may have committed.
  func end(isForGood: Bool = false, tellsListeners: Bool = true) {
    // A suspension that begins later is not ended: its caller relies on it.
    let attempt = committer.withState { state in
      if isForGood { state.suspension.isForbidden = true }
      return state.suspension.attempts
    }
    while true {
      let step = committer.wait(until: .distantFuture) { state -> SuspensionState.EndStep? in
        let step = state.suspension.beginEnd(of: attempt)
        // Under the lock, so that it does not come so late that it ends a later suspension's wait for readers.
        if case .isCancelled? = step { core.database.endSuspension() }
        return step
      }
      switch step {
      case nil, .isRunning: return
      case .begun: return cancel(hasWriter: true, hasClosed: true, tellsListeners: tellsListeners)
      case .isCancelled:
        committer.notifyAll()
        _ = committer.wait(until: .distantFuture) { $0.suspension.isBeginning(attempt) ? nil : true }
      }
    }
  }

  /// Resumes the store of a workspace that is released, since nobody else can. Transactions and keys that wait are
  /// stored, as at a shutdown. Without any, nothing opens the file.
  func endAtRelease() {
    // A forked child has no other thread, and the parent's threads may have held locks.
    if core.reporter.forks.isInChild { return }
    // A subscriber would have its result fetched, from a store that may be gone by then.
    end(tellsListeners: false)
  }

  /// Ends the suspension, or the attempt.
  ///
  /// - Parameters:
  ///   - hasWriter: whether the suspension has the writer.
  ///   - hasClosed: whether the file was closed.
  ///   - tellsListeners: whether listeners are told at once that others may have committed. Otherwise they are told at
  ///     the next look.
  private func cancel(hasWriter: Bool, hasClosed: Bool, tellsListeners: Bool = true) {
    core.database.endSuspension()
    // Before anybody can commit. Others may have committed meanwhile, so sets that were collected before must be
    // verified, and the changes of this workspace must not be applied to results that lack those of others.
    if hasClosed {
      core.sequence.noteGap()
      if tellsListeners { core.sequence.tellOfForeignCommits() }
    }
    // Before anybody can suspend the workspace anew, whose pause this would end.
    core.scheduler.resume(core)
    committer.endSuspension(hasWriter: hasWriter)
  }
}

extension DispatchTime {
  /// How many seconds are left until this time; 0 if it has passed.
  var timeFromNow: Double {
    let now = DispatchTime.now().uptimeNanoseconds
    return uptimeNanoseconds > now ? Double(uptimeNanoseconds - now) / 1e9 : 0
  }
}
