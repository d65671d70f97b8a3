import FBSSchema

/// The indexes that a store keeps for a root table, by their keys on disk.
struct StoreIndexes {
  /// One index.
  struct Entry {
    /// The name on disk, such as `f4__f8`.
    let key: String
    /// The table or struct that the indexed field stands in.
    let owner: DefinitionID
    /// The id of the field, or its offset in a struct.
    let number: Int
    /// The indexed field.
    let declaration: Declaration
    let name: String
    let isUnique: Bool
    /// Whether an object may lack a value. Absent values collide with nothing.
    let isNullable: Bool
  }

  private(set) var entries: [Entry] = []
  private let schema: Schema
  /// The tables and structs that lead to an indexed field, as keys. All others need no visit.
  private var leads: [DefinitionID: Bool] = [:]

  init(of root: TableID, in schema: Schema) {
    self.schema = schema
    guard leadsToIndex(.table(root)) else { return }
    walk(root)
  }

  private struct Step {
    let type: DefinitionID
    let prefix: String
    let isNullable: Bool
    let depth: Int
  }

  /// Bounds of the walk, since the schema may be one that no store accepts, with endless or countless paths to indexes.
  /// A schema that the validator accepts stays within them.
  private static let maximumDepth = 64
  private static let maximumCount = 100_000

  private mutating func walk(_ root: TableID) {
    var steps = [Step(type: .table(root), prefix: "", isNullable: false, depth: 0)]
    while let step = steps.popLast(), entries.count < Self.maximumCount, steps.count < Self.maximumCount {
      guard step.depth <= Self.maximumDepth else { continue }
      switch step.type {
      case .table(let id): steps += visit(schema[id], step)
      case .structure(let id): steps += visit(schema[id], step)
      case .enumeration, .union: break
      }
    }
  }

  private mutating func visit(_ table: TableDefinition, _ step: Step) -> [Step] {
    var steps: [Step] = []
    for field in table.fields where !field.isDeprecated {
      let key = step.prefix + "f\(field.vtableOffset)"
      let isNullable = step.isNullable || field.presence == .optional
      func go(to type: DefinitionID, _ part: String = "") {
        guard leads[type] == true else { return }
        steps.append(Step(type: type, prefix: key + part + "__", isNullable: true, depth: step.depth + 1))
      }
      switch field.type {
      case .scalar, .enumeration, .string: add(field, key, isNullable, step.type)
      case .union(let id):
        add(field, key + "__type", true, step.type)
        for member in schema[id].members {
          if let type = member.type.definition { go(to: type, "__u\(member.codeText)") }
        }
      case .table(let id): go(to: .table(id))
      case .structure(let id): go(to: .structure(id))
      case .vector: break
      }
    }
    return steps
  }

  private mutating func add(_ field: FieldDefinition, _ key: String, _ isNullable: Bool, _ owner: DefinitionID) {
    guard let index = field.index, !field.isPrimary else { return }
    entries.append(
      Entry(
        key: key, owner: owner, number: field.id, declaration: field.declaration, name: field.name,
        isUnique: index == .unique,
        isNullable: isNullable))
  }

  private mutating func visit(_ definition: StructDefinition, _ step: Step) -> [Step] {
    var steps: [Step] = []
    for field in definition.fields {
      let key = step.prefix + "f\(field.offset)"
      switch field.type {
      case .scalar, .enumeration:
        let isUnique = field.declaration.has("unique")
        guard isUnique || field.declaration.has("indexed") else { continue }
        entries.append(
          Entry(
            key: key, owner: step.type, number: field.offset, declaration: field.declaration, name: field.name,
            isUnique: isUnique,
            isNullable: step.isNullable))
      case .structure(let id) where leads[.structure(id)] == true:
        steps.append(
          Step(type: .structure(id), prefix: key + "__", isNullable: step.isNullable, depth: step.depth + 1))
      case .structure, .array: break
      }
    }
    return steps
  }

  // MARK: Types that lead to an index

  /// Fills `leads` with the types that lead to an indexed field: finds all types that the root reaches, then goes back
  /// from those with an indexed field. Returns whether the root is one of them.
  private mutating func leadsToIndex(_ root: DefinitionID) -> Bool {
    var reached = [root]
    var known: Set<DefinitionID> = [root]
    var users: [DefinitionID: [DefinitionID]] = [:]
    var waiting: [DefinitionID] = []
    var next = 0
    while next < reached.count {
      let type = reached[next]
      next += 1
      let (isIndexed, inner) = contents(of: type)
      if isIndexed { waiting.append(type) }
      for other in inner {
        users[other, default: []].append(type)
        if known.insert(other).inserted { reached.append(other) }
      }
    }
    while let type = waiting.popLast() {
      guard leads.updateValue(true, forKey: type) == nil else { continue }
      waiting += users[type] ?? []
    }
    return leads[root] == true
  }

  private func contents(of type: DefinitionID) -> (isIndexed: Bool, inner: [DefinitionID]) {
    switch type {
    case .table(let id):
      var inner: [DefinitionID] = []
      var isIndexed = false
      for field in schema[id].fields where !field.isDeprecated {
        if field.index != nil { isIndexed = true }
        switch field.type {
        case .table(let id): inner.append(.table(id))
        case .structure(let id): inner.append(.structure(id))
        case .union(let id): inner += schema[id].members.compactMap(\.type.definition)
        case .scalar, .enumeration, .string, .vector: break
        }
      }
      return (isIndexed, inner)
    case .structure(let id):
      let fields = schema[id].fields
      let isIndexed = fields.contains {
        $0.declaration.has("indexed") || $0.declaration.has("unique")
      }
      let inner = fields.compactMap { field -> DefinitionID? in
        if case .structure(let id) = field.type { .structure(id) } else { nil }
      }
      return (isIndexed, inner)
    case .enumeration, .union: return (false, [])
    }
  }
}
