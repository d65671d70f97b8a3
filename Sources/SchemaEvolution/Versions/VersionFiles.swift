import FBSDiagnostics
import FBSParser
import FBSSchema

/// The files of one version of a schema, compiled together, and how to compile some of them apart.
public struct VersionFiles {
  /// A schema that was not named, and belongs to the version.
  public struct Neighbour: Sendable {
    let path: String
    let key: String
    let names: DefinedNames

    /// - Parameters:
    ///   - path: The path by which it is read.
    ///   - key: What both versions call it: its path below the same folder, say.
    ///   - bytes: Its text.
    public init(path: String, key: String, bytes: [UInt8]) {
      self.path = path
      self.key = key
      var sources = SourceMap()
      let id = sources.add(path: path, bytes: bytes)
      names = DefinedNames(sources[id])
    }
  }

  /// What became of all inputs.
  public let compilation: Compilation
  /// The keys of the inputs.
  public let keys: [FileID: String]
  /// Whether it was read from a binary schema.
  public let isBinary: Bool
  /// The attributes that are unknown where they are missing.
  public let unknownAttributes: Set<String>
  /// Whether attributes were certainly left out when the binary schema was written.
  public let lacksAttributes: Bool
  /// Compiles some of the files, by their paths.
  let compile: ([String]) -> Compilation
  /// Further schemas of this version, that were not named: a type may have moved there.
  let neighbours: () -> [Neighbour]

  /// - Parameters:
  ///   - compilation: What became of all inputs.
  ///   - keys: The keys of the inputs.
  ///   - isBinary: Whether it was read from a binary schema.
  ///   - unknownAttributes: The attributes that are unknown, rather than absent, where they are missing.
  ///   - lacksAttributes: Whether attributes were certainly left out.
  ///   - neighbours: Lists further schemas of this version. It is called only if a type is missing.
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

  /// The path of the entry file, if there is but one.
  public var onlyPath: String? {
    let entries = entryKeys
    guard entries.count == 1, let file = entries.keys.first else { return nil }
    return compilation.schema[file].path
  }

  /// The keys of the entry files: these stand for the inputs that they lead to.
  var entryKeys: [FileID: String] { keys.filter { compilation.schema[$0.key].isEntry } }

  /// The paths of the entry files with the keys, in the order in which they were read.
  func paths(of keys: Set<String>) -> [String] {
    compilation.schema.files.filter { $0.isEntry && self.keys[$0.id].map(keys.contains) == true }.map(\.path)
  }

  /// Some of the entry files, which are compiled anew unless they are all of them.
  func part(_ keys: Set<String>) -> VersionPart {
    if keys.isSuperset(of: entryKeys.values) { return VersionPart(compilation, self.keys, of: self) }
    return part(paths: paths(of: keys))
  }

  /// Files compiled anew, also such as are no inputs: these have no key.
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

  /// The names of all types, also of those that are included.
  var typeNames: Set<QualifiedName> {
    let schema = compilation.schema
    return Set(schema.files.flatMap { $0.definitions.map { schema.name(of: $0) } })
  }

  /// The names of the types that the inputs themselves define.
  var inputTypeNames: [QualifiedName] {
    compilation.schema.definitionsOfInputs.map { compilation.schema.name(of: $0) }
  }

  /// The keys of inputs with errors.
  var faultyKeys: Set<String> { Set(compilation.faultyInputs.compactMap { keys[$0] }) }

  func version(namesElsewhere: Set<QualifiedName> = []) -> SchemaVersion {
    SchemaVersion(
      schema: compilation.schema, sources: compilation.sources, names: keys, isBinary: isBinary,
      unknownAttributes: unknownAttributes, namesElsewhere: namesElsewhere)
  }
}

/// Which files of NEW define a type that they did not define in OLD: where types moved to.
struct TypeArrivals {
  private var paths: [QualifiedName: String] = [:]
  /// The files that define a name which no file of OLD defines.
  private(set) var newFiles: Set<String> = []

  /// Reads the names that files of the versions define.
  /// - Parameter isDivided: Whether the inputs are compared as several modules: only then a type that one module lacks may
  ///   be in another input.
  init(old: VersionFiles, new: VersionFiles, isDivided: Bool) {
    let after = new.neighbours() + (isDivided ? Self.inputs(of: new) : [])
    guard !after.isEmpty else { return }
    let before = (Self.inputs(of: old) + old.neighbours()).reduce(into: [:]) {
      $0[$1.key, default: Set()].formUnion($1.names.types)
    }
    let known = before.values.reduce(into: Set()) { $0.formUnion($1) }
    for file in after {
      for name in file.names.types where before[file.key]?.contains(name) != true && paths[name] == nil {
        paths[name] = file.path
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

  /// The paths of files that got types.
  func files(defining names: [QualifiedName]) -> [QualifiedName: String] {
    Dictionary(names.compactMap { name in paths[name].map { (name, $0) } }) { first, _ in first }
  }
}
