import FBSSchema

/// The kinds of Swift code that a run writes. A name has to be free only in the code that is written.
struct SwiftOutput: Equatable, Sendable {
  /// Whether the data model and the code that belongs to it are written.
  let hasModel: Bool
  /// Whether the editors are written.
  let hasEditors: Bool

  /// Determines the code that `emitters` write.
  init(_ emitters: [any Emitter]) {
    hasModel = emitters.contains { $0.emitsSwift && $0.needsStore }
    hasEditors = emitters.contains { $0 is EditorsEmitter }
  }

  /// Returns the suffixes of all types that are written for a definition. That of the data model's own type is empty.
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
