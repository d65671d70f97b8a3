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
    guard !schemas.isEmpty else { return [] }
    let folder = context.pluginWorkDirectoryURL.appending(path: "Dflat")
    // One command for all: they may share namespaces, and any of them may include any other.
    let stems = schemas.map { $0.deletingPathExtension().lastPathComponent }
    let outputs = stems.flatMap { stem in Self.outputs.map { stem + $0 } } + [Self.namespaces]
    return [
      .buildCommand(
        displayName: "Compiling \(stems.map { $0 + ".fbs" }.joined(separator: ", "))",
        executable: compiler,
        arguments: ["compile", "-o", folder.path(percentEncoded: false), "--namespaces", Self.namespaces]
          + schemas.map { $0.path(percentEncoded: false) },
        inputFiles: schemas,
        outputFiles: outputs.map { folder.appending(path: $0) })
    ]
  }

  /// The file with the declarations of namespaces. No schema's output has such a name.
  private static let namespaces = "Dflat_namespaces.swift"

  /// What `dflatc compile` writes for a schema when no emitter is named.
  private static let outputs = [
    "_generated.swift", "_data_model_generated.swift", "_mutating_generated.swift", "_query_generated.swift",
  ]
}
