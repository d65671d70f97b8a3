import FBSDiagnostics

/// The files that one input reaches: itself and every file that it includes, however indirectly. A file that uses types
/// which only an entry file brings, as `IncludedFiles` tells, reaches the files of those types, too.
///
/// The scope depends only on that input: other inputs of the run neither add to it nor change its order.
package struct SchemaScope {
  /// The files, an include before what includes it.
  package let files: [SchemaFile]
  private let folder: [Substring]
  private let isAbsolute: Bool

  package init(_ schema: Schema, of input: SchemaFile) {
    var walk = IncludeWalk(schema)
    walk.visit(input)
    let ownCount = walk.order.count
    var next = 0
    while next < walk.order.count, walk.order.count < schema.files.count {
      for file in schema.filesUsed(by: walk.order[next]) { walk.visit(schema[file]) }
      next += 1
    }
    files = Array(walk.order[ownCount...] + walk.order[..<ownCount])
    isAbsolute = input.path.hasPrefix("/")
    folder = Array(Self.components(input.path).dropLast())
  }

  /// Returns the path of a file from the input's folder, which does not depend on where the compiler runs.
  ///
  /// If one path is absolute and the other is not, or the input's folder is reached by more `..` than the file, the
  /// text does not tell the way between them, and the path is given as it was read.
  package func path(of file: SchemaFile) -> String {
    let path = Self.components(file.path)
    guard file.path.hasPrefix("/") == isAbsolute else { return path.joined(separator: "/") }
    var common = 0
    while common < folder.count, common < path.count - 1, folder[common] == path[common] { common += 1 }
    guard !folder[common...].contains("..") else { return path.joined(separator: "/") }
    return (Array(repeating: "..", count: folder.count - common) + path[common...]).joined(separator: "/")
  }

  private static func components(_ path: String) -> [Substring] {
    var result: [Substring] = []
    for component in path.split(separator: "/") where component != "." {
      if component == "..", let last = result.last, last != ".." {
        result.removeLast()
      } else {
        result.append(component)
      }
    }
    return result
  }
}

/// Collects files and the files that they include, each before the files that include it.
private struct IncludeWalk {
  private let schema: Schema
  private var seen: Set<FileID> = []
  private(set) var order: [SchemaFile] = []

  init(_ schema: Schema) { self.schema = schema }

  mutating func visit(_ file: SchemaFile) {
    guard seen.insert(file.id).inserted else { return }
    // A chain of includes may be long: this does not recurse.
    var stack = [(file: file, next: 0)]
    while let (file, next) = stack.last {
      guard next < file.includes.count else {
        order.append(file)
        stack.removeLast()
        continue
      }
      stack[stack.count - 1].next += 1
      if seen.insert(file.includes[next]).inserted { stack.append((schema[file.includes[next]], 0)) }
    }
  }
}

extension Schema {
  /// Returns the files of the types that a file names, each once, in the order in which it names them.
  fileprivate func filesUsed(by file: SchemaFile) -> [FileID] {
    var used: [FileID] = []
    var known: Set<FileID> = [file.id]
    func use(_ type: DefinitionID?) {
      guard let type else { return }
      let file = declaration(of: type).nameRange.file
      if known.insert(file).inserted { used.append(file) }
    }
    for definition in file.definitions {
      switch definition {
      case .enumeration: break
      case .structure(let id): for field in self[id].fields { use(field.type.definition) }
      case .table(let id): for field in self[id].fields { use(field.type.definition) }
      case .union(let id): for member in self[id].members { use(member.type.definition) }
      }
    }
    for method in file.services.flatMap({ self[$0].methods }) {
      use(.table(method.request))
      use(.table(method.response))
    }
    use(file.rootTable.map { .table($0) })
    return used
  }
}

extension Collection where Element == Attribute {
  /// Returns the attributes in the order of their names' bytes, each name once.
  package func sortedByName() -> [Attribute] {
    var seen: Set<String> = []
    return filter { seen.insert($0.name).inserted }
      .sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
  }
}
