import Foundation

/// Another process that writes: this program, started with its command `write`.
///
/// It ends when its standard input does. So it ends with this process, however that ends.
struct WriterProcess {
  private let process = Process()
  private let input = Pipe()
  private let errors = Pipe()
  /// Yields the exit code.
  private let termination: AsyncStream<Int32>

  /// Starts the process.
  ///
  /// - Parameter report: called, on any thread, with what the process writes to standard error.
  /// - Throws: an error of the system if it cannot be started.
  init(file: String, every milliseconds: Int, report: @escaping @Sendable (String) -> Void) throws {
    let (termination, continuation) = AsyncStream.makeStream(of: Int32.self)
    self.termination = termination
    process.executableURL = Bundle.main.executableURL
    process.arguments = ["write", "--file", file, "--every", String(milliseconds), "--until-input-ends"]
    process.standardInput = input
    process.standardOutput = FileHandle.nullDevice
    process.standardError = errors
    process.terminationHandler = {
      continuation.yield($0.terminationStatus)
      continuation.finish()
    }
    try process.run()
    // On a thread that waits for them: on Linux, a readability handler that is removed at the end of a pipe may crash Dispatch,
    // which still looks at the pipe then.
    Thread.detachNewThread { [errors] in
      // It waits for some data, of which there is none at the end of the file.
      while case let data = errors.fileHandleForReading.availableData, !data.isEmpty {
        for line in String(decoding: data, as: UTF8.self).split(separator: "\n") { report(String(line)) }
      }
    }
  }

  /// Lets the process finish what it has begun.
  ///
  /// - Returns: its exit code.
  func end() async -> Int32 {
    // Closing fails only for a pipe that is closed already.
    try? input.fileHandleForWriting.close()
    var codes = termination.makeAsyncIterator()
    return await codes.next() ?? 0
  }
}
