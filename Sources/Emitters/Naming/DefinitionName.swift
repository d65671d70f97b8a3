import FBSSchema

extension Schema {
  /// The name of a definition.
  func name(of definition: DefinitionID) -> QualifiedName {
    switch definition {
    case .enumeration(let id): self[id].name
    case .structure(let id): self[id].name
    case .table(let id): self[id].name
    case .union(let id): self[id].name
    }
  }
}
