import DflatEngine
import Dispatch

/// Notices that another process, or another workspace of the file, has committed. It works while there are subscribers.
///
/// A file event comes when the file is written, which is shortly before the commit shows. So the store looks soon after
/// an event, and a few times more at growing intervals. It never looks while nothing is written. A look only reads
/// memory.
final class ForeignCommitWatcher: ForeignCommitSource, @unchecked Sendable {
  // Unchecked: the variables are used on the queue.

  private let path: DatabasePath
  /// The path without symbolic links that is watched; nil if none is.
  private var watchedPath: String?
  /// Looks whether others have committed.
  private let look: @Sendable () -> Void
  private let queue = DispatchQueue(label: "dflat.watch")
  private var events: FolderEvents?
  private var isLookScheduled = false
  /// How many series of looks have begun, each because something was written.
  private var round = 0
  /// How many calls of `start` were not followed by one of `stop`.
  private var users = 0

  /// The pauses before the first looks for commits: after a file was written, and then after the look before. A commit
  /// first writes its log, and then makes it visible in the WAL index. That mostly takes microseconds, and many
  /// milliseconds if it waits for the disk.
  private static let delays: [DispatchTimeInterval] = [.milliseconds(1), .milliseconds(10), .milliseconds(50)]

  /// The pauses before further looks, unless something else is written. The disk may be slow, or the other process may
  /// be stopped between the log and the WAL index, for which there is no event.
  private static let lateDelays: [DispatchTimeInterval] = [.milliseconds(200), .seconds(1), .seconds(5), .seconds(30)]

  init(_ path: String, look: @escaping @Sendable () -> Void) {
    self.path = DatabasePath(path)
    self.look = look
  }

  /// Begins to watch in the background, until `stop` has been called as often. Calls take effect in their order.
  func start() {
    queue.async { [self] in
      users += 1
      guard users == 1 else { return }
      watch()
      // For what was committed before the watch began.
      scheduleLook()
    }
  }

  func stop() {
    queue.async { [self] in
      users -= 1
      guard users == 0 else { return }
      events?.stop()
      events = nil
      watchedPath = nil
    }
  }

  /// Watches the folder to which the path leads now. A symbolic link may have been made since the last call.
  private func watch() {
    let current = path.withoutLinks
    guard current != watchedPath else { return }
    watchedPath = current
    events?.stop()
    events = FolderEvents(of: current, on: queue) { [weak self] in self?.scheduleLook() }
  }

  private func scheduleLook(_ attempt: Int = 0) {
    // The scheduled looks, except the last one, will see what is written now. Events of the meantime are reported once
    // afterwards, since this workspace may commit thousands of times a second.
    if attempt == 0 {
      if isLookScheduled { return }
      round += 1
    }
    isLookScheduled = true
    events?.suspend()
    queue.asyncAfter(deadline: .now() + ForeignCommitWatcher.delays[attempt]) { [self] in
      let isLast = attempt + 1 == ForeignCommitWatcher.delays.count
      if isLast { isLookScheduled = false }
      guard events != nil else { return isLookScheduled = false }
      if attempt == 0 { watch() }
      look()
      if isLast {
        events?.resume()
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
      watch()
      look()
      scheduleLateLook(attempt + 1)
    }
  }
}
