import FBSDiagnostics
import FBSParser

// Enums and unions: names with numbers.

extension Resolver {
  mutating func resolveEnums() {
    for index in definitions.indices {
      guard case .enumeration(let node) = definitions[index].syntax else { continue }
      schema.enums.append(resolve(node, index))
    }
  }

  private mutating func resolve(_ node: EnumSyntax, _ index: Int) -> EnumDefinition {
    let definition = definitions[index]
    let tree = tree(definition.file)
    let type = underlyingType(of: index)
    let declaration = declaration(node.keyword, node.name, node.attributes, on: .enumeration, definition)
    let isBitFlags = declaration.attribute("bit_flags") != nil
    var values: [EnumDefinition.Value] = []
    values.reserveCapacity(node.values.count)
    var first: [WholeNumber: Int] = [:]
    first.reserveCapacity(node.values.count)
    var previous: WholeNumber?
    var isDescending = false
    for (place, valueIndex) in node.values.enumerated() {
      let syntax = tree.enumValues[valueIndex]
      let name = intern(tree.bytes(of: syntax.name))
      let range = tree.range(of: syntax.name)
      if !isNew(name, in: index, as: place) {
        duplicateMember(
          "enum `\(qualifiedName(definition))` has two values `\(names.strings[name])`", at: range,
          first: tree.range(of: tree.enumValues[node.values.lowerBound + lastSeen[name].member].name))
        continue
      }
      guard
        let number = enumNumber(
          syntax, previous: previous, isFirst: place == 0, type: type, isBitFlags: isBitFlags, tree)
      else {
        // What follows counts on from here, and would be wrong too.
        incompleteEnums.insert(EnumID(schema.enums.count))
        previous = nil
        continue
      }
      let before = previous
      previous = number
      if let other = first[number] {
        error(
          .duplicateNumber, "`\(names.strings[name])` has the number \(number.text), which is taken", at: range,
          advice: "give it another number", labels: [.init(values[other].declaration.nameRange, "taken here")])
        continue
      }
      if let before, number < before, !isDescending {
        isDescending = true
        report(
          .descendingValues, .warning, "`\(names.strings[name])` is less than the value before it", at: range,
          advice: "readers expect values to go up", notes: ["the order of the text does not matter otherwise"])
      }
      first[number] = values.count
      values.append(
        EnumDefinition.Value(
          name: names.strings[name],
          number: isBitFlags ? Int64(bitPattern: 1 << number.magnitude) : number.bits,
          declaration: self.declaration(syntax.name, syntax.name, syntax.attributes, on: .enumValue, definition)))
    }
    if node.values.isEmpty {
      // An enum without values has this one, so that its fields have a default.
      values.append(
        .init(name: "NONE", number: isBitFlags ? 1 : 0, declaration: Declaration(nameRange: tree.range(of: node.name))))
    }
    return EnumDefinition(
      name: qualifiedName(definition), underlyingType: type, isBitFlags: isBitFlags, values: values,
      declaration: declaration)
  }

  /// The type of an enum's numbers: a whole number type, or that of another enum, wherever it is declared.
  private mutating func underlyingType(of index: Int) -> ScalarType {
    var path: Set<Int> = []
    var current = index
    var found: ScalarType?
    // A chain of enums may be long: this does not recurse.
    while found == nil {
      if let known = underlyingTypes[current] {
        found = known
      } else if !path.insert(current).inserted {
        reportCycle(current)
        found = .int64
      } else {
        switch writtenType(of: current) {
        case .number(let type): found = type
        case .sameAs(let other): current = other
        }
      }
    }
    for step in path { underlyingTypes[step] = found }
    return found ?? .int64
  }

  /// What an enum says of its numbers.
  private enum WrittenType {
    case number(ScalarType)
    case sameAs(Int)
  }

  private mutating func writtenType(of index: Int) -> WrittenType {
    let definition = definitions[index]
    let tree = tree(definition.file)
    guard let type = definition.numberType.map({ tree.types[$0] }) else { return .number(.int32) }
    if case .named = type.kind {
      switch builtin(type, tree) {
      case .scalar(let scalar) where scalar.isInteger: return .number(scalar)
      case .scalar, .string: break
      case nil:
        guard let other = resolveIndex(type.span, from: definition.namespace, in: definition.file) else {
          return .number(.int64)
        }
        if case .enumeration = definitions[other].id { return .sameAs(other) }
      }
    }
    error(
      .wrongType,
      "`\(tree.text(of: type.span))` cannot be the type of \(definition.id.kindName)'s \(definition.id.isUnion ? "codes" : "numbers")",
      at: tree.range(of: type.span),
      advice: "use a whole number type", notes: ["byte, ubyte, short, ushort, int, uint, long and ulong are such types"]
    )
    return .number(.int64)
  }

