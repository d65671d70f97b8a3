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
/// Swift allows no declaration to expose a less visible type. So a type that holds a private one is internal, too.
struct AccessLevels: Sendable {
  /// The level of all types that are not private.
  let run: AccessLevel
  private let internalTypes: Set<DefinitionID>

  init(_ schema: Schema, _ nestedTables: NestedTables, run: AccessLevel) {
    self.run = run
    let definitions = schema.files.flatMap(\.definitions)
    var queue = definitions.filter { schema.declaration(of: $0).has("private") }
    guard run > .internal, !queue.isEmpty else {
      internalTypes = []
      return
    }
    var holders: [DefinitionID: [DefinitionID]] = [:]
    for definition in definitions {
      for content in schema.contents(of: definition) { holders[content, default: []].append(definition) }
      guard case .table(let id) = definition else { continue }
      for field in schema[id].fields where !field.isDeprecated {
        if let nested = nestedTables.table(field, of: schema[id]) {
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

  /// Returns the level of a type, and of all that is generated for it.
  func level(of definition: DefinitionID) -> AccessLevel { internalTypes.contains(definition) ? .internal : run }
}
