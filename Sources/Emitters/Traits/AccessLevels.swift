import FBSSchema

/// The access levels of generated code, with Swift's names.
public enum AccessLevel: String, CaseIterable, Comparable, Sendable {
  /// Visible within the module of the generated code.
  case `internal`
  /// Visible within the package of that module.
  case package
  /// Visible everywhere.
  case `public`

  /// Returns whether `lhs` is narrower than `rhs`. The order is `internal`, then `package`, then `public`.
  public static func < (lhs: AccessLevel, rhs: AccessLevel) -> Bool { lhs.rank < rhs.rank }

  private var rank: Int {
    switch self {
    case .internal: 0
    case .package: 1
    case .public: 2
    }
  }
}

/// The access level of each type of a schema: that of the run, or `internal` for a type with `(private)`.
///
/// Swift allows no declaration to expose a less visible type. So a type that holds a private one is internal, too, and
/// so is a type that is nested in an internal class, because the class serves as its namespace.
struct AccessLevels: Sendable {
  /// The level of all types that are not private.
  let run: AccessLevel
  private let internalTypes: Set<DefinitionID>

  /// Finds the levels of a schema's types, whose names in Swift are `names`.
  init(_ schema: Schema, _ nestedTables: NestedTables, _ names: Namer, run: AccessLevel) {
    self.run = run
    let definitions = schema.files.flatMap(\.definitions)
    var queue = definitions.filter { schema.declaration(of: $0).has("private") }
    guard run > .internal, !queue.isEmpty else {
      internalTypes = []
      return
    }
    // The types that are internal if another one is.
    var holders = Self.nestedTypes(of: definitions, names)
    for definition in definitions {
      for content in schema.contents(of: definition) { holders[content, default: []].append(definition) }
      guard case .table(let id) = definition else { continue }
      for field in schema[id].fields where !field.isDeprecated {
        if let nested = nestedTables.table(field) {
          holders[.table(nested), default: []].append(definition)
        }
      }
    }
    var found = Set(queue)
    while let type = queue.popLast() {
      for holder in holders[type] ?? [] where found.insert(holder).inserted { queue.append(holder) }
    }
    internalTypes = found
  }

  /// Returns the types that are nested in each root class that serves as a namespace, at any depth.
  private static func nestedTypes(of definitions: [DefinitionID], _ names: Namer) -> [DefinitionID: [DefinitionID]] {
    guard !names.namespacesThatAreClasses.isEmpty else { return [:] }
    var classes: [[String]: DefinitionID] = [:]
    for definition in definitions {
      let name = names.declared(definition)
      let path = name.namespace + [name.model]
      if names.namespacesThatAreClasses.contains(path) { classes[path] = definition }
    }
    var nested: [DefinitionID: [DefinitionID]] = [:]
    for definition in definitions {
      let namespace = names.declared(definition).namespace
      for length in 1..<namespace.count + 1 {
        if let outer = classes[Array(namespace.prefix(length))] { nested[outer, default: []].append(definition) }
      }
    }
    return nested
  }

  /// Returns the level of a type, and of all that is generated for it.
  func level(of definition: DefinitionID) -> AccessLevel { internalTypes.contains(definition) ? .internal : run }
}
