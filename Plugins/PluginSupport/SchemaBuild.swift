import Foundation
import PackagePlugin

/// The command that compiles the schemas of a target when the target is built.
struct SchemaBuild {
  let displayName: String
  let arguments: [String]
  let inputFiles: [URL]
  let outputFiles: [URL]

  /// Nil if there is no schema to compile.
  /// - Parameters:
  ///   - target: The target's name.
  ///   - all: The schemas among its files.
  ///   - options: Its options, if it has some.
  ///   - root: The folder below which outputs are called by the paths of their schemas.
  ///   - workFolder: Where the plug-in may write.
  /// - Throws: `PluginFailure` if the options are those of generated Swift that is kept in git.
  init?(target: String, schemas all: [URL], options: PluginOptions?, root: URL, workFolder: URL) throws {
    let schemas = all.filter { options?.excludes($0) != true }
    guard !schemas.isEmpty else { return nil }
    if let options, options.output != nil {
      throw PluginFailure(
        "\(options.file.path) has an `output`, to which `swift package dflat-generate` writes: with the plug-in DflatPlugin, the "
          + "target \(target) would be given the same types twice. Remove one of them.")
    }

    let folder = workFolder.appending(path: "Dflat")
    let rootPath = root.path(percentEncoded: false)
    // What a configuration says of generated Swift would change the outputs, which are to be known here.
    var arguments = ["compile", "--ignore-swift", "-o", folder.path(percentEncoded: false), "--root", rootPath]
    if let options { arguments += ["--options", options.file.path(percentEncoded: false)] }
    // One command for all: they may share namespaces, and any of them may include any other.
    var stems = schemas.map { Self.stem(of: $0.path(percentEncoded: false).dropFirst(rootPath.count)) }
    let included = IncludedSchemas(of: schemas, in: options?.includeFolders ?? []).schemas
    if let options, options.compilesIncludes {
      for schema in included {
        // dflatc refuses files of other folders, since nobody could know what their outputs are called.
        guard
          let folder = ([root] + options.includeFolders).first(where: {
            IncludedSchemas.path(of: schema, below: $0) != nil
          }), let path = IncludedSchemas.path(of: schema, below: folder),
          !options.excludes(included: schema, below: folder)
        else { continue }
        stems.append(Self.stem(of: path[...]))
      }
    }
    var outputs = stems.flatMap { stem in (options?.outputs ?? PluginOptions.defaultOutputs).map { stem + $0 } }
    switch options?.namespaces {
    case "none": break
    case .some(let name) where name != "each": outputs.append(name)
    default:
      // Which namespaces there are is not known before the schemas are read: so all stand in one file.
      arguments += ["--namespaces", Self.namespaces]
      outputs.append(Self.namespaces)
    }
    displayName = "Compiling \(schemas.map(\.lastPathComponent).joined(separator: ", "))"
    self.arguments = arguments + schemas.map { $0.path(percentEncoded: false) }
    // An included schema may stand anywhere, also in a folder that the target excludes.
    let listed = all + (options?.files ?? [])
    let known = Set(listed.map(\.standardizedFileURL.path))
    inputFiles = listed + included.filter { !known.contains($0.path) }
    outputFiles = outputs.map { folder.appending(path: $0) }
  }

  /// The command, which runs `dflatc`.
  func command(running dflatc: URL) -> Command {
    .buildCommand(
      displayName: displayName, executable: dflatc, arguments: arguments, inputFiles: inputFiles,
      outputFiles: outputFiles)
  }

  /// What `--root` calls the outputs of a schema: its path below the root, or below an include folder, with underscores for slashes.
  private static func stem(of path: Substring) -> String {
    let name = path.split(separator: "/").joined(separator: "_")
    return name.lastIndex(of: ".").map { String(name[..<$0]) } ?? name
  }

  /// The file with the declarations of namespaces. No schema's output has such a name.
  private static let namespaces = "Dflat_namespaces.swift"

  /// The deepest folder that holds `folder` and all of the files, which may stand anywhere.
  static func root(holding folder: URL, _ files: [URL]) -> URL {
    var parts = folder.standardizedFileURL.pathComponents
    for file in files {
      let other = file.standardizedFileURL.deletingLastPathComponent().pathComponents
      parts = zip(parts, other).prefix { $0 == $1 }.map { part, _ in part }
    }
    // The first one is the slash that paths begin with.
    return URL(filePath: "/" + parts.dropFirst().joined(separator: "/"), directoryHint: .isDirectory)
  }
}
