import Foundation
import PackagePlugin

/// A target whose folder holds schemas, for the commands that are run by hand.
///
/// Its paths start at the folder of the package or project, in which dflatc runs: so diagnostics name files as a person does.
struct SchemaTarget {
  let name: String
  /// The folder of the target.
  let folder: String
  /// The file of options, if there is one.
  let optionsFile: String?
  /// Whether the file of options holds a JSON object, or there is no such file. If not, dflatc reports the mistake.
  let hasReadableOptions: Bool
  /// Whether the options name an earlier version of the schemas.
  let hasEarlierVersion: Bool
  private let hasOutput: Bool
  /// The folder that generated Swift goes to: that of the options, or else `Generated` in the target's folder.
  let output: String

  /// The targets to work on: those that `--target` names among the arguments, from which it is removed, or all with schemas.
  /// - Throws: `PluginFailure` if one of the names is no target's, or there is nothing to work on.
  static func find(in context: CommandContext, _ arguments: inout [String]) throws -> [SchemaTarget] {
    var extractor = ArgumentExtractor(arguments)
    let names = extractor.extractOption(named: "target")
    arguments = extractor.remainingArguments
    let all = context.targets
    for name in names where !all.contains(where: { $0.name == name }) {
      throw PluginFailure(
        "there is no target \(name) of sources here. There are: \(all.map(\.name).joined(separator: ", "))")
    }
    let targets = try all.filter { names.isEmpty || names.contains($0.name) }.compactMap {
      try SchemaTarget($0, in: context.folder)
    }
    if let name = names.first(where: { name in !targets.contains { $0.name == name } }) {
      throw PluginFailure("there is no schema (.fbs) in the folder of the target \(name)")
    }
    guard !targets.isEmpty else { throw PluginFailure("there is no schema (.fbs) in the folder of any target") }
    return targets
  }

  /// Nil if the target has no schema.
  private init?(_ target: CommandContext.Target, in package: URL) throws {
    let base = target.folder
    // Not the target's list of files: who commits generated code excludes schemas from the target, as SwiftPM asks.
    let schemas = Self.schemas(below: base)
    guard !schemas.isEmpty else { return nil }
    let options = try PluginOptions.find(in: base, schemas: schemas)
    name = target.name
    folder = Self.path(of: base, from: package)
    optionsFile = options.map { Self.path(of: $0.file, from: package) }
    hasReadableOptions = options?.isReadable ?? true
    hasEarlierVersion = options?.hasEarlierVersion == true
    hasOutput = options?.output != nil
    output = Self.path(of: options?.output ?? base.appending(path: "Generated"), from: package)
  }

  /// The arguments that name the options. A plug-in reads no other file, so that dflatc need not name a better one.
  var optionArguments: [String] { optionsFile.map { ["--options", $0, "--run-by-plugin"] } ?? [] }

  /// The arguments with which `dflatc compile` writes the target's Swift, but for the schemas.
  var compileArguments: [String] { ["compile", "-o", output, "--clean"] + optionArguments }

  /// Whether generated Swift is kept beside the sources.
  func hasGeneratedCode(in context: CommandContext) -> Bool {
    hasOutput || FileManager.default.fileExists(atPath: context.folder.appending(path: output).path)
  }

  private static func schemas(below folder: URL) -> [URL] {
    let files = FileManager.default.enumerator(
      at: folder, includingPropertiesForKeys: nil, options: .skipsHiddenFiles)
    return (files?.allObjects as? [URL] ?? []).filter { $0.pathExtension == "fbs" }
  }

  private static func path(of file: URL, from package: URL) -> String {
    let (path, root) = (file.standardizedFileURL.path, package.standardizedFileURL.path + "/")
    if path + "/" == root { return "." }
    return path.hasPrefix(root) ? String(path.dropFirst(root.count)) : path
  }
}
