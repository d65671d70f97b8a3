import FBSDiagnostics
import FBSParser
import FBSSchema

/// Compares the stored form of a root table: its name on disk, its primary key and its indexes.
struct RootComparison: ComparisonStage {
  let versions: VersionPair
  let matching: TypeMatching
  var findings: [Finding] = []

  mutating func compare(_ root: RootPair) {
    let (first, second) = (old.schema[root.old], new.schema[root.new])
    if versions.storeName(first) != versions.storeName(second), !versions.hasNewVersion(root) {
      // No store holds a table without a primary key. But it is meant as a root, so this is a warning.
      let isStored = !first.primaryKey.isEmpty
      report(
        .tableRenamed, "root table `\(first.name)` is called `\(second.name)`",
        harm:
          "the store looks for `\(versions.storeName(second))`: objects in `\(versions.storeName(first))` stay behind",
        advice: "put the name back", at: second.declaration.nameRange, was: first.declaration.nameRange,
        "stored as `\(versions.storeName(first))`", severity: isStored ? nil : .warning,
        evidence: isStored ? nil : .precaution,
        notes: isStored ? [] : ["no store holds it yet: it has no primary key"])
    }
    compareKeys(first, second)
    var indexes = IndexComparison(versions: versions, matching: matching)
    indexes.compare(root)
    findings += indexes.findings
  }

  private mutating func compareKeys(_ first: TableDefinition, _ second: TableDefinition) {
    let (before, after) = (first.primaryKey, second.primaryKey)
    guard !before.isEmpty || !after.isEmpty else { return }
    let newByName = Dictionary(second.fields.map { ($0.name, $0) }) { first, _ in first }
    let newByID = Dictionary(second.fields.map { ($0.id, $0) }) { first, _ in first }
    // The field that each column became: the one that keeps its name, or else its number.
    let heirs = before.map { newByName[$0.name] ?? newByID[$0.id] }
    let heirIDs = Set(heirs.compactMap { $0?.isPrimary == true ? $0?.id : nil })
    let text = "the columns of the store's table are made once: objects in it are no longer found"
    for (field, heir) in zip(before, heirs) where heir?.isPrimary != true {
      report(
        .primaryKey, "`\(field.name)` was taken out of the primary key of `\(second.name)`", harm: text,
        advice: "put `primary` back", at: (heir?.declaration ?? second.declaration).nameRange,
        was: primaryRange(field), "part of the key here",
        fix: heir.flatMap { $0.isDeprecated ? nil : insertion("primary", $0) })
    }
    for field in after where !heirIDs.contains(field.id) {
      report(
        .primaryKey, "`\(field.name)` was added to the primary key of `\(second.name)`", harm: text,
        advice: "remove `primary`", at: primaryRange(field),
        was: (before.last?.declaration.attribute("primary")?.range) ?? first.declaration.nameRange,
        before.isEmpty ? "without a primary key" : "the key ended here",
        evidence: before.isEmpty ? .precaution : nil, fix: before.isEmpty ? nil : removal("primary", field.declaration))
    }
    // The columns of the key are in the order of the text.
    let kept = heirs.compactMap { $0?.isPrimary == true ? $0 : nil }
    let order = kept.map { heir in after.firstIndex { $0.id == heir.id } ?? 0 }
    let stays = Set(FieldAlignment.longestAscendingRun(order))
    for place in kept.indices where !stays.contains(place) {
      report(
        .primaryKey, "the primary key of `\(second.name)` has another order", harm: text,
        advice: "put the fields in the old order", at: primaryRange(kept[place]),
        was: before.first { newByName[$0.name]?.id == kept[place].id || $0.id == kept[place].id }.map(primaryRange)
          ?? first.declaration.nameRange, "it was in this place")
    }
    for (field, heir) in zip(before, heirs) {
      guard let heir, heir.isPrimary, column(of: field, old.schema) != column(of: heir, new.schema) else {
        continue
      }
      report(
        .primaryKey, "`\(heir.name)`, part of the primary key, has another type", harm: text,
        advice: "put the type back", at: typeRange(heir), was: typeRange(field), "the type was this")
    }
  }

  /// The content of a key's column.
  private enum Column: Equatable {
    /// A number, with its width.
    case number(ScalarType)
    /// The bytes of a struct.
    case bytes(Int)
    case text
  }

  private func column(of field: FieldDefinition, _ schema: Schema) -> Column {
    switch field.type {
    case .scalar(let scalar): .number(scalar)
    case .enumeration(let id): .number(schema[id].underlyingType)
    default: field.byteCount.map { .bytes($0) } ?? .text
    }
  }

  private func primaryRange(_ field: FieldDefinition) -> SourceRange {
    field.declaration.attribute("primary")?.range ?? field.declaration.nameRange
  }
}
