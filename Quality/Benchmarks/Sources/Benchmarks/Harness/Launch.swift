import Foundation

/// Runs a program to its end. Not by Foundation, which on Linux notices the end up to 50 ms late.
///
/// - Parameter isQuiet: whether what it says on standard error is not shown.
/// - Returns: the seconds that processors spent on it and its children.
/// - Throws: when it cannot be run, or fails.
@discardableResult
func launch(_ path: String, _ arguments: [String], isQuiet: Bool = false) throws -> Double {
  var words: [UnsafeMutablePointer<CChar>?] = ([path] + arguments).map { strdup($0) }
  defer { for word in words { free(word) } }
  words.append(nil)
  var process = pid_t()
  var actions = posix_spawn_file_actions_t()
  posix_spawn_file_actions_init(&actions)
  defer { posix_spawn_file_actions_destroy(&actions) }
  if isQuiet { posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0) }
  let failure = posix_spawn(&process, path, &actions, nil, words, environ)
  guard failure == 0 else { throw BenchmarkError(description: "\(path): \(String(cString: strerror(failure)))") }
  var status: Int32 = 0
  var usage = rusage()
  while wait4(process, &status, 0, &usage) < 0 {
    guard errno == EINTR else { throw BenchmarkError(description: "\(path): \(String(cString: strerror(errno)))") }
  }
  guard status == 0 else {
    throw BenchmarkError(description: "\(path) \(arguments.joined(separator: " ")) failed")
  }
  return seconds(usage.ru_utime) + seconds(usage.ru_stime)
}

/// Returns the path of a program in a folder of PATH. If `env` looked for it, that would count as time of the program.
///
/// - Throws: when there is none.
func path(ofProgram name: String) throws -> String {
  let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
  let paths = folders.map { "\($0)/\(name)" }
  guard let path = paths.first(where: { FileManager.default.isExecutableFile(atPath: $0) }) else {
    throw BenchmarkError(description: "there is no \(name) in a folder of PATH: Scripts/install-tools.sh test gets it")
  }
  return path
}

func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) * 1e-6 }

/// Runs a program to its end, and returns what it prints.
///
/// - Throws: when it cannot be run, or fails.
func output(of path: String, _ arguments: [String]) throws -> String {
  let output = Pipe()
  let process = Process()
  process.executableURL = URL(fileURLWithPath: path)
  process.arguments = arguments
  process.standardOutput = output
  try process.run()
  let bytes = output.fileHandleForReading.readDataToEndOfFile()
  process.waitUntilExit()
  guard process.terminationStatus == 0 else {
    throw BenchmarkError(description: "\(path) \(arguments.joined(separator: " ")) failed")
  }
  return String(decoding: bytes, as: UTF8.self)
}

/// Runs a program under `/usr/bin/time`, which tells its peak size alone, and not that of its siblings or of this process. It may
/// fail, and what it says is not shown.
///
/// - Returns: its peak resident size in bytes; nil if there is no such `time`.
func peakMemory(of path: String, _ arguments: [String]) throws -> Int? {
  let time = "/usr/bin/time"
  guard FileManager.default.isExecutableFile(atPath: time) else { return nil }
  let output = Pipe()
  let process = Process()
  process.executableURL = URL(fileURLWithPath: time)
  process.arguments = ["-f", "%M", path] + arguments
  process.standardError = output
  try process.run()
  let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
  process.waitUntilExit()
  return text.split(separator: "\n").last.flatMap { Int($0) }.map { $0 * 1024 }
}
