import ArgumentParser
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

      A file with syntax errors is left alone, and its errors are shown.

      EXAMPLES
        dflatc format Schemas/*.fbs
        dflatc format --check Schemas --exclude Schemas/third_party
        dflatc format - < post.fbs

      Exit codes: 0 done, 1 a file has errors or, with --check, would change, 2 wrong usage, 3 a file cannot be read or \
      written.
      """)

  @Flag(name: .long, help: "Write nothing: list the files that would change, and exit with 1 if there are any.")
  var check = false

  @Option(name: .long, help: ArgumentHelp(SchemaPaths.excludeHelp, valueName: "path"), completion: .file())
  var exclude: [String] = []

  @Option(
    name: .long, help: ArgumentHelp("The path that standard input stands for in diagnostics.", valueName: "path"),
    completion: .file())
  var stdinName: String?

  @Argument(
    help: "The schemas (.fbs) to lay out, or folders of them. - reads standard input and writes standard output.",
    completion: .schemas)
  var paths: [String]

  func validate() throws {
    guard !paths.isEmpty else { throw ValidationError("Name at least one schema to lay out.") }
  }

  func run() throws {
    var status = ExitStatus.done
    // A file with an error does not keep others from being laid out.
    for path in paths {
      let result = formatAll(path)
      if result.rawValue > status.rawValue { status = result }
    }
    guard status == .done else { throw status.exitCode }
  }

  /// Lays out a file, or all below a folder.
  private func formatAll(_ path: String) -> ExitStatus {
    do throws(InputError) {
      let files = try SchemaPaths.files([path], excluding: exclude)
      return files.map(format).max { $0.rawValue < $1.rawValue } ?? .done
    } catch {
      Terminal.printError("error: \(error.message)")
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
    if check {
      if formatted == bytes { return .done }
      Terminal.print(isStandard ? stdinName ?? path : path)
      return .wrongSchema
    }
    if isStandard {
      Terminal.writeText(formatted)
    } else if formatted != bytes {
      do {
        try FileSystem.replace(path, with: formatted)
      } catch {
        Terminal.printError("error: cannot write \(error.path): \(error.reason)")
        return .inputOutput
      }
    }
    return .done
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
