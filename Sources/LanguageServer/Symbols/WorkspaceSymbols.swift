import FBSDiagnostics
import FBSParser
import FBSSchema

/// All schemas of a workspace, and the names in them. Those with the same include folders are compiled together. Includes
/// are also found in the folders of the others, as `dflatc compile FOLDER` finds them.
struct WorkspaceSymbols {
  /// The identity of a symbol across modules: the file that declares it, and the offset there.
  struct Key: Hashable {
    let file: String
    let start: Int
  }

  /// A name at a position in a file of the workspace.
  struct Occurrence: Hashable {
    let key: Key
    /// The identity of the file that contains the name.
    let file: String
    let start: Int
    let end: Int
    let isDeclaration: Bool
  }

  /// A file, as one of the modules read it.
  struct File {
    let source: SourceFile
    let tree: SyntaxTree
    let occurrences: [Occurrence]
    /// The identities of the files that this file includes, and the ranges of the paths, in the order of the text.
    let includes: [(identity: String, path: SourceRange)]
  }

  /// An error of the compiler.
  struct Fault {
    /// The code and the path of the file, with a blank between them.
    let kind: String
    let message: String
    /// The identity of the file.
    let file: String
    /// The offset in the file at which the error is reported.
    let start: Int
  }

  /// The files, by identity.
  private(set) var files: [String: File] = [:]
  /// The errors, sorted.
  private(set) var errors: [Fault] = []

  /// Collects the files, definitions and errors of the workspace's schemas.
  /// - Parameters:
  ///   - modules: the modules of the schemas that were compiled together. A schema may be in several, as an include.
  ///   - identity: returns the identity of the file at a path.
  init(_ modules: [Compilation], identity: (String) -> String) {
    for module in modules {
      let identities = module.sources.files.map { identity($0.path) }
      let known = module.schema.definitionsByName
      errors += module.diagnostics.filter { $0.severity == .error }.map { diagnostic in
        Fault(
          kind: "\(diagnostic.code.id) \(module.sources[diagnostic.range.file].path)", message: diagnostic.message,
          file: identities[diagnostic.range.file.index], start: diagnostic.range.start)
      }
      for file in module.schema.files where files[identities[file.id.index]] == nil || file.isInput {
        let source = module.sources[file.id]
        let tree = Parser.parse(source).tree
        let names = FileNames(file.id, tree: tree, schema: module.schema, known: known)
        files[identities[file.id.index]] = File(
          source: source, tree: tree,
          occurrences: names.occurrences.map { occurrence in
            let declared = module.schema.declaration(of: occurrence.symbol).nameRange
            return Occurrence(
              key: Key(file: identities[declared.file.index], start: declared.start),
              file: identities[file.id.index], start: occurrence.range.start, end: occurrence.range.end,
              isDeclaration: occurrence.isDeclaration)
          }, includes: file.inclusions.map { (identities[$0.file.index], $0.range) })
      }
    }
    errors.sort { ($0.kind, $0.start, $0.message) < ($1.kind, $1.start, $1.message) }
  }

  /// Returns an error that a rename has brought; nil if there is none. An error is an earlier one if one of its kind was
  /// at its position, whatever it said: its message may name what was renamed. An error with the message of one that is
  /// gone has only moved.
  /// - Parameters:
  ///   - earlier: the symbols before the rename.
  ///   - occurrences: the names that were replaced, with their earlier positions.
  ///   - name: the name that replaced them.
  func newError(since earlier: WorkspaceSymbols, renaming occurrences: [Occurrence], to name: String) -> Fault? {
    let replaced = Dictionary(grouping: occurrences, by: \.file)
    func position(_ error: Fault, _ start: Int) -> String { "\(error.kind) \(start)" }
    let before = earlier.errors.map { error in
      let moved = (replaced[error.file] ?? []).filter { $0.start < error.start }
        .reduce(error.start) { $0 + name.utf8.count - ($1.end - $1.start) }
      return (error, position: position(error, moved))
    }
    let known = Set(before.map(\.position))
    let current = Set(errors.map { position($0, $0.start) })
    var gone: [[String]: Int] = [:]
    for (error, position) in before where !current.contains(position) {
      gone[[error.kind, error.message], default: 0] += 1
    }
    return errors.first { error in
      guard !known.contains(position(error, error.start)) else { return false }
      gone[[error.kind, error.message], default: 0] -= 1
      return gone[[error.kind, error.message], default: 0] < 0
    }
  }

