import Foundation
import Testing

/// What a run of a program gave.
struct ProcessResult {
  let status: Int32
  let output: String
  let error: String
}

/// Where the build put its products: beside the tests.
let productsFolder: URL = {
  for bundle in Bundle.allBundles where bundle.bundlePath.hasSuffix(".xctest") {
    return bundle.bundleURL.deletingLastPathComponent()
  }
  return URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
}()

/// The repository's root folder.
let repository = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
  .deletingLastPathComponent()

/// Runs a program to its end. It gets two minutes, so that a hang is a failure and not a stop.
func run(
  _ program: URL, _ arguments: [String], in folder: URL? = nil, environment: [String: String]? = nil
) throws -> ProcessResult {
  let process = Process()
  process.executableURL = program
  process.arguments = arguments
  process.currentDirectoryURL = folder
  if let environment {
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
  }
  // Files rather than pipes: a pipe that nobody reads while the program runs would fill up.
  let scratch = FileManager.default.temporaryDirectory.appending(path: "dflat-run-\(UUID().uuidString)")
  try FileManager.default.createDirectory(at: scratch, withIntermediateDirectories: true)
  defer { removeFolder(scratch) }
  let outputs = ["output", "error"].map { scratch.appending(path: $0) }
  for file in outputs {
    try Data().write(to: file)
  }
  process.standardOutput = try FileHandle(forWritingTo: outputs[0])
  process.standardError = try FileHandle(forWritingTo: outputs[1])
  process.standardInput = FileHandle.nullDevice
  try process.run()
  let deadline = Date(timeIntervalSinceNow: 120)
  while process.isRunning, Date() < deadline {
    usleep(2_000)
  }
  if process.isRunning {
    process.terminate()
    Issue.record("\(program.lastPathComponent) \(arguments) does not end")
  }
  process.waitUntilExit()
  let texts = try outputs.map { String(decoding: try Data(contentsOf: $0), as: UTF8.self) }
  return ProcessResult(status: process.terminationStatus, output: texts[0], error: texts[1])
}

/// Runs `dflatc`.
func dflatc(
  _ arguments: String..., in folder: URL? = nil, environment: [String: String]? = nil
) throws -> ProcessResult {
  try run(productsFolder.appending(path: "dflatc"), arguments, in: folder, environment: environment)
}

/// Checks Swift files against the modules that the build has made.
func typecheck(_ files: [String], in folder: URL) throws -> ProcessResult {
  try run(
    URL(fileURLWithPath: "/usr/bin/env"),
    [
      "swiftc", "-typecheck", "-swift-version", "6", "-I", productsFolder.appending(path: "Modules").path,
      "-I", repository.appending(path: "Sources/CSQLite").path,
    ] + files, in: folder)
}

/// Gives `body` an empty folder, which is removed afterwards.
func withFolder<T>(_ body: (URL) throws -> T) throws -> T {
  let folder = FileManager.default.temporaryDirectory.appending(path: "dflat-cli-\(UUID().uuidString)")
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  defer { removeFolder(folder) }
  return try body(folder)
}

private func removeFolder(_ folder: URL) {
  do {
    try FileManager.default.removeItem(at: folder)
  } catch {
    Issue.record("cannot remove \(folder.path): \(error)")
  }
}

extension URL {
  /// Writes a file in this folder and gives its path.
  @discardableResult
  func write(_ text: String, to name: String) throws -> String {
    let file = appending(path: name)
    try Data(text.utf8).write(to: file)
    return file.path
  }

  /// The names of what is in this folder.
  func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: path).sorted()
  }
}
