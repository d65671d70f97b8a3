import Foundation

/// Why this cannot go on: a sentence for people.
struct MutationError: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}

/// How a program ended.
struct Ending: Sendable {
  let status: Int32
  let isKilled: Bool
  let hasHung: Bool
  let output: String

  var isSuccess: Bool { status == 0 && !isKilled && !hasHung }
}

/// Runs a program to its end, and ends it and its children after `limit` seconds.
func run(
  _ arguments: [String], in folder: URL, environment: [String: String] = [:], limit: Double = 3600
) throws -> Ending {
  let log = FileManager.default.temporaryDirectory.appendingPathComponent("dflat-mutation-\(UUID().uuidString)")
  try Data().write(to: log)
  defer { try? FileManager.default.removeItem(at: log) }  // What is left there is the system's to remove.
  let process = Process()
  // A session of its own, so that the children of a test that hangs end with it.
  process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
  process.arguments = ["setsid", "--wait"] + arguments
  process.currentDirectoryURL = folder
  process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
  let output = try FileHandle(forWritingTo: log)
  process.standardOutput = output
  process.standardError = output
  process.standardInput = FileHandle.nullDevice
  try process.run()
  let deadline = Date(timeIntervalSinceNow: limit)
  while process.isRunning, Date() < deadline { usleep(20_000) }
  let hasHung = process.isRunning
  if hasHung { endSession(startedBy: process.processIdentifier) }
  process.waitUntilExit()
  return Ending(
    status: process.terminationStatus, isKilled: process.terminationReason == .uncaughtSignal, hasHung: hasHung,
    output: String(decoding: try Data(contentsOf: log), as: UTF8.self))
}

/// Kills the child of `setsid`, which leads a session and a group of processes.
private func endSession(startedBy parent: Int32) {
  let pipe = Pipe()
  let list = Process()
  list.executableURL = URL(fileURLWithPath: "/usr/bin/env")
  list.arguments = ["pgrep", "-P", "\(parent)"]
  list.standardOutput = pipe
  guard (try? list.run()) != nil else { return kill(parent, SIGKILL).ignored }
  let children = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
  list.waitUntilExit()
  for child in children.split(separator: "\n").compactMap({ Int32($0) }) { kill(-child, SIGKILL).ignored }
  kill(parent, SIGKILL).ignored
}

extension Int32 {
  /// For calls whose failure says that what they end has ended.
  fileprivate var ignored: Void { () }
}
