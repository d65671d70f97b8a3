import FBSSchema

/// The FlatBuffers that are nested in fields.
struct NestedTables: Sendable {
  /// Whether the schema has fields with `nested_flatbuffer`. Few schemas have, and large ones should not pay for them.
  let areUsed: Bool

  init(_ schema: Schema) {
    areUsed = schema.tables.contains { $0.fields.contains { $0.isNestedFlatBuffer } }
  }

  /// Returns the table that a field names; nil if it names none, or a struct, which cannot be a root.
  func table(_ field: FieldDefinition) -> TableID? { areUsed ? field.nestedTable : nil }
}

extension FieldDefinition {
  fileprivate static let nestedFlatBuffer = "nested_flatbuffer"

  /// Whether the field's bytes are a nested FlatBuffer.
  var isNestedFlatBuffer: Bool { declaration.attribute(Self.nestedFlatBuffer) != nil }
}
