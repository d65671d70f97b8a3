import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The terminal, with keys that are read one by one, and a screen of its own, until `leave` is called or the process ends.
struct TerminalScreen {
  /// Whether the program reads keys and writes to a screen.
  static var isAvailable: Bool {
    isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1
      && ProcessInfo.processInfo.environment["TERM"] != "dumb"
  }

  /// - Throws: a `POSIXError` if the terminal refuses.
  init() throws {
    try TerminalMode.enter()
  }

  func leave() { TerminalMode.leave() }

  /// How many rows and columns there are.
  var size: (rows: Int, columns: Int) {
    var size = winsize()
    guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_row > 0, size.ws_col > 0 else {
      // What terminals have that do not tell.
      return (24, 80)
    }
    return (Int(size.ws_row), Int(size.ws_col))
  }

  func write(_ text: String) { writeOutput(text) }

  /// Reads what is typed, and when the screen has to be drawn again, until the terminal is closed. It may be called once.
  func readKeys() -> AsyncStream<Key> {
    AsyncStream { continuation in
      // A thread of its own, since it waits most of the time. It waits until the process ends.
      Thread.detachNewThread {
        while let keys = TerminalScreen.nextKeys() {
          for key in keys { continuation.yield(key) }
        }
        continuation.finish()
      }
    }
  }

  /// Waits for keys, or a signal; nil if the terminal is closed.
  private static func nextKeys() -> [Key]? {
    var sources = [
      pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0),
      pollfd(fd: TerminalMode.redrawRequests, events: Int16(POLLIN), revents: 0),
    ]
    // A signal interrupts it: then nothing is read.
    guard poll(&sources, nfds_t(sources.count), -1) > 0 else { return errno == EINTR ? [] : nil }
    var bytes = [UInt8](repeating: 0, count: 64)
    if sources[1].revents != 0 {
      return read(sources[1].fd, &bytes, bytes.count) > 0 ? [.redraw] : nil
    }
    let count = read(STDIN_FILENO, &bytes, bytes.count)
    return count > 0 ? Key.keys(in: bytes[..<count]) : nil
  }
}

/// What a key does, or a signal.
enum Key: Equatable {
  case character(Character)
  case up, down
  /// The size of the screen has changed, or another program has drawn on it.
  case redraw

  /// The keys that have sent these bytes.
  static func keys(in bytes: some Collection<UInt8>) -> [Key] {
    var text = String(decoding: bytes, as: UTF8.self)[...]
    var keys: [Key] = []
    while let first = text.popFirst() {
      guard first == "\u{1B}" else {
        keys.append(.character(first))
        continue
      }
      // ESC [ A, or ESC O A.
      guard text.first == "[" || text.first == "O" else { continue }
      text.removeFirst()
      let parameters = text.prefix { !$0.isLetter && $0 != "~" }
      text.removeFirst(parameters.count)
      switch text.popFirst() {
      case "A": keys.append(.up)
      case "B": keys.append(.down)
      default: break
      }
    }
    return keys
  }
}
