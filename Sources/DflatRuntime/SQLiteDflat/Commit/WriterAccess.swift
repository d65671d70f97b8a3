/// Says which thread may write: one at a time. Guarded by the committer, on whose condition threads wait for it.
struct WriterAccess {
  private var isHeld = false
  /// Whether a thread suspends the store, or has suspended it: nobody else takes the writer.
  private var isReserved = false
  private var waitingTransactions = 0
  /// Whether the committer's own thread is about to look for pending transactions.
  private var isThreadScheduled = false

  var isTaken: Bool { isHeld || isReserved }

  /// Whether a transaction waits, which comes next.
  var isAwaited: Bool { waitingTransactions > 0 }

  /// - Returns: false if another thread has the writer.
  mutating func take() -> Bool {
    if isTaken { return false }
    isHeld = true
    return true
  }

  /// Keeps others from taking the writer.
  mutating func reserve() { isReserved = true }

  /// Takes the writer that was reserved.
  ///
  /// - Returns: false if another thread has the writer.
  mutating func takeReserved() -> Bool {
    if isHeld { return false }
    isHeld = true
    return true
  }

  mutating func endReserving() { isReserved = false }

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

  /// Notes that a transaction does not wait for the writer any more.
  mutating func endWaiting() { waitingTransactions -= 1 }

  mutating func release() { isHeld = false }

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
