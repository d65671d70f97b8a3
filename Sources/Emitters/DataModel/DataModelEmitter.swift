import FBSSchema

/// Emits the types that an app uses.
struct DataModelEmitter: Emitter {
  let name = "data-model"
  let summary = "the types that an app uses"
  let needsStore = true
  let relativeTime = 3

  func outputName(forStem stem: String) -> String { stem + "_data_model_generated.swift" }

  func emit(_ unit: EmissionUnit) -> [UInt8] {
    var writer = CodeWriter(capacity: unit.textCapacity)
    // Enums and unions use no types of the format.
    writer.header(
      for: unit,
      imports: [
        .dflat(for: { _ in true }, inSignatures: unit.isRoot), .flatBuffersCore { !$0.isEnumeration && !$0.isUnion },
        .foundation(for: unit.schema.needsFoundation),
      ]
    )
    for definition in unit.file.definitions {
      writer.access = unit.access(of: definition)
      switch definition {
      case .enumeration(let id): EnumModelGenerator(unit, id).emit(to: &writer)
      case .union(let id): UnionModelGenerator(unit, id).emit(to: &writer)
      case .table(let id) where unit.isRoot(id): RootModelGenerator(unit, id).emit(to: &writer)
      case .table(let id): TableModelGenerator(unit, id).emit(to: &writer)
      case .structure(let id): StructModelGenerator(unit, id).emit(to: &writer)
      }
    }
    OptionalComparison(unit).emit(to: &writer)
    return writer.bytes
  }
}
