import Foundation

/// Looks every few milliseconds whether completion handlers that take long keep others waiting. There is one for all workspaces
/// of the process, with a thread that sleeps in between: a timer would wake several for each look.
final class CompletionWatchdog: Sendable {
  static let shared = CompletionWatchdog()

  /// How many seconds pass between two looks; and while a call takes long, as many as one may take: see `CompletionQueue.longCall`.
  private static let pause = 0.005
  private static let pauseIfHeldUp = 0.001

  private let state = Guarded(State(), rank: .watchdog)

  private struct State {
    /// Those that calls wait in, or are likely to come to.
    var watched: [TransactionScheduler] = []
    var hasThread = false
  }

  /// What a look at a scheduler has shown.
  enum Finding {
    /// It need not be watched any more.
    case idle
    case busy
    /// A call takes long.
    case heldUp
  }

  /// Watches a scheduler until that is idle.
  func watch(_ scheduler: TransactionScheduler) {
    let needsThread = state.withLock { state in
      state.watched.append(scheduler)
      defer { state.hasThread = true }
      return !state.hasThread
    }
    if needsThread { Thread.detachNewThread { self.look() } } else { state.notifyAll() }
  }

  /// Looks again and again, and waits while nothing is watched.
  private func look() {
    var isHeldUp = false
    while true {
      state.wait { $0.watched.isEmpty ? nil : () }
      Thread.sleep(forTimeInterval: isHeldUp ? Self.pauseIfHeldUp : Self.pause)
      releasingTemporaries { isHeldUp = lookOnce() }
    }
  }

  /// Looks at all that is watched, and keeps what is not idle.
  ///
  /// - Returns: whether a call takes long.
  private func lookOnce() -> Bool {
    // The list is emptied before: a scheduler that is found idle may be watched again before the others have been looked at, and stays
    // in it then.
    var watched = state.withLock { state in
      defer { state.watched = [] }
      return state.watched
    }
    var isHeldUp = false
    watched.removeAll { scheduler in
      let finding = scheduler.lookForLongCalls()
      if finding == .heldUp { isHeldUp = true }
      return finding == .idle
    }
    state.withLock { $0.watched += watched }
    return isHeldUp
  }
}
