import Foundation

/// Kills a group of processes when a signal ends this process, before it ends.
///
/// Only one exists at a time. It blocks the signals until the group is known, since a signal before that would end this
/// process alone.
struct GroupEnding {
  /// The signals by which a terminal or a builder ends a process.
  private static let signals = [SIGINT, SIGTERM, SIGHUP, SIGQUIT]

  private let held = HeldSignals()

  /// The signal mask from before this value blocked the signals. Other processes, such as the group's, are started with
  /// it.
  var maskOutside: sigset_t { held.before }

  /// Makes the signals kill `group` as well from now on.
  func begin(with group: pid_t) {
    endedGroup = group
    for number in Self.signals {
      let before = signal(number) { number in
        // Calls only functions that are safe in a handler: see signal-safety(7). The second signal is delivered when
        // this handler has returned.
        if endedGroup > 0 { kill(-endedGroup, SIGKILL) }
        signal(number, SIG_DFL)
        kill(getpid(), number)
      }
      // If the process ignores the signal, as under `nohup`, it still does. Functions cannot be compared, but a bit
      // cast of the same type on both sides gives their addresses.
      if unsafeBitCast(before, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self) { signal(number, SIG_IGN) }
    }
    // Unblocks the signals even if they were blocked before: a parent that starts programs from a thread of Dispatch
    // passes its mask on unintentionally, and a plug-in may run long.
    held.allow()
  }

  /// Restores the effect of the signals on this process, after the group has ended or if it has not started.
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
// Unsafe because a handler reads it whenever a signal comes. It is one word, and changes only before the handler is
// installed and when no group is left to be killed.
nonisolated(unsafe) private var endedGroup: pid_t = 0
