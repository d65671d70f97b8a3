import Foundation

/// Where a person, or a machine, reads what the compiler says.
enum Terminal {
  /// Whether diagnostics may be coloured: standard error is a terminal, and nobody asked for none (https://no-color.org).
  static var isColored: Bool {
    let environment = ProcessInfo.processInfo.environment
    let isRefused = !(environment["NO_COLOR"] ?? "").isEmpty || environment["TERM"] == "dumb"
    return !isRefused && isatty(STDERR_FILENO) == 1
  }

  /// Writes a line to standard output.
  static func print(_ text: String) {
    write(text + "\n")
  }

  /// Writes text to standard output, as it is.
  static func write(_ text: String) {
    write(Array(text.utf8))
  }

  /// Writes bytes to standard output. If that fails, ends the process: what was asked for cannot be had.
  static func write(_ bytes: [UInt8]) {
    do {
      try FileHandle.standardOutput.write(contentsOf: bytes)
    } catch {
      printError("error: cannot write standard output: \(String(cString: strerror(errno)))")
      exit(ExitStatus.inputOutput.rawValue)
    }
  }

  /// Writes a line to standard error.
  static func printError(_ text: String) {
    do {
      try FileHandle.standardError.write(contentsOf: Data((text + "\n").utf8))
    } catch {
      // There is nobody left to tell. The exit code still says that something is wrong.
    }
  }

  /// Ends the process.
  static func exit(_ code: Int32) -> Never {
    Foundation.exit(code)
  }
}
