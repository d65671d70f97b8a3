// Does what Xcode does with a plug-in: the first argument is the project's folder, the second dflatc, and each further one a
// target, `NAME=FILE,FILE`. The commands of each target are run.

import Foundation
import PackagePlugin
import XcodeProjectPlugin

@main
struct Driver {
  static func main() throws {
    let arguments = CommandLine.arguments
    let folder = URL(filePath: arguments[1], directoryHint: .isDirectory)
    let targets = arguments.dropFirst(3).map { argument in
      let parts = argument.split(separator: "=")
      let files = parts.dropFirst().flatMap { $0.split(separator: ",") }
      return XcodeTarget(
        displayName: String(parts[0]),
        inputFiles: FileList(files.map { folder.appending(path: String($0)).standardized }))
    }
    let project = XcodeProject(displayName: "App", directory: Path(arguments[1]), targets: targets)
    for target in targets {
      let context = XcodePluginContext(
        xcodeProject: project, pluginWorkDirectoryURL: folder.appending(path: "work/" + target.displayName),
        tools: ["dflatc": PluginContext.Tool(url: URL(filePath: arguments[2]))])
      for command in try DflatPlugin().createBuildCommands(context: context, target: target) {
        try run(command, for: target)
      }
    }
  }

  private static func run(_ command: Command, for target: XcodeTarget) throws {
    guard case .buildCommand(let name, let executable, let arguments, let inputs, let outputs) = command else { return }
    print("\(target.displayName): \(name)")
    print("inputs: \(inputs.map(\.lastPathComponent).joined(separator: " "))")
    let process = try Process.run(executable, arguments: arguments)
    process.waitUntilExit()
    for output in outputs {
      let isThere = FileManager.default.fileExists(atPath: output.path(percentEncoded: false))
      print("\(isThere ? "written" : "missing"): \(output.lastPathComponent)")
    }
  }
}
