import FBSDiagnostics
import FBSParser
import FBSSchema

/// A type of OLD and the one of NEW that it became, or may have become.
struct TypePair: Hashable {
  let old: DefinitionID
  let new: DefinitionID
}

/// Both versions of a schema, with their types by name. The stages of the comparison read it and do not change it.
final class VersionPair {
  let old: SchemaVersion
  let new: SchemaVersion
  let oldIndex: DefinitionIndex
  let newIndex: DefinitionIndex

  /// The codable types of NEW: those with the attribute, and all types that they hold. Lazy, since few schemas have
  /// any.
  private(set) lazy var newCodables = new.schema.contents(
    reachedFrom: newIndex.ids.filter { new.schema.declaration(of: $0).has("codable") })
  private var newTrees: [FileID: SyntaxTree] = [:]
  private lazy var oldGiven = GivenTypes(old.schema)
  private lazy var newGiven = GivenTypes(new.schema)

  init(old: SchemaVersion, new: SchemaVersion) {
    self.old = old
    self.new = new
    oldIndex = DefinitionIndex(old.schema)
    newIndex = DefinitionIndex(new.schema)
  }

  /// Returns the tree of a file of NEW, which is parsed when it is first needed: few edits depend on comments.
  func newTree(of file: FileID) -> SyntaxTree {
    if let tree = newTrees[file] { return tree }
    let tree = Parser.parse(new.sources[file]).tree
    newTrees[file] = tree
    return tree
  }

  /// Returns whether the types may be versions of one type: their names are equal, or the old name is gone and the new one
  /// came.
  func areVersionsOfOne(_ first: DefinitionID, _ second: DefinitionID) -> Bool {
    let (oldName, newName) = (old.schema.name(of: first), new.schema.name(of: second))
    return oldName == newName || (newIndex.byName[oldName] == nil && oldIndex.byName[newName] == nil)
  }

  /// Returns whether one of the types belongs to `GivenTypes`, and is judged in full whatever holds it.
  func isGiven(_ pair: TypePair) -> Bool { oldGiven.contains(pair.old) || newGiven.contains(pair.new) }

  /// Returns whether the absence of an attribute in either version says nothing, since a binary schema may lack it.
  func isUnknown(_ attribute: String) -> Bool {
    old.unknownAttributes.contains(attribute) || new.unknownAttributes.contains(attribute)
  }

  // MARK: Names on disk

  /// Returns the name of a root table's SQLite table, in lowercase, since SQLite compares names without case.
  func storeName(_ table: TableDefinition) -> String { StoreNames.tableName(for: table).lowercased() }

  /// Returns whether a root table's name on disk changed, and only by its version (`v`). Versions that are written differently
  /// may stand for one name, such as `1.1` and `1_1`.
  func hasNewVersion(_ root: RootPair) -> Bool {
    let (first, second) = (old.schema[root.old], new.schema[root.new])
    return storeName(first) != storeName(second) && baseName(first) == baseName(second)
  }

  private func baseName(_ table: TableDefinition) -> String {
    StoreNames.tableName(
      for: TableDefinition(
        name: table.name, fields: [], slotCount: 0, range: table.range,
        declaration: Declaration(nameRange: table.declaration.nameRange)))
  }
}
