import FBSSchema

extension Schema {
  func name(of id: DefinitionID) -> QualifiedName {
    switch id {
    case .table(let id): self[id].name
    case .structure(let id): self[id].name
    case .enumeration(let id): self[id].name
    case .union(let id): self[id].name
    }
  }

  func declaration(of id: DefinitionID) -> Declaration {
    switch id {
    case .table(let id): self[id].declaration
    case .structure(let id): self[id].declaration
    case .enumeration(let id): self[id].declaration
    case .union(let id): self[id].declaration
    }
  }

  /// The root tables of the inputs, each once, with the file that names it first.
  var roots: [(file: SchemaFile, table: TableID)] {
    var seen: Set<TableID> = []
    return files.compactMap { file in
      guard file.isInput, let table = file.rootTable, seen.insert(table).inserted else { return nil }
      return (file, table)
    }
  }
}

extension DefinitionID {
  /// The kind, in a word.
  var kind: String {
    switch self {
    case .table: "table"
    case .structure: "struct"
    case .enumeration: "enum"
    case .union: "union"
    }
  }

  var kindWithArticle: String { (kind == "enum" ? "an " : "a ") + kind }
}

extension FieldType {
  /// What the type refers to.
  var definition: DefinitionID? {
    switch self {
    case .scalar, .string: nil
    case .enumeration(let id): .enumeration(id)
    case .structure(let id): .structure(id)
    case .table(let id): .table(id)
    case .union(let id): .union(id)
    case .vector(of: let element): element.asField.definition
    }
  }

  /// The type as schemas write it.
  func text(in schema: Schema) -> String {
    switch self {
    case .scalar(let type): type.schemaName
    case .string: "string"
    case .vector(of: let element): "[\(element.asField.text(in: schema))]"
    case .enumeration, .structure, .table, .union: definition.map { schema.name(of: $0).description } ?? ""
    }
  }
}

extension StructDefinition.FieldType {
  /// What the type refers to.
  var definition: DefinitionID? {
    switch self {
    case .scalar: nil
    case .enumeration(let id): .enumeration(id)
    case .structure(let id): .structure(id)
    case .array(of: let element, _): element.definition
    }
  }

  /// The type as schemas write it.
  func text(in schema: Schema) -> String {
    switch self {
    case .scalar(let type): type.schemaName
    case .array(of: let element, let count): "[\(element.text(in: schema)):\(count)]"
    case .enumeration, .structure: definition.map { schema.name(of: $0).description } ?? ""
    }
  }
}

extension UnionDefinition.MemberType {
  /// What the type refers to.
  var definition: DefinitionID? {
    switch self {
    case .table(let id): .table(id)
    case .structure(let id): .structure(id)
    case .string: nil
    }
  }
}

extension DefinitionID {
  /// An order: that of the kinds, then of the text.
  var place: (Int, Int) {
    switch self {
    case .table(let id): (0, id.index)
    case .structure(let id): (1, id.index)
    case .enumeration(let id): (2, id.index)
    case .union(let id): (3, id.index)
    }
  }
}

extension Schema {
  /// Types, and all that objects of them hold, however deep.
  func contents(reachedFrom starts: [DefinitionID]) -> Set<DefinitionID> {
    var known = Set(starts)
    var queue = starts
    while let type = queue.popLast() {
      for inner in contents(of: type) where known.insert(inner).inserted { queue.append(inner) }
    }
    return known
  }

  /// The types that objects of a type hold. Deprecated fields hold what they held before.
  func contents(of id: DefinitionID) -> [DefinitionID] {
    switch id {
    case .table(let id): self[id].fields.compactMap { $0.isDeprecated ? nil : $0.type.definition }
    case .structure(let id): self[id].fields.compactMap(\.type.definition)
    case .union(let id): self[id].members.compactMap(\.type.definition)
    case .enumeration: []
    }
  }
}
