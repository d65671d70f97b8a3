import BinarySchemas
import FBSDiagnostics
import FBSParser
import FBSSchema
import Foundation
import SchemaEvolution

/// One side of a check, as it was read.
struct CheckInput<Files: CheckFiles> {
  let compilation: Compilation
  /// The keys under which the inputs are the same in both versions.
  let keys: [FileID: String]
  /// The files that were named, or found below a folder that was.
  let named: Set<FileID>
  /// Whether a binary schema among the inputs holds the attributes of the language. Nil if there is none.
  private(set) var builtinAttributes: BinarySchema.BuiltinAttributes?
  let includePaths: [String]
  let included: IncludedFiles
  let files: Files

  /// Whether it was read from a binary schema.
  var isBinary: Bool { builtinAttributes != nil }

  /// Compiles the files of a side.
  /// - Parameters:
  ///   - names: By path, the keys under which files are the same in both versions.
  ///   - included: What becomes of the files that they include.
  ///   - keyOfIncluded: The key of a file that was not named, by its path.
  init(
    _ paths: [String], names: [String: String], includePaths: [String], included: IncludedFiles = .read, _ files: Files,
    keyOfIncluded: (String) -> String = { IncludedPath($0).text }
  ) throws(CheckInputError) {
    compilation = SchemaCompiler.compile(
      inputs: paths, includePaths: includePaths, included: included, provider: files)
    if let input = compilation.unreadableInputs.first {
      throw CheckInputError(message: "cannot read \(input.path): \(input.error.description)")
    }
    // A file may have been reached by another path first.
    let byIdentity = Dictionary(names.map { (files.identity(of: $0), $1) }) { first, _ in first }
    let given = Set(paths.map(files.identity))
    var keys: [FileID: String] = [:]
    var named: Set<FileID> = []
    for file in compilation.schema.files where file.isInput {
      let identity = files.identity(of: file.path)
      if given.contains(identity) { named.insert(file.id) }
      keys[file.id] = names[file.path] ?? byIdentity[identity] ?? keyOfIncluded(file.path)
    }
    self.keys = keys
    self.named = named
    self.includePaths = includePaths
    self.included = included
    self.files = files
    for path in paths where path.hasSuffix(".bfbs") {
      guard let bytes = try? files.bytes(path), let content = try? BinarySchema.content(of: bytes) else { continue }
      // One that lacks them makes them unknown.
      if builtinAttributes == nil || builtinAttributes == .held { builtinAttributes = content.builtinAttributes }
    }
  }

  /// The side for a comparison.
  /// - Parameter neighbours: Lists the paths of further schemas of the side, with their keys.
  func version(neighbours: @escaping () -> [(path: String, key: String)]) -> VersionFiles {
    let (files, includePaths, included, compilation) = (files, includePaths, included, compilation)
    return VersionFiles(
      compilation, keys: keys, isBinary: isBinary, unknownAttributes: builtinAttributes?.unknownNames ?? [],
      lacksAttributes: builtinAttributes == .omitted
    ) {
      guard !isBinary else { return [] }
      let inputs = Set(compilation.schema.files.filter(\.isInput).map { files.identity(of: $0.path) })
      return neighbours().compactMap { path, key in
        // A file that cannot be read holds nothing that could be found in it.
        guard !inputs.contains(files.identity(of: path)), let bytes = try? files.read(path) else { return nil }
        return VersionFiles.Neighbour(path: path, key: key, bytes: bytes)
      }
    } compile: { paths in
      SchemaCompiler.compile(inputs: paths, includePaths: includePaths, included: included, provider: files)
    }
  }
}

extension CheckInput: Sendable where Files: Sendable {}

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

extension CheckInput<CheckFileSystem> {
  /// Reads a file, a folder or a binary schema.
  /// - Parameters:
  ///   - ownIncludePaths: The folders in which only this side looks for includes.
  ///   - includePaths: The folders in which both sides do.
  ///   - excluded: What is left out of a folder, and of what is included.
  ///   - takesIncludes: Whether what is included is compared as what is named.
  static func read(
    _ path: String, ownIncludePaths: [String], includePaths: [String], excluding excluded: [String], takesIncludes: Bool
  ) throws(CheckInputError) -> CheckInput {
    let files = CheckFileSystem()
    let included: IncludedFiles =
      takesIncludes
      ? SchemaPaths.included(
        excluding: excluded, arguments: [path], folders: ownIncludePaths + includePaths, files) : .read
    guard let isFolder = try files.isFolder(path) else {
      throw CheckInputError(message: "cannot read \(path): there is no such file or folder")
    }
    if isFolder {
      let paths = try files.schemas(below: path).filter { !SchemaPaths.isExcluded($0, below: path, excluded) }
      let names = paths.map { String($0.dropFirst(path.count).drop { $0 == "/" }) }
      return try CheckInput(
        paths, names: Dictionary(uniqueKeysWithValues: zip(paths, names)),
        includePaths: ownIncludePaths + [path] + includePaths, included: included, files
      ) { IncludedPath($0).relative(to: [path] + ownIncludePaths + includePaths) }
    }
    let bytes: [UInt8]
    do {
      bytes = try files.bytes(path)
    } catch {
      throw CheckInputError(message: "cannot read \(path): \(error.description)")
    }
    if SchemaText.isBinary(bytes, path: path) { return try readBinary(bytes, path) }
    let folder = path.parentFolder
    return try CheckInput(
      [path], names: [path: ""], includePaths: ownIncludePaths + includePaths, included: included, files
    ) { IncludedPath($0).relative(to: [folder] + ownIncludePaths + includePaths) }
  }

  private static func readBinary(_ bytes: [UInt8], _ path: String) throws(CheckInputError) -> CheckInput {
    let content: BinarySchema.Content
    do {
      content = try BinarySchema.content(of: bytes)
    } catch {
      throw CheckInputError(message: "cannot read \(path): \(error)")
    }
    var input = try CheckInput(
      [path], names: [path: ""], includePaths: [], CheckFileSystem(text: (path, bytes)))
    guard input.compilation.isValid else {
      throw CheckInputError(
        message: "\(path) describes no valid schema",
        diagnostics: input.compilation.diagnostics.filter { $0.severity == .error },
        sources: input.compilation.sources)
    }
    input.builtinAttributes = content.builtinAttributes
    return input
  }
}

/// The files of this machine, one of which may have been read already: standard input as the file that it is named after, say.
struct CheckFileSystem: CheckFiles, Sendable {
  var text: (path: String, bytes: [UInt8])?

  func bytes(_ path: String) throws(SourceReadError) -> [UInt8] {
    if let text, text.path == path || identity(of: text.path) == identity(of: path) { return text.bytes }
    return try FileSystem().read(path)
  }

  func identity(of path: String) -> String { FileSystem().identity(of: path) }

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
      guard Self.isSchema(path) else { continue }
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

extension CheckFiles {
  func read(_ path: String) throws(SourceReadError) -> [UInt8] {
    try SchemaText.text(of: try bytes(path), path: path)
  }

  /// Whether a file below a folder is one of its schemas: hidden files and folders are left alone.
  static func isSchema(_ path: String) -> Bool {
    path.hasSuffix(".fbs") && !path.split(separator: "/").contains { $0.hasPrefix(".") }
  }
}
