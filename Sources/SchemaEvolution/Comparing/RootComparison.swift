import FBSDiagnostics
import FBSParser
import FBSSchema

/// The root tables of both versions: what stores hold.
extension Comparison {
  /// A root table in both versions.
  struct RootPair {
    let old: TableID
    let new: TableID
    let oldFile: SchemaFile
    let newFile: SchemaFile

    var pair: Pair { Pair(old: .table(old), new: .table(new)) }
  }

  /// Finds out which root became which, and reports those that went.
  mutating func matchRoots() -> [RootPair] {
    let (oldRoots, newRoots) = (old.schema.roots, new.schema.roots)
    var result: [RootPair] = []
    var taken: Set<TableID> = []
    var rest: [(file: SchemaFile, table: TableID)] = []
    // A root that moved may be that of a file which is only included now.
    let included = new.schema.files.compactMap { file in
      file.isInput ? nil : file.rootTable.map { (file: file, table: $0) }
    }
    let byName = Dictionary((newRoots + included).map { (new.schema[$0.table].name, $0) }) { first, _ in first }
    for root in oldRoots {
      guard let same = byName[old.schema[root.table].name], taken.insert(same.table).inserted else {
        rest.append(root)
        continue
      }
      result.append(RootPair(old: root.table, new: same.table, oldFile: root.file, newFile: same.file))
    }
    var byFile: [String: (file: SchemaFile, table: TableID)] = [:]
    for root in newRoots { if let name = new.names[root.file.id] { byFile[name] = root } }
    let newFiles = Dictionary(
      new.schema.files.compactMap { file in new.names[file.id].map { ($0, file) } }
    ) { first, _ in first }
    for root in rest {
      let name = old.names[root.file.id]
      var same = name.flatMap { byFile[$0] }
      if same.map({ taken.contains($0.table) }) == true { same = nil }
      if same == nil, name.flatMap({ newFiles[$0] }) == nil { same = heir(of: root.table, newRoots, taken) }
      guard let same else {
        if new.namesElsewhere.contains(old.schema[root.table].name) { continue }
        reportLostRoot(root, name.flatMap { newFiles[$0] } ?? new.schema.files.first { $0.isInput })
        continue
      }
      guard areVersionsOfOne(.table(root.table), .table(same.table)) else {
        reportOtherRoot(root, same)
        continue
      }
      taken.insert(same.table)
      result.append(RootPair(old: root.table, new: same.table, oldFile: root.file, newFile: same.file))
    }
    return result
  }

  /// The root in another file that a root went to: one that came, and is called alike or has the same fields.
  private func heir(
    of root: TableID, _ roots: [(file: SchemaFile, table: TableID)], _ taken: Set<TableID>
  ) -> (file: SchemaFile, table: TableID)? {
    let candidates = roots.filter { !taken.contains($0.table) && areVersionsOfOne(.table(root), .table($0.table)) }
    let name = old.schema[root].name.name
    let fields = old.schema[root].fields.map(\.name)
    return candidates.first { new.schema[$0.table].name.name == name }
      ?? candidates.first { new.schema[$0.table].fields.map(\.name) == fields }
  }

  private mutating func reportLostRoot(_ root: (file: SchemaFile, table: TableID), _ file: SchemaFile?) {
    let table = old.schema[root.table]
    let same = newIndex.byName[table.name]
    let range =
      same.map { new.schema.declaration(of: $0).nameRange }
      ?? SourceRange(file: file?.id ?? FileID(0), start: 0, end: 0)
    report(
      .rootType, "`\(table.name)` is no root type any more",
      harm: "stored objects are of a type that nothing reads as a whole", advice: "put `root_type \(table.name);` back",
      at: range, was: root.file.rootTypeRange ?? table.declaration.nameRange, "it was the root type")
    if case .table = same, let same, newOf[.table(root.table)] == nil, oldOf[same] == nil {
      match(Pair(old: .table(root.table), new: same))
    }
  }

  private mutating func reportOtherRoot(
    _ root: (file: SchemaFile, table: TableID), _ other: (file: SchemaFile, table: TableID)
  ) {
    let (before, after) = (old.schema[root.table], new.schema[other.table])
    report(
      .rootType, "the root type was `\(before.name)`, and is `\(after.name)`",
      harm: "stored objects are read as a table that they are not", advice: "put the old root type back",
      at: other.file.rootTypeRange ?? after.declaration.nameRange,
      was: root.file.rootTypeRange ?? before.declaration.nameRange, "the root type was this",
      fix: newIndex.byName[before.name] == nil
        ? nil
        : other.file.rootTypeRange.map {
          .init(title: "put the old root type back", range: $0, replacement: before.name.description)
        })
    if let same = newIndex.byName[before.name], case .table = same, newOf[.table(root.table)] == nil,
      oldOf[same] == nil
    {
      match(Pair(old: .table(root.table), new: same))
    }
  }

  // MARK: A root in both versions

