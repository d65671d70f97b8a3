import Dispatch

/// Looks every few milliseconds whether completion handlers that take long keep others waiting. There is one for all workspaces
/// of the process, since to wake a thread for each would take longer than to look.
final class CompletionWatchdog: @unchecked Sendable {
  // Unchecked because the blocks of the queue alone use the list.

  static let shared = CompletionWatchdog()

  private let queue = DispatchQueue(label: "dflat.completion")
  /// Those that calls wait in, or are likely to come to.
  private var watched: [TransactionScheduler] = []

  /// What a look at a scheduler has shown.
  enum Finding {
    /// It need not be watched any more.
    case idle
    case busy
    /// A call takes long.
    case heldUp
  }

  /// How often it looks while a call takes long, and while none does.
  private static func interval(isHeldUp: Bool) -> DispatchTimeInterval {
    isHeldUp ? CompletionQueue.longCall : CompletionQueue.watchdogInterval
  }

  /// Watches a scheduler until that is idle.
  func watch(_ scheduler: TransactionScheduler) {
    // Most are idle again at the first look.
    queue.asyncAfter(deadline: .now() + Self.interval(isHeldUp: false)) {
      let finding = scheduler.lookForLongCalls()
      if finding == .idle { return }
      self.watched.append(scheduler)
      if self.watched.count == 1 { self.look(after: Self.interval(isHeldUp: finding == .heldUp)) }
    }
  }

  private func look(after interval: DispatchTimeInterval) {
    queue.asyncAfter(deadline: .now() + interval) {
      var isHeldUp = false
      self.watched.removeAll { scheduler in
        let finding = scheduler.lookForLongCalls()
        if finding == .heldUp { isHeldUp = true }
        return finding == .idle
      }
      if !self.watched.isEmpty { self.look(after: Self.interval(isHeldUp: isHeldUp)) }
    }
  }
}
