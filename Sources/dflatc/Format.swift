import ArgumentParser
import Emitters
import FBSDiagnostics
import FBSParser
import FBSSchema

/// `dflatc format`: schemas in the canonical layout.
struct Format: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "format",
    abstract: "Lay schemas out in the canonical way.",
    discussion: """
      Files are rewritten in place, and only when something changes. The meaning stays the same, and every comment is \
      kept. There is nothing to configure:

        * A definition, a field and an enum's value stand on a line each, two blanks deeper than what holds them.
        * A definition written on one line stays on it, up to \(SchemaFormatter.maximumWidth) columns.
        * One blank around `=`, after `:` and `,`, before `{` and before attributes; none inside parentheses.
        * Empty lines between entries stay, one at most.
        * Comments stay where they are: at the end of a line, or on lines of their own.
        * Lines end as the first one does.

      A file with syntax errors is left alone, and its errors are shown. So is what the nearest \(TeamConfiguration.fileName) \
      takes for somebody else's ("vendored") or leaves out ("exclude"), also where such a file is named. By --stdin-name, \
      the text is then passed through as it is.

      EXAMPLES
        dflatc format Schemas/*.fbs
        dflatc format --check Schemas --exclude Schemas/third_party
        dflatc format --diff Schemas
        dflatc format - < post.fbs

      Exit codes: 0 done, 1 a file has errors or, with --check or --diff, would change, 2 wrong usage, 3 a file cannot be read or \
      written.
      """)

  @Flag(name: .long, help: "Write nothing: list the files that would change, and exit with 1 if there are any.")
  var check = false

  @Flag(
    name: .long,
    help: "Write nothing: print a unified diff of what would change, and exit with 1 if anything would.")
  var diff = false

  @Option(
    name: .long, help: "The configuration, instead of the nearest \(TeamConfiguration.fileName).",
    completion: .file(extensions: ["json"]))
  var config: String?

  @Option(name: .long, help: ArgumentHelp(SchemaPaths.excludeHelp, valueName: "path"), completion: .file())
  var exclude: [String] = []

  @Option(
    name: .long,
    help: ArgumentHelp(
      "The path that standard input stands for. A text that the configuration leaves out is passed through as it is.",
      valueName: "path"), completion: .file())
  var stdinName: String?

  @Argument(
    help: "The schemas (.fbs) to lay out, or folders of them. - reads standard input and writes standard output.",
    completion: .schemas)
  var paths: [String]

  func validate() throws {
    guard !paths.isEmpty else { throw ValidationError("Name at least one schema to lay out.") }
    guard !(check && diff) else { throw ValidationError("--check lists files, and --diff shows lines: choose one.") }
    guard stdinName == nil || paths.contains("-") else {
      throw ValidationError("--stdin-name is the name of standard input: give - as an input, too.")
    }
  }

  func run() throws {
    var status = ExitStatus.done
    let configurations = Configurations(config)
    var files: [String] = []
    // One file's trouble keeps no other from being laid out.
    for path in paths {
      do throws(InputError) {
        files += try SchemaPaths.files([path], excluding: exclude, configurations, keepsNamed: false)
      } catch {
        Terminal.printError("error: \(error.message)")
        status = .inputOutput
      }
    }
    let isLeftOut = files.contains("-") && stdinName.map { configurations.isExcluded($0) } == true
    // Before the first file changes.
    try configurations.throwMistakes(.text)
    for file in files {
      let result = file == "-" && isLeftOut ? passThrough() : format(file)
      if result.rawValue > status.rawValue { status = result }
    }
    guard status == .done else { throw status.exitCode }
  }

  /// Writes standard input to standard output as it is.
  private func passThrough() -> ExitStatus {
    do {
      let bytes = try FileSystem.readStandardInput()
      if !check, !diff { Terminal.writeText(bytes) }
      return .done
    } catch {
      Terminal.printError("error: cannot read -: \(error.description)")
      return .inputOutput
    }
  }

  private func format(_ path: String) -> ExitStatus {
    let isStandard = path == "-"
    let bytes: [UInt8]
    do {
      bytes = isStandard ? try FileSystem.readStandardInput() : try FileSystem().read(path)
    } catch {
      Terminal.printError("error: cannot read \(path): \(error.description)")
      return .inputOutput
    }
    guard !SchemaText.isBinary(bytes, path: path) else {
      Terminal.printError("error: cannot read \(path): \(SchemaText.hasNoText)")
      return .inputOutput
    }
    var sources = SourceMap()
    let file = sources.add(path: isStandard ? stdinName ?? "<stdin>" : path, bytes: bytes)
    let (tree, found) = Parser.parse(sources[file])
    // A file with only comments is no schema, but has a layout.
    let diagnostics = found.filter { $0.code != .emptyFile }
    ReportFormat.text.show(diagnostics, in: sources, all: false)
    guard !diagnostics.contains(where: { $0.severity == .error }) else { return .wrongSchema }
    let formatted = SchemaFormatter.format(tree)
    if check || diff {
      if formatted == bytes { return .done }
      let name = isStandard ? stdinName ?? path : sources[file].path
      if diff { Terminal.writeText(Self.difference(from: bytes, to: formatted, name)) } else { Terminal.print(name) }
      return .wrongSchema
    }
    if isStandard {
      Terminal.writeText(formatted)
    } else if formatted != bytes {
      do {
        try FileSystem.rewrite(path, with: formatted)
      } catch {
        Terminal.printError("error: cannot write \(error.path): \(error.reason)")
        return .inputOutput
      }
    }
    return .done
  }

  private static func difference(from old: [UInt8], to new: [UInt8], _ name: String) -> String {
    let text = UnifiedDiff(from: String(decoding: old, as: UTF8.self), to: String(decoding: new, as: UTF8.self))
      .text(oldName: name, newName: name)
    // Texts that differ only in their last line break have no line that differs.
    return text.isEmpty ? "\(name) would end with a line break\n" : text
  }
}

extension SourceReadError {
  /// The reason, as part of a sentence.
  var description: String {
    switch self {
    case .notFound: "there is no such file"
    case .tooLarge: "it has more than \(Parser.maximumSize) bytes"
    case .unreadable(let reason): reason
    }
  }
}