  /// Returns all occurrences of a symbol, by file and position.
  func occurrences(of key: Key) -> [Occurrence] {
    files.values.flatMap(\.occurrences).filter { $0.key == key }
      .sorted { ($0.file, $0.start) < ($1.file, $1.start) }
  }

  /// The declarations that all names refer to, without positions: for each name of a file, the file that declares it
  /// and the number of the declaration there. A correct rename leaves this value unchanged.
  var shape: [String: [[String]]] {
    var numbers: [Key: Int] = [:]
    for (identity, file) in files {
      for (number, occurrence) in file.occurrences.enumerated() where occurrence.isDeclaration {
        numbers[Key(file: identity, start: occurrence.start)] = number
      }
    }
    return files.mapValues { file in
      file.occurrences.map { [$0.key.file, numbers[$0.key].map { "\($0)" } ?? "?"] }
    }
  }
}

extension LanguageServerSession {
  /// The paths of all schemas of the workspace, and of the open documents.
  private var workspacePaths: [String] {
    var seen: Set<String> = []
    let open = documents.documents.values.map(\.path).sorted()
    return (folders.flatMap { host.schemas(below: $0) } + open).filter { seen.insert(host.identity(of: $0)).inserted }
  }

  /// Returns the names of the workspace. Reuses the last result if nothing has changed since.
  mutating func workspaceSymbols() -> WorkspaceSymbols {
    if let workspace { return workspace }
    let symbols = compileWorkspace(files())
    workspace = symbols
    return symbols
  }

  mutating func compileWorkspace(_ files: some SourceProvider) -> WorkspaceSymbols {
    // Two configurations may name folders with files of the same names, so each has its own folders first.
    let paths = workspacePaths
    var groups: [(includePaths: [String], paths: [String])] = []
    var known: [Substring: Int] = [:]
    for path in paths {
      // The schemas of a folder have one configuration.
      let folder = path[..<(path.lastIndex(of: "/") ?? path.startIndex)]
      if known[folder] == nil {
        let includePaths = self.includePaths(for: path)
        known[folder] = groups.firstIndex { $0.includePaths == includePaths } ?? groups.count
        if known[folder] == groups.count { groups.append((includePaths, [])) }
      }
      if let group = known[folder] { groups[group].paths.append(path) }
    }
    var modules: [Compilation] = []
    for group in groups {
      // A schema that the group includes may need the folders of its own configuration.
      var includePaths = group.includePaths
      for path in groups.flatMap(\.includePaths) where !includePaths.contains(path) { includePaths.append(path) }
      modules +=
        compiler.modules(inputs: group.paths, neighbours: paths, includePaths: includePaths, provider: files).modules
    }
    return WorkspaceSymbols(modules, identity: files.identity(of:))
  }

  /// Returns the name at a position, with its symbol in the workspace; nil if there is none.
  mutating func occurrence(at params: DocumentPositionParams) throws -> WorkspaceSymbols.Occurrence? {
    guard let context = try context(params.textDocument.uri) else { return nil }
    let offset = context.text.offset(of: params.position)
    guard let file = workspaceSymbols().files[identity(params.textDocument.uri)] else { return nil }
    // Of two documents of a file, the workspace has one text.
    guard file.source.bytes == context.text.bytes else {
      throw RPCError.failed("this file has another text in another document, or on the disk: save it")
    }
    return file.occurrences.first { $0.start <= offset && offset <= $0.end }
  }

  /// Returns the locations of occurrences, in their order. Splits the text of each file into lines once.
  func locations(_ occurrences: [WorkspaceSymbols.Occurrence], in symbols: WorkspaceSymbols) -> [TextLocation] {
    var files: [String: (uri: String, text: DocumentText)] = [:]
    return occurrences.compactMap { occurrence in
      if files[occurrence.file] == nil, let source = symbols.files[occurrence.file]?.source {
        files[occurrence.file] = (uri(ofFileAt: source.path), DocumentText(source.bytes, client.encoding))
      }
      return files[occurrence.file].map { file in
        TextLocation(uri: file.uri, range: file.text.range(occurrence.start, occurrence.end))
      }
    }
  }
}
