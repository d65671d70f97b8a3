import FBSDiagnostics
import FBSParser
import FBSSchema

/// Reports types of OLD that NEW does not have. It skips types that only an included file of OLD defines: whether NEW
/// still includes that file says nothing about the type.
struct RemovedTypes: ComparisonStage {
  let versions: VersionPair
  let matching: TypeMatching
  /// Root tables of OLD that have a new version. Types that only these hold do not count as stored.
  let renewedTables: Set<TableID>
  var findings: [Finding] = []

  /// Reports the types that stored objects hold as errors, then the others as warnings. A file that uses one of the
  /// others does not compile without it, which says what went wrong.
  mutating func report() {
    let gone = self.gone
    guard !gone.isEmpty else { return }
    let stored = storedTypes()
    for id in gone where stored.contains(id) {
      reportRemoval(
        of: id, harm: "stored objects hold it, and nothing reads it",
        advice: "keep it, and what leads to it, as deprecated")
    }
    for id in gone where !stored.contains(id) {
      reportRemoval(
        of: id, harm: "nothing in the given files holds it; files that include this one may",
        advice: "keep it if anything else uses it", severity: .warning)
    }
  }

  /// The types that a given file of OLD defines and NEW does not have, in the order in which they are defined.
  private var gone: [DefinitionID] {
    old.schema.definitionsOfInputs.filter { matching.newOf[$0] == nil && isGone($0) }.sorted { $0.place < $1.place }
  }

  private func isGone(_ id: DefinitionID) -> Bool {
    let name = old.schema.name(of: id)
    return newIndex.byName[name] == nil && !new.namesElsewhere.contains(name)
      && !matching.readAsOthers.contains(id)
  }

  private mutating func reportRemoval(of id: DefinitionID, harm: String, advice: String, severity: Severity? = nil) {
    let declaration = old.schema.declaration(of: id)
    // For a type that is gone with its file, any range will do: the finding is shown in OLD.
    let place =
      rangeOfGone(declaration) ?? new.schema.roots.first.map { new.schema[$0.table].declaration.nameRange }
    let file = new.schema.files.first { $0.isInput }?.id ?? FileID(0)
    report(
      .typeRemoved, "\(id.kind) `\(old.schema.name(of: id))` is gone", harm: harm, advice: advice,
      at: place ?? SourceRange(file: file, start: 0, end: 0), was: declaration.nameRange, "this type is gone",
      severity: severity)
  }

  /// Returns the types of OLD that stored objects may hold.
  private func storedTypes() -> Set<DefinitionID> {
    let roots = old.schema.roots.filter { root in !renewedTables.contains(root.table) }
    let starts: [DefinitionID] =
      old.schema.roots.isEmpty
      ? old.schema.givenDefinitions.filter { if case .table = $0 { true } else { false } }
      : roots.map { .table($0.table) }
    return old.schema.contents(reachedFrom: starts)
  }
}
