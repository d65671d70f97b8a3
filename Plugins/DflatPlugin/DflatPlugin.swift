import Foundation
import PackagePlugin

/// Compiles the schemas of a target when it is built.
///
/// Every `.fbs` file among the target's files is an input. A target with schemas in folders of their own that are only
/// included from others lists them in `exclude:`.
@main
struct DflatPlugin: BuildToolPlugin {
  func createBuildCommands(context: PluginContext, target: any Target) async throws -> [Command] {
    guard let target = target.sourceModule else { return [] }
    let compiler = try context.tool(named: "dflatc").url
    let schemas = target.sourceFiles.map(\.url).filter { $0.pathExtension == "fbs" }
    return schemas.map { schema in
      let stem = schema.deletingPathExtension().lastPathComponent
      let folder = context.pluginWorkDirectoryURL.appending(path: "Dflat")
      return .buildCommand(
        displayName: "Compiling \(schema.lastPathComponent)",
        executable: compiler,
        arguments: ["compile", "-o", folder.path(percentEncoded: false), schema.path(percentEncoded: false)],
        // Any of the schemas may include any other: when one changes, all are compiled again.
        inputFiles: schemas,
        outputFiles: Self.outputs.map { folder.appending(path: stem + $0) })
    }
  }

  /// What `dflatc compile` writes for a schema when no emitter is named.
  private static let outputs = [
    "_generated.swift", "_data_model_generated.swift", "_mutating_generated.swift", "_query_generated.swift",
  ]
}
