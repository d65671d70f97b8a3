/// The right to write, which one thread at a time has. Guarded by the committer, whose condition threads wait on.
struct WriterAccess {
  private var isHeld = false
  /// Whether a thread is suspending the store, or has suspended it. Then no other thread takes the writer.
  private var isReserved = false
  private var waitingTransactions = 0
  /// Whether the committer's own thread is about to look for pending transactions.
  private var isThreadScheduled = false

  var isTaken: Bool { isHeld || isReserved }

  /// Whether a transaction waits for the writer. Then a transaction is the next to get it.
  var isAwaited: Bool { waitingTransactions > 0 }

  /// Takes the writer.
  ///
  /// - Returns: false if another thread has or has reserved it.
  mutating func take() -> Bool {
    if isTaken { return false }
    isHeld = true
    return true
  }

  /// Reserves the writer: from now on only `takeReserved()` takes it.
  mutating func reserve() { isReserved = true }

  /// Takes the writer that was reserved.
  ///
  /// - Returns: false if another thread still has it.
  mutating func takeReserved() -> Bool {
    if isHeld { return false }
    isHeld = true
    return true
  }

  mutating func endReserving() { isReserved = false }

  /// Records that a transaction waits for the writer.
  mutating func beginWaiting() { waitingTransactions += 1 }

  /// Takes the writer for a waiting transaction, which waits no longer.
  ///
  /// - Returns: false if another thread has or has reserved it.
  mutating func takeAwaited() -> Bool {
    guard take() else { return false }
    waitingTransactions -= 1
    return true
  }

  /// Records that a transaction no longer waits for the writer.
  mutating func endWaiting() { waitingTransactions -= 1 }

  mutating func release() { isHeld = false }

  /// Records that the committer's own thread has to look for pending transactions.
  ///
  /// - Returns: true if the caller has to start it; false if it was scheduled before.
  mutating func scheduleThread() -> Bool {
    defer { isThreadScheduled = true }
    return !isThreadScheduled
  }

  /// Records that the committer's own thread ends.
  mutating func endThread() { isThreadScheduled = false }
}
