import ArgumentParser
import FBSDiagnostics
import FBSParser
import FBSSchema
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
    var schemas: [(name: String, text: [UInt8])] = []
    for path in paths {
      var sources = SourceMap()
      let file = try read(path, &sources)
      let translation = ProtoTranslation(file, imported: try imported(by: file, from: path, &sources))
      for note in translation.notes {
        let place = sources.position(of: note.range.start, in: note.range.file)
        Terminal.printError("\(sources[note.range.file].path):\(place.line):\(place.column): note: \(note.text)")
      }
      var made = SourceMap()
      let id = made.add(path: path, bytes: Array(translation.text.utf8))
      let text = SchemaFormatter.format(Parser.parse(made[id]).tree)
      schemas.append((name(of: path), text))
    }
    guard let output else { return Terminal.writeText(schemas[0].text) }
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
    let components = IncludedPath(path).text
    let folder = includePaths.map { IncludedPath($0).text + "/" }.first { components.hasPrefix($0) }
    let name = folder.map { String(components.dropFirst($0.count)) } ?? (path as NSString).lastPathComponent
    return (name as NSString).deletingPathExtension + ".fbs"
  }

  /// Reads a file. Prints the error and ends the command if the file cannot be read or parsed.
  private func read(_ path: String, _ sources: inout SourceMap) throws -> ProtoFile {
    let bytes: [UInt8]
    do {
      bytes = try FileSystem().read(path)
    } catch {
      Terminal.printError("error: cannot read \(path): \(error.description)")
      throw ExitStatus.inputOutput.exitCode
    }
    let id = sources.add(path: path, bytes: bytes)
    do {
      return try ProtoFile(sources[id])
    } catch {
      let place = sources.position(of: error.range.start, in: id)
      Terminal.printError("\(sources[id].path):\(place.line):\(place.column): error: \(error.message)")
      throw ExitStatus.wrongSchema.exitCode
    }
  }

  /// Returns the files that a file imports, directly or indirectly, each once. Skips files that are not found, so that
  /// their types are unknown.
  private func imported(
    by file: ProtoFile, from path: String, _ sources: inout SourceMap
  ) throws -> [ProtoFile] {
    var files: [ProtoFile] = []
    var known: Set<String> = []
    var queue = file.imports
    let folders = [path.parentFolder] + includePaths
    while let name = queue.popLast() {
      guard known.insert(name).inserted else { continue }
      let candidates = folders.map { $0.isEmpty ? name : ($0 as NSString).appendingPathComponent(name) }
      guard let found = candidates.first(where: { access($0, R_OK) == 0 }) else { continue }
      let next = try read(found, &sources)
      files.append(next)
      queue += next.imports
    }
    return files
  }
}
