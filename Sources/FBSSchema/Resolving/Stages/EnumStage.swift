import FBSDiagnostics
import FBSParser

/// Resolves the enums: names with numbers.
struct EnumStage {
  let scope: ResolutionScope
  private let attributes: AttributeReader
  private var numberTypes: NumberTypes
  private var memberNames = MemberNames()

  init(_ scope: ResolutionScope, _ numberTypes: NumberTypes) {
    self.scope = scope
    self.numberTypes = numberTypes
    attributes = AttributeReader(scope: scope)
  }

  mutating func run() {
    for index in scope.symbols.definitions.indices {
      guard case .enumeration(let node) = scope.symbols.definitions[index].syntax else { continue }
      scope.schema.enums.append(resolve(node, index))
    }
  }

  private mutating func resolve(_ node: EnumSyntax, _ index: Int) -> EnumDefinition {
    let definition = scope.symbols.definitions[index]
    let tree = scope.tree(definition.file)
    let type = numberTypes.type(of: index)
    let declaration = attributes.declaration(
      node.keyword, node.name, node.attributes, on: .enumeration, in: tree, definition.file, type: node.type)
    let isBitFlags = declaration.has("bit_flags")
    var values: [EnumDefinition.Value] = []
    values.reserveCapacity(node.values.count)
    var aliases: [(value: EnumDefinition.Value, number: WholeNumber)] = []
    var first: [WholeNumber: Int] = [:]
    first.reserveCapacity(node.values.count)
    var previous: WholeNumber?
    var lowest: WholeNumber?
    var isDescending = false
    for (place, valueIndex) in node.values.enumerated() {
      let syntax = tree.enumValues[valueIndex]
      let name = scope.intern(tree.bytes(of: syntax.name))
      let range = tree.range(of: syntax.name)
      if !memberNames.isNew(name, in: index, as: place) {
        scope.duplicateMember(
          "enum `\(scope.qualifiedName(definition))` has two values `\(scope.symbols.names.strings[name])`", at: range,
          first: tree.range(of: tree.enumValues[node.values.lowerBound + memberNames.member(of: name)].name))
        continue
      }
      guard
        let number = enumNumber(
          syntax, previous: previous, isFirst: place == 0, type: type, isBitFlags: isBitFlags, tree)
      else {
        // The values that follow count on from this one, and would be wrong, too.
        scope.incompleteEnums.insert(EnumID(scope.schema.enums.count))
        previous = nil
        continue
      }
      let before = previous
      previous = number
      if let before, number < before, first[number] == nil, !isDescending {
        isDescending = true
        scope.report(
          .descendingValues, .warning, "`\(scope.symbols.names.strings[name])` is less than the value before it",
          at: range,
          advice: "readers expect values to go up", notes: ["the order of the text does not matter otherwise"])
      }
      lowest = lowest.map { min($0, number) } ?? number
      let value = EnumDefinition.Value(
        name: scope.symbols.names.strings[name],
        number: isBitFlags ? Int64(bitPattern: 1 << number.magnitude) : number.bits,
        declaration: attributes.declaration(
          syntax.name, syntax.name, syntax.attributes, on: .enumValue, in: tree, definition.file,
          value: syntax.number.map { TokenSpan($0, $0) }))
      guard first[number] == nil else {
        aliases.append((value, number))
        continue
      }
      first[number] = values.count
      values.append(value)
    }
    // Only the lowest number must have a single name, as for flatc. Other numbers may have several.
    for (alias, number) in aliases where number == lowest {
      scope.error(
        .duplicateNumber, "`\(alias.name)` has the number \(number.text), which is taken",
        at: alias.declaration.nameRange, advice: "give it another number",
        labels: first[number].map { [.init(values[$0].declaration.nameRange, "taken here")] } ?? [],
        notes: ["the lowest number of an enum has one name, also for flatc"])
    }
    if node.values.isEmpty {
      // An enum without values has this one, so that its fields have a default.
      values.append(
        .init(name: "NONE", number: isBitFlags ? 1 : 0, declaration: Declaration(nameRange: tree.range(of: node.name))))
    }
    return EnumDefinition(
      name: scope.qualifiedName(definition), underlyingType: type, isBitFlags: isBitFlags, values: values,
      aliases: aliases.map(\.value),
      declaration: declaration)
  }

  private func enumNumber(
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
        scope.error(
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
        scope.error(
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
        scope.error(
          .outOfRange,
          "a value of a `bit_flags` enum is the index of a bit, and \(number.text) is none of \(type.schemaName)'s",
          at: range, advice: "its bits are 0 to \(bits - 1)",
          notes: type.isUnsigned ? [] : ["the highest bit of a signed type is its sign: use an unsigned type"])
        return nil
      }
    } else if !number.fits(type) {
      scope.error(
        .outOfRange, "\(text) does not fit in \(type.schemaName)", at: range,
        advice: "\(type.schemaName) holds \(type.rangeText)")
      return nil
    }
    return number
  }
}
