import FBSSchema

/// The indexes that a store keeps for a root table, by their keys on disk.
struct StoreIndexes {
  /// An index of a root table, with the field that it is over.
  struct Entry {
    /// The name on disk, such as `f4__f8` or `f6__elements`.
    let key: String
    /// The part of the name that stands for the field, which all indexes of the field share.
    let fieldKey: String
    /// The table or struct that the indexed field stands in.
    let owner: DefinitionID
    /// The id of the field, or its offset in a struct.
    let number: Int
    /// The indexed field.
    let declaration: Declaration
    let name: String
    let index: IndexKind
    /// Whether an object may lack a value. Absent values collide with nothing.
    let isNullable: Bool

    init(
      _ index: IndexKind, _ fieldKey: String, owner: DefinitionID, number: Int, name: String,
      _ declaration: Declaration, isNullable: Bool
    ) {
      key = fieldKey + index.entries.keySuffix
      self.fieldKey = fieldKey
      self.owner = owner
      self.number = number
      self.declaration = declaration
      self.name = name
      self.index = index
      self.isNullable = isNullable
    }

    var isUnique: Bool { index.isUnique }
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

  /// The deepest tables and structs that the walk visits, below the root. A schema that the validator accepts stays
  /// within this bound and the next. A schema that no store accepts may have endless or countless paths to indexes.
  private static let maximumDepth = 64
  /// The number of entries, or of waiting steps, at which the walk stops.
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
      func addIndexes(_ key: String, isNullable: Bool) {
        for index in table.indexes(of: field) {
          entries.append(
            Entry(
              index, key, owner: step.type, number: field.id, name: field.name, field.declaration,
              isNullable: isNullable))
        }
      }
      func go(to type: DefinitionID, _ part: String = "") {
        guard leads[type] == true else { return }
        steps.append(Step(type: type, prefix: key + part + "__", isNullable: true, depth: step.depth + 1))
      }
      switch field.type {
      case .scalar, .enumeration, .string, .vector: addIndexes(key, isNullable: isNullable)
      case .union(let id):
        addIndexes(key + "__type", isNullable: true)
        for member in schema[id].members {
          if let type = member.type.definition { go(to: type, "__u\(member.codeText)") }
        }
      case .table(let id): go(to: .table(id))
      case .structure(let id):
        addIndexes(key, isNullable: isNullable)
        go(to: .structure(id))
      }
    }
    return steps
  }

  private mutating func visit(_ definition: StructDefinition, _ step: Step) -> [Step] {
    var steps: [Step] = []
    for field in definition.fields {
      let key = step.prefix + "f\(field.offset)"
      for index in field.indexes {
        entries.append(
          Entry(
            index, key, owner: step.type, number: field.offset, name: field.name, field.declaration,
            isNullable: step.isNullable))
      }
      switch field.type {
      case .structure(let id) where leads[.structure(id)] == true:
        steps.append(
          Step(type: .structure(id), prefix: key + "__", isNullable: step.isNullable, depth: step.depth + 1))
      case .scalar, .enumeration, .structure, .array: break
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
      let table = schema[id]
      for field in table.fields where !field.isDeprecated {
        if !table.indexes(of: field).isEmpty { isIndexed = true }
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
      let isIndexed = fields.contains { !$0.indexes.isEmpty }
      let inner = fields.compactMap { field -> DefinitionID? in
        if case .structure(let id) = field.type { .structure(id) } else { nil }
      }
      return (isIndexed, inner)
    case .enumeration, .union: return (false, [])
    }
  }
}
