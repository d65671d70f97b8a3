import FBSDiagnostics
import FBSParser

// Defaults of enums, and names of their values as defaults of numbers.

extension DefaultReader {
  mutating func enumDefault(
    _ value: ValueSyntax?, _ id: EnumID, _ declaration: Declaration, _ definition: UnresolvedDefinition,
    _ tree: SyntaxTree, _ isInStruct: Bool
  ) -> FieldDefinition.Presence {
    let definition = scope.schema[id]
    let type = definition.underlyingType
    guard let value else {
      checkMember(0, id, declaration.typeRange ?? declaration.nameRange, isWritten: false, isInStruct)
      return .defaulted(.integer(0))
    }
    let failed = FieldDefinition.Presence.defaulted(.integer(0))
    if isNull(value, tree) {
      if index(of: id).numbers["null"] != nil, let member = definition.names.first(where: { $0.name == "null" }) {
        scope.error(
          .ambiguousNull, "`null` makes the field optional, and is a value of `\(definition.name)` as well",
          at: tree.range(of: value.span), advice: "rename the enum's value",
          labels: [.init(member.declaration.nameRange, "the value is defined here")])
      }
      return .optional
    }
    let (text, isWrong) = quoted(value, tree)
    guard !isWrong else { return failed }
    guard case .token = value.kind, tree.tokens[value.span.first].kind != .float else {
      wrongDefault(value, tree, "the default of an enum is one of its values", advice: "write its name")
      return failed
    }
    let word = text ?? tree.text(of: value.span.first)
    var bits: Int64 = 0
    if let first = word.utf8.first, isNameStart(first) {
      for name in word.split(separator: " ", omittingEmptySubsequences: false) {
        guard let member = enumMember(name, id, value, tree) else { return failed }
        bits |= member
      }
    } else {
      guard let number = whole(word, value, type, tree) else { return failed }
      bits = number.bits
    }
    checkMember(bits, id, tree.range(of: value.span), isWritten: true, isInStruct)
    return .defaulted(WholeNumber(bits: bits, of: type).scalarValue)
  }

  private mutating func checkMember(
    _ bits: Int64, _ id: EnumID, _ range: SourceRange, isWritten: Bool, _ isInStruct: Bool
  ) {
    let definition = scope.schema[id]
    guard !definition.isBitFlags, !scope.incompleteEnums.contains(id),
      !index(of: id).known.contains(bits)
    else { return }
    let number = WholeNumber(bits: bits, of: definition.underlyingType).text
    let near = nearestValue(to: bits, of: id)?.name ?? "A"
    scope.error(
      .notAMember,
      isWritten
        ? "\(number) is no value of enum `\(definition.name)`"
        : "the default is 0, which is no value of enum `\(definition.name)`",
      at: range,
      advice: isInStruct
        ? "give the enum a value 0, or use its number type"
        : isWritten ? "use one of its values, such as `\(near)`" : "write a default, such as `= \(near)`",
      labels: [.init(definition.declaration.nameRange, "the enum is defined here")],
      notes: [valueList(of: id)]
        + (isInStruct ? ["a struct's fields start as 0, and have no default of their own"] : []))
  }
}

// MARK: - Names of values