  private mutating func reportCycle(_ index: Int) {
    let definition = definitions[index]
    let tree = tree(definition.file)
    guard let type = definition.numberType.map({ tree.types[$0] }) else { return }
    error(
      .wrongType, "the type of enum `\(qualifiedName(definition))` is its own", at: tree.range(of: type.span),
      advice: "use a whole number type")
  }

  private mutating func enumNumber(
    _ syntax: EnumValueSyntax, previous: WholeNumber?, isFirst: Bool, type: ScalarType, isBitFlags: Bool,
    _ tree: SyntaxTree
  ) -> WholeNumber? {
    let number: WholeNumber
    var range = tree.range(of: syntax.name)
    var text: String
    if let token = syntax.number {
      guard !tree.tokens[token].isMalformed else { return nil }
      range = tree.range(of: token)
      text = "`\(tree.text(of: token))`"
      guard let parsed = WholeNumber.parse(tree.bytes(of: token)).number else {
        error(
          .outOfRange, "\(text) does not fit in \(type.schemaName)", at: range,
          advice: "\(type.schemaName) holds \(type.rangeText)")
        return nil
      }
      number = parsed
    } else if isFirst {
      number = .zero
      text = ""
    } else if let previous {
      guard let next = previous.successor else {
        error(
          .outOfRange, "no number of \(type.schemaName) is left after \(previous.text)", at: range,
          advice: "write a number for it")
        return nil
      }
      number = next
      text = "`\(tree.text(of: syntax.name))` would be \(next.text), which"
    } else {
      return nil
    }
    if isBitFlags {
      let bits = type.isUnsigned ? type.size * 8 : type.size * 8 - 1
      guard !number.isNegative, number.magnitude < UInt64(bits) else {
        error(
          .outOfRange,
          "a value of a `bit_flags` enum is the index of a bit, and \(number.text) is none of \(type.schemaName)'s",
          at: range, advice: "its bits are 0 to \(bits - 1)",
          notes: type.isUnsigned ? [] : ["the highest bit of a signed type is its sign: use an unsigned type"])
        return nil
      }
    } else if !number.fits(type) {
      error(
        .outOfRange, "\(text) does not fit in \(type.schemaName)", at: range,
        advice: "\(type.schemaName) holds \(type.rangeText)")
      return nil
    }
    return number
  }
}

// MARK: - Unions

extension Resolver {
  mutating func resolveUnions() {
    for index in definitions.indices {
      guard case .union(let node) = definitions[index].syntax else { continue }
      schema.unions.append(resolve(node, index))
    }
  }

  private mutating func resolve(_ node: UnionSyntax, _ index: Int) -> UnionDefinition {
    let definition = definitions[index]
    let tree = tree(definition.file)
    let declaration = declaration(node.keyword, node.name, node.attributes, on: .union, definition)
    var members: [UnionDefinition.Member] = []
    members.reserveCapacity(node.members.count)
    let writtenType = node.type == nil ? nil : underlyingType(of: index)
    let numbers = writtenType ?? .uint8
    var first: [UInt64: SourceRange] = [:]
    var previous: UInt64? = 0
    for (place, memberIndex) in node.members.enumerated() {
      let syntax = tree.unionMembers[memberIndex]
      let range = tree.range(of: syntax.name)
      // `N.M.A` becomes `N_M_A`.
      let text = syntax.name.components.map { tree.text(of: $0) }.joined(separator: "_")
      if text == "NONE" {
        error(
          .nameClash, "`NONE` cannot be written in a union", at: range, advice: "remove it",
          notes: ["every union has `NONE`, with the code 0"])
        continue
      }
      let name = intern(Array(text.utf8)[...])
      if !isNew(name, in: index, as: place) {
        duplicateMember(
          "union `\(qualifiedName(definition))` has two members `\(text)`", at: range,
          first: tree.range(of: tree.unionMembers[node.members.lowerBound + lastSeen[name].member].name),
          notes: ["one type may have several members, each with its own name: `a: T, b: T`"])
        continue
      }
      let type = memberType(syntax, definition, tree)
      guard let code = memberCode(syntax, previous: previous, numbers, tree) else {
        if syntax.code == nil && previous == numbers.limits.greatest { break }
        previous = nil
        continue
      }
      previous = code
      if let other = first[code] {
        error(
          .duplicateNumber, "`\(text)` has the code \(code), which is taken", at: range,
          advice: "give it another code", labels: [.init(other, "taken here")])
        continue
      }
      first[code] = range
      guard let type else { continue }
      members.append(
        UnionDefinition.Member(
          name: text, code: Int64(bitPattern: code), type: type,
          declaration: self.declaration(
            syntax.name.first, syntax.name.last, syntax.attributes, on: .unionMember, definition)))
    }
    return UnionDefinition(
      name: qualifiedName(definition), writtenType: writtenType, members: members, declaration: declaration)
  }

