import DflatEngine
import Dispatch

/// Notices, while somebody observes, that another process has committed, or another workspace of the file.
///
/// Files tell when they are written, which is shortly before the commit shows. So the store looks soon after that, and a few
/// times more, less and less often; and never while nothing is written. A look reads memory.
final class ForeignCommitWatcher: ForeignCommitSource, @unchecked Sendable {
  // Unchecked: the variables are used on the queue.

  private let path: String
  /// Looks whether somebody else has committed.
  private let look: @Sendable () -> Void
  private let queue = DispatchQueue(label: "dflat.watch")
  private var events: FolderEvents?
  private var isLookScheduled = false
  /// How often looks have begun because something was written.
  private var round = 0
  /// How many calls of `start` have not been followed by one of `stop`.
  private var users = 0

  /// When the store looks after a file was written. A commit writes its log first, and then says that it is there: mostly that
  /// takes microseconds, and many milliseconds if it waits for the disk.
  private static let delays: [DispatchTimeInterval] = [.milliseconds(1), .milliseconds(10), .milliseconds(50)]

  /// When it looks after that, unless something else is written: the disk may be slow, or the other process be stopped between
  /// its log and saying so, which no file tells.
  private static let lateDelays: [DispatchTimeInterval] = [.milliseconds(200), .seconds(1), .seconds(5), .seconds(30)]

  init(_ path: String, look: @escaping @Sendable () -> Void) {
    self.path = path
    self.look = look
  }

  /// Begins to watch, in the background, until `stop` has been called as often. The calls take effect in their order.
  func start() {
    queue.async { [self] in
      users += 1
      guard users == 1 else { return }
      events = FolderEvents(of: path, on: queue) { [weak self] in self?.scheduleLook() }
      // What was committed before that.
      scheduleLook()
    }
  }

  func stop() {
    queue.async { [self] in
      users -= 1
      guard users == 0 else { return }
      events?.stop()
      events = nil
    }
  }

  private func scheduleLook(_ attempt: Int = 0) {
    // The looks that are to come see what is written now, but for the last one. What is written meanwhile is told afterwards,
    // once: this workspace may commit thousands of times a second.
    if attempt == 0 {
      if isLookScheduled { return }
      round += 1
    }
    isLookScheduled = true
    events?.suspend()
    queue.asyncAfter(deadline: .now() + ForeignCommitWatcher.delays[attempt]) { [self] in
      let isLast = attempt + 1 == ForeignCommitWatcher.delays.count
      if isLast { isLookScheduled = false }
      guard let events else { return isLookScheduled = false }
      look()
      if isLast {
        events.resume()
        scheduleLateLook()
      } else {
        scheduleLook(attempt + 1)
      }
    }
  }

  private func scheduleLateLook(_ attempt: Int = 0) {
    guard attempt < ForeignCommitWatcher.lateDelays.count else { return }
    queue.asyncAfter(deadline: .now() + ForeignCommitWatcher.lateDelays[attempt]) { [weak self, round] in
      guard let self, round == self.round, events != nil else { return }
      look()
      scheduleLateLook(attempt + 1)
    }
  }
}
