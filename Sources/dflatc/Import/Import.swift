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

      Each schema is compiled before the first is written: with one error, nothing is.

      EXAMPLES
        dflatc import post.proto > post.fbs
        dflatc import -o Schemas -I protos protos/post.proto protos/user.proto

      Exit codes: 0 done, 1 a file has a mistake, 2 wrong usage, 3 a file cannot be read or written.
      """)

  @Option(
    name: [.customShort("o", allowingJoined: true), .customLong("output")],
    help: """
      The folder to write NAME.fbs to; what stands below a folder of -I keeps its path. Otherwise the schema goes to \
      standard output.
      """, completion: .directory)
  var output: String?

  @Option(
    name: [.customShort("I", allowingJoined: true), .customLong("include")],
    help: "A folder to search for imported files. May be given several times.", completion: .directory)
  var includePaths: [String] = []

  @Argument(help: "The files (.proto) to make schemas of.", completion: .file(extensions: ["proto"]))
  var paths: [String]

  func validate() throws {
    guard !paths.isEmpty else { throw ValidationError("Name at least one file of Protocol Buffers.") }
    guard paths.count == 1 || output != nil else {
      throw ValidationError("Several schemas cannot stand on standard output: name a folder with -o.")
    }
  }

  func run() throws {
    var schemas: [(name: String, path: String, text: [UInt8])] = []
    var inputs: Set<[String]> = []
    var isValid = true
    var shown: Set<[SourceRange]> = []
    var translator = ProtoTranslator(includePaths: includePaths)
    for path in paths {
      let name = name(of: path)
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
      for note in translation.notes {
        let place = sources.position(of: note.range.start, in: note.range.file)
        Terminal.printError("\(sources[note.range.file].path):\(place.line):\(place.column): note: \(note.text)")
      }
      guard !translation.isEmpty || !translation.mistakes.isEmpty else {
        Terminal.printError("note: nothing in \(path) has a counterpart: there is no schema to write")
        continue
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
    guard let output else {
      for schema in schemas { Terminal.writeText(schema.text) }
      return
    }
    // Some file systems ignore case in names.
    var takers: [String: String] = [:]
    for schema in schemas {
      guard let other = takers.updateValue(schema.path, forKey: schema.name.lowercased()) else { continue }
      throw ValidationError(
        "\(other) and \(schema.path) would both be \(schema.name): import them into two folders, or let the first -I name a "
          + "folder around both.")
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

  /// Returns the path of a schema within the output folder. It is the path of the imported file below a folder of `-I`,
  /// by which other files import it, or else its name alone.
  private func name(of path: String) -> String {
    let components = AbsolutePath(path).components
    let folder = includePaths.map { AbsolutePath($0).components }.first { components.starts(with: $0) }
    let name =
      folder.map { components.dropFirst($0.count).joined(separator: "/") } ?? (path as NSString).lastPathComponent
    return (name as NSString).deletingPathExtension + ".fbs"
  }
}
