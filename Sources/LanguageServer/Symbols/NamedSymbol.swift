import FBSDiagnostics
import FBSSchema

/// The definition or member that a name in a schema refers to.
enum NamedSymbol: Hashable {
  case definition(DefinitionID)
  case service(ServiceID)
  /// A field of a table, by its index.
  case field(TableID, Int)
  /// A field of a struct, by its index.
  case structField(StructID, Int)
  /// A name of an enum, by its index in `EnumDefinition.names`.
  case enumValue(EnumID, Int)
  /// A member of a union with an alias, by its index. A member without an alias has the name of its type.
  case unionMember(UnionID, Int)
  /// A method of a service, by its index.
  case method(ServiceID, Int)
}

/// An occurrence of a name in a text.
struct NameOccurrence: Hashable {
  let symbol: NamedSymbol
  let range: SourceRange
  let isDeclaration: Bool
}

extension Schema {
  /// Returns the declaration of a symbol.
  func declaration(of symbol: NamedSymbol) -> Declaration {
    switch symbol {
    case .definition(let id): declaration(of: id)
    case .service(let id): self[id].declaration
    case .field(let id, let index): self[id].fields[index].declaration
    case .structField(let id, let index): self[id].fields[index].declaration
    case .enumValue(let id, let index): self[id].names[index].declaration
    case .unionMember(let id, let index): self[id].members[index].declaration
    case .method(let id, let index): self[id].methods[index].declaration
    }
  }

  /// Returns a symbol's name, without a namespace.
  func simpleName(of symbol: NamedSymbol) -> String {
    switch symbol {
    case .definition(let id): name(of: id).name
    case .service(let id): self[id].name.name
    case .field(let id, let index): self[id].fields[index].name
    case .structField(let id, let index): self[id].fields[index].name
    case .enumValue(let id, let index): self[id].names[index].name
    case .unionMember(let id, let index): self[id].members[index].name
    case .method(let id, let index): self[id].methods[index].name
    }
  }

  /// Returns the definition that a dotted name refers to in a namespace, searching from the innermost one outwards; nil
  /// if there is none.
  func definition(named path: [String], from namespace: [String], in known: [QualifiedName: DefinitionID])
    -> DefinitionID?
  {
    guard let name = path.last else { return nil }
    var outer = namespace[...]
    while true {
      if let found = known[QualifiedName(namespace: Array(outer) + path.dropLast(), name: name)] { return found }
      guard !outer.isEmpty else { return nil }
      outer.removeLast()
    }
  }

  /// All definitions by their names.
  var definitionsByName: [QualifiedName: DefinitionID] {
    var known: [QualifiedName: DefinitionID] = [:]
    for file in files {
      for definition in file.definitions { known[name(of: definition)] = known[name(of: definition)] ?? definition }
    }
    return known
  }
}
