extension Schema {
  /// Returns the name of a definition.
  public func name(of id: DefinitionID) -> QualifiedName {
    switch id {
    case .table(let id): self[id].name
    case .structure(let id): self[id].name
    case .enumeration(let id): self[id].name
    case .union(let id): self[id].name
    }
  }

  /// Returns the documentation, attributes and ranges of a definition.
  public func declaration(of id: DefinitionID) -> Declaration {
    switch id {
    case .table(let id): self[id].declaration
    case .structure(let id): self[id].declaration
    case .enumeration(let id): self[id].declaration
    case .union(let id): self[id].declaration
    }
  }

  /// Returns the types that objects of a type hold in fields, elements or members. A type that is held several times is
  /// there several times.
  public func contents(of id: DefinitionID) -> [DefinitionID] {
    switch id {
    case .table(let id): self[id].fields.compactMap { $0.isDeprecated ? nil : $0.type.definition }
    case .structure(let id): self[id].fields.compactMap(\.type.definition)
    case .union(let id): self[id].members.compactMap(\.type.definition)
    case .enumeration: []
    }
  }

  /// Returns types with all types that objects of them hold, however deep.
  public func contents(reachedFrom starts: [DefinitionID]) -> Set<DefinitionID> {
    var known = Set(starts)
    var queue = starts
    while let type = queue.popLast() {
      for inner in contents(of: type) where known.insert(inner).inserted { queue.append(inner) }
    }
    return known
  }
}

extension FieldType {
  /// The definition that the type, or its element type, refers to; nil if there is none.
  public var definition: DefinitionID? {
    switch self {
    case .scalar, .string, .vector(of: .scalar), .vector(of: .string): nil
    case .enumeration(let id), .vector(of: .enumeration(let id)): .enumeration(id)
    case .structure(let id), .vector(of: .structure(let id)): .structure(id)
    case .table(let id), .vector(of: .table(let id)): .table(id)
    case .union(let id), .vector(of: .union(let id)): .union(id)
    }
  }
}

extension StructDefinition.FieldType {
  /// The definition that the type, or its element type, refers to; nil if there is none.
  public var definition: DefinitionID? {
    switch self {
    case .scalar: nil
    case .enumeration(let id): .enumeration(id)
    case .structure(let id): .structure(id)
    case .array(of: let element, _): element.definition
    }
  }
}

extension UnionDefinition.MemberType {
  /// The definition that the type refers to.
  public var definition: DefinitionID? {
    switch self {
    case .table(let id): .table(id)
    case .structure(let id): .structure(id)
    case .string: nil
    }
  }
}
