import FBSSchema

/// Which kinds of Swift a run writes. A name has to be free only where it is written.
struct SwiftOutput: Sendable {
  /// Whether the types of the data model are written, and what belongs to them.
  let hasModel: Bool
  /// Whether the editors are written.
  let hasEditors: Bool

  /// What `emitters` write.
  init(_ emitters: [any Emitter]) {
    hasModel = emitters.contains { $0.emitsSwift && $0.needsStore }
    hasEditors = emitters.contains { $0 is EditorsEmitter }
  }

  /// What is added to a definition's name for each type that is written for it. The data model's own type adds nothing.
  func suffixes(of definition: DefinitionID, roots: Set<TableID>) -> [String] {
    let model = hasModel ? [""] : []
    let editor = hasEditors ? [Namer.Suffix.editor] : []
    switch definition {
    case .enumeration: return model + [Namer.Suffix.value]
    case .structure: return model + [Namer.Suffix.reader, Namer.Suffix.value] + editor
    case .union: return model + [Namer.Suffix.reader] + editor
    case .table(let id):
      let ofStore = hasModel && roots.contains(id) ? [Namer.Suffix.builder, Namer.Suffix.changeRequest] : []
      return model + [Namer.Suffix.reader] + editor + ofStore
    }
  }
}
