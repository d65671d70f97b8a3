import FBSSchema

/// Finds the indexed fields of a root table: its own, and those of the tables and structs that it holds, by themselves or in
/// a union.
struct IndexedFields {
  /// One of them, as a `RecordField`.
  struct Found {
    let recordField: CodeText
    let isUnique: Bool
    /// The names in Swift that lead to the field from the root, with points between.
    let name: String
  }

  private let unit: EmissionUnit
  private var found: [Found] = []
  /// The tables on the way from the root, since a way that turns back on itself would never end. `StoreValidator` refuses
  /// indexed fields behind such a way, so that nothing is missed; and it limits how many ways there are, and how deep.
  private var onTheWay: Set<TableID> = []

  private init(_ unit: EmissionUnit) {
    self.unit = unit
  }

  /// The indexed fields that objects of the table `id` have, in the order of the text. A field of the primary key is not
  /// among them: it has an index already.
  static func of(_ id: TableID, in unit: EmissionUnit) -> [Found] {
    var search = IndexedFields(unit)
    search.visit(id, path: ".root", prefix: "")
    return search.found
  }

  private mutating func visit(_ id: TableID, path: String, prefix: String) {
    // Most ways lead to no index, and their number may grow with every table on them.
    guard unit.traits.indexReach.contains(id), onTheWay.insert(id).inserted else { return }
    defer { onTheWay.remove(id) }
    let head = path == ".root" ? "\(unit.imported[.fieldPath]).root" : path
    for field in unit.schema[id].fields where !field.isDeprecated {
      let swiftField = SwiftField(field, in: unit)
      let name = prefix + swiftField.plainName
      if let index = field.index, !field.isPrimary, let recordField = swiftField.recordField(path: path) {
        found.append(Found(recordField: recordField, isUnique: index == .unique, name: name))
      }
      let slot = field.vtableOffset
      switch field.type {
      case .table(let table): visit(table, path: "\(head).table(at: \(slot))", prefix: name + ".")
      case .structure(let structure): visit(structure, path: "\(head).structure(at: \(slot))", prefix: name + ".")
      case .union(let union):
        let codeSize = unit.schema[union].codeSizeArgument
        for member in unit.schema[union].members {
          let arguments = "(at: \(slot), code: \(member.codeText)\(codeSize))"
          switch member.type {
          case .table(let table): visit(table, path: "\(head).unionTable\(arguments)", prefix: name + ".")
          case .structure(let structure):
            visit(structure, path: "\(head).unionStructure\(arguments)", prefix: name + ".")
          case .string: break
          }
        }
      case .scalar, .enumeration, .string, .vector: break
      }
    }
  }

  /// Structs cannot contain themselves, so every way through them ends.
  private mutating func visit(_ id: StructID, path: String, prefix: String) {
    guard unit.traits.indexReach.contains(id) else { return }
    for field in SwiftStructField.all(unit.schema[id], in: unit) {
      if let index = field.field.index, let recordField = field.recordField(path: path) {
        found.append(Found(recordField: recordField, isUnique: index == .unique, name: prefix + field.plainName))
      }
      if case .structure(let inner) = field.field.type {
        visit(inner, path: "\(path).structure(at: \(field.field.offset))", prefix: prefix + field.plainName + ".")
      }
    }
  }
}
