import FBSSchema

/// Emits editors, which change numbers of a FlatBuffer in place, as readers of the accessors read them. They are apart
/// from the accessors, so that a program that edits nothing pays nothing.
struct EditorsEmitter: Emitter {
  let name = "editors"
  let summary = "changes of numbers in place"
  let isDefault = false
  let needsStore = false

  func outputName(forStem stem: String) -> String { stem + "_editors_generated.swift" }

  func emit(_ unit: EmissionUnit) -> [UInt8] {
    var writer = CodeWriter(capacity: unit.textCapacity)
    writer.header(for: unit, imports: [.flatBuffersCore { _ in true }])
    for definition in unit.file.definitions {
      writer.access = unit.access(of: definition)
      switch definition {
      case .enumeration(let id):
        writer.blank()
        writer.line("extension \(unit.names.value(id)): \(unit.imported[.flatBufferEditableElement]) {}")
      case .union(let id): UnionEditorGenerator(unit, id).emit(to: &writer)
      case .table(let id): TableEditorGenerator(unit, id).emit(to: &writer)
      case .structure(let id): StructEditorGenerator(unit, id).emit(to: &writer)
      }
    }
    return writer.bytes
  }
}
