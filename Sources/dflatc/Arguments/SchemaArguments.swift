import ArgumentParser
import FBSParser
import FBSDiagnostics
import FBSSchema

/// The arguments for the schema by which a command reads data, and for the folders of its includes.
struct SchemaArguments: ParsableArguments {
  @Option(
    name: .customLong("schema"), parsing: .singleValue,
    help: ArgumentHelp("A schema (.fbs or .bfbs) of the data. May be given several times.", valueName: "file"),
    completion: .file(extensions: ["fbs", "bfbs"]))
  var schemas: [String] = []

  @Option(
    name: [.customShort("I", allowingJoined: true), .customLong("include")],
    help: "A folder to search for included schemas, after the including file's own. May be given several times.",
    completion: .directory)
  var includePaths: [String] = []

  /// Compiles the schemas. Shows their errors, and ends the command if there are any.
  /// - Parameters:
  ///   - others: further schemas, named among the arguments.
  ///   - files: The files to read.
  func compile(
    and others: [String], in files: InputFileSystem = InputFileSystem(), _ format: ReportFormat
  ) throws -> ObjectResolver {
    let configurations = Configurations()
    let inputs = schemas + others
    let folders = IncludeFolders(for: inputs, configurations, after: includePaths)
    try configurations.throwMistakes(format)
    let resolver = ObjectResolver(
      inputs: inputs, includePaths: folders.common, provider: files.including(from: folders))
    let compilation = resolver.compilation
    for input in compilation.unreadableInputs {
      Terminal.printError("error: cannot read \(input.path): \(input.error.description)")
    }
    guard compilation.unreadableInputs.isEmpty else { throw ExitStatus.inputOutput.exitCode }
    // Warnings about the schema do not help a command that reads data.
    guard compilation.isValid else {
      format.show(compilation.diagnostics, in: compilation.sources, all: false)
      throw ExitStatus.wrongSchema.exitCode
    }
    return resolver
  }
}

extension Schema {
  /// Returns the table with a name as schemas write it, or else the only table whose unqualified name it is. Returns
  /// nil if there is none.
  func table(called name: String) -> TableID? {
    if let index = tables.firstIndex(where: { $0.name.description == name }) { return TableID(index) }
    let found = tables.indices.filter { tables[$0].name.name == name }
    return found.count == 1 ? TableID(found[0]) : nil
  }

  /// Returns the message for a name that no table has.
  func missingTable(_ name: String) -> String {
    let names = tables.map(\.name.description)
    if tables.filter({ $0.name.name == name }).count > 1 {
      let meant = names.filter { $0.hasSuffix("." + name) || $0 == name }
      return "'\(name)' is the name of several tables: write \(meant.map { "'\($0)'" }.joined(separator: " or "))."
    }
    guard let near = nearestName(to: name, in: names) else { return "The schema has no table '\(name)'." }
    return "The schema has no table '\(name)'. Did you mean '\(near)'?"
  }
}

extension CompletionKind {
  /// Completes the names of schemas, and of folders of schemas.
  static var schemas: CompletionKind { .file(extensions: ["fbs"]) }
}
