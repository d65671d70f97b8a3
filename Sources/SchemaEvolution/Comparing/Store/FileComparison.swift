import FBSDiagnostics
import FBSParser
import FBSSchema

/// Compares file identifiers, and checks that no two root tables of NEW share a name on disk.
struct FileComparison: ComparisonStage {
  let versions: VersionPair
  var findings: [Finding] = []

  /// Compares the file identifiers of root tables.
  /// - Parameter roots: the root tables in both versions.
  mutating func compareIdentifiers(_ roots: [RootPair]) {
    var seen: Set<FileID> = []
    for root in roots where seen.insert(root.newFile.id).inserted { compareIdentifiers(root.oldFile, root.newFile) }
    let byName = Dictionary(
      old.schema.files.compactMap { file in old.names[file.id].map { ($0, file) } }
    ) { first, _ in first }
    for file in new.schema.files where file.isInput && !seen.contains(file.id) {
      guard let before = new.names[file.id].flatMap({ byName[$0] }) else { continue }
      compareIdentifiers(before, file)
    }
  }

  /// Reports a changed file identifier: the four bytes in finished buffers of a root table's file.
  private mutating func compareIdentifiers(_ first: SchemaFile, _ second: SchemaFile) {
    guard first.fileIdentifier != second.fileIdentifier else { return }
    let range = second.fileIdentifierRange
    let oldRange = first.fileIdentifierRange
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

  /// Reports root tables of NEW that share a name on disk.
  mutating func checkCollisions() {
    var first: [String: TableID] = [:]
    for root in new.schema.roots {
      let table = new.schema[root.table]
      guard let other = first.updateValue(root.table, forKey: versions.storeName(table)) else { continue }
      let twin = new.schema[other]
      report(
        .tableCollision,
        "`\(table.name)` and `\(twin.name)` would share the SQLite table `\(versions.storeName(table))`",
        harm: "each would read and overwrite the objects of the other",
        advice: "rename one, or give it a version: `(v: \"1\")`", at: table.declaration.nameRange,
        was: oldIndex.byName[twin.name].map { old.schema.declaration(of: $0).nameRange }
          ?? SourceRange(file: old.schema.files.first { $0.isInput }?.id ?? FileID(0), start: 0, end: 0), "")
      findings[findings.count - 1].labels = [.init(twin.declaration.nameRange, "the other is here")]
    }
  }
}
