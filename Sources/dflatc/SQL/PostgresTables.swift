import FBSSchema
import PostgresLayout

/// Finds the tables that the root types of a schema have in PostgreSQL, with their indexes.
///
/// The generated Swift of the schema describes the same tables to the runtime; a test compares the two.
struct PostgresTables {
  /// A column of a table's primary key.
  struct KeyColumn: Equatable {
    /// The slot of the field in the vtable, which the field keeps when it is renamed.
    let slot: Int
    let type: ColumnType
  }

  private let schema: Schema
  private let reach: IndexReach

  init(_ schema: Schema) {
    self.schema = schema
    reach = IndexReach(schema)
  }

  /// Returns the tables of the types that are the root of some input, in the order of their names.
  static func all(in schema: Schema) -> [PostgresTable] {
    let tables = PostgresTables(schema)
    return roots(of: schema).map { tables.layout(of: $0) }.sorted { $0.name < $1.name }
  }

  /// Returns the columns of each table's primary key, by the names of the tables.
  static func keys(in schema: Schema) -> [String: [KeyColumn]] {
    let tables = PostgresTables(schema)
    let keys = roots(of: schema).map { (tables.layout(of: $0).name, tables.key(of: $0)) }
    return Dictionary(keys, uniquingKeysWith: { first, _ in first })
  }

  /// Returns the types that are the root of some input, and are stored.
  static func roots(of schema: Schema) -> [TableID] {
    Set(schema.files.filter(\.isInput).compactMap(\.rootTable)).filter { !schema[$0].primaryKey.isEmpty }
      .sorted { $0.index < $1.index }
  }

  func layout(of id: TableID) -> PostgresTable {
    let indexes = IndexedField.all(of: id, in: schema, reach).compactMap { index($0) }
    return PostgresTable(
      StoreNames.tableName(for: schema[id]), keyTypes: key(of: id).map(\.type), indexes: indexes)
  }

  private func key(of id: TableID) -> [KeyColumn] {
    schema[id].primaryKey.filter { !$0.isDeprecated }.compactMap { field in
      storage(of: field).map { KeyColumn(slot: field.vtableOffset, type: ColumnType($0)) }
    }
  }

  // MARK: Fields

  private func index(_ indexed: IndexedField) -> StoredIndex? {
    let source: StoredIndex.Source? =
      if indexed.index.entries.areElements {
        vector(indexed).map { .elements($0) }
      } else {
        field(indexed).map { .field($0) }
      }
    return source.map { StoredIndex($0, isFolded: indexed.index.entries.areFolded, isUnique: indexed.isUnique) }
  }

  /// Returns the vector whose elements have the entries of an index.
  /// - Returns: nil for a field that holds no vector of single values.
  private func vector(_ indexed: IndexedField) -> StoredVector? {
    guard case .field(let id, let index)? = indexed.steps.last else { return nil }
    let field = schema[id].fields[index]
    guard let storage = elementStorage(of: field) else { return nil }
    return StoredVector(
      indexed.steps.dropLast().compactMap { step($0) }, of: storage, at: field.vtableOffset,
      field.hasWideLength ? .vector64 : field.hasWideOffset ? .offset64 : .offset)
  }

  /// Returns the field whose values have the entries of an index.
  /// - Returns: nil for a field that holds no single value.
  func field(_ indexed: IndexedField) -> StoredField? { field(at: indexed.steps) }

  /// Returns the field to which `steps` lead.
  /// - Returns: nil for a field that holds no single value.
  func field(at steps: [IndexedField.Step]) -> StoredField? {
    let path = steps.dropLast().compactMap { step($0) }
    switch steps.last {
    case .field(let id, let index)?:
      let field = schema[id].fields[index]
      return storage(of: field).map {
        StoredField(path, $0, at: field.vtableOffset, default: defaultValue(of: field, $0))
      }
    case .structField(let id, let index)?:
      let field = schema[id].fields[index]
      return storage(of: field).map { StoredField(path, $0, at: field.offset) }
    case .member?, nil: return nil
    }
  }

  private func step(_ step: IndexedField.Step) -> StoredField.Step? {
    switch step {
    case .field(let id, let index):
      let field = schema[id].fields[index]
      return if case .structure = field.type { .structure(field.vtableOffset) } else { .table(field.vtableOffset) }
    case .member(let id, let index, let number):
      let field = schema[id].fields[index]
      guard case .union(let union) = field.type else { return nil }
      let member = schema[union].members[number]
      let code = StoredField.UnionCode(UInt64(bitPattern: member.code), size: schema[union].underlyingType.size)
      return if case .structure = member.type {
        .unionStructure(slot: field.vtableOffset, code: code)
      } else {
        .unionTable(slot: field.vtableOffset, code: code)
      }
    case .structField(let id, let index): return .structure(schema[id].fields[index].offset)
    }
  }

  private func storage(of field: StructDefinition.Field) -> StoredField.Storage? {
    switch field.type {
    case .scalar(let scalar): .init(scalar)
    case .enumeration(let id): .init(schema[id].underlyingType)
    case .structure: field.byteCount.map { .bytes($0) }
    case .array: nil
    }
  }

  /// Returns the type of the elements of a vector; nil if the field is no vector, or its elements hold no single
  /// values.
  private func elementStorage(of field: FieldDefinition) -> StoredField.Storage? {
    switch field.type {
    case .vector(of: .scalar(let scalar)): .init(scalar)
    case .vector(of: .enumeration(let id)): .init(schema[id].underlyingType)
    case .vector(of: .string): .string
    case .vector(of: .structure): field.byteCount.map { .bytes($0) }
    case .vector, .scalar, .enumeration, .string, .structure, .table, .union: nil
    }
  }

  /// Returns the type of a field's value; nil if the field holds no single value.
  private func storage(of field: FieldDefinition) -> StoredField.Storage? {
    switch field.type {
    case .scalar(let scalar): .init(scalar)
    case .enumeration(let id): .init(schema[id].underlyingType)
    case .string: field.hasWideOffset ? .stringOffset64 : .string
    case .union(let id): .init(unionTypeOfSize: schema[id].underlyingType.size)
    case .structure: field.byteCount.map { .bytes($0) }
    case .table, .vector: nil
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
}

extension StoredField.Storage {
  /// Creates the storage of a number.
  init(_ type: ScalarType) {
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
