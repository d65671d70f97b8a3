#if canImport(XcodeProjectPlugin)
  import Foundation
  import PackagePlugin
  import XcodeProjectPlugin

  extension XcodeProject {
    /// The folder that the project stands in.
    var folder: URL { URL(filePath: String(describing: directory), directoryHint: .isDirectory) }

    /// The folder of a target's files. A target knows none: in Xcode's templates it has the target's name, beside the project.
    func folder(of target: XcodeTarget) -> URL {
      folder.appending(path: target.displayName, directoryHint: .isDirectory)
    }
  }

  extension CommandContext {
    /// What a command works on in an Xcode project.
    init(_ context: XcodePluginContext) throws {
      let project = context.xcodeProject
      folder = project.folder
      targets = project.targets.map { Target(name: $0.displayName, folder: project.folder(of: $0)) }
      dflatc = try context.tool(named: "dflatc").url
    }
  }
#endif
