// Does what Xcode does with the command dflat-check: the first argument is the project's folder, the second dflatc, and each
// further one the name of a target.

import Foundation
import PackagePlugin
import XcodeProjectPlugin

@main
struct CheckDriver {
  static func main() {
    let arguments = CommandLine.arguments
    let targets = arguments.dropFirst(3).map { XcodeTarget(displayName: $0, inputFiles: FileList([])) }
    let project = XcodeProject(displayName: "App", directory: Path(arguments[1]), targets: targets)
    let context = XcodePluginContext(
      xcodeProject: project, pluginWorkDirectoryURL: URL(filePath: arguments[1]).appending(path: "work"),
      tools: ["dflatc": PluginContext.Tool(url: URL(filePath: arguments[2]))])
    do {
      try DflatCheck().performCommand(context: context, arguments: [])
    } catch {
      print(error)
      exit(1)
    }
  }
}
