import FBSDiagnostics
import FBSParser

// Tables: fields that may be absent, each with an id.

extension Resolver {
  /// Slots are found through 16-bit offsets, the first of which is 4.
  static let maximumSlots = 32_766

  mutating func resolveTables() {
    for index in definitions.indices {
      guard case .table(let node) = definitions[index].syntax else { continue }
      schema.tables.append(resolve(node, index))
    }
  }

  private mutating func resolve(_ node: StructureSyntax, _ index: Int) -> TableDefinition {
    let definition = definitions[index]
    let tree = tree(definition.file)
    let declaration = declaration(node.keyword, node.name, node.attributes, on: .table, definition)
    // Of a table that is too large, as many fields as show that it is: a program may have written millions.
    let fieldIndexes = node.fields.prefix(Self.maximumSlots + 1)
    var pending: [PendingField] = []
    pending.reserveCapacity(fieldIndexes.count)
    var keys: [SourceRange] = []
    for (place, fieldIndex) in fieldIndexes.enumerated() {
      let syntax = tree.fields[fieldIndex]
      let name = intern(tree.bytes(of: syntax.name))
      let own = fieldDeclaration(syntax, on: .field, definition)
      let type = fieldType(tree.types[syntax.type], definition, tree)
      checkFieldName(name, place, own, index) { tree.fields[node.fields.lowerBound + $0].name }
      var field = PendingField(name: name, type: type, declaration: own, presence: .optional)
      if let type {
        field.presence = presence(of: type, syntax.value, own, definition, tree)
        checkAttributes(of: field, type, &keys, definition)
      }
      pending.append(field)
    }
    checkHiddenNames(pending, index)
    let ids = assignIDs(pending, ofWritten: node.fields.count, definition)
    let fields = zip(pending, ids.ids).compactMap { field, id -> FieldDefinition? in
      guard let type = field.type else { return nil }
      return FieldDefinition(
        name: names.strings[field.name], type: type, id: id, presence: field.presence,
        isDeprecated: field.has("deprecated"), isPrimary: field.has("primary"),
        index: field.has("unique") ? .unique : field.has("indexed") ? .plain : nil, declaration: field.declaration)
    }
    return TableDefinition(
      name: qualifiedName(definition), fields: fields, slotCount: ids.count, range: tree.range(of: node.span),
      declaration: declaration)
  }

  struct PendingField {
    let name: Int
    /// Nothing if it is wrong, which is reported.
    let type: FieldType?
    let declaration: Declaration
    var presence: FieldDefinition.Presence

    func has(_ attribute: String) -> Bool { declaration.attribute(attribute) != nil }

    /// A union's type has a slot of its own.
    var slots: Int {
      switch type {
      case .union, .vector(of: .union): 2
      default: 1
      }
    }
  }
}

// MARK: - Types

extension Resolver {
  func builtin(_ type: TypeSyntax, _ tree: SyntaxTree) -> BuiltinType? {
    guard type.span.first == type.span.last, let name = names.find(tree.bytes(of: type.span.first)),
      name < BuiltinType.names.count
    else { return nil }
    return BuiltinType.names[name].type
  }

  private mutating func fieldType(_ type: TypeSyntax, _ definition: Definition, _ tree: SyntaxTree) -> FieldType? {
    switch type.kind {
    case .named:
      return elementType(type, definition, tree)?.asField
    case .list(let element, let length):
      let range = tree.range(of: type.span)
      guard case .named = tree.types[element].kind else {
        error(
          .wrongType, "a vector cannot hold vectors", at: tree.range(of: tree.types[element].span),
          advice: "wrap the inner one in a table")
        return nil
      }
      guard length == nil else {
        error(
          .wrongType, "only structs can hold arrays of a fixed length", at: range,
          advice: "wrap it in a struct, or drop the length")
        return nil
      }
      return elementType(tree.types[element], definition, tree).map { .vector(of: $0) }
    }
  }

  private mutating func elementType(_ type: TypeSyntax, _ definition: Definition, _ tree: SyntaxTree) -> ElementType? {
    if let builtin = builtin(type, tree) {
      switch builtin {
      case .scalar(let scalar): return .scalar(scalar)
      case .string: return .string
      }
    }
    guard let found = resolve(type.span, from: definition.namespace, in: definition.file) else { return nil }
    switch found.id {
    case .table(let id): return .table(id)
    case .enumeration(let id): return .enumeration(id)
    case .union(let id): return .union(id)
    case .structure(let id):
      if schema[id].size > Int(UInt16.max) - 4 {
        error(
          .tooLarge, "a struct of \(schema[id].size) bytes does not fit in a table", at: tree.range(of: type.span),
          advice: "use a vector, or a table", notes: ["a table's own bytes are at most 65535"])
      }
      return .structure(id)
    }
  }
}

extension ElementType {
  /// The type of a field that holds one of them.
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

extension Resolver {
  mutating func checkFieldName(
    _ name: Int, _ place: Int, _ declaration: Declaration, _ index: Int, nameOf: (Int) -> TokenIndex
  ) {
    let definition = definitions[index]
    if !isNew(name, in: index, as: place) {
      return duplicateMember(
        "`\(qualifiedName(definition))` has two fields `\(names.strings[name])`", at: declaration.nameRange,
        first: tree(definition.file).range(of: nameOf(lastSeen[name].member)))
    }
    guard mayBeType(name),
      let found = lookUp([name], from: definition.namespace, in: definition.file).found, found <= index
    else { return }
    switch definitions[found].id {
    case .enumeration, .union: break
    case .table, .structure:
      let other = definitions[found]
      error(
        .nameClash, "a field cannot have the name of \(other.id.kindName)", at: declaration.nameRange,
        advice: "rename it, such as `\(names.strings[name].lowercased())`",
        labels: found == index ? [] : [.init(tree(other.file).range(of: other.nameToken), "defined here")])
    }
  }

