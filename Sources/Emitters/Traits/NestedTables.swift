import FBSSchema

/// The tables that the names after `nested_flatbuffer` refer to.
struct NestedTables: Sendable {
  private let tables: [QualifiedName: TableID]
  /// The alignment of a nested FlatBuffer in bytes. It may hold any struct.
  let alignment: Int

  init(_ schema: Schema) {
    // Few schemas have such fields, and large ones should not pay for them.
    let isUsed = schema.tables.contains { $0.fields.contains { $0.isNestedFlatBuffer } }
    var tables: [QualifiedName: TableID] = [:]
    if isUsed {
      for (index, table) in schema.tables.enumerated() { tables[table.name] = TableID(index) }
    }
    self.tables = tables
    alignment = schema.structs.reduce(8) { max($0, $1.alignment) }
  }

  /// Whether the schema has fields with `nested_flatbuffer`.
  var areUsed: Bool { !tables.isEmpty }

  /// Returns the table that a field of `table` names; nil if it names none, or a struct, which cannot be a root.
  func table(_ field: FieldDefinition, of table: TableDefinition) -> TableID? {
    guard !tables.isEmpty, case .string(let name) = field.declaration.attribute(FieldDefinition.nestedFlatBuffer)?.value
    else {
      return nil
    }
    let parts = name.split(separator: ".").map(String.init)
    guard let last = parts.last else { return nil }
    // Looked up like every name: in the table's namespace, then in the enclosing ones.
    var namespace = table.name.namespace
    while true {
      if let found = tables[QualifiedName(namespace: namespace + parts.dropLast(), name: last)] { return found }
      guard namespace.popLast() != nil else { return nil }
    }
  }
}

extension FieldDefinition {
  fileprivate static let nestedFlatBuffer = "nested_flatbuffer"

  /// Whether the field's bytes are a nested FlatBuffer.
  var isNestedFlatBuffer: Bool { declaration.attribute(Self.nestedFlatBuffer) != nil }
}
