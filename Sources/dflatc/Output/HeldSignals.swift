import Foundation

/// Keeps what ends a process from the terminal away for a while: it comes when the signals are released.
///
/// Only this thread takes them: those of Dispatch have them blocked. A file that grows larger than a process may write is
/// an error rather than a signal.
struct HeldSignals {
  /// Those that were held back before.
  let before: sigset_t

  private static var signals: sigset_t {
    var signals = sigset_t()
    sigemptyset(&signals)
    for signal in [SIGINT, SIGTERM, SIGHUP, SIGQUIT] { sigaddset(&signals, signal) }
    return signals
  }

  /// Holds the signals back.
  init() {
    var held = Self.signals
    var before = sigset_t()
    pthread_sigmask(SIG_BLOCK, &held, &before)
    self.before = before
    signal(SIGXFSZ, SIG_IGN)
  }

  /// Lets the signals through for a while, whatever was before.
  func allow() {
    var signals = Self.signals
    pthread_sigmask(SIG_UNBLOCK, &signals, nil)
  }

  /// Lets those through that have come, and those to come, unless they were held back before.
  func release() {
    var mask = before
    pthread_sigmask(SIG_SETMASK, &mask, nil)
  }
}
