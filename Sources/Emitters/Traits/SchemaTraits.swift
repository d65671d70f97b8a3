import FBSSchema

/// The facts about a schema's definitions that no single definition shows, found once for all emitters.
struct SchemaTraits: Sendable {
  /// Which tables hold others of their kind.
  let recursion: Recursion
  /// Which types have objects that cannot be written.
  let encodingFailures: EncodingFailures
  /// Which types are `Codable`.
  let codable: CodableTypes
  /// The definitions from which an indexed field can be reached.
  let indexReach: IndexReach
  /// The root tables of nested FlatBuffers.
  let nestedTables: NestedTables
  /// The alignments of nested FlatBuffers.
  let nestedAlignments: NestedAlignments
  /// Which types have objects with 64-bit offsets.
  let offset64Reach: Offset64Reach

  init(_ schema: Schema, roots: Set<TableID>) {
    recursion = Recursion(schema, roots: roots)
    encodingFailures = EncodingFailures(schema, recursion)
    codable = CodableTypes(schema)
    indexReach = IndexReach(schema)
    nestedTables = NestedTables(schema)
    nestedAlignments = NestedAlignments(schema, nestedTables)
    offset64Reach = Offset64Reach(schema)
  }
}
