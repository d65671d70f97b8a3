import FBSDiagnostics
import Foundation

/// The terminal, file or program that receives the compiler's output.
enum Terminal {
  /// Whether diagnostics may be coloured: standard error is a terminal, and neither NO_COLOR (https://no-color.org) nor
  /// `TERM=dumb` refuses colours.
  static var isColored: Bool {
    let environment = ProcessInfo.processInfo.environment
    let isRefused = !(environment["NO_COLOR"] ?? "").isEmpty || environment["TERM"] == "dumb"
    return !isRefused && isatty(STDERR_FILENO) == 1
  }

  /// Writes a line for people to standard output. On a terminal, control characters are shown, so that the terminal
  /// does not obey them.
  static func print(_ text: String) {
    writeText(text + "\n")
  }

  /// Writes text to standard output. A file or another program gets it unchanged; a terminal gets its control
  /// characters shown.
  static func writeText(_ text: String) {
    write(isatty(STDOUT_FILENO) == 1 ? text.withVisibleControls() : text)
  }

  /// Writes UTF-8 to standard output; a terminal gets its control characters shown.
  static func writeText(_ bytes: [UInt8]) {
    bytes.withUnsafeBytes { writeText($0) }
  }

  /// Writes UTF-8 to standard output; a terminal gets its control characters shown.
  static func writeText(_ bytes: UnsafeRawBufferPointer) {
    // Few outputs go to terminals, and some are large.
    if isatty(STDOUT_FILENO) == 1 { writeText(String(decoding: bytes, as: UTF8.self)) } else { write(bytes) }
  }

  /// Writes text to standard output, as it is.
  static func write(_ text: String) {
    write(Array(text.utf8))
  }

  /// Writes bytes to standard output. Ends the process if that fails, since the output cannot be delivered.
  static func write(_ bytes: [UInt8]) {
    bytes.withUnsafeBytes { write($0) }
  }

  /// Writes bytes to standard output. Ends the process if that fails, since the output cannot be delivered.
  static func write(_ bytes: UnsafeRawBufferPointer) {
    guard let start = bytes.baseAddress else { return }
    // Output can be large, and is not copied.
    let data = Data(
      bytesNoCopy: UnsafeMutableRawPointer(mutating: start), count: bytes.count, deallocator: .none)
    do {
      try FileHandle.standardOutput.write(contentsOf: data)
    } catch {
      printError("error: cannot write standard output: \(String(cString: strerror(errno)))")
      exit(ExitStatus.inputOutput.rawValue)
    }
  }

  /// Writes a line to standard error, with control characters shown: a terminal would obey them.
  static func printError(_ text: String) { printRendered(text.withVisibleControls()) }

  /// Writes a line to standard error, with its colours. Control characters in foreign text must have been made visible.
  static func printRendered(_ text: String) {
    do {
      try FileHandle.standardError.write(contentsOf: Data((text + "\n").utf8))
    } catch {
      // Nobody can read an error message any more. The exit code still says that something is wrong.
    }
  }

  /// Ends the process.
  static func exit(_ code: Int32) -> Never {
    Foundation.exit(code)
  }
}
