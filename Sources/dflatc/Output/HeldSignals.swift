import Foundation

/// Blocks the signals that end a process from the terminal. They are delivered when `release` unblocks them.
///
/// Only this thread receives them, since the threads of Dispatch block them. Signals of a file that grows larger than a
/// process may write are ignored, so that writing fails with an error.
struct HeldSignals {
  /// The signal mask before `init`.
  let before: sigset_t

  private static var signals: sigset_t {
    var signals = sigset_t()
    sigemptyset(&signals)
    for signal in [SIGINT, SIGTERM, SIGHUP, SIGQUIT] { sigaddset(&signals, signal) }
    return signals
  }

  /// Blocks the signals.
  init() {
    var held = Self.signals
    var before = sigset_t()
    pthread_sigmask(SIG_BLOCK, &held, &before)
    self.before = before
    signal(SIGXFSZ, SIG_IGN)
  }

  /// Unblocks the signals for a while, even if they were blocked before.
  func allow() {
    var signals = Self.signals
    pthread_sigmask(SIG_UNBLOCK, &signals, nil)
  }

  /// Restores the signal mask from before `init`. Signals that have come are delivered, unless they were blocked
  /// before.
  func release() {
    var mask = before
    pthread_sigmask(SIG_SETMASK, &mask, nil)
  }
}
