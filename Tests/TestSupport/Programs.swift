import Foundation

/// What a program did.
package struct ProgramResult: Sendable {
  /// Its exit code, or the signal that ended it.
  package let status: Int32
  /// Whether it ended by itself, with the exit code 0.
  package let isSuccess: Bool
  /// What it wrote to standard output.
  package let output: Data
  /// What it wrote to standard error.
  package let error: Data
}

/// A program that a test needs did not do what it was to do.
package struct ProgramFailure: Error, CustomStringConvertible {
  package let description: String

  package init(_ description: String) {
    self.description = description
  }
}

/// Runs a program to its end, and ends it after `seconds`, so that a hang is a failure.
///
/// - Parameters:
///   - program: a path, or a name to be found on PATH.
///   - input: what the program reads from standard input.
///   - environment: variables to be added to those of this process.
///   - isLeftOut: whether the program does not get a variable of this process.
/// - Throws: when the program cannot be run, or does not end.
package func runProgram(
  _ program: String, _ arguments: [String], input: Data = Data(), in folder: URL? = nil,
  environment: [String: String] = [:], without isLeftOut: (String) -> Bool = { _ in false }, seconds: Double = 900
) throws -> ProgramResult {
  // Files rather than pipes: nothing can block, however much is written on either side.
  try withTemporaryFolder { scratch in
    func file(_ name: String, _ content: Data = Data()) throws -> URL {
      let url = scratch.appendingPathComponent(name)
      try content.write(to: url)
      return url
    }
    let output = try file("output")
    let error = try file("error")
    let process = Process()
    process.executableURL = URL(fileURLWithPath: program.contains("/") ? program : "/usr/bin/env")
    process.arguments = (program.contains("/") ? [] : [program]) + arguments
    process.currentDirectoryURL = folder
    process.environment = ProcessInfo.processInfo.environment.filter { !isLeftOut($0.key) }.merging(environment) { $1 }
    process.standardInput = try FileHandle(forReadingFrom: file("input", input))
    process.standardOutput = try FileHandle(forWritingTo: output)
    process.standardError = try FileHandle(forWritingTo: error)
    try process.run()
    let deadline = Date(timeIntervalSinceNow: seconds)
    while process.isRunning, Date() < deadline { usleep(1_000) }
    guard !process.isRunning else {
      // One that hangs may also ignore the request to end.
      kill(process.processIdentifier, SIGKILL)
      process.waitUntilExit()
      throw ProgramFailure("\(program) \(arguments) does not end")
    }
    process.waitUntilExit()
    return ProgramResult(
      status: process.terminationStatus,
      isSuccess: process.terminationReason == .exit && process.terminationStatus == 0,
      output: try Data(contentsOf: output), error: try Data(contentsOf: error))
  }
}

/// Runs a program that must succeed, and returns its standard output.
///
/// - Throws: what the program says, when it fails.
@discardableResult
package func runTool(
  _ program: String, _ arguments: [String], input: Data = Data(), in folder: URL? = nil, seconds: Double = 900
) throws -> Data {
  let result = try runProgram(program, arguments, input: input, in: folder, seconds: seconds)
  guard result.isSuccess else {
    let text = String(decoding: result.error.suffix(2000) + result.output.suffix(2000), as: UTF8.self)
    throw ProgramFailure("\(program) \(arguments) exits with \(result.status): \(text)")
  }
  return result.output
}
