import FBSDiagnostics
import FBSParser
import FBSSchema

/// Names the types and namespaces of a schema in Swift.
///
/// A name stays as it is if it is free. Otherwise it is changed. The first definition in the order of the text keeps
/// the name, and an included file comes before the file that includes it. So a file gives its types the same names when
/// it is compiled without those that include it. Names set by `swift_name` take precedence over the other types of
/// their file.
///
/// A root class also serves as the namespace of its name, if its file is the first to define something in that: the
/// namespace's types are nested in the class.
struct TypeNaming {
  /// A namespace of the schema, with its name in Swift.
  private struct Scope {
    let parent: Int
    /// The number of the scope of the first part of the namespace's name.
    let first: Int
    /// The last part of the namespace's name in the schema. `swiftName` is that part in Swift.
    let name: String
    var swiftName: String
    /// The place where the file that first needs the namespace opens it.
    let range: SourceRange
    /// Whether a root class is the namespace.
    var isRootClass = false
  }

  private struct ScopeKey: Hashable {
    let parent: Int
    let name: String
  }

  private let schema: Schema
  private let output: SwiftOutput
  private let roots: Set<TableID>
  private let nested: NestedTables
  private let reserved: ReservedTypeNames

  /// The namespaces except the global one. Scope 0 is the global namespace, and `scopes[0]` is scope 1.
  private var scopes: [Scope] = []
  private var scopeIDs: [ScopeKey: Int] = [:]
  /// The scopes of each namespace in which something is defined, outermost first.
  private var paths: [[String]: [Int]] = [[]: []]
  /// The scope of each root class that stands for a namespace.
  private var scopesOfClasses: [TableID: Int] = [:]
  /// The scopes that each file is the first to need, by the file's index.
  private var newScopes: [[Int]] = []
  private var types: [DefinitionID: String] = [:]
  /// The names that are taken in each scope, the global one first.
  private var taken: [[String: SourceRange]] = [[:]]
  private var givingWay = [GivingWay()]
  /// The first parts of names that code within each scope uses.
  private var spelled: [Int: Set<String>] = [:]

  private(set) var renamed: [RenamedInSwift] = []
  private(set) var errors: [Diagnostic] = []

  init(_ schema: Schema, output: SwiftOutput, roots: Set<TableID>, nested: NestedTables, imported: ImportedTypeNames) {
    self.schema = schema
    self.output = output
    self.roots = roots
    self.nested = nested
    reserved = ReservedTypeNames(schema, output: output, imported: imported)
    let files = schema.filesAfterTheirIncludes()
    for file in files { newScopes.append(findScopes(of: file)) }
    // Names in a namespace depend on the names outside.
    for (file, scopes) in zip(files, newScopes) {
      for scope in scopes where self.scopes[scope - 1].parent == 0 { nameScope(scope, file) }
      nameTypes(of: file, inGlobalScope: true)
    }
    findSpelled()
    for (file, scopes) in zip(files, newScopes) {
      for scope in scopes where self.scopes[scope - 1].parent != 0 { nameScope(scope, file) }
      nameTypes(of: file, inGlobalScope: false)
    }
  }

  /// Returns a definition's name in Swift, without its namespace and without suffixes.
  func name(of definition: DefinitionID) -> String { types[definition] ?? schema.name(of: definition).name }

  /// Returns the parts of a namespace in Swift, which may need backticks.
  func parts(of namespace: [String]) -> [String] { (paths[namespace] ?? []).map { swiftName(ofScope: $0) } }

  /// The namespaces that are classes, part by part as `parts(of:)` gives them.
  var namespacesThatAreClasses: [[String]] {
    scopesOfClasses.values.map { innermost in
      var parts: [String] = []
      var scope = innermost
      while scope != 0 {
        parts.append(swiftName(ofScope: scope))
        scope = scopes[scope - 1].parent
      }
      return parts.reversed()
    }
  }

  private func swiftName(ofScope scope: Int) -> String { scopes[scope - 1].swiftName }

  /// Returns the first parts of the names that a definition's code uses.
  func firstParts(usedBy definition: DefinitionID) -> Set<String> {
    var parts: Set<String> = []
    for used in [definition] + schema.spelled(by: definition, nested) {
      let namespace = schema.name(of: used).namespace
      if let scope = paths[namespace]?.first {
        parts.insert(swiftName(ofScope: scope))
      } else {
        parts.formUnion(writtenNames(of: used))
      }
    }
    // Fields of a class that serves as a namespace hide names from the types within it.
    if case .table(let id) = definition, let scope = scopesOfClasses[id] {
      parts.formUnion(taken[scope].keys)
      parts.formUnion(spelled[scope, default: []])
    }
    return parts
  }

  /// Returns the names of all types that are written for a definition.
  private func writtenNames(of definition: DefinitionID) -> [String] {
    let name = name(of: definition)
    return output.suffixes(of: definition, roots: roots).map { name + $0 }
  }

