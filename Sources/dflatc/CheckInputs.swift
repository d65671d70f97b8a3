import FBSParser
import FBSSchema
import Foundation
import SchemaEvolution

/// One side of a check, as it was read.
struct CheckInput: Sendable {
  let version: SchemaVersion
  /// What the schema's authors should know, though it keeps nothing from being compared.
  var warnings: [Diagnostic] = []
}

/// Why one side of a check cannot be compared.
struct CheckInputError: Error {
  /// One of the two versions.
  enum Side: String {
    case old = "OLD"
    case new = "NEW"
  }

  /// What to say, without the side.
  let message: String
  /// Which side it is, where whoever catches it cannot know.
  var side: Side?
  /// What is wrong in the text, if it could be read.
  var diagnostics: [Diagnostic] = []
  var sources = SourceMap()
}

extension CheckInput {
  /// Reads a file, a folder or a binary schema.
  static func read(_ path: String, includePaths: [String]) throws(CheckInputError) -> CheckInput {
    guard let isFolder = try FileSystem().isFolder(path) else {
      throw CheckInputError(message: "cannot read \(path): there is no such file or folder")
    }
    if isFolder {
      let paths = try FileSystem().schemas(below: path)
      let files = paths.map { String($0.dropFirst(path.count).drop { $0 == "/" }) }
      return try compile(
        paths, names: Dictionary(uniqueKeysWithValues: zip(paths, files)), includePaths: includePaths + [path],
        FileSystem())
    }
    let bytes: [UInt8]
    do {
      bytes = try FileSystem().read(path)
    } catch {
      throw CheckInputError(message: "cannot read \(path): \(error.description)")
    }
    if path.hasSuffix(".bfbs") || BinarySchema.isOne(bytes) { return try readBinary(bytes, path) }
    return try compile([path], names: [path: ""], includePaths: includePaths, FileSystem())
  }

  /// Compiles the files of a side.
  /// - Parameter names: By path, the names under which files are the same in both versions.
  static func compile(
    _ paths: [String], names: [String: String], includePaths: [String], _ provider: some SourceProvider
  ) throws(CheckInputError) -> CheckInput {
    let compilation = SchemaCompiler.compile(inputs: paths, includePaths: includePaths, provider: provider)
    if let input = compilation.unreadableInputs.first {
      throw CheckInputError(message: "cannot read \(input.path): \(input.error.description)")
    }
    guard compilation.isValid else {
      throw CheckInputError(
        message: "\(paths.count == 1 ? paths[0] : "a schema") has errors",
        diagnostics: compilation.diagnostics.filter { $0.severity == .error }, sources: compilation.sources)
    }
    var ids: [FileID: String] = [:]
    for file in compilation.schema.files where file.isInput { ids[file.id] = names[file.path] }
    return CheckInput(
      version: SchemaVersion(schema: compilation.schema, sources: compilation.sources, names: ids))
  }

  private static func readBinary(_ bytes: [UInt8], _ path: String) throws(CheckInputError) -> CheckInput {
    let text: String
    do {
      text = try BinarySchema.text(of: bytes)
    } catch {
      throw CheckInputError(message: "cannot read \(path): \(error)")
    }
    let compilation = SchemaCompiler.compile(inputs: [path], provider: SingleFile(path: path, text: Array(text.utf8)))
    guard compilation.isValid else {
      throw CheckInputError(
        message: "\(path) describes no valid schema",
        diagnostics: compilation.diagnostics.filter { $0.severity == .error }, sources: compilation.sources)
    }
    let names = Dictionary(compilation.schema.files.map { ($0.id, "") }) { first, _ in first }
    return CheckInput(
      version: SchemaVersion(
        schema: compilation.schema, sources: compilation.sources, names: names, isBinary: true))
  }

  /// Whether a file below a folder is one of its schemas: hidden files and folders are left alone.
  static func isSchema(_ path: String) -> Bool {
    path.hasSuffix(".fbs") && !path.split(separator: "/").contains { $0.hasPrefix(".") }
  }
}

extension FileSystem: CheckFiles {
  func isFolder(_ path: String) throws(CheckInputError) -> Bool? {
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else { return nil }
    return isFolder.boolValue
  }

  func schemas(below folder: String) throws(CheckInputError) -> [String] {
    guard let enumerator = FileManager.default.enumerator(atPath: folder) else {
      throw CheckInputError(message: "cannot read \(folder)")
    }
    let start = folder.hasSuffix("/") ? folder : folder + "/"
    var found: [String] = []
    while let path = enumerator.nextObject() as? String {
      guard CheckInput.isSchema(path) else { continue }
      // Folders may be called so, too, and pipes, which would have us wait. What leads nowhere is named when it is read.
      var status = stat()
      if stat(start + path, &status) == 0 {
        guard status.st_mode & S_IFMT == S_IFREG else { continue }
      } else if path.unicodeScalars.contains("\u{FFFD}") {
        throw CheckInputError(message: "cannot read \(start)\(path): its name is not UTF-8; give it another one")
      }
      found.append(start + path)
    }
    guard !found.isEmpty else { throw CheckInputError(message: "there is no schema (.fbs) in \(folder)") }
    return found.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }
}

/// A schema that is in no file.
private struct SingleFile: SourceProvider {
  let path: String
  let text: [UInt8]

  func read(_ path: String) throws(SourceReadError) -> [UInt8] {
    guard path == self.path else { throw .notFound }
    return text
  }
}