extension DefaultReader {
  /// Returns the value of `"Color.Red"`, or of several such names, for a field of a number type. Returns nil, after a
  /// report, if a name is wrong.
  /// - Parameters:
  ///   - text: the names, without the quotes.
  ///   - value: the default that holds them, for diagnostics.
  mutating func enumNames(
    _ text: String, _ value: ValueSyntax, _ type: ScalarType, _ definition: UnresolvedDefinition, _ tree: SyntaxTree
  ) -> ScalarValue? {
    var bits: Int64 = 0
    for word in text.split(separator: " ", omittingEmptySubsequences: false) {
      guard let dot = word.firstIndex(of: ".") else {
        wrongDefault(
          value, tree, "`\(word)` is not a number", advice: "write a number",
          note: "the value of an enum is written with the enum's name: \"Color.Red\"")
        return nil
      }
      let enumName = Array(word[..<dot].utf8)[...]
      guard let name = scope.symbols.names.find(enumName),
        let found = scope.lookUp([name], from: definition.namespace, in: definition.file).found,
        case .enumeration(let id) = scope.symbols.definitions[found].id
      else {
        wrongDefault(value, tree, "there is no enum `\(word[..<dot])`", advice: "name an enum, or write a number")
        return nil
      }
      guard let member = enumMember(word[word.index(after: dot)...], id, value, tree) else { return nil }
      bits |= member
    }
    let number = WholeNumber(bits: bits, of: type.isUnsigned ? .uint64 : .int64)
    guard number.fits(type) else {
      scope.error(
        .outOfRange, "\(number.text) does not fit in \(type.schemaName)", at: tree.range(of: value.span),
        advice: "\(type.schemaName) holds \(type.rangeText)")
      return nil
    }
    return number.scalarValue
  }

  private mutating func enumMember(
    _ name: Substring, _ id: EnumID, _ value: ValueSyntax, _ tree: SyntaxTree
  ) -> Int64? {
    if let number = index(of: id).numbers[String(name)] { return number }
    guard !scope.incompleteEnums.contains(id) else { return nil }
    let near = nearestName(to: String(name), in: scope.schema[id].names.lazy.map(\.name).prefix(1000))
    // A quoted default is plain, so that its bytes stand in the file as they do in the text.
    let isQuoted = tree.tokens[value.span.first].kind == .string
    let text = name.base.utf8
    let start =
      tree.range(of: value.span).start + (isQuoted ? 1 : 0) + text.distance(from: text.startIndex, to: name.startIndex)
    let place = SourceRange(file: tree.source.id, start: start, end: start + name.utf8.count)
    scope.error(
      .notAMember, "enum `\(scope.schema[id].name)` has no value `\(name)`", at: tree.range(of: value.span),
      advice: near.map { "did you mean `\($0)`?" } ?? "",
      labels: [.init(scope.schema[id].declaration.nameRange, "the enum is defined here")],
      notes: near == nil ? [valueList(of: id)] : [], fixes: near.map { [.replace(place, with: $0)] } ?? [])
    return nil
  }

  /// Returns the values of an enum in a sentence, or the first of them.
  private func valueList(of id: EnumID) -> String {
    let values = scope.schema[id].values
    guard values.count > 1 else { return values.first.map { "its only value is `\($0.name)`" } ?? "it has no values" }
    let shown = values.prefix(8).map { "`\($0.name)`" }
    if values.count > shown.count {
      return "its \(values.count) values begin with \(shown.joined(separator: ", "))"
    }
    return "its values are " + shown.dropLast().joined(separator: ", ") + " and " + (shown.last ?? "")
  }

  /// Returns the value of an enum whose number is nearest to `bits`; nil if the enum has none.
  private func nearestValue(to bits: Int64, of id: EnumID) -> EnumDefinition.Value? {
    let type = scope.schema[id].underlyingType
    func distance(_ value: EnumDefinition.Value) -> UInt64 {
      let (low, high) =
        type.isUnsigned && UInt64(bitPattern: value.number) < UInt64(bitPattern: bits)
          || !type.isUnsigned && value.number < bits ? (value.number, bits) : (bits, value.number)
      return UInt64(bitPattern: high) &- UInt64(bitPattern: low)
    }
    return scope.schema[id].values.min { distance($0) < distance($1) }
  }
}

/// An enum's values, for looking them up: a schema may have many fields of a large enum.
struct EnumIndex {
  var numbers: [String: Int64] = [:]
  var known: Set<Int64> = []
}

extension DefaultReader {
  private mutating func index(of id: EnumID) -> EnumIndex {
    if let index = enumIndexes[id] { return index }
    var index = EnumIndex()
    for value in scope.schema[id].names {
      index.numbers[value.name] = value.number
      index.known.insert(value.number)
    }
    enumIndexes[id] = index
    return index
  }
}