  /// Fields that generated code has for other fields: a union's type, a vector's length, a string's bytes.
  private mutating func checkHiddenNames(_ fields: [PendingField], _ index: Int) {
    func fieldNamed(_ name: Substring) -> PendingField? {
      guard !name.isEmpty, let id = names.find(Array(name.utf8)[...]), lastSeen[id].definition == index else {
        return nil
      }
      return fields[lastSeen[id].member]
    }
    for field in fields {
      let name = names.strings[field.name]
      for (suffix, applies, what) in Self.hiddenSuffixes where name.hasSuffix(suffix) {
        guard let other = fieldNamed(name.dropLast(suffix.count)), let type = other.type, applies(type) else {
          continue
        }
        error(
          .nameClash, "`\(name)` is the name of \(what) `\(names.strings[other.name])`",
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
}

extension FieldType {
  var isUnion: Bool { if case .union = self { true } else { false } }
  var isVectorOfUnions: Bool { if case .vector(of: .union) = self { true } else { false } }
  var isVector: Bool { if case .vector = self { true } else { false } }
}

// MARK: - Ids

extension Resolver {
  /// - Parameter written: How many fields the table has in the text, `fields` or more.
  private mutating func assignIDs(
    _ fields: [PendingField], ofWritten written: Int, _ definition: Definition
  ) -> (ids: [Int], count: Int) {
    let count = fields.reduce(0) { $0 + $1.slots } + written - fields.count
    let nameRange = tree(definition.file).range(of: definition.nameToken)
    if count > Self.maximumSlots {
      error(
        .tooLarge, "a table can have at most \(Self.maximumSlots) fields, and this one has \(count)", at: nameRange,
        advice: "move some to a table of their own", notes: ["a field of a union type counts twice"])
    }
    var ids: [Int] = []
    ids.reserveCapacity(fields.count)
    guard let first = fields.first(where: { $0.has("id") }) else {
      var next = 0
      for field in fields {
        ids.append(next + field.slots - 1)
        next += field.slots
      }
      return (ids, count)
    }
    let without = fields.filter { !$0.has("id") }
    if let field = without.first {
      let more = without.count == 1 ? "" : " (nor have \(without.count - 1) others)"
      error(
        .wrongIDs, "`\(names.strings[field.name])` has no id\(more), and other fields have",
        at: field.declaration.nameRange,
        advice: "give every field an id, or none",
        labels: first.declaration.attribute("id").map { [.init($0.range, "the first id is here")] } ?? [])
      return (fields.indices.map { $0 }, count)
    }
    // With a field of an unknown type, how many slots there are is unknown, too.
    let isComplete = !fields.contains { $0.type == nil }
    var owners = [Int](repeating: -1, count: count)
    for (place, field) in fields.enumerated() {
      let id = explicitID(field, owners: &owners, place: place, fields, isComplete: isComplete)
      ids.append(id ?? place)
      if id == nil { owners = [] }
    }
    return (ids, count)
  }

  /// The id that a field says it has. Once one is wrong, `owners` is empty, and only the form of ids is checked.
  private mutating func explicitID(
    _ field: PendingField, owners: inout [Int], place: Int, _ fields: [PendingField], isComplete: Bool
  ) -> Int? {
    guard let attribute = field.declaration.attribute("id") else { return nil }
    let number: WholeNumber? =
      switch attribute.value {
      case .integer(let value): WholeNumber(value.magnitude, isNegative: value < 0)
      case .string(let text): WholeNumber.parse(quoted: text).number
      case nil: .zero
      }
    guard let number, number.fits(.uint16) else {
      error(.wrongIDs, "an id is a whole number from 0", at: attribute.range, advice: "such as `id: 0`")
      return nil
    }
    let id = Int(number.magnitude)
    if field.slots == 2, id == 0 {
      error(
        .wrongIDs, "a union takes two ids: the one before its own is its type's", at: attribute.range,
        advice: "`id: 1` is the first that it can have")
      return nil
    }
    guard isComplete, !owners.isEmpty else { return id }
    guard id < owners.count else {
      error(
        .wrongIDs, "ids have no gaps: this table's are 0 to \(owners.count - 1)", at: attribute.range,
        advice: "use one of these", notes: ["a field of a union type takes two, its own and the one before"])
      return nil
    }
    for slot in (id - field.slots + 1)...id {
      if owners[slot] >= 0 {
        let other = fields[owners[slot]]
        error(
          .wrongIDs, "id \(slot) is taken", at: attribute.range, advice: "use another",
          labels: other.declaration.attribute("id").map {
            [.init($0.range, "by `\(names.strings[other.name])`\(other.slots == 2 ? ", which takes two ids" : "")")]
          } ?? [],
          notes: field.slots == 2 ? ["a field of a union type takes two, its own and the one before"] : [])
        return nil
      }
      owners[slot] = place
    }
    return id
  }
}
