import Dflat
import DflatEngine
import Dispatch

/// Suspends and resumes a store: while it is suspended, it holds no lock of its file.
///
/// The thread that suspends takes the writer and keeps it, so that nobody commits; waits for the readers that are lent; and closes
/// the file, since SQLite holds locks for as long as a connection is open. To resume is to give the writer back: the next use opens
/// the file.
struct Suspension {
  private let core: SQLiteCore
  private var committer: Committer { core.committer }

  init(_ core: SQLiteCore) {
    self.core = core
  }

  // MARK: Suspending

  /// Suspends the store. If that fails, the store goes on as before.
  func begin(within seconds: Double) throws(SuspensionError) {
    if core.isInUseByThread { throw .calledInside }
    let end = DispatchTime.now() + max(0, min(seconds, 1e6))
    switch committer.wait(until: end, for: { $0.beginSuspension() }) {
    case nil: throw .transactionInProgress
    case .isSuspended: return
    case .isForbidden:
      // A store that is closed holds no lock either.
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

  /// Takes the writer. A transaction that has it may end in the first half of the time; then it fails.
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

  /// Resumes the store, if it is suspended, or is being suspended.
  ///
  /// - Parameter isForGood: whether it is shut down.
  func end(isForGood: Bool = false) {
    if isForGood { committer.withState { $0.suspension.isForbidden = true } }
    while true {
      switch committer.wait(until: .distantFuture, for: { $0.suspension.beginEnd() }) {
      case nil, .isRunning: return
      case .begun: return cancel(hasWriter: true, hasClosed: true)
      case .isCancelled:
        committer.notifyAll()
        core.database.endSuspension()
        _ = committer.wait(until: .distantFuture) { $0.suspension.phase == .beginning ? nil : true }
      }
    }
  }

  /// Lets everybody go on.
  private func cancel(hasWriter: Bool, hasClosed: Bool) {
    core.database.endSuspension()
    // While nobody can commit: what has been collected before must be verified, since others may have committed meanwhile.
    if hasClosed { core.sequence.noteGap() }
    committer.endSuspension(hasWriter: hasWriter)
    core.scheduler.resume(core)
    if hasClosed { core.sequence.tellOfForeignCommits() }
  }
}

extension DispatchTime {
  /// How many seconds are left until the time; 0 if it is over.
  var timeFromNow: Double {
    let now = DispatchTime.now().uptimeNanoseconds
    return uptimeNanoseconds > now ? Double(uptimeNanoseconds - now) / 1e9 : 0
  }
}
