/// Says which thread may write: one at a time. Guarded by the committer, on whose condition threads wait for it.
struct WriterAccess {
  private(set) var isTaken = false
  private var waitingTransactions = 0
  /// Whether the committer's own thread is about to look for pending transactions.
  private var isThreadScheduled = false

  /// Whether a transaction waits, which comes next.
  var isAwaited: Bool { waitingTransactions > 0 }

  /// - Returns: false if another thread has the writer.
  mutating func take() -> Bool {
    if isTaken { return false }
    isTaken = true
    return true
  }

  /// Notes that a transaction waits for the writer.
  mutating func beginWaiting() { waitingTransactions += 1 }

  /// Takes the writer for a transaction that waits.
  ///
  /// - Returns: false if another thread has the writer.
  mutating func takeAwaited() -> Bool {
    guard take() else { return false }
    waitingTransactions -= 1
    return true
  }

  mutating func release() { isTaken = false }

  /// Notes that the committer's own thread is to look for pending transactions.
  ///
  /// - Returns: false if that was noted before.
  mutating func scheduleThread() -> Bool {
    defer { isThreadScheduled = true }
    return !isThreadScheduled
  }

  /// Notes that the committer's own thread ends.
  mutating func endThread() { isThreadScheduled = false }
}
