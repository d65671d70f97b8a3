import Foundation
import PackagePlugin

/// What a command that is run by hand works on: a package, or an Xcode project.
struct CommandContext {
  /// A target with sources.
  struct Target {
    let name: String
    let folder: URL
  }

  /// The folder of the package or project, in which dflatc runs.
  let folder: URL
  let targets: [Target]
  let dflatc: URL

  /// What a command works on in a package.
  init(_ context: PluginContext) throws {
    folder = context.package.directoryURL
    targets = context.package.targets.filter { $0.sourceModule != nil }.map { target in
      // `directoryURL` is there from version 6.1 of the tools on.
      Target(
        name: target.name, folder: URL(filePath: String(describing: target.directory), directoryHint: .isDirectory))
    }
    dflatc = try context.tool(named: "dflatc").url
  }

  /// Runs dflatc in the folder. What it says is shown.
  /// - Returns: whether it ended with the exit code 0.
  func runCompiler(_ arguments: [String]) throws -> Bool {
    let process = Process()
    process.executableURL = dflatc
    process.arguments = arguments
    process.currentDirectoryURL = folder
    try process.run()
    process.waitUntilExit()
    return process.terminationReason == .exit && process.terminationStatus == 0
  }
}
