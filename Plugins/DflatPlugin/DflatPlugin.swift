import Foundation
import PackagePlugin

/// Compiles the schemas of a target when it is built.
///
/// Every `.fbs` file among the target's files is an input. Options stand in a file `dflatc.json` in the target's folder, or
/// beside the schemas; dflatc itself says what is wrong with it.
@main
struct DflatPlugin: BuildToolPlugin {
  func createBuildCommands(context: PluginContext, target: any Target) async throws -> [Command] {
    guard let target = target.sourceModule else { return [] }
    let schemas = target.sourceFiles.map(\.url).filter { $0.pathExtension == "fbs" }
    // `directoryURL` is there from version 6.1 of the tools on.
    let folder = URL(filePath: String(describing: target.directory), directoryHint: .isDirectory)
    let build = try SchemaBuild(
      target: target.name, schemas: schemas, options: .find(in: folder, schemas: schemas), root: folder,
      workFolder: context.pluginWorkDirectoryURL)
    let dflatc = try context.tool(named: "dflatc").url
    return build.map { [$0.command(running: dflatc)] } ?? []
  }
}

#if canImport(XcodeProjectPlugin)
  import XcodeProjectPlugin

  extension DflatPlugin: XcodeBuildToolPlugin {
    func createBuildCommands(context: XcodePluginContext, target: XcodeTarget) throws -> [Command] {
      let schemas = target.inputFiles.map(\.url).filter { $0.pathExtension == "fbs" }
      let project = context.xcodeProject.folder
      let options = try PluginOptions.find(
        in: context.xcodeProject.folder(of: target), schemas: schemas, orElseIn: project)
      let build = try SchemaBuild(
        target: target.displayName, schemas: schemas, options: options,
        root: SchemaBuild.root(holding: project, schemas), workFolder: context.pluginWorkDirectoryURL)
      let dflatc = try context.tool(named: "dflatc").url
      return build.map { [$0.command(running: dflatc)] } ?? []
    }
  }
#endif
