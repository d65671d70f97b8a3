/// The tables and structs from which an indexed field can be reached: by way of tables, structs and unions, not of
/// the elements of vectors.
public struct IndexReach: Sendable {
  private let nodes: Set<DefinitionID>

  /// Finds the reach of a schema's indexes, once for all of its root tables.
  public init(_ schema: Schema) {
    var queue: [DefinitionID] = []
    for (index, table) in schema.tables.enumerated()
    where table.fields.contains(where: { !table.indexes(of: $0).isEmpty }) {
      queue.append(.table(TableID(index)))
    }
    for (index, structure) in schema.structs.enumerated()
    where structure.fields.contains(where: { !$0.indexes.isEmpty }) {
      queue.append(.structure(StructID(index)))
    }
    var reached = Set(queue)
    let holders = queue.isEmpty ? [:] : Self.holders(in: schema)
    while let definition = queue.popLast() {
      for holder in holders[definition] ?? [] where reached.insert(holder).inserted { queue.append(holder) }
    }
    nodes = reached
  }

  /// Returns the holders of each definition, so that the search goes from the indexed fields up.
  private static func holders(in schema: Schema) -> [DefinitionID: [DefinitionID]] {
    var holders: [DefinitionID: [DefinitionID]] = [:]
    let definitions =
      schema.tables.indices.map { DefinitionID.table(TableID($0)) }
      + schema.structs.indices.map { .structure(StructID($0)) } + schema.unions.indices.map { .union(UnionID($0)) }
    for definition in definitions {
      for held in schema.heldInPlace(by: definition) { holders[held, default: []].append(definition) }
    }
    return holders
  }

  /// Returns whether objects of the table have an indexed field, or lead to one.
  public func contains(_ id: TableID) -> Bool { !nodes.isEmpty && nodes.contains(.table(id)) }
  /// Returns whether the struct has an indexed field, or leads to one.
  public func contains(_ id: StructID) -> Bool { !nodes.isEmpty && nodes.contains(.structure(id)) }
}

extension Schema {
  /// Returns the types that a definition holds directly, and not as elements of a vector or an array.
  fileprivate func heldInPlace(by definition: DefinitionID) -> [DefinitionID] {
    switch definition {
    case .enumeration: []
    case .union: contents(of: definition)
    case .structure(let id):
      self[id].fields.compactMap { field in
        if case .structure(let inner) = field.type { .structure(inner) } else { nil }
      }
    case .table(let id):
      self[id].fields.compactMap { field in
        guard !field.isDeprecated else { return nil }
        return switch field.type {
        case .table(let inner): .table(inner)
        case .structure(let inner): .structure(inner)
        case .union(let inner): .union(inner)
        case .scalar, .enumeration, .string, .vector: nil
        }
      }
    }
  }
}
