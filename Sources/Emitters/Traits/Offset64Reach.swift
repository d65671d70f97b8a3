import FBSSchema

/// The tables and unions that have strings or vectors with 64-bit offsets, or hold tables that do.
///
/// Such objects are written before all others: see `FlatBuffersOffset64Encodable` of the runtime.
struct Offset64Reach: Sendable {
  private let tables: Set<TableID>
  private let unions: Set<UnionID>

  init(_ schema: Schema) {
    var pending: [TableID] = []
    for (index, table) in schema.tables.enumerated()
    where table.fields.contains(where: { $0.hasWideOffset && !$0.isDeprecated }) {
      pending.append(TableID(index))
    }
    var tables = Set(pending)
    var unions: Set<UnionID> = []
    // Few schemas have such fields, and large ones should not pay for them.
    let holders = pending.isEmpty ? Holders() : Holders(schema)
    while let id = pending.popLast() {
      let around = holders.unions[id] ?? []
      unions.formUnion(around)
      let direct = holders.tables[id] ?? []
      for holder in direct + around.flatMap({ holders.tablesOfUnions[$0] ?? [] })
      where tables.insert(holder).inserted {
        pending.append(holder)
      }
    }
    self.tables = tables
    self.unions = unions
  }

  func contains(_ id: TableID) -> Bool { !tables.isEmpty && tables.contains(id) }

  func contains(_ id: UnionID) -> Bool { !unions.isEmpty && unions.contains(id) }

  /// Returns whether a union's member of this type has strings or vectors with 64-bit offsets, or holds tables that do.
  func contains(_ type: UnionDefinition.MemberType) -> Bool {
    if case .table(let id) = type { contains(id) } else { false }
  }

  /// Finds the holders of each table and union, so that the search can start from the fields.
  private struct Holders {
    var tables: [TableID: [TableID]] = [:]
    var unions: [TableID: [UnionID]] = [:]
    var tablesOfUnions: [UnionID: [TableID]] = [:]

    init() {}

    init(_ schema: Schema) {
      for (index, table) in schema.tables.enumerated() {
        for field in table.fields where !field.isDeprecated {
          switch field.type {
          case .table(let id), .vector(.table(let id)): tables[id, default: []].append(TableID(index))
          case .union(let id), .vector(.union(let id)): tablesOfUnions[id, default: []].append(TableID(index))
          case .scalar, .enumeration, .string, .structure, .vector: break
          }
        }
      }
      for (index, union) in schema.unions.enumerated() {
        for case .table(let id) in union.members.map(\.type) { unions[id, default: []].append(UnionID(index)) }
      }
    }
  }
}
