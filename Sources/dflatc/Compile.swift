import ArgumentParser
import Emitters
import FBSParser
import FBSSchema
import Foundation

/// `dflatc compile`: schemas to Swift.
struct Compile: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Compile schemas to Swift.",
    discussion: """
      For post.fbs, these files are written to the output folder, each of which builds on those above it:

      \(list(EmitterRegistry.defaults))

      --emit names others, of these or of:

      \(list(EmitterRegistry.all.filter { !$0.isDefault }))

      --plugin runs an emitter of your own: a program called dflatc-gen-NAME, in a folder of PATH or at PATH, to which \
      PARAM is handed on. `dflatc plugin-schema` prints what is said to it and what it answers.

      All inputs are checked before the first file is written: with one error, nothing \
      changes. A file that would not change is left alone.

      EXAMPLES
        dflatc compile -o Sources/MyApp/Generated Schemas/post.fbs Schemas/user.fbs
        dflatc compile -o Generated --clean Schemas --exclude Schemas/drafts
        dflatc compile -o Generated -I Schemas/common --emit accessors message.fbs
        dflatc compile -o Docs --emit diagram --plugin markdown=tools/dflatc-gen-markdown post.fbs
        dflatc compile -o Generated --format sarif post.fbs > results.sarif

      Exit codes: 0 done, 1 a schema is wrong, 2 wrong usage, 3 a file cannot be read or written.
      """)

  @Option(
    name: [.customShort("o"), .customLong("output")], help: "The folder to write to. It is made if it is missing.")
  var output: String

  @Option(
    name: [.customShort("I"), .customLong("include")],
    help: "A folder to search for included schemas, after the including file's own. May be given several times.")
  var includePaths: [String] = []

  @Option(
    name: .long,
    help: "What to emit: names from the list above, with commas between them. May be given several times.",
    transform: Self.parseEmitters)
  var emit: [EmitterSelection] = []

  @Option(
    name: .customLong("plugin"),
    help: ArgumentHelp(
      "A program to emit with, after the emitters. May be given several times.", valueName: "name[=path][:param]"),
    transform: Plugin.init(argument:))
  var plugins: [Plugin] = []

  @Option(name: .long, help: ArgumentHelp("How long a plug-in may take.", valueName: "seconds"))
  var pluginTimeout = 300

  @Option(
    name: .long,
    help: """
      How to show diagnostics: text on standard error, for people; json, sarif (2.1.0) or github (workflow commands) on \
      standard output, for programs.
      """)
  var format: ReportFormat = .text

  @Option(
    name: .long,
    help: """
      Where the enums go that stand for the namespaces: each (a file NAMESPACE_namespace_generated.swift for each, so that \
      several runs may write to one folder), none (the app declares them), or the name of one file for all.
      """,
    transform: Self.parseNamespaces)
  var namespaces = NamespaceDeclarations.Files.each

  @Flag(name: .long, help: "Take warnings for errors: with one, nothing is written, and the exit code is 1.")
  var strict = false

  @Flag(
    name: .long,
    help: "Show every diagnostic: of one kind, the text otherwise shows the first \(ReportFormat.shownOfOneKind).")
  var all = false

  @Flag(
    name: .long,
    help: """
      Write nothing: print a unified diff of what would change, and exit with 1 if anything would. For continuous \
      integration, where generated files are kept in git.
      """)
  var diff = false

  @Option(name: .long, help: "A file to write, for Make and Ninja, with what the outputs depend on.")
  var depfile: String?

  @Flag(
    name: .long,
    help: "Remove generated Swift from the output folder that no input accounts for. Only if one run writes all of it.")
  var clean = false

  @Option(name: .long, help: ArgumentHelp(SchemaPaths.excludeHelp, valueName: "path"))
  var exclude: [String] = []

  @Argument(help: "The schemas (.fbs) to compile, or folders of them.")
  var paths: [String]

  /// What `--emit` chose, each once and in the order of the list; if it chose nothing, the defaults.
  private var emitters: [any Emitter] {
    guard !emit.isEmpty else { return EmitterRegistry.defaults }
    let names = Set(emit.flatMap(\.emitters).map(\.name))
    return EmitterRegistry.all.filter { names.contains($0.name) }
  }

  /// The emitters whose output another's builds on.
  private static let foundations = [
    "data-model": ["accessors"], "mutating": ["accessors", "data-model"], "query": ["accessors", "data-model"],
    "editors": ["accessors"],
  ]

  /// Refuses output that would not compile.
  private func checkEmitters() throws {
    let names = emitters.map(\.name)
    for name in names {
      let missing = (Self.foundations[name] ?? []).filter { !names.contains($0) }
      guard missing.isEmpty else {
        throw ValidationError(
          "The output of \(name) needs that of \(missing.joined(separator: " and ")) beside it: add "
            + "--emit \(missing.joined(separator: ",")).")
      }
    }
  }

  func validate() throws {
    try checkEmitters()
    guard !paths.isEmpty else { throw ValidationError("Name at least one schema to compile, or a folder.") }
    if diff, format != .text {
      throw ValidationError("--diff and --format \(format.rawValue) would both write to standard output: choose one.")
    }
    if diff, depfile != nil { throw ValidationError("--diff writes nothing, so it goes without --depfile.") }
    guard (1...86_400).contains(pluginTimeout) else {
      throw ValidationError("--plugin-timeout takes 1 to 86400 seconds.")
    }
  }

  func run() throws {
    let files: [String]
    do throws(CheckInputError) {
      files = try SchemaPaths.files(paths, excluding: exclude)
    } catch {
      Terminal.printError("error: \(error.message)")
      throw ExitStatus.inputOutput.exitCode
    }
    try checkOutputNames(of: files)
    let schemas = SchemaModules(inputs: files, includePaths: includePaths, provider: FileSystem())
    let compilation = schemas.whole
    guard compilation.unreadableInputs.isEmpty else {
      for input in compilation.unreadableInputs {
        Terminal.printError("error: cannot read \(input.path): \(input.error.description)")
      }
      // A program that reads the report gets one, of what could be read.
      if format != .text { format.show(compilation.diagnostics, in: compilation.sources, all: all) }
      throw ExitStatus.inputOutput.exitCode
    }

    let outputs = try outputs(of: schemas)
    var differences: [String] = []
    do throws(OutputFolder.WriteError) {
      let folder = OutputFolder(path: output)
      let strays = diff || clean ? try folder.strays(besides: outputs) : []
      if diff {
        differences = try folder.differences(to: outputs)
        for stray in strays {
          if clean {
            differences.append("\(stray) would be removed\n")
          } else {
            Terminal.printError("note: \(stray) is generated, and no input accounts for it; --clean removes it")
          }
        }
      } else {
        try write(outputs, to: folder, compilation)
        try folder.remove(strays)
      }
    } catch {
      Terminal.printError("error: cannot \(diff ? "read" : "write") \(error.path): \(error.reason)")
      throw ExitStatus.inputOutput.exitCode
    }
    for difference in differences {
      Terminal.write(difference)
    }
    if !differences.isEmpty { throw ExitStatus.wrongSchema.exitCode }
  }

  /// Writes the outputs, and what they depend on: all of it, or nothing.
  private func write(
    _ outputs: [GeneratedFile], to folder: OutputFolder, _ compilation: Compilation
  ) throws(OutputFolder.WriteError) {
    // Ctrl-C waits until there is nothing unfinished.
    let signals = HeldSignals()
    defer { signals.release() }
    let files = try folder.prepare(outputs)
    defer { files?.finish() }
    let dependencies = try prepareDependencies(of: outputs, compilation)
    defer { dependencies?.finish() }
    // First: with new dependencies and old outputs, Make compiles once too often, and the other way round once too few.
    try dependencies?.commit()
    do throws(OutputFolder.WriteError) {
      try files?.commit()
    } catch {
      dependencies?.takeBack()
      throw error
    }
  }

  private func prepareDependencies(
    of outputs: [GeneratedFile], _ compilation: Compilation
  ) throws(OutputFolder.WriteError) -> PreparedFiles? {
    guard let depfile else { return nil }
    let dependencies = Dependencies(
      outputs: outputs.map { output.hasSuffix("/") ? output + $0.name : "\(output)/\($0.name)" },
      inputs: compilation.schema.files.map(\.path),
      includes: compilation.schema.files.filter { !$0.isInput }.map(\.path))
    let file = URL(fileURLWithPath: depfile)
    // The same care as for the outputs, in the depfile's own folder.
    return try OutputFolder(path: file.deletingLastPathComponent().path).prepare([
      GeneratedFile(name: file.lastPathComponent, content: Array(dependencies.text.utf8))
    ])
  }

  /// Shows every diagnostic there is, and gives the files to write when none of them is an error.
  private func outputs(of schemas: SchemaModules) throws -> [GeneratedFile] {
    var sources = SourceJoin()
    let whole = sources.add(schemas.whole.sources)
    var diagnostics: [Diagnostic] = []
    var files: [GeneratedFile] = []
    var failure: (message: String, status: ExitStatus)?
    var declarations = NamespaceDeclarations()
    for compilation in schemas.modules {
      let module = try outputs(of: compilation)
      let place = sources.add(compilation.sources)
      diagnostics += module.diagnostics.map { place($0) }
      files += module.files
      failure = failure ?? module.failure
      declarations.add(module.namespaces)
    }
    // Several modules may have one namespace.
    files += declarations.files(namespaces)
    if emitters.contains(where: \.emitsSwift) { diagnostics += schemas.clashes.map { whole($0) } }
    func isSound() -> Bool { failure == nil && !diagnostics.contains(where: isHarmful) }
    if isSound(), let (one, other) = GeneratedFile.collision(in: files) {
      failure = (
        one.name == other.name
          ? "two outputs are called \(one.name)" : "\(one.name) and \(other.name) cannot both be written",
        .inputOutput
      )
    }
    format.show(diagnostics, in: sources.sources, all: all)
    if let failure {
      Terminal.printError("error: \(failure.message)")
      throw failure.status.exitCode
    }
    guard isSound() else {
      if !diagnostics.contains(where: { $0.severity == .error }) {
        Terminal.printError("error: there are warnings, which --strict takes for errors")
      }
      throw ExitStatus.wrongSchema.exitCode
    }
    return files
  }

  /// Whether nothing is to be written for a diagnostic.
  private func isHarmful(_ diagnostic: Diagnostic) -> Bool {
    diagnostic.severity == .error || strict && diagnostic.severity == .warning
  }

  /// What comes of one schema.
  private struct ModuleOutput {
    var diagnostics: [Diagnostic]
    /// To be written if nothing that is said is an error.
    var files: [GeneratedFile] = []
    var namespaces = NamespaceDeclarations()
    var failure: (message: String, status: ExitStatus)?
  }

  private func outputs(of compilation: Compilation) throws -> ModuleOutput {
    var output = ModuleOutput(diagnostics: compilation.diagnostics)
    func isSound() -> Bool { output.failure == nil && !output.diagnostics.contains(where: isHarmful) }

    if emitters.contains(where: \.needsStore) {
      output.diagnostics += StoreValidator.validate(
        schema: compilation.schema, files: compilation.schema.files.filter(\.isInput).map(\.id),
        knowing: output.diagnostics)
    }
    // The further checks take a schema that is resolved.
    if isSound() {
      let generator = Generator(schema: compilation.schema, emitters: emitters)
      output.diagnostics += generator.diagnostics
      if isSound() {
        do {
          output.files = try generator.files(namespaces: .none)
          output.namespaces = generator.namespaces
        } catch {
          output.failure = ("\(error.path): \(error.reason)", .wrongSchema)
        }
      }
    }
    for plugin in plugins where isSound() {
      do throws(Plugin.Failure) {
        output.files += try plugin.files(for: compilation.schema, timeout: pluginTimeout)
      } catch {
        switch error {
        case .refused(let message): output.diagnostics.append(plugin.diagnostic(message, compilation.schema))
        case .failed(let reason): output.failure = ("plug-in '\(plugin.name)': \(reason)", .inputOutput)
        }
      }
    }
    return output
  }

  /// Two inputs of the same name in different folders would write the same files.
  private func checkOutputNames(of files: [String]) throws {
    var seen: [String: String] = [:]
    for file in files {
      let name = file.split(separator: "/").last.map(String.init) ?? file
      if let other = seen.updateValue(file, forKey: name), other != file {
        throw ValidationError(
          "\(other) and \(file) would both write \(name)'s output: compile them into different folders.")
      }
    }
  }

  private static func list(_ emitters: [any Emitter]) -> String {
    emitters.map { emitter in
      let name = emitter.name.padding(toLength: 12)
      let file = emitter.outputName(forStem: "post").padding(toLength: 34)
      return "  \(name)\(file)\(emitter.summary)"
    }.joined(separator: "\n")
  }

  private static func parseNamespaces(_ text: String) throws -> NamespaceDeclarations.Files {
    switch text {
    case "each": return .each
    case "none": return .none
    default:
      guard text.hasSuffix(".swift"), !text.contains("/") else {
        throw ValidationError("--namespaces takes each, none, or the name of a Swift file, and not '\(text)'.")
      }
      return .one(text)
    }
  }

  private static func parseEmitters(_ text: String) throws -> EmitterSelection {
    let emitters = try text.split(separator: ",").map { name in
      guard let emitter = EmitterRegistry.emitter(named: String(name)) else {
        if name == "namespaces" {
          throw ValidationError("Namespaces are declared without being asked for: see --namespaces.")
        }
        let known = EmitterRegistry.all.map(\.name).joined(separator: ", ")
        throw ValidationError("There is no emitter called '\(name)'. There are: \(known).")
      }
      return emitter
    }
    guard !emitters.isEmpty else { throw ValidationError("Name at least one emitter after --emit.") }
    return EmitterSelection(emitters: emitters)
  }
}

/// What `--emit` chose.
struct EmitterSelection {
  let emitters: [any Emitter]
}

extension String {
  /// The string with spaces behind it, up to `length`.
  fileprivate func padding(toLength length: Int) -> String {
    self + String(repeating: " ", count: Swift.max(1, length - count))
  }
}
