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
    Swift.print(text)
  }

  /// Writes text to standard output, as it is.
  static func write(_ text: String) {
    FileHandle.standardOutput.write(Data(text.utf8))
  }

  /// Writes a line to standard error.
  static func printError(_ text: String) {
    FileHandle.standardError.write(Data((text + "\n").utf8))
  }

  /// Ends the process.
  static func exit(_ code: Int32) -> Never {
    Foundation.exit(code)
  }
}
