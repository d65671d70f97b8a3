import FBSDiagnostics
import FBSParser

/// Reads and parses the inputs and all that they include, each file once.
struct SourceLoader<Provider: SourceProvider> {
  let provider: Provider
  let includePaths: [String]
  var sources = SourceMap()
  var files: [LoadedFile] = []
  /// The files, each after those that it includes (cycles aside).
  var order: [Int] = []
  var diagnostics = DiagnosticList()
  var unreadable: [Compilation.UnreadableInput] = []
  /// The trees of earlier compilations. Nil if no later compilation needs trees.
  var parsed: ParsedFiles?
  /// The index of each file, by the file's identity.
  private(set) var known: [String: Int] = [:]
  /// The paths of includes at which there is no file.
  private var absent: Set<String> = []
  /// Whether a file can be read at each path that was tried as a possible meaning of an include.
  private var readablePaths: [String: Bool] = [:]
  /// The folders of the inputs and their neighbours, in an order that does not depend on the order of the paths.
  private var inputFolders: [String] = []

  init(provider: Provider, includePaths: [String]) {
    self.provider = provider
    self.includePaths = includePaths
  }

  /// Reads and parses the inputs and all that they include.
  /// - Parameter neighbours: The paths of other schemas, which are not read as inputs. Includes are looked for in their
  ///   folders, too.
  mutating func load(inputs: [String], neighbours: [String] = []) {
    inputFolders = Set(
      (inputs + neighbours).map { path in
        let folder = SourcePath.directory(of: path)
        return folder.isEmpty && path.hasPrefix("/") ? "/" : String(folder)
      }
    ).sorted()
    for path in inputs {
      let identity = provider.identity(of: path)
      if let file = known[identity] {
        files[file].isInput = true
        continue
      }
      do {
        let file = add(path: path, identity: identity, try provider.readText(path))
        files[file].isInput = true
        loadIncludes(of: file)
      } catch .tooLarge {
        let file = addTooLarge(path: path, identity: identity)
        files[file].isInput = true
        order.append(file)
      } catch {
        unreadable.append(Compilation.UnreadableInput(path: path, error: error))
      }
    }
  }

  private mutating func add(path: String, identity: String, _ text: SourceText) -> Int {
    let id = sources.add(path: path, bytes: text.bytes, isOfBinarySchema: text.isOfBinarySchema)
    let (tree, found) = parsed?.parse(sources[id]) ?? Parser.parse(sources[id])
    diagnostics.append(contentsOf: found)
    known[identity] = id.index
    files.append(LoadedFile(tree: tree, path: path, identity: identity))
    return id.index
  }

  /// Adds a file that is too large, so that only its size is known.
  private mutating func addTooLarge(path: String, identity: String) -> Int {
    let id = sources.add(path: path, bytes: [])
    diagnostics.append(.fileTooLarge(id))
    known[identity] = id.index
    // An empty tree, whose emptiness must not be reported as a mistake.
    files.append(LoadedFile(tree: Parser.parse(sources[id]).tree, path: path, identity: identity))
    return id.index
  }

  /// Goes through the includes depth first, without recursion: a chain may be as long as it likes.
  private mutating func loadIncludes(of input: Int) {
    var stack = [(file: input, item: 0)]
    while let (file, item) = stack.last {
      let items = files[file].tree.items
      guard item < items.count, case .include(let path, let isNative) = items[item] else {
        order.append(file)
        stack.removeLast()
        continue
      }
      stack[stack.count - 1].item += 1
      guard !isNative, let name = files[file].tree.stringValue(of: path) else { continue }
      guard let (included, isNew) = find(name, from: file, at: path) else {
        files[file].hasMissingInclude = true
        continue
      }
      files[file].inclusions.append((included, path))
      if !files[file].includes.contains(included) { files[file].includes.append(included) }
      if isNew { stack.append((included, 0)) }
    }
  }

  private mutating func find(_ written: String, from file: Int, at token: TokenIndex) -> (file: Int, isNew: Bool)? {
    let tree = files[file].tree
    // The path may have been written on Windows.
    let name = String(written.map { $0 == "\\" ? "/" : $0 })
    var tried: [String] = []
    let own = files[file].path
    var candidates =
      [SourcePath.join(SourcePath.directory(of: own), name, isRoot: own.hasPrefix("/"))]
      + (provider.includePaths(of: own) + includePaths).map { SourcePath.join($0, name) }
    let count = candidates.count
    var next = 0
    while true {
      // Few files are looked for in the inputs' folders.
      if next == count { candidates += SourcePath.nearest(to: own, of: inputFolders).map { SourcePath.join($0, name) } }
      guard next < candidates.count else { break }
      let path = candidates[next]
      next += 1
      guard !tried.contains(path) else { continue }
      guard !absent.contains(path) else {
        tried.append(path)
        continue
      }
      let identity = provider.identity(of: path)
      if let found = known[identity] { return (found, false) }
      do {
        return (add(path: path, identity: identity, try provider.readText(path)), true)
      } catch {
        switch error {
        case .notFound:
          tried.append(path)
          absent.insert(path)
        case .tooLarge:
          return (addTooLarge(path: path, identity: identity), true)
        case .unreadable(let reason):
          diagnostics.append(
            Diagnostic(
              .unreadableInclude, .error, "`\(path)` cannot be read: \(reason)", at: tree.range(of: token),
              advice: "included here"))
          return nil
        }
      }
    }
    let meant = nearestPath(to: written, among: candidates)
    diagnostics.append(
      Diagnostic(
        .missingInclude, .error, "`\(written)` is not found", at: tree.range(of: token),
        advice: meant.map { "did you mean \"\($0)\"?" } ?? "check the path, or name its folder with `-I`",
        notes: tried.map { "looked for \($0)" },
        fixes: meant.map { [.replace(tree.range(of: token), with: "\"\($0)\"")] } ?? []))
    return nil
  }
}

extension SourceLoader {
  /// Returns the path of an existing schema that differs from a written path only at the end of its name; nil if there
  /// is none.
  ///
  /// - Parameter candidates: The paths at which the written one was looked for.
  private mutating func nearestPath(to written: String, among candidates: [String]) -> String? {
    guard !written.hasSuffix(".fbs"), !written.isEmpty, written.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x80 }),
      !written.contains("\""), !written.contains("\\")
    else { return nil }
    var stem = written[...]
    if let dot = stem.lastIndex(of: "."), !stem[dot...].contains("/") { stem = stem[..<dot] }
    let endings = ["\(written).fbs", "\(stem).fbs"]
    for ending in endings {
      for candidate in candidates where candidate.hasSuffix(written) {
        if canRead(String(candidate.dropLast(written.count) + ending)) { return ending }
      }
    }
    return nil
  }

  /// Returns whether a file can be read at a path. Each path is tried once, since a mistake may be repeated in each of many
  /// lines.
  private mutating func canRead(_ path: String) -> Bool {
    if let known = readablePaths[path] { return known }
    // The reason of an error does not matter: the file is then not suggested, and the include as written is reported.
    let isReadable = (try? provider.read(path)) != nil
    readablePaths[path] = isReadable
    return isReadable
  }
}

/// A file that was read, and what it includes.
struct LoadedFile {
  let tree: SyntaxTree
  let path: String
  let identity: String
  var includes: [Int] = []
  /// Each `include` that was found, with the token of its path.
  var inclusions: [(file: Int, path: TokenIndex)] = []
  var isInput = false
  var isEntry = false
  /// Whether a file that it includes could not be found or read, which was reported.
  var hasMissingInclude = false
}