  // MARK: Namespaces

  /// Finds the namespaces that a file is the first to define something in, each after its enclosing one.
  private mutating func findScopes(of file: SchemaFile) -> [Int] {
    var found: [Int] = []
    let ranges = Dictionary(file.namespaceParts.map { ($0.namespace, $0.range) }) { first, _ in first }
    for definition in file.definitions {
      let namespace = schema.name(of: definition).namespace
      guard paths[namespace] == nil else { continue }
      var path: [Int] = []
      for part in namespace {
        let key = ScopeKey(parent: path.last ?? 0, name: part)
        if let known = scopeIDs[key] {
          path.append(known)
          continue
        }
        let id = scopes.count + 1
        scopes.append(
          Scope(
            parent: key.parent, first: path.first ?? id, name: part, swiftName: part,
            range: ranges[Array(namespace.prefix(path.count + 1))]
              ?? schema.declaration(of: definition).nameRange))
        taken.append([:])
        givingWay.append(GivingWay())
        scopeIDs[key] = id
        path.append(id)
        found.append(id)
      }
      paths[namespace] = path
    }
    return found
  }

  private mutating func nameScope(_ id: Int, _ file: SchemaFile) {
    let scope = scopes[id - 1]
    if let table = rootClass(calledAs: scope, file) {
      scopes[id - 1].isRootClass = true
      scopesOfClasses[table] = id
      take(scope.name, for: .table(table), output.suffixes(of: .table(table), roots: roots), in: scope.parent)
      // The code of a class outside of namespaces uses names that are not made yet: `findSpelled` records them.
      if scope.parent != 0 { noteSpelled(byRootClass: table, within: id) }
      return
    }
    let range = scope.range
    let free = free(scope.name, [""], in: scope.parent, .namespace)
    scopes[id - 1].swiftName = free.name
    taken[scope.parent][free.name] = range
    guard let obstacle = free.obstacle, file.isInput else { return }
    renamed.append(
      RenamedInSwift(
        kind: "namespace", name: scope.name, swiftName: free.name, wanted: free.wanted, range: range,
        obstacle: obstacle, isChoosable: false))
  }

  /// Returns the root class of a file if it has the name of a namespace, and can serve as that namespace; otherwise
  /// nil.
  private func rootClass(calledAs scope: Scope, _ file: SchemaFile) -> TableID? {
    guard output.hasModel, let id = file.rootTable, schema[id].name.name == scope.name,
      self.scope(of: .table(id)) == scope.parent, file.definitions.contains(.table(id)),
      SwiftName.chosen(by: schema.declaration(of: .table(id))) == nil,
      obstacle(scope.name, in: scope.parent, .namespace) == nil
    else { return nil }
    let suffixes = output.suffixes(of: .table(id), roots: roots)
    return suffixes.allSatisfy { obstacle(scope.name + $0, in: scope.parent, .type) == nil } ? id : nil
  }

  // MARK: Types

  private mutating func nameTypes(of file: SchemaFile, inGlobalScope isGlobal: Bool) {
    let definitions = file.definitions.filter { schema.name(of: $0).namespace.isEmpty == isGlobal }
    var others: [DefinitionID] = []
    for definition in definitions where !choose(definition) { others.append(definition) }
    for definition in others where !isNamespace(definition) { name(definition, file) }
  }

  /// Returns whether a type serves as a namespace, and has been named as such.
  func isNamespace(_ definition: DefinitionID) -> Bool {
    if case .table(let id) = definition { scopesOfClasses[id] != nil } else { false }
  }

  /// Gives a type the name of its `swift_name`.
  ///
  /// - Returns: false if the type has no `swift_name`.
  private mutating func choose(_ definition: DefinitionID) -> Bool {
    let declaration = schema.declaration(of: definition)
    guard let chosen = SwiftName.chosen(by: declaration) else { return false }
    guard SwiftName.isIdentifier(chosen.text) else {
      errors.append(.notAnIdentifier(chosen.text, at: chosen.range))
      return false
    }
    let scope = scope(of: definition)
    let suffixes = output.suffixes(of: definition, roots: roots)
    for suffix in suffixes {
      guard let obstacle = obstacle(chosen.text + suffix, in: scope, place(of: definition)) else { continue }
      errors.append(.wrongSwiftName(chosen.text + suffix, at: chosen.range, of: "type", obstacle))
      break
    }
    take(chosen.text, for: definition, suffixes, in: scope)
    return true
  }

  private mutating func name(_ definition: DefinitionID, _ file: SchemaFile) {
    let name = schema.name(of: definition).name
    let scope = scope(of: definition)
    let suffixes = output.suffixes(of: definition, roots: roots)
    let free = free(name, suffixes, in: scope, place(of: definition))
    take(free.name, for: definition, suffixes, in: scope)
    guard let obstacle = free.obstacle, file.isInput else { return }
    renamed.append(
      RenamedInSwift(
        kind: "type", name: name, swiftName: free.name, wanted: free.wanted,
        range: schema.declaration(of: definition).nameRange, obstacle: obstacle, isChoosable: true))
  }

