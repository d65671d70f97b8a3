import Foundation

/// Relays a program's standard error: reads it from a pipe, and shows it on our own standard error line by line.
/// Control characters are escaped, since a terminal would obey them.
struct RelayedErrors {
  /// The most bytes of a line that are kept until its end comes.
  private static let longestLine = 1 << 16

  /// The end of the pipe to poll; -1, which `poll` ignores, if nothing more comes.
  private(set) var descriptor: Int32
  private var pending: [UInt8] = []

  /// Relays what a pipe receives.
  /// - Parameter descriptor: the end of the pipe to read from, which `finish` closes.
  init(reading descriptor: Int32) {
    self.descriptor = descriptor
    _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
  }

  /// Shows the lines that have arrived, without waiting.
  mutating func relay() {
    var chunk = [UInt8](repeating: 0, count: Self.longestLine)
    while descriptor >= 0 {
      let count = chunk.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 || errno != EAGAIN else { return }
      guard count > 0 else { return close() }
      pending += chunk[..<count]
      guard let end = pending.lastIndex(of: UInt8(ascii: "\n")) else {
        if pending.count >= Self.longestLine { show(pending.count) }
        continue
      }
      show(end)
      pending.removeFirst()
    }
  }

  /// Shows the rest of the output, even if it does not end a line, and closes the pipe. Later output of processes that
  /// the program has started is lost.
  mutating func finish() {
    relay()
    close()
    if !pending.isEmpty { show(pending.count) }
  }

  private mutating func show(_ count: Int) {
    let hasCarriageReturn = pending[..<count].last == UInt8(ascii: "\r")
    Terminal.printError(String(decoding: pending[..<(hasCarriageReturn ? count - 1 : count)], as: UTF8.self))
    pending.removeFirst(count)
  }

  private mutating func close() {
    guard descriptor >= 0 else { return }
    Foundation.close(descriptor)
    descriptor = -1
  }
}
