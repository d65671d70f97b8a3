import Foundation

/// A run of a form in a process of its own.
struct Run: Sendable {
  /// How it ended.
  enum Ending: Sendable, Equatable {
    case passed
    case failed(status: Int32)
    /// It did not end in time.
    case hung
  }

  let form: Form
  let seed: Int
  /// The program that holds the tests.
  let tests: String

  /// After so many seconds a run counts as one that never ends. A test that waits in vain for twenty minutes says for what, and one that
  /// tries everything takes as long as there is to try.
  var limit: Double { form.isExhaustive ? 7200 : 3600 }

  /// What a person types to repeat it.
  var command: String {
    let variables = environment.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: " ")
    return "\(variables) \(tests) --testing-library swift-testing --filter '\(form.filter)'"
  }

  private var environment: [String: String] {
    var variables = ["DFLAT_SEED": "\(seed)"]
    for (name, size) in form.sizes { variables["DFLAT_" + name] = "\(size)" }
    if form.needsPostgres { variables["POSTGRES_PROGRAMS"] = Form.postgres }
    return variables
  }

  /// Runs it to its end.
  /// - Parameters:
  ///   - log: The file that gets what it prints.
  ///   - counts: The file that gets what it has tried.
  func perform(log: URL, counts: URL) throws -> Ending {
    try Data("$ \(command)\n".utf8).write(to: log)
    try Data().write(to: counts)
    let process = Process()
    process.executableURL = URL(fileURLWithPath: tests)
    process.arguments = ["--testing-library", "swift-testing", "--filter", form.filter]
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
      .merging(["DFLAT_COUNTS": counts.path]) { $1 }
    let output = try FileHandle(forWritingTo: log)
    try output.seekToEnd()
    process.standardOutput = output
    process.standardError = output
    process.standardInput = FileHandle.nullDevice
    try process.run()
    let deadline = Date(timeIntervalSinceNow: limit)
    while process.isRunning, Date() < deadline { usleep(50_000) }
    guard !process.isRunning else {
      kill(process.processIdentifier, SIGKILL)
      process.waitUntilExit()
      return .hung
    }
    let isKilled = process.terminationReason == .uncaughtSignal
    return process.terminationStatus == 0 && !isKilled
      ? .passed : .failed(status: isKilled ? -process.terminationStatus : process.terminationStatus)
  }

  /// What runs have recorded: lines of a number and what it counts.
  static func read(_ counts: URL) throws -> [String: Int] {
    var result: [String: Int] = [:]
    for line in try String(contentsOf: counts, encoding: .utf8).split(separator: "\n") {
      let parts = line.split(separator: " ", maxSplits: 1)
      guard parts.count == 2, let count = Int(parts[0]) else { throw SoakError("\(counts.path) has a line '\(line)'") }
      result[String(parts[1]), default: 0] += count
    }
    return result
  }
}

/// Why a soak cannot go on: a sentence for people.
struct SoakError: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}
