import ArgumentParser
import Emitters
import FBSParser
import FBSSchema
import Foundation

/// `dflatc compile`: schemas to Swift.
struct Compile: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "compile",
    abstract: "Compile schemas to Swift.",
    discussion: """
      For post.fbs, these files are written to the output folder, each of which builds on those above it:

      \(list(EmitterRegistry.defaults))

      --emit names others, of these or of:

      \(list(EmitterRegistry.all.filter { !$0.isDefault }))

      A binary schema (.bfbs) is compiled as the schema that it was made of, with all that this includes in one output.

      --plugin runs an emitter of your own: a program called dflatc-gen-NAME, in a folder of PATH or at PATH, to which \
      PARAM is handed on. `dflatc plugin-schema` prints what is said to it and what it answers.

      Include folders, files to leave out and, in "swift", the options of generated Swift stand in the nearest \
      \(TeamConfiguration.fileName) of the schemas, too:

        { "include": ["Schemas"], "exclude": ["drafts"], "swift": { "output": "Sources/App/Generated" } }

      All inputs are checked before the first file is written: with one error, nothing \
      changes. A file that would not change is left alone.

      EXAMPLES
        dflatc compile -o Sources/MyApp/Generated Schemas/post.fbs Schemas/user.fbs
        dflatc compile -o Generated --clean Schemas --exclude Schemas/drafts
        dflatc compile -o Generated -I Schemas/common --emit accessors message.fbs
        dflatc compile -o Generated --gen-all Schemas/all.fbs
        dflatc compile -o Docs --emit diagram --plugin markdown=tools/dflatc-gen-markdown post.fbs
        dflatc compile -o Generated --format sarif post.fbs > results.sarif
        dflatc compile -o Generated --stdin-name Schemas/post.fbs - < post.fbs

      Exit codes: 0 done, 1 a schema is wrong, 2 wrong usage, 3 a file cannot be read or written.
      """)

  @Option(
    name: [.customShort("o", allowingJoined: true), .customLong("output")],
    help: "The folder to write to. It is made if it is missing. Needed, unless a configuration names it.",
    completion: .directory)
  var givenOutput: String?

  @Option(
    name: [.customShort("I", allowingJoined: true), .customLong("include")],
    help: "A folder to search for included schemas, after the including file's own. May be given several times.",
    completion: .directory)
  var includePaths: [String] = []

  @Flag(
    name: .customLong("gen-all"),
    help: """
      Compile all that the inputs include as well. An included file may use what only a file that includes it brings: names, \
      and attributes that are declared in files included before it.
      """)
  var compilesIncludes = false

  @Option(
    name: .long,
    help: "What to emit: names from the list above, with commas between them. May be given several times.",
    completion: .list(EmitterRegistry.all.map(\.name)), transform: Self.parseEmitters)
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
      How to show diagnostics: text on standard error, for people; \(ReportFormat.programsHelp)
      """)
  var format: ReportFormat = .text

  @Option(
    name: .long,
    help: """
      Where the enums go that stand for the namespaces: each (a file NAMESPACE_namespace_generated.swift for each, so that \
      several runs may write to one folder), none (the app declares them), or the name of one file for all.
      """,
    completion: .list(["each", "none"]), transform: Self.parseNamespaces)
  var namespaces: NamespaceDeclarations.Files?

  @Option(
    name: .long,
    help: """
      Who may use what is generated: internal, package or public, which is the default. Types with (private), and types that hold \
      one, are internal in any case.
      """)
  var access: AccessLevel?

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

  @Option(
    name: .long,
    help: "A file to write, for Make and Ninja, with what the outputs depend on: schemas, options and plug-ins.",
    completion: .file())
  var depfile: String?

  @Option(
    name: .long,
    help: """
      A file to touch when all is done, which the depfile names instead of the outputs: these stay as old as they are if they \
      would not change.
      """, completion: .file())
  var stamp: String?

  @Flag(
    name: .long,
    help: "Remove generated Swift from the output folder that no input accounts for. Only if one run writes all of it.")
  var clean = false

  @Option(name: .long, help: ArgumentHelp(SchemaPaths.excludeIncludedHelp, valueName: "path"), completion: .file())
  var exclude: [String] = []

  @Option(
    name: .long,
    help: ArgumentHelp(
      """
      Call each output by its schema's path below this folder: orders_post_generated.swift for orders/post.fbs. What only \
      --gen-all compiles may stand below a folder of -I instead. Otherwise only inputs that have the same name are called by \
      their paths.
      """, valueName: "folder"), completion: .directory)
  var root: String?

  @Option(
    name: .long,
    help: ArgumentHelp(
      """
      An included schema whose Swift is there already, made by another run for another folder: no note says that it is \
      missing, and --gen-all does not make it. May be given several times.
      """, valueName: "path"), completion: .schemas)
  var compiled: [String] = []

  @Option(
    name: .long, help: ArgumentHelp("The path that standard input stands for.", valueName: "path"), completion: .file())
  var stdinName: String?

  @Option(
    name: .long,
    help: ArgumentHelp(
      "A JSON file with emit, include, genAll, namespaces, exclude and output, as the plug-ins of SwiftPM read it.",
      valueName: "file"),
    completion: .file(extensions: ["json"]))
  var options: String?

  @Option(
    name: .long, help: "The configuration, instead of the nearest \(TeamConfiguration.fileName).",
    completion: .file(extensions: ["json"]))
  var config: String?

  /// Whether the options of the configuration's `swift` are ignored. Builds need this that have to know the outputs
  /// before a configuration is read.
  @Flag(name: .customLong("ignore-swift"), help: .hidden)
  var ignoresSwift = false

  @Flag(name: .customLong("run-by-plugin"), help: .hidden)
  var isRunByPlugin = false

  @Argument(
    help: "The schemas (.fbs or .bfbs) to compile, or folders of .fbs files. - reads standard input.",
    completion: .file(extensions: ["fbs", "bfbs"]))
  var paths: [String]

  /// The folder to write to.
  var output: String { givenOutput ?? "" }

  /// The emitters that `--emit` chose, each once and in the order of the list; without `--emit`, the defaults.
  var emitters: [any Emitter] {
    guard !emit.isEmpty else { return EmitterRegistry.defaults }
    let names = Set(emit.flatMap(\.emitters).map(\.name))
    return EmitterRegistry.all.filter { names.contains($0.name) }
  }

  func validate() throws {
    try OutputOption.check(givenOutput, is: OutputOption.folder)
    if let mistake = Self.missingFoundation(of: emitters) {
      throw ValidationError(
        "The output of \(mistake.emitter) needs that of \(mistake.missing.joined(separator: " and ")) beside it: add "
          + "--emit \(mistake.missing.joined(separator: ",")).")
    }
    guard !paths.isEmpty else { throw ValidationError("Name at least one schema to compile, or a folder.") }
    if diff, format != .text {
      throw ValidationError("--diff and --format \(format.rawValue) would both write to standard output: choose one.")
    }
    for (option, value) in [("--depfile", depfile), ("--stamp", stamp)] where diff && value != nil {
      throw ValidationError("--diff writes nothing, so it goes without \(option).")
    }
    if let name = stdinName {
      guard paths.contains("-") else {
        throw ValidationError("--stdin-name is the name of standard input: give - as an input, too.")
      }
      guard !name.isEmpty, !name.hasSuffix("/"), name != "-" else {
        throw ValidationError("--stdin-name takes the path of a schema, and not '\(name)'.")
      }
    }
    guard (1...86_400).contains(pluginTimeout) else {
      throw ValidationError("--plugin-timeout takes 1 to 86400 seconds.")
    }
  }

  func run() throws {
    var command = self
    try command.takeOptions()
    try command.compile()
  }

  /// Adds the options of the file that `--options` names, or else of the nearest configuration.
  private mutating func takeOptions() throws {
    if let options {
      let file = try CompileOptionsFile.read(options, format, all: all)
      take(file)
      if format == .text, !ignoresSwift, !isRunByPlugin { file.noteWhereToMove(options) }
    }
    let configurations = Configurations(config)
    let configured = paths.filter { $0 != "-" } + (stdinName.map { [$0] } ?? [])
    // A folder has the configuration that stands in it.
    let isFolder = InputFileSystem().isFolderOnDisk
    let found = (configured.isEmpty ? [""] : configured).map { path in
      isFolder(path) ? configurations.nearest(to: path) : configurations[path]
    }
    try configurations.throwMistakes(format, all: all)
    if options == nil, !ignoresSwift, let swift = found.lazy.compactMap(\.swift).first {
      // One configuration may have been found by two paths.
      guard
        Set(found.map { $0.files.map { AbsolutePath($0) } }).count == 1 || !dependsOnOneOf(found.map(\.swift))
      else {
        let files = Set(found.map { $0.files.first ?? "no \(TeamConfiguration.fileName)" }).sorted()
        Terminal.printError(
          """
          error: the schemas have several configurations of what is generated, \(files.joined(separator: " and ")): compile \
          them in several runs, or name one with --config
          """)
        throw ExitStatus.usage.exitCode
      }
      take(swift)
    }
    guard givenOutput != nil else {
      let file = options ?? "\"swift\" of \(TeamConfiguration.fileName)"
      Terminal.printError("error: there is no folder to write to: say -o FOLDER, or \"output\" in \(file)")
      throw ExitStatus.usage.exitCode
    }
  }

  /// Returns whether the outputs depend on which of several configurations sets the options. They do not if `-o` and `--emit`
  /// stand above all of them and no Swift is written: the remaining options are `genAll` and `access`, which plug-ins are
  /// told, and all of them may agree in these.
  private func dependsOnOneOf(_ options: [CompileOptionsFile?]) -> Bool {
    givenOutput == nil || emit.isEmpty || emitters.contains { $0.emitsSwift }
      || !compilesIncludes && Set(options.map { $0?.compilesIncludes ?? false }).count > 1
      || !plugins.isEmpty && access == nil && Set(options.map { $0?.access ?? .public }).count > 1
  }

  /// Takes the options of a file that the command line does not set.
  private mutating func take(_ file: CompileOptionsFile) {
    givenOutput = givenOutput ?? file.output
    if emit.isEmpty, !file.emitters.isEmpty { emit = [EmitterSelection(emitters: file.emitters)] }
    includePaths += file.includePaths
    compilesIncludes = compilesIncludes || file.compilesIncludes
    namespaces = namespaces ?? file.namespaces
    access = access ?? file.access
    exclude += file.exclude
  }

  private mutating func compile() throws {
    let configurations = Configurations(config)
    let (schemas, names, binaries) = try readInputs(configurations)
    let outputs = try outputs(of: schemas, names: names, binaries)
    let configured = configurations.all.flatMap(\.files)
    try keepInputs(inputFiles(of: schemas.whole, configured), from: outputs)
    var differences: [String] = []
    do throws(OutputFolder.WriteError) {
      let folder = OutputFolder(path: output)
      let strays = diff || clean || !names.shared.isEmpty ? try folder.strays(besides: outputs) : []
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
        try write(outputs, to: folder, schemas.whole, configurations: configured)
        if clean { try folder.remove(strays) } else { nameRenamed(strays, names) }
      }
    } catch {
      Terminal.printError("error: cannot \(diff ? "read" : "write") \(error.path): \(error.reason)")
      throw ExitStatus.inputOutput.exitCode
    }
    for difference in differences {
      Terminal.writeText(difference)
    }
    if !differences.isEmpty { throw ExitStatus.wrongSchema.exitCode }
  }

  /// Reads all inputs, and chooses their names in the outputs.
  private mutating func readInputs(
    _ configurations: Configurations
  ) throws -> (SchemaModules, OutputNames, BinaryInputs) {
    var provider = InputFileSystem()
    do {
      if paths.contains("-") { provider.replace(standardInputPath, with: try FileSystem.readStandardInput()) }
    } catch {
      Terminal.printError("error: cannot read -: \(error.description)")
      throw ExitStatus.inputOutput.exitCode
    }
    let found: (files: [String], folders: [String: String])
    do throws(InputError) {
      found = try SchemaPaths.find(paths, excluding: exclude, configurations)
    } catch {
      Terminal.printError("error: \(error.message)")
      throw ExitStatus.inputOutput.exitCode
    }
    let inputs = found.files.map { $0 == "-" ? standardInputPath : $0 }
    let folders = IncludeFolders(for: inputs, configurations, after: includePaths)
    includePaths = folders.common
    provider.includeFolders = folders
    try configurations.throwMistakes(format, all: all)
    var pipeline = pipeline
    if compilesIncludes {
      pipeline.included = SchemaPaths.included(
        excluding: exclude, compiled: compiled, configurations: configurations, arguments: paths,
        folders: includePaths + (root.map { [$0] } ?? []), provider)
    }
    let schemas = pipeline.read(inputs: inputs, provider: provider).withoutWarnings(about: configurations.isVendored)
    let read = schemas.whole.schema.files.filter(\.isInput).map(\.path)
    // A file may be named by one path and reached by another.
    let named = Set(inputs.map(provider.identity))
    var names = try OutputNames(
      read.filter { $0 != Self.standardInput }, foundBelow: found.folders,
      included: Set(read.filter { !named.contains(provider.identity(of: $0)) }), root: root, includePaths: includePaths)
    if read.contains(Self.standardInput) { names.nameStandardInput() }
    return (schemas, names, BinaryInputs(schemas.whole.schema, in: provider))
  }

  /// Reports outputs of earlier runs whose types would now be in the module twice: their schema has another output name
  /// since a second schema of its name was added.
  private func nameRenamed(_ strays: [String], _ names: OutputNames) {
    for shared in names.shared {
      let old = Set(emitters.map { $0.outputName(forStem: Generator.stem(of: shared)).lowercased() })
      for stray in strays where old.contains((stray as NSString).lastPathComponent.lowercased()) {
        Terminal.printError(
          "note: \(stray) is of an earlier run, when one input alone was called \(shared); --clean removes it")
      }
    }
  }

  /// The name of standard input in diagnostics, unless `--stdin-name` gives it another.
  private static let standardInput = "<stdin>"

  /// The path that stands for standard input.
  var standardInputPath: String { stdinName ?? Self.standardInput }

  private static func list(_ emitters: [any Emitter]) -> String {
    emitters.map { emitter in
      let name = emitter.name.padding(toLength: 12)
      let file = emitter.outputName(forStem: "post").padding(toLength: 34)
      return "  \(name)\(file)\(emitter.summary)"
    }.joined(separator: "\n")
  }

}

extension String {
  /// Returns the string, padded with spaces to `length`.
  fileprivate func padding(toLength length: Int) -> String {
    self + String(repeating: " ", count: Swift.max(1, length - count))
  }
}
