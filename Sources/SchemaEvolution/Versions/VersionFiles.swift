import FBSDiagnostics
import FBSParser
import FBSSchema

/// The files of one version of a schema, compiled together, and a way to compile some of them separately.
public struct VersionFiles {
  /// A schema file that belongs to the version and is not one of its inputs.
  public struct Neighbour: Sendable {
    let path: String
    let key: String
    let names: DefinedNames

    /// Reads the names that a file defines.
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - key: The name that identifies the file in both versions: its path below a folder, say.
    ///   - bytes: The text of the file.
    public init(path: String, key: String, bytes: [UInt8]) {
      self.path = path
      self.key = key
      var sources = SourceMap()
      let id = sources.add(path: path, bytes: bytes)
      names = DefinedNames(sources[id])
    }
  }

  /// The result of compiling all inputs.
  public let compilation: Compilation
  /// The key of each input, which identifies the file in both versions.
  public let keys: [FileID: String]
  /// Whether the version was read from a binary schema.
  public let isBinary: Bool
  /// The attributes whose absence says nothing, since a binary schema may lack them.
  public let unknownAttributes: Set<String>
  /// Whether attributes were certainly left out when the binary schema was written.
  public let lacksAttributes: Bool
  /// Compiles the inputs with the given paths.
  let compile: ([String]) -> Compilation
  /// Lists schemas of this version that are not inputs, since a type may have moved there.
  let neighbours: () -> [Neighbour]

  /// Creates the files of one version.
  /// - Parameters:
  ///   - compilation: The result of compiling all inputs.
  ///   - keys: The key of each input, which identifies the file in both versions.
  ///   - isBinary: Whether the version was read from a binary schema.
  ///   - unknownAttributes: The attributes whose absence says nothing.
  ///   - lacksAttributes: Whether attributes were certainly left out.
  ///   - neighbours: Lists schemas of this version that are not inputs. It is called only if a type is missing.
  ///   - compile: Compiles some of the files, by their paths.
  public init(
    _ compilation: Compilation, keys: [FileID: String], isBinary: Bool = false, unknownAttributes: Set<String> = [],
    lacksAttributes: Bool = false, neighbours: @escaping () -> [Neighbour] = { [] },
    compile: @escaping ([String]) -> Compilation
  ) {
    self.compilation = compilation
    self.keys = keys
    self.isBinary = isBinary
    self.unknownAttributes = unknownAttributes
    self.lacksAttributes = lacksAttributes
    self.neighbours = neighbours
    self.compile = compile
  }

  /// The path of the entry file, or nil if there are several or none.
  public var onlyPath: String? {
    let entries = entryKeys
    guard entries.count == 1, let file = entries.keys.first else { return nil }
    return compilation.schema[file].path
  }

  /// The keys of the entry files. Each stands for the inputs that it leads to.
  var entryKeys: [FileID: String] { keys.filter { compilation.schema[$0.key].isEntry } }

  /// Returns the paths of the entry files with the keys, in the order in which they were read.
  func paths(of keys: Set<String>) -> [String] {
    compilation.schema.files.filter { $0.isEntry && self.keys[$0.id].map(keys.contains) == true }.map(\.path)
  }

  /// Returns the part of this version with some of the entry files. Compiles them anew, unless they are all of them.
  func part(_ keys: Set<String>) -> VersionPart {
    if keys.isSuperset(of: entryKeys.values) { return VersionPart(compilation, self.keys, of: self) }
    return part(paths: paths(of: keys))
  }

  /// Compiles files anew, which need not be inputs. Only inputs have a key.
  func part(paths: [String]) -> VersionPart {
    let byPath = Dictionary(keys.map { (compilation.schema[$0].path, $1) }) { first, _ in first }
    let part = compile(paths)
    let own = part.schema.files.compactMap { file in
      file.isInput ? byPath[file.path].map { (file.id, $0) } : nil
    }
    return VersionPart(part, Dictionary(own) { first, _ in first }, of: self)
  }
}

