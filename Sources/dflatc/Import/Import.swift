import ArgumentParser
import FBSDiagnostics
import Foundation
import ProtobufImport

/// `dflatc import`: schemas of Protocol Buffers.
struct Import: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Make a schema of a file of Protocol Buffers.",
    discussion: """
      Messages become tables, enums and services what they are called, a oneof a union, a map a list of tables with a key. \
      Comments come along. Nested types stand beside the one that they are in: Outer.Inner is Outer_Inner.

      What a schema cannot say is told in a note with its place: the numbers of fields, reserved ones, extensions, and types \
      of google.protobuf that have no counterpart. The bytes are other ones in any case: data is not read by both.

      Each schema is compiled before the first is written: with one error, nothing is, and the errors alone are shown.

      EXAMPLES
        dflatc import post.proto > post.fbs
        dflatc import -o Schemas -I protos protos/post.proto protos/user.proto

      Exit codes: 0 done, 1 a file has a mistake, 2 wrong usage, 3 a file cannot be read or written.
      """)

  @Option(
    name: [.customShort("o", allowingJoined: true), .customLong("output")],
    help: """
      The folder to write NAME.fbs to; what stands below a folder of -I keeps its path. Otherwise the schema goes to \
      standard output. A schema needs those of the files that its file imports: name these, too.
      """, completion: .directory)
  var output: String?

  @Option(
    name: [.customShort("I", allowingJoined: true), .customLong("include")],
    help: "A folder to search for imported files. May be given several times.", completion: .directory)
  var includePaths: [String] = []

  @Argument(help: "The files (.proto) to make schemas of.", completion: .file(extensions: ["proto"]))
  var paths: [String]

  func validate() throws {
    try OutputOption.check(output, is: OutputOption.folder)
    guard !paths.isEmpty else { throw ValidationError("Name at least one file of Protocol Buffers.") }
    guard paths.count == 1 || output != nil else {
      throw ValidationError("Several schemas cannot stand on standard output: name a folder with -o.")
    }
  }

  func run() throws {
    var schemas: [(name: String, path: String, text: [UInt8])] = []
    var inputs: Set<[String]> = []
    // Notes about schemas are collected here, and shown once it is known that the schemas are written.
    var notes: [String] = []
    var isValid = true
    var shown: Set<[SourceRange]> = []
    var translator = ProtoTranslator(includePaths: includePaths, inputs: paths)
    for path in paths {
      let name = translator.name(of: path)
      // A file that is named twice is made once.
      guard inputs.insert([FileSystem().identity(of: path), name]).inserted else { continue }
      let translation: ProtoTranslation
      do throws(InputError) {
        translation = try translator.translation(of: path)
      } catch {
        guard !error.diagnostics.isEmpty else {
          Terminal.printError("error: \(error.message)")
          throw ExitStatus.inputOutput.exitCode
        }
        // Several files may import the one that has the mistake.
        if shown.insert(error.diagnostics.map(\.range)).inserted {
          ReportFormat.text.show(error.diagnostics, in: error.sources, all: false)
        }
        isValid = false
        continue
      }
      let sources = translator.sources
      for note in translation.notes { notes.append(Self.text(of: note.text, at: note.range, in: sources)) }
      guard !translation.isEmpty || !translation.mistakes.isEmpty else {
        notes.append("note: nothing in \(path) has a counterpart: there is no schema to write")
        continue
      }
      for (item, files) in translator.unwrittenFiles(importedBy: path) {
        let missing = files.filter { !isInOutput($0.schema) }
        guard !missing.isEmpty else { continue }
        let schemas = missing.map(\.schema).joined(separator: ", ")
        let paths = missing.map(\.path).joined(separator: ", ")
        notes.append(
          Self.text(
            of: "the schema needs \(schemas), which this run does not write: import \(paths) as well", at: item.range,
            in: sources))
      }
      let imports = translator.translations(importedBy: path)
      let schema = ImportedSchema(translation, name: name, of: path, imports: imports)
      ReportFormat.text.show(schema.diagnostics, in: schema.sources, all: false)
      let mistakes = ([translation] + imports.values).flatMap(\.mistakes)
      ReportFormat.text.show(mistakes.filter { shown.insert([$0.range]).inserted }, in: sources, all: false)
      isValid = isValid && schema.diagnostics.isEmpty && mistakes.isEmpty
      schemas.append((name, path, schema.text))
    }
    guard isValid else { throw ExitStatus.wrongSchema.exitCode }
    if output != nil {
      try checkNames(
        schemas.map { ($0.name, $0.path) } + translator.allUnwrittenFiles.map { ($0.schema, $0.path) })
    }
    for note in notes { Terminal.printError(note) }
    guard let output else {
      for schema in schemas { Terminal.writeText(schema.text) }
      return
    }
    for schema in schemas {
      let path = (output as NSString).appendingPathComponent(schema.name)
      do {
        try FileManager.default.createDirectory(atPath: path.parentFolder, withIntermediateDirectories: true)
      } catch {
        Terminal.printError("error: cannot make the folder \(path.parentFolder): \(error.localizedDescription)")
        throw ExitStatus.inputOutput.exitCode
      }
      do throws(OutputFolder.WriteError) {
        try FileSystem.replace(path, with: schema.text)
      } catch {
        Terminal.printError("error: cannot write \(error.path): \(error.reason)")
        throw ExitStatus.inputOutput.exitCode
      }
    }
  }

  /// Returns a note as it is shown, with its place.
  private static func text(of note: String, at range: SourceRange, in sources: SourceMap) -> String {
    let place = sources.position(of: range.start, in: range.file)
    return "\(sources[range.file].path):\(place.line):\(place.column): note: \(note)"
  }

  /// Returns whether the output folder has a schema already, as from an earlier run.
  private func isInOutput(_ schema: String) -> Bool {
    guard let output else { return false }
    return FileManager.default.fileExists(atPath: (output as NSString).appendingPathComponent(schema))
  }

  /// Checks that no two files would become one schema.
  private func checkNames(_ schemas: [(name: String, path: String)]) throws {
    // Some file systems ignore case in names.
    var takers: [String: String] = [:]
    for schema in schemas {
      guard let other = takers.updateValue(schema.path, forKey: schema.name.lowercased()) else { continue }
      throw ValidationError(
        "\(other) and \(schema.path) would both be \(schema.name): import them into two folders, or let the first -I name a "
          + "folder around both.")
    }
  }
}
