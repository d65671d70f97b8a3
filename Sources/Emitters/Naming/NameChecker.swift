import FBSParser
import FBSSchema

/// Finds names that Swift cannot hold side by side, before they become Swift that does not compile.
struct NameChecker {
  private let schema: Schema
  private let names: Namer
  /// Whether there will be a data model, which takes more names than the accessors alone, and holds tables by value.
  private let isForStore: Bool
  private let hasEditors: Bool

  init(schema: Schema, names: Namer, isForStore: Bool, hasEditors: Bool) {
    self.hasEditors = hasEditors
    self.schema = schema
    self.names = names
    self.isForStore = isForStore
  }

  func diagnostics() -> [Diagnostic] {
    typeDiagnostics() + memberDiagnostics() + (isForStore ? sizeDiagnostics() : [])
  }

  // MARK: Types

  /// Types that generated code names, and that a definition of the same name would hide from it.
  private static let reservedTypes: Set<String> = [
    "Any", "AnyObject", "Array", "Bool", "Double", "FlatBufferBuilder", "FlatBufferError", "FlatBufferEnumValue",
    "FlatBufferScalarKeyed", "FlatBufferStringKeyed", "FlatBufferStruct", "FlatBufferStructEditor",
    "FlatBufferStructEditorView", "FlatBufferStructView", "FlatBufferStructWritable", "FlatBufferStructWriter",
    "FlatBufferTable", "FlatBufferTableEditor", "FlatBufferTableEditorView", "FlatBufferTableView",
    "FlatBufferUnionEditorView", "FlatBufferUnionMember", "FlatBufferUnionMemberEditor", "FlatBufferUnionVector",
    "FlatBufferUnionView", "FlatBufferVector", "FlatBufferVectorEditor", "FlatBufferVerifier", "Float", "Hashable",
    "Int", "Int16", "Int32", "Int64", "Int8", "Offset", "OptionSet", "Optional", "Protocol", "Self", "Sendable",
    "String", "Type", "UInt", "UInt16", "UInt32", "UInt64", "UInt8", "VTableOffset", "self",
  ]

  /// Those that only what is generated for a store names.
  private static let reservedStoreTypes: Set<String> = [
    "Atom", "ByteBuffer", "CaseIterable", "ChangeRequest", "CurrentTransaction", "DflatFriendlyValue", "Equatable",
    "FieldPath", "FlatBufferStructDecodable", "FlatBufferTableDecodable", "FlatBuffersDecodable",
    "FlatBuffersEncodable", "QueryExpression", "RawRepresentable", "RecordChange", "RecordDescription", "RecordField",
    "RecordIndex", "SQLiteAtom", "UnionField",
  ]

  private func isReserved(_ name: String) -> Bool {
    Self.reservedTypes.contains(name) || isForStore && Self.reservedStoreTypes.contains(name)
  }

  private struct TypeEntry {
    let name: QualifiedName
    let declaration: Declaration
    /// The type that is generated beside it and has this name, if it is not the definition's own.
    let suffix: String
  }

  private func typeEntries() -> [TypeEntry] {
    var entries: [TypeEntry] = []
    let editor = hasEditors ? [Namer.Suffix.editor] : []
    func add(_ name: QualifiedName, _ declaration: Declaration, _ suffixes: [String]) {
      for suffix in [""] + suffixes {
        entries.append(TypeEntry(name: name, declaration: declaration, suffix: suffix))
      }
    }
    for item in schema.enums { add(item.name, item.declaration, [Namer.Suffix.value]) }
    for item in schema.structs { add(item.name, item.declaration, [Namer.Suffix.reader, Namer.Suffix.value] + editor) }
    for item in schema.unions { add(item.name, item.declaration, [Namer.Suffix.reader] + editor) }
    for (index, item) in schema.tables.enumerated() {
      let root = [Namer.Suffix.builder, Namer.Suffix.changeRequest]
      add(
        item.name, item.declaration,
        [Namer.Suffix.reader] + editor + (isForStore && names.isRoot(TableID(index)) ? root : []))
    }
    return entries
  }

  private func typeDiagnostics() -> [Diagnostic] {
    var found: [Diagnostic] = []
    var taken: [QualifiedName: TypeEntry] = [:]
    for entry in typeEntries() {
      let swiftName = QualifiedName(namespace: entry.name.namespace, name: entry.name.name + entry.suffix)
      if entry.suffix.isEmpty, isReserved(entry.name.name) {
        found.append(
          Diagnostic(
            EmitterCode.reservedName, .error, "a type cannot be called `\(entry.name.name)` in Swift",
            at: entry.declaration.nameRange, advice: "give it another name",
            notes: ["the generated code uses a type of that name"]))
      }
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
    for item in schema.tables {
      var members: [(name: String, swift: String, declaration: Declaration)] = []
      for field in item.fields where !field.isDeprecated {
        members.append((field.name, names.member(field), field.declaration))
      }
      check(
        members,
        reserved: (["`self`", "_", "_table"] as Set<String>).union(editorMembers).union(
          isForStore ? ["_rowid", "_record", "_change", "_path", "Fields"] : []), &found)
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

  // MARK: Sizes

  /// A table that is no root becomes a struct, which cannot hold another of its kind by value. A vector is no obstacle,
  /// nor is a root, which becomes a class.
  private func sizeDiagnostics() -> [Diagnostic] {
    let graph = schema.tables.indices.map { heldByValue(by: TableID($0)) }
    // Depth first, without recursion, since a chain of tables may be as long as the schema.
    var state = [UInt8](repeating: 0, count: graph.count)
    var found: [Diagnostic] = []
    for start in graph.indices where state[start] == 0 {
      var stack: [(table: Int, next: Int)] = [(start, 0)]
      state[start] = 1
      while let top = stack.last {
        guard top.next < graph[top.table].count else {
          state[top.table] = 2
          stack.removeLast()
          continue
        }
        stack[stack.count - 1].next += 1
        let edge = graph[top.table][top.next]
        switch state[edge.table.index] {
        case 0:
          state[edge.table.index] = 1
          stack.append((edge.table.index, 0))
        case 1: found.append(infiniteSize(edge.field, holding: edge.table))
        default: break
        }
      }
    }
    return found
  }

  private func heldByValue(by id: TableID) -> [(table: TableID, field: FieldDefinition)] {
    guard !names.isRoot(id) else { return [] }
    return schema[id].fields.filter { !$0.isDeprecated }.flatMap {
      field -> [(table: TableID, field: FieldDefinition)] in
      switch field.type {
      case .table(let table): return [(table, field)]
      case .union(let union):
        return schema[union].members.compactMap { member in
          if case .table(let table) = member.type { return (table, field) }
          return nil
        }
      case .scalar, .enumeration, .string, .structure, .vector: return []
      }
    }
  }

  private func infiniteSize(_ field: FieldDefinition, holding table: TableID) -> Diagnostic {
    Diagnostic(
      EmitterCode.infiniteSize, .error, "`\(field.name)` would make `\(schema[table].name)` hold itself",
      at: field.declaration.nameRange, advice: "make it a vector",
      labels: [.init(schema[table].declaration.nameRange, "this becomes a Swift struct, which has a fixed size")])
  }
}
