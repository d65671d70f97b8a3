import Foundation
import TestSupport
import Testing

/// What a run of a program gave.
struct ProcessResult {
  let status: Int32
  let output: String
  let error: String
}

/// Runs a program to its end. It gets ten minutes, on a busy machine, so that a hang is a failure and not a stop.
func run(
  _ program: URL, _ arguments: [String], in folder: URL? = nil, environment: [String: String]? = nil
) throws -> ProcessResult {
  let result = try runProgram(
    program.path, arguments, in: folder, environment: environment ?? [:], seconds: 600)
  return ProcessResult(
    status: result.status, output: String(decoding: result.output, as: UTF8.self),
    error: String(decoding: result.error, as: UTF8.self))
}

/// Runs `dflatc`.
func dflatc(
  _ arguments: String..., in folder: URL? = nil, environment: [String: String]? = nil
) throws -> ProcessResult {
  try run(productsFolder.appending(path: "dflatc"), arguments, in: folder, environment: environment)
}

/// Checks Swift files, in a language mode, against the modules that the build has made.
///
/// - Parameters:
///   - isolation: the actor that declarations belong to by default, `MainActor`; nil for none.
///   - more: further options of the compiler.
func typecheck(
  _ files: [String], in folder: URL, version: String = "6", isolation: String? = nil, more: [String] = []
) throws -> ProcessResult {
  let options = isolation.map { ["-default-isolation", $0] } ?? []
  return try run(
    URL(fileURLWithPath: "/usr/bin/env"),
    [
      "swiftc", "-typecheck", "-swift-version", version, "-I", productsFolder.appending(path: "Modules").path,
      "-I", packageFolder.appending(path: "Sources/CSQLite").path,
    ] + options + more + files, in: folder)
}

/// Gives `body` an empty folder, which is removed afterwards.
func withFolder<T>(_ body: (URL) throws -> T) throws -> T {
  try withTemporaryFolder(body)
}

extension URL {
  /// Writes a file in this folder and gives its path.
  @discardableResult
  func write(_ text: String, to name: String) throws -> String {
    let file = appending(path: name)
    try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: file)
    return file.path
  }

  /// The names of what is in this folder.
  func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: path).sorted()
  }
}
