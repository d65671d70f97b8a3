import FBSSchema

/// What the names after `nested_flatbuffer` stand for.
struct NestedTables: Sendable {
  private let tables: [QualifiedName: TableID]
  /// What the position of such a FlatBuffer is to be a multiple of: it may hold any struct.
  let alignment: Int

  init(_ schema: Schema) {
    // Few schemas have such fields, and large ones should not pay for those.
    let isUsed = schema.tables.contains { $0.fields.contains { $0.isNestedFlatBuffer } }
    var tables: [QualifiedName: TableID] = [:]
    if isUsed {
      for (index, table) in schema.tables.enumerated() { tables[table.name] = TableID(index) }
    }
    self.tables = tables
    alignment = schema.structs.reduce(8) { max($0, $1.alignment) }
  }

  /// Whether the schema has such fields.
  var areUsed: Bool { !tables.isEmpty }

  /// The table that a field of `table` names; nil where it names none, or a struct, which is no root.
  func table(_ field: FieldDefinition, of table: TableDefinition) -> TableID? {
    guard !tables.isEmpty, case .string(let name) = field.declaration.attribute(FieldDefinition.nestedFlatBuffer)?.value
    else {
      return nil
    }
    let parts = name.split(separator: ".").map(String.init)
    guard let last = parts.last else { return nil }
    // As for every name: in the table's namespace, then in those around it.
    var namespace = table.name.namespace
    while true {
      if let found = tables[QualifiedName(namespace: namespace + parts.dropLast(), name: last)] { return found }
      guard namespace.popLast() != nil else { return nil }
    }
  }
}

extension FieldDefinition {
  fileprivate static let nestedFlatBuffer = "nested_flatbuffer"

  /// Whether the field's bytes are a FlatBuffer of their own.
  var isNestedFlatBuffer: Bool { declaration.attribute(Self.nestedFlatBuffer) != nil }
}
