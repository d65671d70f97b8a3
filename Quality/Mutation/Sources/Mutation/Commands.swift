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
  process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
  process.arguments = arguments
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
  // Foundation makes each process the leader of a group: what it has started ends with it.
  if hasHung { kill(-process.processIdentifier, SIGKILL) }
  process.waitUntilExit()
  return Ending(
    status: process.terminationStatus, isKilled: process.terminationReason == .uncaughtSignal, hasHung: hasHung,
    output: String(decoding: try Data(contentsOf: log), as: UTF8.self))
}
