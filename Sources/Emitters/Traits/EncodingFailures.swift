import FBSSchema

/// The types that have objects which no FlatBuffer can hold: nested too deep, with too many elements in a fixed array,
/// with too many bytes in a table itself, or with a value that a field cannot hold. Writing such an object fails.
struct EncodingFailures: Sendable {
  private let tables: Set<TableID>
  private let structs: Set<StructID>
  private let refusingStructs: Set<StructID>

  init(_ schema: Schema, _ recursion: Recursion) {
    let structs = Self.failing(schema)
    self.structs = structs
    refusingStructs = Self.spread(
      Set(schema.structs.indices.filter { schema.structs[$0].fields.contains(where: \.canRefuse) }.map(StructID.init)),
      to: Self.users(schema))
    tables = Self.failing(schema, recursion, structs)
  }

  func contains(_ id: TableID) -> Bool { tables.contains(id) }

  func contains(_ id: StructID) -> Bool { structs.contains(id) }

  /// Returns whether a struct, or one within it, has a field that cannot hold all values of its type. Writing a struct
  /// cannot report such a value, so the struct is checked before.
  func canRefuse(_ id: StructID) -> Bool { refusingStructs.contains(id) }

  /// Returns the structs whose encoding can fail: those with a fixed array, or with a field whose Swift type has values that
  /// the field cannot hold; and all structs that contain one of them.
  private static func failing(_ schema: Schema) -> Set<StructID> {
    let found = schema.structs.indices.filter {
      schema.structs[$0].fields.contains { field in
        if case .array = field.type { true } else { field.canRefuse }
      }
    }
    return spread(Set(found.map(StructID.init)), to: users(schema))
  }

  /// Finds the structs that hold each struct, also in fixed arrays.
  private static func users(_ schema: Schema) -> [StructID: [StructID]] {
    var users: [StructID: [StructID]] = [:]
    for (index, definition) in schema.structs.enumerated() {
      // A UUID can always be written.
      for field in definition.fields where field.mapping == nil {
        guard case .structure(let id)? = field.type.definition else { continue }
        users[id, default: []].append(StructID(index))
      }
    }
    return users
  }

  /// Finds the tables that can fail by themselves, and all tables that refer to them.
  private static func failing(
    _ schema: Schema, _ recursion: Recursion, _ failing: Set<StructID>
  ) -> Set<TableID> {
    var users: [TableID: [TableID]] = [:]
    var found: Set<TableID> = []
    for (index, table) in schema.tables.enumerated() {
      let id = TableID(index)
      var size = 4
      for field in table.fields where !field.isDeprecated {
        size += inlineSize(of: field.type, schema)
        for used in Self.tables(in: field.type, schema) { users[used, default: []].append(id) }
        let structs = field.mapping == nil ? Self.structs(in: field.type, schema) : []
        if field.canRefuse || structs.contains(where: failing.contains) {
          found.insert(id)
        }
      }
      if recursion.canBeTooDeep(id) || size > 65_535 { found.insert(id) }
    }
    return spread(found, to: users)
  }

  /// Returns the given types, and all that use one of them, directly or indirectly.
  private static func spread<ID: Hashable>(_ found: Set<ID>, to users: [ID: [ID]]) -> Set<ID> {
    var all = found
    var pending = Array(found)
    while let id = pending.popLast() {
      for user in users[id] ?? [] where all.insert(user).inserted { pending.append(user) }
    }
    return all
  }

  /// Returns an upper bound of the bytes that a field takes in its table, with alignment: 16 for every type but a struct.
  private static func inlineSize(of type: FieldType, _ schema: Schema) -> Int {
    guard case .structure(let id) = type else { return 16 }
    return schema[id].size + schema[id].alignment
  }

  private static func tables(in type: FieldType, _ schema: Schema) -> [TableID] {
    switch type {
    case .table(let id), .vector(.table(let id)): [id]
    case .union(let id), .vector(.union(let id)):
      schema[id].members.compactMap { if case .table(let id) = $0.type { id } else { nil } }
    case .scalar, .enumeration, .string, .structure, .vector: []
    }
  }

  private static func structs(in type: FieldType, _ schema: Schema) -> [StructID] {
    switch type {
    case .structure(let id), .vector(.structure(let id)): [id]
    case .union(let id), .vector(.union(let id)):
      schema[id].members.compactMap { if case .structure(let id) = $0.type { id } else { nil } }
    case .scalar, .enumeration, .string, .table, .vector: []
    }
  }
}
