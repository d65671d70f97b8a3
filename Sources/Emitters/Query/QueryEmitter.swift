import FBSSchema

/// Emits the typed fields from which queries are built.
struct QueryEmitter: Emitter {
  let name = "query"
  let summary = "typed query fields"
  let needsStore = true
  let relativeTime = 2

  func outputName(forStem stem: String) -> String { stem + "_query_generated.swift" }

  func emit(_ unit: EmissionUnit) -> [UInt8] {
    var writer = CodeWriter(capacity: unit.textCapacity)
    writer.header(
      for: unit,
      imports: [
        .dflat(for: { !$0.isEnumeration }, inSignatures: { !$0.isEnumeration }),
        .foundation(for: unit.schema.needsFoundation),
      ])
    for definition in unit.file.definitions {
      writer.access = unit.access(of: definition)
      switch definition {
      case .union(let id): UnionFieldsGenerator(unit, id).emit(to: &writer)
      case .table(let id): QueryFieldsGenerator(unit, id).emit(to: &writer)
      case .enumeration: break  // An enum is a value that a field is compared with.
      case .structure(let id): StructFieldsGenerator(unit, id).emit(to: &writer)
      }
    }
    return writer.bytes
  }
}
