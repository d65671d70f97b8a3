/// The state that threads share while they suspend and resume a store. Guarded by the committer.
struct SuspensionState {
  enum Phase {
    case none
    /// A thread waits for the writer and for readers, and closes the file.
    case beginning
    case suspended
    /// A thread resumes the store.
    case ending
  }

  private(set) var phase = Phase.none
  /// How many times a thread has begun to suspend the store. It tells attempts apart.
  private(set) var attempts = 0
  /// Whether the store was resumed while it was being suspended.
  private(set) var isCancelled = false
  /// Whether the store is shut down, and can no longer be suspended.
  var isForbidden = false

  var isSuspended: Bool { phase == .suspended }

  enum BeginStep { case begun, isSuspended, isForbidden }

  /// Begins to suspend the store.
  ///
  /// - Returns: nil if another thread is suspending or resuming it: try again after the state has changed.
  mutating func begin() -> BeginStep? {
    if isForbidden { return .isForbidden }
    switch phase {
    case .none:
      phase = .beginning
      attempts += 1
      isCancelled = false
      return .begun
    case .suspended: return .isSuspended
    case .beginning, .ending: return nil
    }
  }

  /// Records that the file is closed, and the store is suspended.
  ///
  /// - Returns: false if the store was resumed meanwhile.
  mutating func finishBeginning() -> Bool {
    if isCancelled { return false }
    phase = .suspended
    return true
  }

  /// `isRunning` also stands for a store that a later attempt is suspending, or has suspended.
  enum EndStep { case begun, isCancelled, isRunning }

  /// Returns whether a thread is suspending the store, and this is its attempt.
  func isBeginning(_ attempt: Int) -> Bool { phase == .beginning && attempts == attempt }

  /// Begins to resume the store, unless a later attempt to suspend it has begun. If it is being suspended, the
  /// suspending thread resumes it.
  ///
  /// - Parameter attempt: the number of the attempt to suspend it, by `attempts`.
  /// - Returns: nil if another thread is resuming it: try again after the state has changed.
  mutating func beginEnd(of attempt: Int) -> EndStep? {
    guard attempts == attempt else { return .isRunning }
    switch phase {
    case .none: return .isRunning
    case .beginning:
      isCancelled = true
      return .isCancelled
    case .suspended:
      phase = .ending
      return .begun
    case .ending: return nil
    }
  }

  mutating func finishEnd() { phase = .none }
}
