/// What the threads agree on that suspend and resume a store. Guarded by the committer.
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
  /// Whether the store was resumed while a thread began to suspend it.
  private(set) var isCancelled = false
  /// Whether the store is shut down: then it is not suspended any more.
  var isForbidden = false

  var isSuspended: Bool { phase == .suspended }

  enum BeginStep { case begun, isSuspended, isForbidden }

  /// Begins to suspend the store.
  ///
  /// - Returns: nil if another thread suspends or resumes it.
  mutating func begin() -> BeginStep? {
    if isForbidden { return .isForbidden }
    switch phase {
    case .none:
      phase = .beginning
      isCancelled = false
      return .begun
    case .suspended: return .isSuspended
    case .beginning, .ending: return nil
    }
  }

  /// Notes that the file is closed.
  ///
  /// - Returns: false if the store was resumed meanwhile.
  mutating func finishBeginning() -> Bool {
    if isCancelled { return false }
    phase = .suspended
    return true
  }

  enum EndStep { case begun, isCancelled, isRunning }

  /// Begins to resume the store; one that is being suspended resumes by itself.
  ///
  /// - Returns: nil if another thread resumes it.
  mutating func beginEnd() -> EndStep? {
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
