import FBSParser
import FBSSchema

/// Types of OLD that NEW does not have. A type that only an included file of OLD defines is not looked for: whether NEW
/// still includes that file says nothing about the type.
extension Comparison {
  /// Reports the types that stored objects hold.
  mutating func reportRemovedTypes() {
    let given = Set(old.schema.givenDefinitions)
    for id in storedTypes() where given.contains(id) && isGone(id) {
      reportRemoval(
        of: id, harm: "stored objects hold it, and nothing reads it",
        advice: "keep it, and what leads to it, as deprecated")
    }
  }

  /// Reports the other types. Files that hold one of them need it to compile, and say themselves what went wrong.
  mutating func reportRemovedTypesWithoutHolder() {
    let stored = Set(storedTypes())
    for id in old.schema.givenDefinitions where !stored.contains(id) && isGone(id) {
      reportRemoval(
        of: id, harm: "nothing in the given files holds it; files that include this one may",
        advice: "keep it if anything else uses it", severity: .warning)
    }
  }

  private func isGone(_ id: DefinitionID) -> Bool {
    let name = old.schema.name(of: id)
    return newOf[id] == nil && newIndex.byName[name] == nil && !new.namesElsewhere.contains(name)
      && !readAsOthers.contains(id)
  }

  private mutating func reportRemoval(of id: DefinitionID, harm: String, advice: String, severity: Severity? = nil) {
    let place = new.schema.roots.first.map { new.schema[$0.table].declaration.nameRange }
    let file = new.schema.files.first { $0.isInput }?.id ?? FileID(0)
    report(
      .typeRemoved, "\(id.kind) `\(old.schema.name(of: id))` is gone", harm: harm, advice: advice,
      at: place ?? SourceRange(file: file, start: 0, end: 0), was: old.schema.declaration(of: id).nameRange,
      "this type is gone", severity: severity)
  }

  /// The types of OLD that stored objects may hold, in the order in which they are defined.
  private func storedTypes() -> [DefinitionID] {
    let roots = old.schema.roots.filter { root in !renewedTables.contains(root.table) }
    let starts: [DefinitionID] =
      old.schema.roots.isEmpty
      ? old.schema.givenDefinitions.filter { if case .table = $0 { true } else { false } }
      : roots.map { .table($0.table) }
    return old.schema.contents(reachedFrom: starts).sorted { $0.place < $1.place }
  }
}
