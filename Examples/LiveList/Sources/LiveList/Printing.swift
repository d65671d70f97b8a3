import Foundation

/// Prints a line at once, also into a pipe: `print` would collect some kilobytes of them.
func printLine(_ line: String) {
  FileHandle.standardOutput.write(Data("\(line)\n".utf8))
}

/// Prints a line to standard error.
func printError(_ line: String) {
  FileHandle.standardError.write(Data("\(line)\n".utf8))
}
