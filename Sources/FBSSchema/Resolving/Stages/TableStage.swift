import FBSDiagnostics
import FBSParser

/// Resolves the tables: fields that may be absent, each with an id.
struct TableStage {
  let scope: ResolutionScope
  private let attributes: AttributeReader
  private let rules: FieldRules
  private var defaults: DefaultReader
  private var memberNames = MemberNames()
  /// Whether the tables of each file, by its index, were resolved without a diagnostic.
  private(set) var isClean: [Bool]
  private(set) var resolvedCount = 0

  init(_ scope: ResolutionScope) {
    self.scope = scope
    attributes = AttributeReader(scope: scope)
    rules = FieldRules(scope: scope)
    defaults = DefaultReader(scope)
    isClean = Array(repeating: true, count: scope.files.count)
  }

  /// Resolves the tables.
  /// - Parameter kept: tables of an earlier run, which are used again where they are final.
  mutating func run(keeping kept: ResolvedTables.Kept?) {
    if let kept { scope.schema.tables = kept.tables }
    for index in scope.symbols.definitions.indices {
      let definition = scope.symbols.definitions[index]
      guard case .table(let node) = definition.syntax, case .table(let id) = definition.id,
        kept?.isFinal[id.index] != true
      else { continue }
      let count = scope.diagnostics.count
      let table = resolve(node, index)
      resolvedCount += 1
      if kept == nil { scope.schema.tables.append(table) } else { scope.schema.tables[id.index] = table }
      if scope.diagnostics.count != count { isClean[definition.file] = false }
    }
  }

  private mutating func resolve(_ node: StructureSyntax, _ index: Int) -> TableDefinition {
    let definition = scope.symbols.definitions[index]
    let tree = scope.tree(definition.file)
    let declaration = attributes.declaration(
      node.keyword, node.name, node.attributes, on: .table, in: tree, definition.file)
    // If a table is too large, only as many fields are read as show that it is: a program may have written millions.
    let fieldIndexes = node.fields.prefix(FieldIDs.maximumSlots + 1)
    var pending: [PendingField] = []
    pending.reserveCapacity(fieldIndexes.count)
    var keys: [SourceRange] = []
    for (place, fieldIndex) in fieldIndexes.enumerated() {
      let syntax = tree.fields[fieldIndex]
      let name = scope.intern(tree.bytes(of: syntax.name))
      let own = attributes.fieldDeclaration(syntax, on: .field, in: tree, definition.file)
      let type = fieldType(tree.types[syntax.type], definition, tree)
      memberNames.checkFieldName(name, place, of: node.fields, own, index, scope)
      var field = PendingField(name: name, type: type, declaration: own, presence: .optional)
      if let type {
        field.presence = defaults.presence(of: type, syntax.value, own, definition, tree)
        if type == .scalar(.float) { field.unroundedDefault = defaults.unroundedReal(of: field.presence) }
        if case .structure(let id)? = type.definition { field.byteCount = scope.schema[id].byteCount }
        rules.checkAttributes(of: field, type, &keys, definition)
        field.nestedType = rules.nestedType(of: field, type, definition)
      }
      pending.append(field)
    }
    checkHiddenNames(pending, index)
    let ids = FieldIDs(scope: scope).assignIDs(pending, ofWritten: node.fields.count, definition)
    let fields = zip(pending, ids.ids).compactMap { field, id -> FieldDefinition? in
      guard let type = field.type else { return nil }
      return FieldDefinition(
        name: scope.symbols.names.strings[field.name], type: type, id: id, presence: field.presence,
        unroundedDefault: field.unroundedDefault, isDeprecated: field.has("deprecated"),
        isPrimary: field.has("primary"), byteCount: field.byteCount, nestedType: field.nestedType,
        declaration: field.declaration)
    }
    return TableDefinition(
      name: scope.qualifiedName(definition), fields: fields, slotCount: ids.count, range: tree.range(of: node.span),
      declaration: declaration)
  }
}

// MARK: - Types