  /// Whether only the version of a root's name changed.
  func hasNewVersion(_ root: RootPair) -> Bool {
    let (first, second) = (old.schema[root.old], new.schema[root.new])
    return first.version != second.version && baseName(first) == baseName(second)
  }

  private func baseName(_ table: TableDefinition) -> String {
    StoreNames.tableName(
      for: TableDefinition(
        name: table.name, fields: [], slotCount: 0, range: table.range,
        declaration: Declaration(nameRange: table.declaration.nameRange)))
  }

  /// A name as SQLite compares them: capitals are small letters.
  func storeName(_ table: TableDefinition) -> String { StoreNames.tableName(for: table).lowercased() }

  mutating func compareStore(_ root: RootPair) {
    let (first, second) = (old.schema[root.old], new.schema[root.new])
    if storeName(first) != storeName(second), !hasNewVersion(root) {
      // Without a primary key no store holds it; but its author means it to be a root.
      let isStored = !first.primaryKey.isEmpty
      report(
        .tableRenamed, "root table `\(first.name)` is called `\(second.name)`",
        harm: "the store looks for `\(storeName(second))`: objects in `\(storeName(first))` stay behind",
        advice: "put the name back", at: second.declaration.nameRange, was: first.declaration.nameRange,
        "stored as `\(storeName(first))`", severity: isStored ? nil : .warning, evidence: isStored ? nil : .precaution,
        notes: isStored ? [] : ["no store holds it yet: it has no primary key"])
    }
    compareKeys(first, second)
    compareIndexes(root)
  }

  private mutating func compareKeys(_ first: TableDefinition, _ second: TableDefinition) {
    let (before, after) = (first.primaryKey, second.primaryKey)
    guard !before.isEmpty || !after.isEmpty else { return }
    let newByName = Dictionary(second.fields.map { ($0.name, $0) }) { first, _ in first }
    let newByID = Dictionary(second.fields.map { ($0.id, $0) }) { first, _ in first }
    // What became of each column: a field that keeps its name, or else its number.
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
    // The order of the key is that of the text.
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
      guard let heir, heir.isPrimary, columnType(field.type, old.schema) != columnType(heir.type, new.schema) else {
        continue
      }
      report(
        .primaryKey, "`\(heir.name)`, part of the primary key, has another type", harm: text,
        advice: "put the type back", at: typeRange(heir), was: typeRange(field), "the type was this")
    }
  }

  /// A primary key's type, down to the width of its numbers.
  private func columnType(_ type: FieldType, _ schema: Schema) -> ScalarType? {
    switch type {
    case .scalar(let scalar): scalar
    case .enumeration(let id): schema[id].underlyingType
    default: nil
    }
  }

  private func primaryRange(_ field: FieldDefinition) -> SourceRange {
    field.declaration.attribute("primary")?.range ?? field.declaration.nameRange
  }

  // MARK: Files

  /// The four bytes in finished buffers of a root's file.
  mutating func compareIdentifiers(_ first: SchemaFile, _ second: SchemaFile) {
    guard first.fileIdentifier != second.fileIdentifier else { return }
    let range = newPlaces.identifier(of: second.id)
    let oldRange = oldPlaces.identifier(of: first.id)
    let place = second.rootTypeRange ?? SourceRange(file: second.id, start: 0, end: 0)
    let oldPlace = first.rootTypeRange ?? SourceRange(file: first.id, start: 0, end: 0)
    let (before, after) = (first.fileIdentifier, second.fileIdentifier)
    report(
      .fileIdentifier,
      before.map { before in
        after.map { "the file identifier was \"\(before)\", and is \"\($0)\"" }
          ?? "the file identifier \"\(before)\" is gone"
      } ?? "a file identifier was added",
      harm: before == nil
        ? "buffers that are stored have none, and are refused by who asks for it"
        : "buffers with the old one are refused by who asks for another, and those without by who asks for the old",
      advice: before == nil ? "remove it" : "put it back", at: range ?? place, was: oldRange ?? oldPlace,
      before == nil ? "without one" : "it was this",
      fix: range.flatMap { range in before.map { .init(title: "put it back", range: range, replacement: "\"\($0)\"") } }
    )
  }

  /// Two root tables of NEW with one name on disk.
  mutating func checkCollisions() {
    var first: [String: TableID] = [:]
    for root in new.schema.roots {
      let table = new.schema[root.table]
      guard let other = first.updateValue(root.table, forKey: storeName(table)) else { continue }
      let twin = new.schema[other]
      report(
        .tableCollision, "`\(table.name)` and `\(twin.name)` would share the SQLite table `\(storeName(table))`",
        harm: "each would read and overwrite the objects of the other",
        advice: "rename one, or give it a version: `(v: \"1\")`", at: table.declaration.nameRange,
        was: oldIndex.byName[twin.name].map { old.schema.declaration(of: $0).nameRange }
          ?? SourceRange(file: old.schema.files.first { $0.isInput }?.id ?? FileID(0), start: 0, end: 0), "")
      findings[findings.count - 1].labels = [.init(twin.declaration.nameRange, "the other is here")]
    }
  }
}
