import FBSSchema

/// Emits the code that writes the data model: serializers, and the change requests of root tables.
struct MutatingEmitter: Emitter {
  let name = "mutating"
  let summary = "serializers, change requests"
  let needsStore = true

  func outputName(forStem stem: String) -> String { stem + "_mutating_generated.swift" }

  func emit(_ unit: EmissionUnit) -> [UInt8] {
    var writer = CodeWriter(capacity: unit.textCapacity)
    // A struct of the data model is converted to a value of the accessors.
    writer.header(
      for: unit,
      imports: [
        .dflat(for: { !$0.isEnumeration }, inSignatures: unit.isRoot),
        .flatBuffersCore {
          if case .structure(let id) = $0 { unit.traits.encodingFailures.canRefuse(id) } else { !$0.isEnumeration }
        },
        .foundation { unit.isRoot($0) && unit.schema.needsFoundation($0) },
      ])
    for definition in unit.file.definitions {
      writer.access = unit.access(of: definition)
      switch definition {
      case .union(let id): UnionSerializerGenerator(unit, id).emit(to: &writer)
      case .table(let id):
        TableSerializerGenerator(unit, id).emit(to: &writer)
        if unit.isRoot(id) {
          ChangeRequestGenerator(unit, id).emit(to: &writer)
        }
      case .enumeration: break  // An enum is written as its raw value.
      case .structure(let id): StructSerializerGenerator(unit, id).emit(to: &writer)
      }
    }
    return writer.bytes
  }
}
