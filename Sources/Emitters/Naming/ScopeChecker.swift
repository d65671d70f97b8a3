import FBSParser
import FBSSchema

/// Finds names of types and namespaces that would mean something else where generated code uses them.
struct ScopeChecker {
  private let schema: Schema
  private let names: Namer
  /// Words that no type and no namespace can be called.
  private let reserved: Set<String>
  /// Words that cannot be the first part of a name, since generated code has a local of that name.
  private let locals: Set<String>
  private var found: [Diagnostic] = []
  private var reported: Set<String> = []

  init(schema: Schema, names: Namer, emitsModel: Bool) {
    self.schema = schema
    self.names = names
    // A module can be named only where the schema has nothing of that name.
    let modules = Set(names.hidden.compactMap { OutsideNames.modules[$0] })
    reserved = OutsideNames.impossible.union(modules).union(emitsModel ? OutsideNames.nested : [])
    locals = OutsideNames.locals
  }

  func diagnostics() -> [Diagnostic] {
    var checker = self
    let children = checker.children()
    for file in schema.files {
      for definition in file.definitions { checker.check(definition, children) }
    }
    return checker.found
  }

  private mutating func check(_ definition: DefinitionID, _ children: [[String]: Set<String>]) {
    let name = schema.name(of: definition)
    let place = schema.declaration(of: definition).nameRange
    if reserved.contains(name.name) || name.namespace.isEmpty && locals.contains(name.name) {
      found.append(
        Diagnostic(
          EmitterCode.reservedName, .error, "a type cannot be called `\(name.name)` in Swift", at: place,
          advice: "give it another name", notes: ["the generated code needs the name for something else"]))
    }
    for (index, part) in name.namespace.enumerated()
    where reserved.contains(part) || index == 0 && locals.contains(part) {
      report(
        "a namespace cannot be called `\(part)` in Swift", at: place,
        "the generated code needs the name for something else")
    }
    let used = firstParts(usedBy: definition)
    for length in 1..<(name.namespace.count + 1) {
      let around = Array(name.namespace.prefix(length))
      for part in used.intersection(children[around] ?? []).sorted() {
        report(
          "`\(part)` in the namespace `\(around.joined(separator: "."))` hides another `\(part)`", at: place,
          "within the namespace, Swift takes `\(part)` for `\((around + [part]).joined(separator: "."))`")
      }
    }
    let spelled = spelledParts(by: definition)
    for member in members(of: definition) where spelled.contains(member.swift) {
      found.append(
        Diagnostic(
          EmitterCode.nameCollision, .error,
          "`\(member.name)` hides the type or namespace `\(member.swift)` in the generated code",
          at: member.declaration.nameRange, advice: "give it another name"))
    }
  }

  /// Says something that concerns many definitions, once.
  private mutating func report(_ message: String, at place: SourceRange, _ note: String) {
    guard reported.insert(message).inserted else { return }
    found.append(
      Diagnostic(
        EmitterCode.reservedName, .error, message, at: place, advice: "give one of them another name", notes: [note]))
  }

  /// What each namespace holds: its types, what is generated beside them, and the namespaces in it.
  private func children() -> [[String]: Set<String>] {
    var children: [[String]: Set<String>] = [:]
    for definition in schema.files.flatMap(\.definitions) {
      let name = schema.name(of: definition)
      for length in name.namespace.indices.dropFirst() {
        children[Array(name.namespace.prefix(length)), default: []].insert(name.namespace[length])
      }
      if !name.namespace.isEmpty {
        children[name.namespace, default: []].formUnion(generatedNames(of: definition))
      }
    }
    return children
  }

  private func generatedNames(of definition: DefinitionID) -> [String] {
    let suffixes =
      switch definition {
      case .enumeration: Namer.Suffix.ofEnum
      case .structure: Namer.Suffix.ofStruct
      case .union: Namer.Suffix.ofUnion
      case .table(let id): names.isRoot(id) ? Namer.Suffix.ofRoot : Namer.Suffix.ofTable
      }
    let name = schema.name(of: definition).name
    return [name] + suffixes.map { name + $0 }
  }

  /// The first parts of the names that the code for a definition spells.
  private func firstParts(usedBy definition: DefinitionID) -> Set<String> {
    var parts: Set<String> = []
    for used in [definition] + schema.held(by: definition) {
      if let first = schema.name(of: used).namespace.first {
        parts.insert(first)
      } else {
        parts.formUnion(generatedNames(of: used))
      }
    }
    return parts
  }

  /// Those of them that stand in expressions among the members: a union's code spells the types of its members where only
  /// a type can stand.
  private func spelledParts(by definition: DefinitionID) -> Set<String> {
    guard case .union = definition else { return firstParts(usedBy: definition) }
    let models = ([definition] + schema.held(by: definition)).map { schema.name(of: $0) }
    return firstParts(usedBy: definition).subtracting(models.lazy.filter(\.namespace.isEmpty).map(\.name))
  }

  private func members(of definition: DefinitionID) -> [(name: String, swift: String, declaration: Declaration)] {
    switch definition {
    case .enumeration(let id): schema[id].values.map { ($0.name, Namer.caseName($0.name), $0.declaration) }
    case .union(let id): schema[id].members.map { ($0.name, Namer.caseName($0.name), $0.declaration) }
    case .structure(let id): schema[id].fields.map { ($0.name, Namer.lowerCamelCase($0.name), $0.declaration) }
    case .table(let id):
      schema[id].fields.filter { !$0.isDeprecated }.map { ($0.name, Namer.lowerCamelCase($0.name), $0.declaration) }
    }
  }
}
