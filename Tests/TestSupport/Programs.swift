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
    guard ends(process, before: deadline) else {
      endGroup(of: process)
      throw ProgramFailure("\(program) \(arguments) does not end, or what it has started")
    }
    process.waitUntilExit()
    return ProgramResult(
      status: process.terminationStatus,
      isSuccess: process.terminationReason == .exit && process.terminationStatus == 0,
      output: try Data(contentsOf: output), error: try Data(contentsOf: error))
  }
}

/// Waits until a program has ended, with all that it has started: on Linux, `Process` learns of the end of a program only when no
/// process is left that has inherited a certain socket from it. A program that has itself ended leaves nothing behind for longer than
/// a minute.
private func ends(_ process: Process, before deadline: Date) -> Bool {
  var end = deadline
  var isLeft = false
  while process.isRunning, Date() < end {
    usleep(1_000)
    if !isLeft, hasEnded(process.processIdentifier) {
      isLeft = true
      end = min(end, Date(timeIntervalSinceNow: 60))
    }
  }
  return !process.isRunning
}

/// Whether a child of this process has ended, while `Process` has not yet taken note of it.
private func hasEnded(_ child: pid_t) -> Bool {
  var information = siginfo_t()
  return waitid(P_PID, id_t(child), &information, WEXITED | WNOHANG | WNOWAIT) == 0
    && information.si_signo == SIGCHLD
}

/// Ends a program that hangs, and all that it has started: it may also ignore the request to end. What lives on is not waited for.
package func endGroup(of process: Process) {
  let child = process.processIdentifier
  // On Linux, `Process` makes each program the leader of a group.
  if getpgid(child) == child { kill(-child, SIGKILL) }
  kill(child, SIGKILL)
  let end = Date(timeIntervalSinceNow: 60)
  while process.isRunning, Date() < end { usleep(1_000) }
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
