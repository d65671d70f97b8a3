import Foundation

/// Writes to standard output at once, also into a pipe: `print` would collect some kilobytes.
///
/// If nobody reads it any more, the program ends: nothing that it does is seen.
func writeOutput(_ text: String) {
  do { try FileHandle.standardOutput.write(contentsOf: Data(text.utf8)) } catch { exit(EXIT_FAILURE) }
}

func printLine(_ line: String) { writeOutput(line + "\n") }

/// Prints a line to standard error.
func printError(_ line: String) {
  // Where nobody reads errors, the program goes on.
  try? FileHandle.standardError.write(contentsOf: Data("\(line)\n".utf8))
}
