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
    let indexedFields = Set(after.map(\.fieldKey))
    for entry in before where newByKey[entry.key] == nil {
      // The index of the values may have given way to one of the folded texts.
      let (subject, verb) = Self.subject(of: entry, besideAnother: indexedFields.contains(entry.fieldKey))
      report(
        .indexRemoved, "\(subject) \(verb) no longer indexed",
        harm: "queries on it look at every object; the first write drops the index `\(entry.key)` from the file",
        advice: "nothing need be done", at: counterpart(of: entry) ?? new.schema[root.new].declaration.nameRange,
        was: indexRange(entry), "indexed here", evidence: .precaution)
    }
  }

  /// Returns the words for the values of which an index has entries, and the verb after them.
  private static func subject(of entry: StoreIndexes.Entry, besideAnother: Bool = false) -> (String, verb: String) {
    switch entry.index.entries {
    case .value: (besideAnother ? "the text of `\(entry.name)` itself" : "`\(entry.name)`", "is")
    case .foldedText: ("the folded text of `\(entry.name)`", "is")
    case .elements: ("the elements of `\(entry.name)`", "are")
    case .foldedElements: ("the folded elements of `\(entry.name)`", "are")
    }
  }

  /// Returns the label of a field in OLD that lacks an index of NEW.
  private static func label(of was: Declaration?, without text: String) -> String {
    guard let was else { return "" }
    return was.has("indexed") || was.has("unique") ? "indexed in another way here" : text
  }

  private mutating func reportAddition(_ entry: StoreIndexes.Entry, _ root: RootPair) {
    let was = oldDeclaration(of: entry)
    // A new field is absent in all stored objects. In a unique index, NULLs do not collide, and defaults do.
    if entry.isUnique, was != nil || !entry.isNullable {
      reportUnique(entry, was, root)
    } else {
      let (subject, verb) = Self.subject(of: entry)
      report(
        .indexAdded, "\(subject) \(verb) indexed",
        harm: "the index `\(entry.key)` is filled in the background; queries are right meanwhile, and slower",
        advice: "nothing need be done", at: indexRange(entry),
        was: was?.nameRange ?? old.schema[root.old].declaration.nameRange,
        Self.label(of: was, without: "not indexed here"),
        evidence: .precaution)
    }
  }

  private mutating func reportUnique(_ entry: StoreIndexes.Entry, _ was: Declaration?, _ root: RootPair) {
    let harm =
      if was == nil {
        "every stored object reads as the default: from the second one on, they collide"
      } else if entry.index.entries.areFolded {
        "stored objects may hold texts that differ in case or diacritics alone: the index then cannot be completed"
      } else {
        "stored objects may hold one value twice: the index then cannot be completed"
      }
    report(
      .uniqueAdded, "\(Self.subject(of: entry).0) became unique",
      harm: harm,
      advice: "remove `unique`, or make sure that the values are", at: indexRange(entry),
      was: was?.nameRange ?? old.schema[root.old].declaration.nameRange,
      was.map { $0.has("unique") ? "unique in another way here" : "not unique here" } ?? "",
      evidence: .precaution,
      fix: removal("unique", entry.declaration))
  }

  private mutating func reportUniqueGone(_ entry: StoreIndexes.Entry, _ was: StoreIndexes.Entry) {
    report(
      .indexRemoved, "\(Self.subject(of: entry).0) is no longer unique",
      harm: "once an object is stored with a value that another has, older versions of the app leave the index unused",
      advice: "put `unique` back, or append a new field", at: indexRange(entry), was: indexRange(was), "unique here",
      severity: .warning, evidence: .precaution)
  }

  private func indexRange(_ entry: StoreIndexes.Entry) -> SourceRange {
    entry.index.attribute(in: entry.declaration)?.range ?? entry.declaration.nameRange
  }

  /// Returns the name's range in NEW of an indexed field of OLD, or nil if the field is gone.
  private func counterpart(of entry: StoreIndexes.Entry) -> SourceRange? {
    matching.newOf[entry.owner].flatMap { Self.field(entry, in: $0, new.schema)?.nameRange }
  }

  /// Returns the declaration in OLD of an indexed field of NEW, or nil if the field is new.
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
