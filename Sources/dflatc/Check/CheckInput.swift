import BinarySchemas
import FBSDiagnostics
import FBSSchema
import Foundation
import SchemaEvolution

/// One side of a check, after its files were read and compiled.
struct CheckInput<Files: InputFiles> {
  let compilation: Compilation
  /// The keys under which the inputs are the same in both versions.
  let keys: [FileID: String]
  /// The files that the arguments name, and the files found below folders that they name.
  let named: Set<FileID>
  /// Whether a binary schema among the inputs holds the attributes of the language; nil if no input is a binary schema.
  private(set) var builtinAttributes: BinarySchema.BuiltinAttributes?
  let includePaths: [String]
  let included: IncludedFiles
  let files: Files

  /// Whether the side was read from a binary schema.
  var isBinary: Bool { builtinAttributes != nil }

  /// Compiles the files of a side.
  /// - Parameters:
  ///   - names: The keys under which files are the same in both versions, by path.
  ///   - included: How files that the inputs include are treated.
  ///   - folders: The folders from which the keys of files that were not named start. The first one comes first.
  init(
    _ paths: [String], names: [String: String], includePaths: [String], included: IncludedFiles = .read, _ files: Files,
    keysFrom folders: [String] = []
  ) throws(InputError) {
    compilation = SchemaCompiler.compile(
      inputs: paths, includePaths: includePaths, included: included, provider: files)
    if let input = compilation.unreadableInputs.first {
      throw InputError(message: "cannot read \(input.path): \(input.error.description)")
    }
    // A file may have been reached by another path first.
    let byIdentity = Dictionary(names.map { (files.identity(of: $0), $1) }) { first, _ in first }
    let given = Set(paths.map(files.identity))
    var keys: [FileID: String] = [:]
    var named: Set<FileID> = []
    for file in compilation.schema.files where file.isInput {
      let identity = files.identity(of: file.path)
      if given.contains(identity) { named.insert(file.id) }
      keys[file.id] = names[file.path] ?? byIdentity[identity]
    }
    self.keys = Self.addingIncluded(to: keys, compilation.schema.files, from: folders)
    self.named = named
    self.includePaths = includePaths
    self.included = included
    self.files = files
    for path in paths where path.hasSuffix(".bfbs") {
      guard let bytes = try? files.bytes(path), let content = try? BinarySchema.content(of: bytes) else { continue }
      // If one binary schema lacks attributes, they are unknown.
      if builtinAttributes == nil || builtinAttributes == .held { builtinAttributes = content.builtinAttributes }
    }
  }

  /// Adds the keys of the inputs that have none: their paths from the first folder that holds each. Folders may hold files
  /// of the same path. The first folder's has it as its key, whatever the order of the includes is, and the others have
  /// their paths from the first folder of all.
  private static func addingIncluded(
    to named: [FileID: String], _ files: [SchemaFile], from folders: [String]
  ) -> [FileID: String] {
    var keys = named
    var taken = Set(named.values)
    let included = files.filter { $0.isInput && named[$0.id] == nil }.map { file in
      let path = IncludedPath(file.path)
      return (id: file.id, path: path, place: path.place(in: folders))
    }
    for (file, path, _) in included.sorted(by: { $0.place < $1.place }) {
      let paths = [path.relative(to: folders), path.relative(to: Array(folders.prefix(1)))]
      let key = paths.first { !taken.contains($0) } ?? path.text
      taken.insert(key)
      keys[file] = key
    }
    return keys
  }

  /// Returns the side in the form that a comparison needs.
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

extension CheckInput<InputFileSystem> {
  /// Reads a file, a folder or a binary schema.
  /// - Parameters:
  ///   - ownIncludePaths: the folders in which only this side looks for includes.
  ///   - includePaths: the folders in which both sides look for includes.
  ///   - usesConfigured: whether this side also looks for includes in the folders that configurations name.
  ///   - excluded: the files and folders to leave out of a folder, and of the included files.
  ///   - configurations: the configurations, which may leave out further files.
  ///   - vendoring: the configurations of the schemas of both versions, which vendor included files of either.
  ///   - counterpart: the path of the other version. Files are left out of the folders of both versions if either leaves
  ///     them out: in one alone they would be new, or removed.
  ///   - takesIncludes: whether included files are compared like the named ones.
  static func read(
    _ path: String, ownIncludePaths: [String], includePaths: [String], usesConfigured: Bool,
    excluding excluded: [String], _ configurations: Configurations, vendoring: [TeamConfiguration],
    counterpart: String, takesIncludes: Bool
  ) throws(InputError) -> CheckInput {
    let files = InputFileSystem()
    func includeFolders(for schemas: [String]) -> IncludeFolders {
      IncludeFolders(for: usesConfigured ? schemas : [], configurations, after: ownIncludePaths)
    }
    func included(_ folders: IncludeFolders) -> IncludedFiles {
      guard takesIncludes else { return .read }
      return SchemaPaths.included(
        excluding: excluded, configurations: configurations, vendoring: vendoring, arguments: [path],
        folders: folders.common + includePaths, files)
    }
    guard let isFolder = try files.isFolder(path) else {
      throw InputError(message: "cannot read \(path): there is no such file or folder")
    }
    if isFolder {
      let found = try files.schemas(below: path)
      guard !found.isEmpty else { throw InputError(message: "there is no schema (.fbs) in \(path)") }
      let left = ExcludedPaths(excluded)
      let folders = files.isFolderOnDisk(counterpart) ? [path, counterpart] : [path]
      func name(of file: String) -> String { String(file.dropFirst(path.count).drop { $0 == "/" }) }
      let paths = found.filter { file in
        !folders.contains { folder in
          let place = (folder.hasSuffix("/") ? folder : folder + "/") + name(of: file)
          return left.contains(place, below: folder) || configurations.isExcluded(place)
        }
      }
      let names = paths.map(name)
      // The folder itself may have a configuration that none of its schemas has.
      let own = includeFolders(for: paths + [(path.hasSuffix("/") ? path : path + "/") + "."])
      return try CheckInput(
        paths, names: Dictionary(uniqueKeysWithValues: zip(paths, names)),
        includePaths: own.common + [path] + includePaths, included: included(own), files.including(from: own),
        keysFrom: [path] + own.common + includePaths)
    }
    let bytes: [UInt8]
    do {
      bytes = try files.bytes(path)
    } catch {
      throw InputError(message: "cannot read \(path): \(error.description)")
    }
    if SchemaText.isBinary(bytes, path: path) { return try readBinary(bytes, path) }
    let folder = path.parentFolder
    let own = includeFolders(for: [path])
    return try CheckInput(
      [path], names: [path: ""], includePaths: own.common + includePaths, included: included(own),
      files.including(from: own), keysFrom: [folder] + own.common + includePaths)
  }

  private static func readBinary(_ bytes: [UInt8], _ path: String) throws(InputError) -> CheckInput {
    let content: BinarySchema.Content
    do {
      content = try BinarySchema.content(of: bytes)
    } catch {
      throw InputError(message: "cannot read \(path): \(error)")
    }
    var files = InputFileSystem()
    files.replace(path, with: bytes)
    var input = try CheckInput([path], names: [path: ""], includePaths: [], files)
    guard input.compilation.isValid else {
      throw InputError(
        message: "\(path) describes no valid schema",
        diagnostics: input.compilation.diagnostics.filter { $0.severity == .error },
        sources: input.compilation.sources)
    }
    input.builtinAttributes = content.builtinAttributes
    return input
  }
}
