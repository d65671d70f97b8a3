import Foundation

/// Ends a group of processes when this process is told to end, and this process then.
///
/// There is one at a time. It holds the signals back from before the group begins until it knows the group: so that none
/// comes in between, which would end this process alone.
struct GroupEnding {
  /// The signals by which a terminal or a builder ends a process.
  private static let signals = [SIGINT, SIGTERM, SIGHUP, SIGQUIT]

  private let held = HeldSignals()

  /// What signals are held back in the threads of others, such as the group's.
  var maskOutside: sigset_t { held.before }

  /// Ends `group`, too, from now on.
  func begin(with group: pid_t) {
    endedGroup = group
    for number in Self.signals {
      let before = signal(number) { number in
        // Only what a handler may call: see signal-safety(7). The second signal comes when this has returned.
        if endedGroup > 0 { kill(-endedGroup, SIGKILL) }
        signal(number, SIG_DFL)
        kill(getpid(), number)
      }
      // Who ignores it, as `nohup` does, goes on doing so. Functions are not compared: but a bit cast of the same type on
      // both sides is their address.
      if unsafeBitCast(before, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self) { signal(number, SIG_IGN) }
    }
    // Also where they were held back before: who starts programs from a thread of Dispatch hands its mask down unmeant, and
    // a plug-in may run long.
    held.allow()
  }

  /// The group has ended, or not begun: from now on, the signals end this process as they did.
  func cancel() {
    endedGroup = 0
    for number in Self.signals {
      let before = signal(number, SIG_DFL)
      if unsafeBitCast(before, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self) { signal(number, SIG_IGN) }
    }
    held.release()
  }
}

/// The group that the signals end; 0 when there is none.
// Unsafe in that a handler reads it whenever a signal comes: it is one word, and changes only before the handler is there
// and when nobody is left to be ended.
nonisolated(unsafe) private var endedGroup: pid_t = 0
