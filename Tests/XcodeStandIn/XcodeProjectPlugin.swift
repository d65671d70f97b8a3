// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// What the plug-ins use of the module XcodeProjectPlugin, which comes with Xcode alone, with its signatures. What these types
// give is what their initializers were given.

public import Foundation
public import PackagePlugin

public protocol XcodeBuildToolPlugin: Plugin {
  func createBuildCommands(context: XcodePluginContext, target: XcodeTarget) throws -> [Command]
}

public protocol XcodeCommandPlugin: Plugin {
  func performCommand(context: XcodePluginContext, arguments: [String]) throws
}

public struct XcodePluginContext {
  public let xcodeProject: XcodeProject
  public let pluginWorkDirectoryURL: URL
  private let tools: [String: PluginContext.Tool]

  public init(xcodeProject: XcodeProject, pluginWorkDirectoryURL: URL, tools: [String: PluginContext.Tool]) {
    self.xcodeProject = xcodeProject
    self.pluginWorkDirectoryURL = pluginWorkDirectoryURL
    self.tools = tools
  }

  public func tool(named name: String) throws -> PluginContext.Tool {
    guard let tool = tools[name] else { throw MissingTool() }
    return tool
  }

  private struct MissingTool: Error {}
}

public struct XcodeProject {
  public let displayName: String
  public let directory: Path
  public let targets: [XcodeTarget]

  public init(displayName: String, directory: Path, targets: [XcodeTarget]) {
    self.displayName = displayName
    self.directory = directory
    self.targets = targets
  }
}

public struct XcodeTarget {
  public let displayName: String
  public let inputFiles: FileList

  public init(displayName: String, inputFiles: FileList) {
    self.displayName = displayName
    self.inputFiles = inputFiles
  }
}
