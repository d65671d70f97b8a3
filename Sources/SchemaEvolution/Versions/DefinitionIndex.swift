import FBSSchema

/// The definitions of a schema: all of them, in the order of their kinds, and by name.
struct DefinitionIndex {
  private(set) var byName: [QualifiedName: DefinitionID] = [:]
  let ids: [DefinitionID]

  init(_ schema: Schema) {
    var ids: [DefinitionID] = []
    ids.reserveCapacity(schema.tables.count + schema.structs.count + schema.enums.count + schema.unions.count)
    ids += schema.tables.indices.map { .table(TableID($0)) }
    ids += schema.structs.indices.map { .structure(StructID($0)) }
    ids += schema.enums.indices.map { .enumeration(EnumID($0)) }
    ids += schema.unions.indices.map { .union(UnionID($0)) }
    byName.reserveCapacity(ids.count)
    // Two inputs that do not include each other may define one name. The first definition stands for both.
    for id in ids where byName[schema.name(of: id)] == nil { byName[schema.name(of: id)] = id }
    self.ids = ids
  }
}

extension Schema {
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

  /// A sort key: the order of the kinds, then of the text.
  var place: (Int, Int) {
    switch self {
    case .table(let id): (0, id.index)
    case .structure(let id): (1, id.index)
    case .enumeration(let id): (2, id.index)
    case .union(let id): (3, id.index)
    }
  }
}
