import Foundation

/// Relays a program's standard error: reads it from a pipe and shows it on ours line by line, with control characters
/// escaped, which a terminal would obey. After `limit` bytes it drops the rest, and says so.
struct RelayedErrors {
  /// The most bytes of a line that are kept until its end comes.
  private static let longestLine = 1 << 16
  /// The most bytes that are shown: far more than people read.
  private static let limit = 1 << 20
  /// The most reads that empty a pipe: Linux lets a pipe without privileges hold 1 MiB (`/proc/sys/fs/pipe-max-size`).
  private static let readsOfFullPipe = limit / longestLine

  /// The end of the pipe to poll; -1, which `poll` ignores, if nothing more comes.
  private(set) var descriptor: Int32
  private let program: String
  private var pending: [UInt8] = []
  /// How many bytes have arrived, until the limit is reached.
  private var count = 0
  /// Whether the limit is reached: nothing more is shown.
  private var isCut = false

  /// Prepares to show the standard error of a program.
  /// - Parameters:
  ///   - descriptor: The end of the pipe to read from, which `finish` closes.
  ///   - program: The path of the program.
  init(reading descriptor: Int32, of program: String) {
    self.descriptor = descriptor
    self.program = program
    _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
  }

  /// Shows the lines that have arrived, of one chunk, without waiting. The caller looks at its deadline between two
  /// chunks, since a program may write faster than they are shown.
  /// - Returns: Whether there was a chunk: another one may be waiting.
  @discardableResult
  mutating func relay() -> Bool {
    guard descriptor >= 0 else { return false }
    var chunk = [UInt8](repeating: 0, count: Self.longestLine)
    var count: Int
    repeat {
      count = chunk.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
    } while count < 0 && errno == EINTR
    guard count > 0 else {
      if count == 0 || errno != EAGAIN { close() }
      return false
    }
    take(chunk[..<count])
    return true
  }

  /// Shows the rest of the output, even if it does not end a line, and closes the pipe. Later output of processes that
  /// the program has started is lost.
  mutating func finish() {
    // Not until the pipe is empty: such a process may fill it as fast as it is read.
    for _ in 0..<Self.readsOfFullPipe {
      guard relay() else { break }
    }
    close()
    if !pending.isEmpty { show(pending.count) }
  }

  /// Shows the lines that a chunk ends, up to the limit.
  private mutating func take(_ chunk: ArraySlice<UInt8>) {
    guard !isCut else { return }
    let rest = Self.limit - count
    count += chunk.count
    pending += chunk.prefix(rest)
    if let end = pending.lastIndex(of: UInt8(ascii: "\n")) {
      show(end)
      pending.removeFirst()
    } else if pending.count >= Self.longestLine {
      show(pending.count)
    }
    guard chunk.count > rest else { return }
    if !pending.isEmpty { show(pending.count) }
    Terminal.printError(
      "note: \(program) wrote more than \(Self.limit >> 20) MiB to its standard error: the rest is not shown")
    isCut = true
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
