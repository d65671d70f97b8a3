import FBSSchema

/// Emits the accessors: types that read, write and verify FlatBuffers without the data model.
struct AccessorsEmitter: Emitter {
  let name = "accessors"
  let summary = "readers, writers, verifiers"
  let needsStore = false
  let relativeTime = 4

  func outputName(forStem stem: String) -> String { stem + "_generated.swift" }

  func emit(_ unit: EmissionUnit) -> [UInt8] {
    var writer = CodeWriter(capacity: unit.textCapacity)
    writer.header(for: unit, imports: [.flatBuffersCore { _ in true }])
    for definition in unit.file.definitions {
      writer.access = unit.access(of: definition)
      switch definition {
      case .enumeration(let id): EnumValueGenerator(unit, id).emit(to: &writer)
      case .union(let id): UnionReaderGenerator(unit, id).emit(to: &writer)
      case .table(let id): TableReaderGenerator(unit, id).emit(to: &writer)
      case .structure(let id): StructAccessorsGenerator(unit, id).emit(to: &writer)
      }
    }
    unit.file.emitStaticsOfIncludedRoot(in: unit, to: &writer)
    return writer.bytes
  }
}
