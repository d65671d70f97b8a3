import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The mode of the terminal. It is restored however the process ends, but for `kill -9`.
///
/// Signal handlers use it. They may call nothing but what POSIX calls async-signal-safe, such as `write`, `tcsetattr`, `signal`
/// and `raise`: so there is no lock and nothing is allocated here.
enum TerminalMode {
  // Unsafe because signal handlers read them, on any thread. All but `isEntered` are written before the handlers are
  // installed, and never again. If a handler sees its old value, the terminal is restored twice, which changes nothing.
  nonisolated(unsafe) private static var original = termios()
  nonisolated(unsafe) private static var raw = termios()
  nonisolated(unsafe) private static var isEntered = false
  /// The ends of a pipe into which the handlers write a byte when the screen has to be drawn again.
  nonisolated(unsafe) private static var pipeEnds: [Int32] = [-1, -1]
  nonisolated(unsafe) private static var redrawRequestsInput: Int32 = -1

  /// Has a byte to read for each time that the screen has to be drawn again.
  static var redrawRequests: Int32 { pipeEnds[0] }

  /// Reads keys one by one, without showing them, on a screen of its own.
  ///
  /// - Throws: a `POSIXError` if the terminal refuses.
  static func enter() throws {
    guard tcgetattr(STDIN_FILENO, &original) == 0, pipe(&pipeEnds) == 0 else {
      throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
    }
    redrawRequestsInput = pipeEnds[1]
    // A handler must not wait for the thread that reads, which may be the one that it interrupts.
    _ = fcntl(redrawRequestsInput, F_SETFL, O_NONBLOCK)
    raw = original
    // Ctrl-C and Ctrl-Z go on sending signals.
    raw.c_lflag &= ~tcflag_t(ICANON | ECHO)
    isEntered = true
    installHandlers()
    change()
  }

  /// Restores the terminal; does nothing if that is done.
  static func leave() {
    guard isEntered else { return }
    isEntered = false
    restore()
  }

  private static func change() {
    _ = tcsetattr(STDIN_FILENO, TCSANOW, &raw)
    put(Escape.enter)
  }

  private static func restore() {
    put(Escape.leave)
    _ = tcsetattr(STDIN_FILENO, TCSANOW, &original)
  }

  private static func put(_ sequence: StaticString) {
    _ = write(STDOUT_FILENO, sequence.utf8Start, sequence.utf8CodeUnitCount)
  }

  private static func requestRedraw() {
    var byte: UInt8 = 0
    // If the pipe is full, the request has been made often enough.
    _ = write(redrawRequestsInput, &byte, 1)
  }

  private static func installHandlers() {
    atexit { TerminalMode.leave() }
    // Those that end the process: from outside, and those of a crash.
    for number in [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGABRT, SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP] {
      signal(number) { number in
        // Else a process in the background would be stopped when it restores the terminal.
        signal(SIGTTOU, SIG_IGN)
        TerminalMode.leave()
        // Ends the process when the handler has returned, so that the shell is told of the signal.
        signal(number, SIG_DFL)
        raise(number)
      }
    }
    // Ctrl-Z
    signal(SIGTSTP) { _ in
      let error = errno
      TerminalMode.restore()
      raise(SIGSTOP)
      errno = error
    }
    signal(SIGCONT) { _ in
      guard TerminalMode.isEntered else { return }
      let error = errno
      TerminalMode.change()
      TerminalMode.requestRedraw()
      errno = error
    }
    signal(SIGWINCH) { _ in
      let error = errno
      TerminalMode.requestRedraw()
      errno = error
    }
  }
}