  private mutating func memberType(
    _ syntax: UnionMemberSyntax, _ definition: Definition, _ tree: SyntaxTree
  ) -> UnionDefinition.MemberType? {
    var span = syntax.name
    if let index = syntax.type {
      let type = tree.types[index]
      span = type.span
      guard case .named = type.kind else {
        notAMember(tree, span, "a union's member cannot be a vector", "wrap it in a table")
        return nil
      }
      if span.first == span.last, let name = names.find(tree.bytes(of: span.first)), name < BuiltinType.names.count {
        if BuiltinType.names[name].type == .string { return .string }
        notAMember(tree, span, "a union's member cannot be a number", "wrap it in a struct or table")
        return nil
      }
    } else if span.first == span.last, let name = names.find(tree.bytes(of: span.first)),
      name < BuiltinType.names.count, lookUp([name], from: definition.namespace, in: definition.file).found == nil
    {
      let isString = BuiltinType.names[name].type == .string
      notAMember(
        tree, span, "a member of type `\(names.strings[name])` needs a name of its own",
        isString ? "such as `text: string`" : "wrap it in a table, and name that")
      return nil
    }
    guard let found = resolve(span, from: definition.namespace, in: definition.file) else { return nil }
    switch found.id {
    case .table(let id): return .table(id)
    case .structure(let id): return .structure(id)
    case .enumeration, .union:
      notAMember(
        tree, span, "`\(tree.text(of: span))` is \(found.id.kindName), which a union cannot hold", "wrap it in a table")
      return nil
    }
  }

  private mutating func notAMember(_ tree: SyntaxTree, _ span: TokenSpan, _ message: String, _ advice: String) {
    error(
      .wrongType, message, at: tree.range(of: span), advice: advice,
      notes: ["unions hold tables, structs and strings"])
  }

  private mutating func memberCode(
    _ syntax: UnionMemberSyntax, previous: UInt64?, _ type: ScalarType, _ tree: SyntaxTree
  ) -> UInt64? {
    let largest = type.limits.greatest
    if let token = syntax.code {
      guard !tree.tokens[token].isMalformed else { return nil }
      guard let number = WholeNumber.parse(tree.bytes(of: token)).number, number.fits(type), number != .zero,
        !number.isNegative
      else {
        error(
          .outOfRange, "a member's code is 1 to \(largest), and not `\(tree.text(of: token))`",
          at: tree.range(of: token),
          advice: "use a number in this range", notes: ["0 is the code of `NONE`, which every union has"])
        return nil
      }
      return number.magnitude
    }
    guard let previous else { return nil }
    guard previous < largest else {
      error(
        .tooLarge, "a union can have at most \(largest) members", at: tree.range(of: syntax.name),
        advice: "no code is left for this one")
      return nil
    }
    return previous + 1
  }
}

extension DefinitionID {
  /// Whether it is a struct or a table.
  var isStructure: Bool {
    switch self {
    case .structure, .table: true
    case .enumeration, .union: false
    }
  }

  /// Whether it is a union.
  var isUnion: Bool { if case .union = self { true } else { false } }

  /// What it is, in a sentence.
  var kindName: String {
    switch self {
    case .enumeration: "an enum"
    case .structure: "a struct"
    case .table: "a table"
    case .union: "a union"
    }
  }
}

// MARK: - Duplicates

extension Resolver {
  /// Marks a name as used by a member of a definition. False if another member has it.
  mutating func isNew(_ name: Int, in definition: Int, as member: Int) -> Bool {
    guard lastSeen[name].definition != definition else { return false }
    lastSeen[name] = (definition, member)
    return true
  }

  mutating func duplicateMember(
    _ message: String, at range: SourceRange, first: SourceRange, notes: [String] = []
  ) {
    error(
      .duplicateMember, message, at: range, advice: "rename one", labels: [.init(first, "the first is here")],
      notes: notes)
  }
}
