import FBSDiagnostics
import FBSParser
import FBSSchema

/// A type of OLD and the one of NEW that it became, or may have become.
struct TypePair: Hashable {
  let old: DefinitionID
  let new: DefinitionID
}

/// Both versions of a schema, with their types by name. Every stage of the comparison reads it, and none changes it.
final class VersionPair {
  let old: SchemaVersion
  let new: SchemaVersion
  let oldIndex: DefinitionIndex
  let newIndex: DefinitionIndex

  /// The types of NEW that can be encoded: those that say so, and what they hold. Few schemas have any.
  private(set) lazy var newCodables = new.schema.contents(
    reachedFrom: newIndex.ids.filter { new.schema.declaration(of: $0).has("codable") })
  private lazy var oldGiven = GivenTypes(old.schema)
  private lazy var newGiven = GivenTypes(new.schema)

  init(old: SchemaVersion, new: SchemaVersion) {
    self.old = old
    self.new = new
    oldIndex = DefinitionIndex(old.schema)
    newIndex = DefinitionIndex(new.schema)
  }

  /// Whether one name was taken away and the other one came, or both are the same.
  func areVersionsOfOne(_ first: DefinitionID, _ second: DefinitionID) -> Bool {
    let (oldName, newName) = (old.schema.name(of: first), new.schema.name(of: second))
    return oldName == newName || (newIndex.byName[oldName] == nil && oldIndex.byName[newName] == nil)
  }

  /// Whether one of the types is judged in full whatever holds it: see `GivenTypes`.
  func isGiven(_ pair: TypePair) -> Bool { oldGiven.contains(pair.old) || newGiven.contains(pair.new) }

  /// Whether an attribute that one version has may be in the other one, too, without that showing there.
  func isUnknown(_ attribute: String) -> Bool {
    old.unknownAttributes.contains(attribute) || new.unknownAttributes.contains(attribute)
  }

  // MARK: Names on disk

  /// The name of a root table's SQLite table, as SQLite compares names: capitals are small letters.
  func storeName(_ table: TableDefinition) -> String { StoreNames.tableName(for: table).lowercased() }

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
}
