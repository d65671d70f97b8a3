// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// What the plug-ins use of SwiftPM's module PackagePlugin, whose types only SwiftPM and Xcode can make. What these give is what
// their initializers were given.

public import Foundation

public protocol Plugin {
  init()
}

public protocol BuildToolPlugin: Plugin {
  func createBuildCommands(context: PluginContext, target: any Target) async throws -> [Command]
}

public protocol CommandPlugin: Plugin {
  func performCommand(context: PluginContext, arguments: [String]) async throws
}

public struct PluginContext {
  public struct Tool {
    public let url: URL

    public init(url: URL) { self.url = url }
  }

  public let package: Package
  public let pluginWorkDirectoryURL: URL

  public func tool(named name: String) throws -> Tool { Tool(url: URL(filePath: name)) }
}

public struct Package {
  public let directoryURL: URL
  public let targets: [any Target]
}

public protocol Target {
  var name: String { get }
  var directory: Path { get }
}

extension Target {
  public var sourceModule: (any SourceModuleTarget)? { self as? any SourceModuleTarget }
}

public protocol SourceModuleTarget: Target {
  var sourceFiles: FileList { get }
}

public struct Path: CustomStringConvertible {
  public let description: String

  public init(_ string: String) { description = string }
}

public struct File {
  public let url: URL
}

public struct FileList: Sequence {
  private let files: [File]

  public init(_ files: [URL]) { self.files = files.map(File.init) }

  public func makeIterator() -> IndexingIterator<[File]> { files.makeIterator() }
}

public enum Command {
  case buildCommand(
    displayName: String, executable: URL, arguments: [String], inputFiles: [URL] = [], outputFiles: [URL] = [])
}

public struct ArgumentExtractor {
  public private(set) var remainingArguments: [String]

  public init(_ arguments: [String]) { remainingArguments = arguments }

  public mutating func extractOption(named name: String) -> [String] {
    var values: [String] = []
    while let place = remainingArguments.firstIndex(of: "--" + name), place + 1 < remainingArguments.count {
      values.append(remainingArguments[place + 1])
      remainingArguments.removeSubrange(place...place + 1)
    }
    return values
  }
}
