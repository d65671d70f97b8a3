import FBSDiagnostics
import FBSParser
import FBSSchema

/// A root table in both versions.
struct RootPair {
  let old: TableID
  let new: TableID
  let oldFile: SchemaFile
  let newFile: SchemaFile

  var types: TypePair { TypePair(old: .table(old), new: .table(new)) }
}

/// Matches each root table of OLD with the root table of NEW that it became, and reports root tables that are gone.
struct RootMatching: ComparisonStage {
  let versions: VersionPair
  let matching: TypeMatching
  var findings: [Finding] = []

  /// Returns the root tables of OLD with those of NEW that they became. Reports root tables that are gone or replaced.
  mutating func run() -> [RootPair] {
    let (oldRoots, newRoots) = (old.schema.roots, new.schema.roots)
    var result: [RootPair] = []
    var taken: Set<TableID> = []
    var rest: [(file: SchemaFile, table: TableID)] = []
    // A root table that moved may now be the root of a file that is only included.
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
      guard versions.areVersionsOfOne(.table(root.table), .table(same.table)) else {
        reportOtherRoot(root, same)
        continue
      }
      taken.insert(same.table)
      result.append(RootPair(old: root.table, new: same.table, oldFile: root.file, newFile: same.file))
    }
    return result
  }

  /// Returns the root table of another file that this one became: one with a new name that differs only in the
  /// namespace, or else with the same fields. Nil if there is none.
  private func heir(
    of root: TableID, _ roots: [(file: SchemaFile, table: TableID)], _ taken: Set<TableID>
  ) -> (file: SchemaFile, table: TableID)? {
    let candidates = roots.filter {
      !taken.contains($0.table) && versions.areVersionsOfOne(.table(root), .table($0.table))
    }
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
    if case .table = same, let same, matching.newOf[.table(root.table)] == nil, matching.oldOf[same] == nil {
      matching.match(TypePair(old: .table(root.table), new: same))
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
    if let same = newIndex.byName[before.name], case .table = same, matching.newOf[.table(root.table)] == nil,
      matching.oldOf[same] == nil
    {
      matching.match(TypePair(old: .table(root.table), new: same))
    }
  }
}
