import FBSParser
import FBSSchema

/// Finds names that Swift cannot hold side by side, before they become Swift that does not compile.
struct NameChecker {
  private let schema: Schema
  private let names: Namer
  private let traits: SchemaTraits
  /// Whether there will be a data model, which takes more names than the accessors alone.
  private let isForStore: Bool
  private let hasEditors: Bool

  init(schema: Schema, names: Namer, traits: SchemaTraits, isForStore: Bool, hasEditors: Bool) {
    self.schema = schema
    self.names = names
    self.traits = traits
    self.isForStore = isForStore
    self.hasEditors = hasEditors
  }

  func diagnostics() -> [Diagnostic] {
    typeDiagnostics() + memberDiagnostics()
  }

  // MARK: Types

  private struct TypeEntry {
    let name: QualifiedName
    let declaration: Declaration
    /// The type that is generated beside it and has this name, if it is not the definition's own.
    let suffix: String
  }

  private func typeEntries() -> [TypeEntry] {
    var entries: [TypeEntry] = []
    func add(_ name: QualifiedName, _ declaration: Declaration, _ suffixes: [String]) {
      for suffix in [""] + suffixes {
        entries.append(TypeEntry(name: name, declaration: declaration, suffix: suffix))
      }
    }
    func generated(_ suffixes: [String]) -> [String] {
      suffixes.filter { $0 == Namer.Suffix.editor ? hasEditors : isForStore || !Namer.Suffix.ofStore.contains($0) }
    }
    for item in schema.enums { add(item.name, item.declaration, Namer.Suffix.ofEnum) }
    for item in schema.structs { add(item.name, item.declaration, generated(Namer.Suffix.ofStruct)) }
    for item in schema.unions { add(item.name, item.declaration, generated(Namer.Suffix.ofUnion)) }
    for (index, item) in schema.tables.enumerated() {
      let isRoot = names.isRoot(TableID(index))
      add(item.name, item.declaration, generated(isRoot ? Namer.Suffix.ofRoot : Namer.Suffix.ofTable))
    }
    return entries
  }

  private func typeDiagnostics() -> [Diagnostic] {
    var found: [Diagnostic] = []
    var taken: [QualifiedName: TypeEntry] = [:]
    for entry in typeEntries() {
      let swiftName = QualifiedName(namespace: entry.name.namespace, name: entry.name.name + entry.suffix)
      guard let other = taken.updateValue(entry, forKey: swiftName) else { continue }
      let (made, plain) = entry.suffix.isEmpty ? (other, entry) : (entry, other)
      found.append(
        Diagnostic(
          EmitterCode.nameCollision, .error, "`\(swiftName)` is also what is generated for `\(made.name)`",
          at: plain.declaration.nameRange, advice: "give it another name",
          labels: [.init(made.declaration.nameRange, "`\(swiftName.name)` is generated beside this")]))
    }
    return found
  }

  // MARK: Members

  private func memberDiagnostics() -> [Diagnostic] {
    var found: [Diagnostic] = []
    for item in schema.enums {
      check(
        item.values.map { ($0.name, names.caseName($0), $0.declaration) },
        reserved: (["`self`", "_", "rawValue"] as Set<String>).union(isForStore ? ["allCases"] : []), &found)
    }
    for item in schema.unions {
      check(
        item.members.map { ($0.name, names.caseName($0), $0.declaration) },
        reserved: (["`self`", "_", "unknown"] as Set<String>).union(isForStore ? ["_typeCode"] : []), &found)
    }
    for item in schema.structs {
      check(
        item.fields.map { ($0.name, names.member($0), $0.declaration) },
        reserved: (["`self`", "_", "_structure"] as Set<String>).union(editorMembers).union(
          isForStore ? ["_value", "_path", "byteSize", "byteAlignment", "Fields"] : []), &found)
    }
    for (index, item) in schema.tables.enumerated() {
      var members: [(name: String, swift: String, declaration: Declaration)] = []
      for field in item.fields where !field.isDeprecated {
        members.append((field.name, names.member(field), field.declaration))
        // A wrapped property brings another, which holds the wrapper.
        if isForStore, traits.recursion.isIndirect(field, of: TableID(index)) {
          members.append((field.name, "_" + Namer.lowerCamelCase(field.name), field.declaration))
        }
      }
      check(
        members,
        reserved: (["`self`", "_", "_table"] as Set<String>).union(editorMembers).union(
          isForStore
            ? [
              "_rowid", "_commitVersion", "_record", "_change", "_differs", "_fieldValues", "_fields",
              "_fileIdentifier", "_hasSameKeys", "_isIdentical", "_path", "_primaryKey", "Fields",
            ] : []),
        &found)
    }
    return found
  }

  private var editorMembers: Set<String> { hasEditors ? ["_editor"] : [] }

  private func check(
    _ members: [(name: String, swift: String, declaration: Declaration)], reserved: Set<String>,
    _ found: inout [Diagnostic]
  ) {
    var taken: [String: Declaration] = [:]
    for member in members {
      if reserved.contains(member.swift) {
        found.append(
          Diagnostic(
            EmitterCode.reservedName, .error, "`\(member.name)` would hide a member of that name in the generated code",
            at: member.declaration.nameRange, advice: "give it another name"))
      }
      if let other = taken.updateValue(member.declaration, forKey: member.swift) {
        found.append(
          Diagnostic(
            EmitterCode.nameCollision, .error, "`\(member.name)` is `\(member.swift)` in Swift, which is taken",
            at: member.declaration.nameRange, advice: "give one of them another name",
            labels: [.init(other.nameRange, "also `\(member.swift)`")]))
      }
    }
  }
}
