import FBSDiagnostics
import FBSParser
import FBSSchema

/// Compares the indexes that a store keeps for a root table.
struct IndexComparison: ComparisonStage {
  let versions: VersionPair
  let matching: TypeMatching
  var findings: [Finding] = []

  /// Compares the indexes of a root table by their names on disk.
  mutating func compare(_ root: RootPair) {
    let before = StoreIndexes(of: root.old, in: old.schema).entries
    let after = StoreIndexes(of: root.new, in: new.schema).entries
    guard !before.isEmpty || !after.isEmpty else { return }
    let oldByKey = Dictionary(before.map { ($0.key, $0) }) { first, _ in first }
    let newByKey = Dictionary(after.map { ($0.key, $0) }) { first, _ in first }
    for entry in after {
      guard let was = oldByKey[entry.key] else {
        reportAddition(entry, root)
        continue
      }
      guard was.isUnique != entry.isUnique else { continue }
      if entry.isUnique { reportUnique(entry, was.declaration, root) } else { reportUniqueGone(entry, was) }
    }
    for entry in before where newByKey[entry.key] == nil {
      report(
        .indexRemoved, "`\(entry.name)` is no longer indexed",
        harm: "queries on it look at every object; the first write drops the index `\(entry.key)` from the file",
        advice: "nothing need be done", at: counterpart(of: entry) ?? new.schema[root.new].declaration.nameRange,
        was: indexRange(entry), "indexed here", evidence: .precaution)
    }
  }

  private mutating func reportAddition(_ entry: StoreIndexes.Entry, _ root: RootPair) {
    let was = oldDeclaration(of: entry)
    // A new field is absent in all stored objects. In a unique index, NULLs do not collide, and defaults do.
    if entry.isUnique, was != nil || !entry.isNullable {
      reportUnique(entry, was, root)
    } else {
      report(
        .indexAdded, "`\(entry.name)` is indexed",
        harm: "the index `\(entry.key)` is filled in the background; queries are right meanwhile, and slower",
        advice: "nothing need be done", at: indexRange(entry),
        was: was?.nameRange ?? old.schema[root.old].declaration.nameRange, was == nil ? "" : "not indexed here",
        evidence: .precaution)
    }
  }

  private mutating func reportUnique(_ entry: StoreIndexes.Entry, _ was: Declaration?, _ root: RootPair) {
    let isNew = was == nil
    report(
      .uniqueAdded, "`\(entry.name)` became unique",
      harm: isNew
        ? "every stored object reads as the default: from the second one on, they collide"
        : "stored objects may hold one value twice: the index then cannot be completed",
      advice: "remove `unique`, or make sure that the values are", at: indexRange(entry),
      was: was?.nameRange ?? old.schema[root.old].declaration.nameRange, isNew ? "" : "not unique here",
      evidence: .precaution,
      fix: removal("unique", entry.declaration))
  }

  private mutating func reportUniqueGone(_ entry: StoreIndexes.Entry, _ was: StoreIndexes.Entry) {
    report(
      .indexRemoved, "`\(entry.name)` is no longer unique",
      harm: "once an object is stored with a value that another has, older versions of the app leave the index unused",
      advice: "put `unique` back, or append a new field", at: indexRange(entry), was: indexRange(was), "unique here",
      severity: .warning, evidence: .precaution)
  }

  private func indexRange(_ entry: StoreIndexes.Entry) -> SourceRange {
    (entry.declaration.attribute("unique") ?? entry.declaration.attribute("indexed"))?.range
      ?? entry.declaration.nameRange
  }

  /// The name's range in NEW of an indexed field of OLD, or nil if the field is gone.
  private func counterpart(of entry: StoreIndexes.Entry) -> SourceRange? {
    matching.newOf[entry.owner].flatMap { Self.field(entry, in: $0, new.schema)?.nameRange }
  }

  /// The declaration in OLD of an indexed field of NEW, or nil if the field is new.
  private func oldDeclaration(of entry: StoreIndexes.Entry) -> Declaration? {
    matching.oldOf[entry.owner].flatMap { Self.field(entry, in: $0, old.schema) }
  }

  /// Returns the field with the entry's name, or else with its number; nil if there is none.
  private static func field(_ entry: StoreIndexes.Entry, in type: DefinitionID, _ schema: Schema) -> Declaration? {
    switch type {
    case .table(let id):
      let fields = schema[id].fields
      return (fields.first { $0.name == entry.name } ?? fields.first { $0.id == entry.number })?.declaration
    case .structure(let id):
      let fields = schema[id].fields
      return (fields.first { $0.name == entry.name } ?? fields.first { $0.offset == entry.number })?.declaration
    case .enumeration, .union: return nil
    }
  }
}