/// Files of one version that are compared as one schema.
struct VersionPart {
  let compilation: Compilation
  let keys: [FileID: String]
  private let isBinary: Bool
  private let unknownAttributes: Set<String>

  init(_ compilation: Compilation, _ keys: [FileID: String], of version: VersionFiles) {
    self.compilation = compilation
    self.keys = keys
    isBinary = version.isBinary
    unknownAttributes = version.unknownAttributes
  }

  /// The names of all types, including those of included files.
  var typeNames: Set<QualifiedName> {
    let schema = compilation.schema
    return Set(schema.files.flatMap { $0.definitions.map { schema.name(of: $0) } })
  }

  /// The names of the types that the inputs themselves define.
  var inputTypeNames: [QualifiedName] {
    compilation.schema.definitionsOfInputs.map { compilation.schema.name(of: $0) }
  }

  /// The names of the root tables of the inputs.
  var rootNames: Set<QualifiedName> {
    let schema = compilation.schema
    return Set(schema.roots.map { schema[$0.table].name })
  }

  /// The keys of inputs with errors.
  var faultyKeys: Set<String> { Set(compilation.faultyInputs.compactMap { keys[$0] }) }

  func version(namesElsewhere: Set<QualifiedName> = []) -> SchemaVersion {
    SchemaVersion(
      schema: compilation.schema, sources: compilation.sources, names: keys, isBinary: isBinary,
      unknownAttributes: unknownAttributes, namesElsewhere: namesElsewhere)
  }
}

/// The path of the file of NEW that defines a type, for each type that the same file of OLD does not define: the type may
/// have moved there. It also knows the files that name root types.
struct TypeArrivals {
  private var paths: [QualifiedName: String] = [:]
  /// The files that define a name which no file of OLD defines.
  private(set) var newFiles: Set<String> = []
  /// The files of NEW that may name a type as their root, and did not in OLD, by the names of the types.
  private var pathsOfRoots: [QualifiedName: [String]] = [:]

  /// Reads the names that files of the versions define.
  /// - Parameter isDivided: Whether the inputs are compared as several modules: only then a type that one module lacks may
  ///   be in another input.
  init(old: VersionFiles, new: VersionFiles, isDivided: Bool) {
    let after = new.neighbours() + (isDivided ? Self.inputs(of: new) : [])
    guard !after.isEmpty else { return }
    let earlier = Self.inputs(of: old) + old.neighbours()
    let before = earlier.reduce(into: [:]) { $0[$1.key, default: Set()].formUnion($1.names.types) }
    let rootsBefore = earlier.reduce(into: [:]) { $0[$1.key, default: Set()].formUnion($1.names.possibleRoots) }
    let known = before.values.reduce(into: Set()) { $0.formUnion($1) }
    for file in after {
      for name in file.names.types where before[file.key]?.contains(name) != true && paths[name] == nil {
        paths[name] = file.path
      }
      // A file that had the root before may be of another app, with a table of the same name.
      for name in file.names.possibleRoots where rootsBefore[file.key]?.contains(name) != true {
        pathsOfRoots[name, default: []].append(file.path)
      }
      if file.names.types.contains(where: { !known.contains($0) }) { newFiles.insert(file.path) }
    }
  }

  private static func inputs(of version: VersionFiles) -> [VersionFiles.Neighbour] {
    version.compilation.schema.files.compactMap { file in
      version.keys[file.id].map {
        VersionFiles.Neighbour(path: file.path, key: $0, bytes: version.compilation.sources[file.id].bytes)
      }
    }
  }

  /// Returns the paths of the files that these types moved to, by name. Types that moved nowhere are left out.
  func files(defining names: [QualifiedName]) -> [QualifiedName: String] {
    Dictionary(names.compactMap { name in paths[name].map { (name, $0) } }) { first, _ in first }
  }

  /// Returns the paths of the files that may name one of these types as their root, and did not in OLD.
  func files(withRoots names: Set<QualifiedName>) -> Set<String> {
    Set(names.flatMap { pathsOfRoots[$0] ?? [] })
  }
}
