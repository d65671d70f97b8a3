import FBSSchema

/// Finds the indexed fields of a root table: its own, and those of the tables that it holds, by itself or in a union.
struct IndexedFields {
  /// One of them, and how Swift spells the way to it.
  struct Found {
    let field: SwiftField
    let path: String
  }

  private let unit: EmissionUnit
  private var found: [Found] = []
  /// The tables on the way from the root, since a way that turns back on itself would never end. `StoreValidator` refuses
  /// indexed fields behind such a way, so that nothing is missed.
  private var onTheWay: Set<TableID> = []

  private init(_ unit: EmissionUnit) {
    self.unit = unit
  }

  /// The indexed fields that objects of the table `id` have, in the order of the text. A field of the primary key is not
  /// among them: it has an index already.
  static func of(_ id: TableID, in unit: EmissionUnit) -> [Found] {
    var search = IndexedFields(unit)
    search.visit(id, path: ".root")
    return search.found
  }

  private mutating func visit(_ id: TableID, path: String) {
    guard onTheWay.insert(id).inserted else { return }
    defer { onTheWay.remove(id) }
    let head = path == ".root" ? "FieldPath.root" : path
    for field in unit.schema[id].fields where !field.isDeprecated {
      if field.index != nil, !field.isPrimary {
        found.append(Found(field: SwiftField(field, in: unit), path: path))
      }
      switch field.type {
      case .table(let table):
        visit(table, path: "\(head).table(at: \(field.vtableOffset))")
      case .union(let union):
        for member in unit.schema[union].members {
          guard case .table(let table) = member.type else { continue }
          visit(table, path: "\(head).unionTable(at: \(field.vtableOffset), code: \(member.code))")
        }
      case .scalar, .enumeration, .string, .structure, .vector: break
      }
    }
  }
}
