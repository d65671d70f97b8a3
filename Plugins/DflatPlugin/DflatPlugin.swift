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
    let compiler = try context.tool(named: "dflatc").url
    let all = target.sourceFiles.map(\.url).filter { $0.pathExtension == "fbs" }
    // `directoryURL` is there from version 6.1 of the tools on.
    let base = URL(filePath: String(describing: target.directory), directoryHint: .isDirectory)
    let options = try PluginOptions.find(in: base, schemas: all)
    let schemas = all.filter { options?.excludes($0) != true }
    guard !schemas.isEmpty else { return [] }
    if let options, options.output != nil {
      throw PluginFailure(
        "\(options.file.path) has an `output`, to which `swift package dflat-generate` writes: with the plug-in DflatPlugin, the "
          + "target \(target.name) would be given the same types twice. Remove one of them.")
    }

    let folder = context.pluginWorkDirectoryURL.appending(path: "Dflat")
    let root = base.path(percentEncoded: false)
    var arguments = ["compile", "-o", folder.path(percentEncoded: false), "--root", root]
    if let options { arguments += ["--options", options.file.path(percentEncoded: false)] }
    // One command for all: they may share namespaces, and any of them may include any other.
    var outputs = schemas.flatMap { schema in
      let stem = Self.stem(of: schema, below: root)
      return (options?.outputs ?? PluginOptions.defaultOutputs).map { stem + $0 }
    }
    switch options?.namespaces {
    case "none": break
    case .some(let name) where name != "each": outputs.append(name)
    default:
      // Which namespaces there are is not known before the schemas are read: so all stand in one file.
      arguments += ["--namespaces", Self.namespaces]
      outputs.append(Self.namespaces)
    }
    return [
      .buildCommand(
        displayName: "Compiling \(schemas.map(\.lastPathComponent).joined(separator: ", "))",
        executable: compiler,
        arguments: arguments + schemas.map { $0.path(percentEncoded: false) },
        inputFiles: all + (options?.files ?? []),
        outputFiles: outputs.map { folder.appending(path: $0) })
    ]
  }

  /// What `--root` calls the outputs of a schema: its path below the target's folder, with underscores for slashes.
  private static func stem(of schema: URL, below root: String) -> String {
    let path = schema.deletingPathExtension().path(percentEncoded: false)
    return path.dropFirst(root.count).split(separator: "/").joined(separator: "_")
  }

  /// The file with the declarations of namespaces. No schema's output has such a name.
  private static let namespaces = "Dflat_namespaces.swift"
}
