import FBSDiagnostics
import FBSParser

/// Divides the inputs of a run into modules, so that no name is defined twice in a module: inputs that do not include
/// one another may each define the same name. With two versions of the inputs, they share the modules.
///
/// An input joins the first module that it can. So inputs whose names are their own are one module, and types may move
/// between them. An input that itself reaches two definitions of one name is a module of its own, which has that error.
public struct ModulePartition {
  /// The inputs of one version.
  public struct Version {
    let files: [SchemaFile]
    let names: [DefinedNames]
    let keys: [FileID: String]

    /// Reads the inputs of a version.
    /// - Parameters:
    ///   - compilation: the result of compiling the inputs together.
    ///   - keys: the name by which an input is the same in both versions.
    public init(_ compilation: Compilation, keys: [FileID: String]) {
      files = compilation.schema.files
      names = compilation.sources.files.map { DefinedNames($0) }
      self.keys = keys
    }
  }

  /// The keys of the inputs of each module.
  public private(set) var modules: [Set<String>] = []
  private let versions: [Version]
  /// The names defined in each module, by module, then by version.
  private var spaces: [[NameSpace]] = []
  /// For each version, the modules and the files in them that define a name.
  private var owners: [[DefinedName: [(module: Int, file: FileID)]]]

  /// Divides the inputs of one version, or of the old and the new one.
  public init(_ versions: [Version]) {
    self.versions = versions
    owners = versions.map { _ in [:] }
    // For each module, the number of the last item whose names it cannot take. Most conflicts are found so, without a
    // walk.
    var blocked: [Int] = []
    for (number, item) in Self.items(versions).enumerated() {
      for (side, file) in item.enumerated() {
        guard let file else { continue }
        for name in versions[side].defined(in: file) {
          for owner in owners[side][name] ?? [] where owner.file != file { blocked[owner.module] = number }
        }
      }
      let place = spaces.indices.first { blocked[$0] != number && additions(of: item, to: $0) != nil } ?? spaces.count
      if place == spaces.count {
        spaces.append(versions.map { _ in NameSpace() })
        modules.append([])
        blocked.append(-1)
      }
      // An input that reaches two definitions of one name is alone, with all that it reaches.
      add(additions(of: item, to: place) ?? reached(from: item, by: place), to: place)
      for (side, file) in item.enumerated() {
        if let key = file.flatMap({ versions[side].keys[$0] }) { modules[place].insert(key) }
      }
    }
  }

  /// Returns the files that an item adds to a module, by version. Nil if a name would then be defined twice.
  private func additions(of item: [FileID?], to module: Int) -> [[FileID]]? {
    let added = reached(from: item, by: module)
    for (side, files) in added.enumerated() where !spaces[module][side].canAdd(files, of: versions[side]) { return nil }
    return added
  }

  private func reached(from item: [FileID?], by module: Int) -> [[FileID]] {
    item.enumerated().map { side, file in
      file.map { spaces[module][side].files(reachedFrom: $0, in: versions[side]) } ?? []
    }
  }

  private mutating func add(_ added: [[FileID]], to module: Int) {
    for (side, files) in added.enumerated() {
      spaces[module][side].add(files, of: versions[side])
      for file in files {
        for name in versions[side].defined(in: file) { owners[side][name, default: []].append((module, file)) }
      }
    }
  }

  /// Returns the inputs in the order of their keys, each in all versions that have it.
  private static func items(_ versions: [Version]) -> [[FileID?]] {
    var byKey: [String: [FileID?]] = [:]
    for (side, version) in versions.enumerated() {
      for (file, key) in version.keys {
        byKey[key, default: versions.map { _ in nil }][side] = file
      }
    }
    return byKey.sorted { $0.key < $1.key }.map(\.value)
  }
}

/// A name of one of the two kinds that have name spaces of their own.
private enum DefinedName: Hashable { case type(QualifiedName), service(QualifiedName) }

extension ModulePartition.Version {
  fileprivate func defined(in file: FileID) -> [DefinedName] {
    names[file.index].types.map { .type($0) } + names[file.index].services.map { .service($0) }
  }
}

/// The files of a module in one version, and which of them defines a name.
private struct NameSpace {
  private var files: Set<FileID> = []
  private var definitions: [DefinedName: FileID] = [:]

  /// Returns whether the files can be added without defining a name twice.
  func canAdd(_ added: [FileID], of version: ModulePartition.Version) -> Bool {
    var own: [DefinedName: FileID] = [:]
    for file in added {
      for name in version.defined(in: file) {
        if definitions[name] != nil || own.updateValue(file, forKey: name).map({ $0 != file }) == true { return false }
      }
    }
    return true
  }

  mutating func add(_ added: [FileID], of version: ModulePartition.Version) {
    for file in added {
      files.insert(file)
      for name in version.defined(in: file) { definitions[name] = file }
    }
  }

  /// Returns a file and all that it includes, directly or indirectly, without the files that are here already. Empty if
  /// the file itself is here.
  func files(reachedFrom file: FileID, in version: ModulePartition.Version) -> [FileID] {
    guard !files.contains(file) else { return [] }
    var queue = [file]
    var known = Set(queue)
    var next = 0
    while next < queue.count {
      for file in version.files[queue[next].index].includes where !files.contains(file) && known.insert(file).inserted {
        queue.append(file)
      }
      next += 1
    }
    return queue
  }
}

extension Compilation {
  /// Whether two files define the same name, which is no error if no input reaches both.
  public var hasNameInTwoFiles: Bool {
    diagnostics.contains { $0.code == .duplicateDefinition && $0.isAboutTwoFiles }
  }

  /// The inputs that have an error, or reach a file that has one.
  public var faultyInputs: Set<FileID> {
    var users: [FileID: [FileID]] = [:]
    for file in schema.files {
      for included in file.includes { users[included, default: []].append(file.id) }
    }
    var queue = Array(Set(diagnostics.filter { $0.severity == .error }.map(\.range.file)))
    var known = Set(queue)
    while let file = queue.popLast() {
      for user in users[file] ?? [] where known.insert(user).inserted { queue.append(user) }
    }
    return known.filter { schema[$0].isInput }
  }
}
