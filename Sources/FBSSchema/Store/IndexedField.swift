/// An index that a store keeps for a root table: over a field of the table itself, or of the tables and structs that it holds, by
/// themselves or in a union. A field may have two, one of values and one of folded texts.
public struct IndexedField: Hashable, Sendable {
  /// A step of the way from the root to the field. Fields and members are named by their positions in the definition.
  public enum Step: Hashable, Sendable {
    /// The field of a table.
    case field(TableID, Int)
    /// A member of the union in the field of a table.
    case member(TableID, Int, member: Int)
    /// The field of a struct.
    case structField(StructID, Int)
  }

  /// The steps from the root table to the indexed field, which is the last one.
  public let steps: [Step]
  /// The kind of the index: which entries it has, and whether it is unique.
  public let index: IndexKind

  /// Whether the index is unique: no two objects may have equal entries.
  public var isUnique: Bool { index.isUnique }

  /// Returns all indexes of a root table, in the order of the text; of the indexes of one field, that of values is the first. A field of
  /// the primary key has none of values, since the key has an index already, unless it is unique without the key's other fields.
  ///
  /// - Parameter reach: The reach of the schema's indexes.
  public static func all(of root: TableID, in schema: Schema, _ reach: IndexReach) -> [IndexedField] {
    var search = IndexedFieldSearch(schema, reach)
    search.visit(root, [])
    return search.found
  }
}

private struct IndexedFieldSearch {
  private let schema: Schema
  private let reach: IndexReach
  private(set) var found: [IndexedField] = []
  /// The tables on the way from the root, since a way that turns back on itself would never end. `StoreValidator` refuses
  /// indexed fields behind such a way, so that nothing is missed; and it limits how many ways there are, and how deep.
  private var onTheWay: Set<TableID> = []

  /// The number of indexes at which the search ends: the most that `StoreValidator` lets a root have. In a schema that it
  /// would refuse, the ways may double with each table or struct on them.
  private static let maximumCount = 100_000

  init(_ schema: Schema, _ reach: IndexReach) {
    self.schema = schema
    self.reach = reach
  }

  mutating func visit(_ id: TableID, _ way: [IndexedField.Step]) {
    // Most ways lead to no index, and their number may grow with every table on them.
    guard found.count < Self.maximumCount, reach.contains(id), onTheWay.insert(id).inserted else { return }
    defer { onTheWay.remove(id) }
    let table = schema[id]
    for (index, field) in table.fields.enumerated() where !field.isDeprecated {
      let step = way + [.field(id, index)]
      for own in table.indexes(of: field) { found.append(IndexedField(steps: step, index: own)) }
      switch field.type {
      case .table(let table): visit(table, step)
      case .structure(let structure): visit(structure, step)
      case .union(let union):
        for (number, member) in schema[union].members.enumerated() {
          let step = way + [.member(id, index, member: number)]
          switch member.type {
          case .table(let table): visit(table, step)
          case .structure(let structure): visit(structure, step)
          case .string: break
          }
        }
      case .scalar, .enumeration, .string, .vector: break
      }
    }
  }

  /// Structs cannot contain themselves, so every way through them ends.
  private mutating func visit(_ id: StructID, _ way: [IndexedField.Step]) {
    guard found.count < Self.maximumCount, reach.contains(id) else { return }
    for (index, field) in schema[id].fields.enumerated() {
      let step = way + [.structField(id, index)]
      for own in field.indexes { found.append(IndexedField(steps: step, index: own)) }
      if case .structure(let inner) = field.type { visit(inner, step) }
    }
  }
}