  private mutating func take(_ name: String, for definition: DefinitionID, _ suffixes: [String], in scope: Int) {
    let definedName = schema.name(of: definition).name
    let range = schema.declaration(of: definition).nameRange
    for suffix in suffixes { taken[scope][name + suffix] = range }
    if name != definedName { types[definition] = name }
  }

  private func scope(of definition: DefinitionID) -> Int {
    // Each namespace has its path by now; the global one is empty.
    paths[schema.name(of: definition).namespace]?.last ?? 0
  }

  // MARK: Free names

  /// The kind of thing that a name is given to. The reserved names depend on it.
  private enum Place {
    case namespace, type, enumeration, optionSet
  }

  private func place(of definition: DefinitionID) -> Place {
    guard case .enumeration(let id) = definition else { return .type }
    return schema[id].isBitFlags ? .optionSet : .enumeration
  }

  /// Returns the first name derived from `name` that is free with each of the suffixes. If `name` itself is not free,
  /// also returns the wanted name that is taken and the obstacle.
  private mutating func free(
    _ name: String, _ suffixes: [String], in scope: Int, _ place: Place
  ) -> (name: String, wanted: String, obstacle: NameObstacle?) {
    for suffix in suffixes {
      guard let obstacle = obstacle(name + suffix, in: scope, place) else { continue }
      // Moved out, so that it is not copied.
      var rule = GivingWay()
      swap(&rule, &givingWay[scope])
      let found = rule.first(name) { candidate in
        suffixes.allSatisfy { self.obstacle(candidate + $0, in: scope, place) == nil }
      }
      swap(&rule, &givingWay[scope])
      return (found, name + suffix, obstacle)
    }
    return (name, name, nil)
  }

  private func obstacle(_ name: String, in scope: Int, _ place: Place) -> NameObstacle? {
    if reserved.contains(name, isGlobal: scope == 0, isNamespace: place == .namespace) { return .reserved }
    if place == .enumeration || place == .optionSet, reserved.containsForEnums(name) { return .reserved }
    if place == .optionSet, reserved.contains(name, asOptionSetIn: output) { return .reserved }
    if let owner = taken[scope][name] { return .taken(by: owner) }
    if scope == 0 { return nil }
    if scopes[scope - 1].isRootClass, reserved.containsInRootClass(name) { return .reserved }
    // Code within a namespace uses the full names of its own types.
    if swiftName(ofScope: scopes[scope - 1].first) == name { return .hides }
    return spelled[scope]?.contains(name) == true ? .hides : nil
  }

  private mutating func findSpelled() {
    for definition in schema.files.flatMap(\.definitions) {
      let namespace = schema.name(of: definition).namespace
      if let scope = paths[namespace]?.last { noteSpelled(by: definition, within: scope) }
    }
    for (table, scope) in scopesOfClasses { noteSpelled(byRootClass: table, within: scope) }
  }

  /// Records the names that the code for a root class uses, which serves as a namespace.
  private mutating func noteSpelled(byRootClass table: TableID, within scope: Int) {
    noteSpelled(by: .table(table), within: scope)
    spelled[scope, default: []].formUnion(writtenNames(of: .table(table)))
  }

  /// Records the names that the code for a definition within a namespace uses.
  private mutating func noteSpelled(by definition: DefinitionID, within scope: Int) {
    for used in schema.spelled(by: definition, nested) {
      let other = schema.name(of: used).namespace
      if let first = paths[other]?.first {
        spelled[scope, default: []].insert(swiftName(ofScope: first))
      } else {
        spelled[scope, default: []].formUnion(writtenNames(of: used))
      }
    }
  }
}

extension Schema {
  /// Returns the definitions whose names another definition's code uses.
  fileprivate func spelled(by definition: DefinitionID, _ nested: NestedTables) -> [DefinitionID] {
    guard nested.areUsed, case .table(let id) = definition else { return contents(of: definition) }
    let table = self[id]
    return contents(of: definition)
      + table.fields.filter { !$0.isDeprecated }.compactMap { nested.table($0).map { .table($0) } }
  }

  /// Returns the files, each after those that it includes. In a cycle, the file that is met first comes last.
  fileprivate func filesAfterTheirIncludes() -> [SchemaFile] {
    var order: [SchemaFile] = []
    var seen: Set<FileID> = []
    for file in files where seen.insert(file.id).inserted {
      var stack: [(file: FileID, next: Int)] = [(file.id, 0)]
      while let (id, next) = stack.last {
        let includes = self[id].includes
        if next < includes.count {
          stack[stack.count - 1].next += 1
          if seen.insert(includes[next]).inserted { stack.append((includes[next], 0)) }
        } else {
          order.append(self[id])
          stack.removeLast()
        }
      }
    }
    return order
  }
}