extension TableStage {
  private func fieldType(_ type: TypeSyntax, _ definition: UnresolvedDefinition, _ tree: SyntaxTree)
    -> FieldType?
  {
    switch type.kind {
    case .named:
      return elementType(type, definition, tree)?.asField
    case .list(let element, let length):
      let range = tree.range(of: type.span)
      guard case .named = tree.types[element].kind else {
        scope.error(
          .wrongType, "a vector cannot hold vectors", at: tree.range(of: tree.types[element].span),
          advice: "wrap the inner one in a table")
        return nil
      }
      guard length == nil else {
        scope.error(
          .wrongType, "only structs can hold arrays of a fixed length", at: range,
          advice: "wrap it in a struct, or drop the length")
        return nil
      }
      return elementType(tree.types[element], definition, tree).map { .vector(of: $0) }
    }
  }

  private func elementType(_ type: TypeSyntax, _ definition: UnresolvedDefinition, _ tree: SyntaxTree)
    -> ElementType?
  {
    if let builtin = scope.builtin(type, tree) {
      switch builtin {
      case .scalar(let scalar): return .scalar(scalar)
      case .string: return .string
      }
    }
    guard let found = scope.resolve(type.span, in: definition) else { return nil }
    switch found.id {
    case .table(let id): return .table(id)
    case .enumeration(let id): return .enumeration(id)
    case .union(let id): return .union(id)
    case .structure(let id):
      if scope.schema[id].size > Int(UInt16.max) - 4 {
        scope.error(
          .tooLarge, "a struct of \(scope.schema[id].size) bytes does not fit in a table",
          at: tree.range(of: type.span),
          advice: "use a vector, or a table", notes: ["a table's own bytes are at most 65535"])
      }
      return .structure(id)
    }
  }
}

extension ElementType {
  /// Returns the type of a field that holds a single element of this type.
  package var asField: FieldType {
    switch self {
    case .scalar(let type): .scalar(type)
    case .enumeration(let id): .enumeration(id)
    case .string: .string
    case .structure(let id): .structure(id)
    case .table(let id): .table(id)
    case .union(let id): .union(id)
    }
  }
}

// MARK: - Names

extension TableStage {
  /// Reports fields whose name generated code needs for another field: for a union's type, a vector's length, or a
  /// string's bytes.
  private func checkHiddenNames(_ fields: [PendingField], _ definition: Int) {
    func fieldNamed(_ name: Substring) -> PendingField? {
      guard !name.isEmpty, let id = scope.symbols.names.find(Array(name.utf8)[...]),
        memberNames.definition(of: id) == definition
      else {
        return nil
      }
      return fields[memberNames.member(of: id)]
    }
    for index in fields.indices {
      // Read in place: copying a field usually costs more than all of this.
      let name = scope.symbols.names.strings[fields[index].name]
      guard let last = name.utf8.last, Self.endsOfHiddenSuffixes.contains(last) else { continue }
      let field = fields[index]
      for (suffix, applies, what) in Self.hiddenSuffixes where name.hasSuffix(suffix) {
        guard let other = fieldNamed(name.dropLast(suffix.count)), let type = other.type, applies(type) else {
          continue
        }
        scope.error(
          .nameClash, "`\(name)` is the name of \(what) `\(scope.symbols.names.strings[other.name])`",
          at: field.declaration.nameRange,
          advice: "rename one", labels: [.init(other.declaration.nameRange, "this field brings it along")])
      }
    }
  }

  private static let hiddenSuffixes: [(String, @Sendable (FieldType) -> Bool, String)] = [
    ("_type", { $0.isUnion || $0.isVectorOfUnions }, "the hidden type field of union"),
    ("Type", { $0.isUnion }, "the hidden type field of union"),
    ("_length", { $0.isVector }, "the length of vector"),
    ("Length", { $0.isVector }, "the length of vector"),
    ("_byte_vector", { $0 == .string }, "the bytes of string"),
    ("ByteVector", { $0 == .string }, "the bytes of string"),
  ]

  /// The last bytes of the suffixes. Most names end with another byte.
  private static let endsOfHiddenSuffixes = hiddenSuffixes.compactMap(\.0.utf8.last)
}

extension FieldType {
  var isUnion: Bool { if case .union = self { true } else { false } }
  var isVectorOfUnions: Bool { if case .vector(of: .union) = self { true } else { false } }
  var isVector: Bool { if case .vector = self { true } else { false } }
}
