import FBSSchema
import PostgresLayout

/// Finds the tables that the root types of a schema have in PostgreSQL, with their indexes.
///
/// They are those that the Swift of the schema describes to the runtime; a test compares what is made of both.
struct PostgresTables {
  private let schema: Schema
  /// The tables and structs that lead to an indexed field. The ways to others may be more than can be walked.
  private let reaching: Set<DefinitionID>
  private var found: [(field: StoredField, isUnique: Bool)] = []
  /// The tables on the way from the root: a way that turns back on itself would never end.
  private var onTheWay: Set<TableID> = []

  private init(_ schema: Schema) {
    self.schema = schema
    reaching = Self.reaching(in: schema)
  }

  /// The tables of the types that are the root of some input, in the order of their names.
  static func all(in schema: Schema) -> [PostgresTable] {
    let roots = Set(schema.files.filter(\.isInput).compactMap(\.rootTable)).filter { !schema[$0].primaryKey.isEmpty }
    var tables = PostgresTables(schema)
    return roots.map { tables.layout(of: $0) }.sorted { $0.name < $1.name }
  }

  private mutating func layout(of id: TableID) -> PostgresTable {
    found = []
    visit(id, [])
    let keys = schema[id].primaryKey.filter { !$0.isDeprecated }.compactMap { storage(of: $0) }
    return PostgresTable(StoreNames.tableName(for: schema[id]), keyTypes: keys.map { ColumnType($0) }, indexes: found)
  }

  // MARK: Indexes

  private mutating func visit(_ id: TableID, _ path: [StoredField.Step]) {
    guard reaching.contains(.table(id)), onTheWay.insert(id).inserted else { return }
    defer { onTheWay.remove(id) }
    for field in schema[id].fields where !field.isDeprecated {
      let slot = field.vtableOffset
      if let index = field.index, !field.isPrimary, let storage = storage(of: field) {
        let defaultValue = defaultValue(of: field, storage)
        found.append((StoredField(path, storage, at: slot, default: defaultValue), index == .unique))
      }
      switch field.type {
      case .table(let table): visit(table, path + [.table(slot)])
      case .structure(let structure): visit(structure, path + [.structure(slot)])
      case .union(let union):
        for member in schema[union].members {
          let code = StoredField.UnionCode(
            UInt64(bitPattern: member.code), size: schema[union].underlyingType.size)
          switch member.type {
          case .table(let table): visit(table, path + [.unionTable(slot: slot, code: code)])
          case .structure(let structure): visit(structure, path + [.unionStructure(slot: slot, code: code)])
          case .string: break
          }
        }
      case .scalar, .enumeration, .string, .vector: break
      }
    }
  }

  private mutating func visit(_ id: StructID, _ path: [StoredField.Step]) {
    guard reaching.contains(.structure(id)) else { return }
    for field in schema[id].fields {
      let isUnique = field.declaration.has("unique")
      if isUnique || field.declaration.has("indexed") {
        let scalar: ScalarType? =
          switch field.type {
          case .scalar(let scalar): scalar
          case .enumeration(let id): schema[id].underlyingType
          case .structure, .array: nil
          }
        if let scalar { found.append((StoredField(path, .init(scalar), at: field.offset), isUnique)) }
      }
      if case .structure(let inner) = field.type { visit(inner, path + [.structure(field.offset)]) }
    }
  }

  // MARK: Fields

  /// The type of a field's value; nil if it has no single one.
  private func storage(of field: FieldDefinition) -> StoredField.Storage? {
    switch field.type {
    case .scalar(let scalar): .init(scalar)
    case .enumeration(let id): .init(schema[id].underlyingType)
    case .string: field.hasWideOffset ? .stringOffset64 : .string
    case .union(let id): .init(unionTypeOfSize: schema[id].underlyingType.size)
    case .structure, .table, .vector: nil
    }
  }

  private func defaultValue(of field: FieldDefinition, _ storage: StoredField.Storage) -> StoredField.Value? {
    switch field.presence {
    case .defaulted(.bool(let isTrue)): .integer(isTrue ? 1 : 0)
    case .defaulted(.integer(let value)):
      storage == .float || storage == .double ? .real(Double(value)) : .integer(value)
    case .defaulted(.unsigned(let value)): .unsigned(value)
    case .defaulted(.real(let value)): .real(value)
    case .defaultedObject(let text): storage == .string || storage == .stringOffset64 ? .text(text) : nil
    case .optional, .required: nil
    }
  }

  // MARK: Ways

  private static func reaching(in schema: Schema) -> Set<DefinitionID> {
    func isIndexed(_ declaration: Declaration) -> Bool { declaration.has("indexed") || declaration.has("unique") }
    var known: Set<DefinitionID> = []
    var holders: [DefinitionID: [DefinitionID]] = [:]
    for (index, table) in schema.tables.enumerated() {
      let id = DefinitionID.table(TableID(index))
      for field in table.fields where !field.isDeprecated {
        if field.index != nil { known.insert(id) }
        switch field.type {
        case .table(let inner): holders[.table(inner), default: []].append(id)
        case .structure(let inner): holders[.structure(inner), default: []].append(id)
        case .union(let union):
          for member in schema[union].members {
            switch member.type {
            case .table(let inner): holders[.table(inner), default: []].append(id)
            case .structure(let inner): holders[.structure(inner), default: []].append(id)
            case .string: break
            }
          }
        case .scalar, .enumeration, .string, .vector: break
        }
      }
    }
    for (index, definition) in schema.structs.enumerated() {
      let id = DefinitionID.structure(StructID(index))
      if definition.fields.contains(where: { isIndexed($0.declaration) }) { known.insert(id) }
      for case .structure(let inner) in definition.fields.map(\.type) {
        holders[.structure(inner), default: []].append(id)
      }
    }
    var queue = Array(known)
    while let id = queue.popLast() {
      for holder in holders[id] ?? [] where known.insert(holder).inserted { queue.append(holder) }
    }
    return known
  }
}

extension StoredField.Storage {
  /// The storage of a number.
  fileprivate init(_ type: ScalarType) {
    self =
      switch type {
      case .bool: .bool
      case .int8: .int8
      case .uint8: .uint8
      case .int16: .int16
      case .uint16: .uint16
      case .int32: .int32
      case .uint32: .uint32
      case .int64: .int64
      case .uint64: .uint64
      case .float: .float
      case .double: .double
      }
  }
}
