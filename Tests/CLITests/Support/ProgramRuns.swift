import Foundation
import TestSupport
import Testing

/// What a run of a program gave.
struct ProcessResult {
  let status: Int32
  let output: String
  let error: String
}

/// Variables that have git read no settings but those of the repository: the user's may sign commits, run hooks or name other branches.
private let withoutSettings = [
  "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1",
]

/// Variables by which dflatc finds out, in a pipeline, with which branch a change is compared. Those of the pipeline that runs the
/// tests say nothing about the repositories of tests.
private let variablesOfPipelines: Set = [
  "GITHUB_BASE_REF", "CI_MERGE_REQUEST_DIFF_BASE_SHA", "CI_MERGE_REQUEST_TARGET_BRANCH_NAME",
  "BITBUCKET_PR_DESTINATION_BRANCH", "SYSTEM_PULLREQUEST_TARGETBRANCH", "CHANGE_TARGET",
  "BUILDKITE_PULL_REQUEST_BASE_BRANCH",
]

/// Runs a program to its end. It gets ten minutes, on a busy machine, so that a hang is a failure and not a stop.
///
/// Git, and dflatc, which runs it, get no settings and variables of git but those that `environment` has. One that sets HOME has a
/// file of settings there.
func run(
  _ program: URL, _ arguments: [String], in folder: URL? = nil, environment: [String: String]? = nil
) throws -> ProcessResult {
  let environment = environment ?? [:]
  let usesGit = program.lastPathComponent == "dflatc" || arguments.first == "git"
  let settings = usesGit && environment["HOME"] == nil ? withoutSettings : [:]
  let result = try runProgram(
    program.path, arguments, in: folder, environment: settings.merging(environment) { $1 },
    without: { usesGit && ($0.hasPrefix("GIT_") || variablesOfPipelines.contains($0)) }, seconds: 600)
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
