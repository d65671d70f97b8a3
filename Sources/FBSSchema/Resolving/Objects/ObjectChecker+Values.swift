import FBSDiagnostics
import FBSParser

// The values of a JSON object: numbers, names, strings and lists.

extension ObjectChecker {
  /// Checks a value against its type.
  mutating func check(
    _ node: Int, _ type: ShapeType, _ place: ValuePlace, _ context: ObjectContext, _ tree: SyntaxTree
  ) {
    // A value that could not be read is reported already.
    if isReported(node, tree) || shapes.unreadable.contains(node) { return }
    switch type {
    case .scalar(let scalar) where scalar.isFloatingPoint:
      checkReal(node, scalar, place, context, tree)
    case .scalar(let scalar):
      _ = checkWhole(node, scalar, nil, type, place, context, tree)
    case .enumeration(let id):
      checkEnum(node, id, type, place, context, tree)
    case .unionCode(let id):
      guard let code = checkWhole(node, scope.schema[id].underlyingType, .union(id), type, place, context, tree) else {
        return
      }
      shapes.codes[node] = code
    case .string:
      if case .value(let index) = tree.json[node].kind, case .token = tree.values[index].kind,
        tree.tokens[tree.json[node].span.first].kind == .string
      {
        return
      }
      reportWrong(node, type, place, tree)
    case .structure(let id):
      if case .value = tree.json[node].kind { return reportWrong(node, type, place, tree) }
      checkFields(of: node, as: shape(of: id), context, tree)
    case .table(let id):
      if case .value = tree.json[node].kind { return reportWrong(node, type, place, tree) }
      checkFields(of: node, as: shape(of: id), context, tree)
    case .list(let element, let count):
      checkList(node, element, count, type, place, context, tree)
    case .nested(let id):
      checkNested(node, id, place, context, tree)
    case .flexible:
      checkFlexible(node, context, tree)
    case .union:
      // The type of a union's value must be known first: the value is checked with the field that tells it.
      break
    }
  }

  private mutating func checkList(
    _ node: Int, _ element: ShapeType, _ count: Int?, _ type: ShapeType, _ place: ValuePlace,
    _ context: ObjectContext, _ tree: SyntaxTree
  ) {
    guard case .list = tree.json[node].kind else { return reportWrong(node, type, place, tree) }
    var inner = place
    inner.isElement = true
    var length = 0
    var child = node + 1
    while child < tree.json[node].end {
      if let count, length == count {
        return scope.error(
          .wrongLength, "`\(place.member.name)` has \(count) element\(count == 1 ? "" : "s"), and this list has more",
          at: startRange(of: child, tree), advice: "remove what is too much", labels: place.labels)
      }
      check(child, element, inner, context, tree)
      length += 1
      child = tree.json[child].end
    }
    if let count, length < count, tree.json[node].isComplete {
      scope.error(
        .wrongLength,
        "`\(place.member.name)` has \(count) element\(count == 1 ? "" : "s"), and this list has \(length)",
        at: startRange(of: node, tree), advice: "add \(count - length) more", labels: place.labels)
    }
  }

  private mutating func checkReal(
    _ node: Int, _ type: ScalarType, _ place: ValuePlace, _ context: ObjectContext, _ tree: SyntaxTree
  ) {
    guard case .value(let index) = tree.json[node].kind else {
      return reportWrong(node, .scalar(type), place, tree)
    }
    let value = tree.values[index]
    let token = value.span.first
    switch value.kind {
    case .token:
      switch tree.tokens[token].kind {
      case .integer, .float:
        // Most numbers are decimal and short, and surely fit.
        let bytes = tree.bytes(of: token)
        if recording == nil, bytes.count < 38, bytes.allSatisfy({ !$0.isLetter }) { return }
      case .identifier where isWord("null", node, tree):
        recording?.note(.null, of: node)
        return checkNull(node, .scalar(type), place, tree)
      case .string where place.member.isOptional && !place.isElement:
        if tree.bytes(of: token).dropFirst().dropLast().elementsEqual("null".utf8) {
          recording?.note(.null, of: node)
          return
        }
      default: break
      }
      if tree.tokens[token].kind == .string, !isPlain(token, tree) { return reportNotPlain(token, place, tree) }
    case .call:
      guard isShallow(value, context, tree) else { return reportTooDeep(node, tree) }
    case .signedName, .emptyList:
      break
    }
    let reader = RealNumberReader(scope: scope)
    guard let number = reader.real(value, type, tree, wrong: .wrongValue, surprising: .surprisingValue) else { return }
    recording?.note(.number(number.bitPattern), of: node)
  }

  /// Returns whether the calls nested in a value are within the limit.
  private func isShallow(_ value: ValueSyntax, _ context: ObjectContext, _ tree: SyntaxTree) -> Bool {
    var value = value
    var depth = context.depth
    while case .call(let argument) = value.kind {
      depth += 1
      value = tree.values[argument]
    }
    return depth <= Parser.maximumDepth
  }

  private mutating func checkEnum(
    _ node: Int, _ id: EnumID, _ type: ShapeType, _ place: ValuePlace, _ context: ObjectContext, _ tree: SyntaxTree
  ) {
    guard
      let number = checkWhole(node, scope.schema[id].underlyingType, .enumeration(id), type, place, context, tree),
      !scope.schema[id].isBitFlags
    else { return }
    let key = ObjectShapes.Names.enumeration(id)
    guard !valueNames(key).known.contains(number), isComplete(key) else { return }
    scope.report(
      .surprisingValue, .warning, "enum `\(scope.schema[id].name)` has no value \(number)",
      at: startRange(of: node, tree),
      advice: "write the name of one",
      labels: [.init(scope.schema[id].declaration.nameRange, "the enum is defined here")])
  }

  private func naming(_ key: ObjectShapes.Names) -> (kind: String, name: QualifiedName, range: SourceRange) {
    switch key {
    case .enumeration(let id): ("enum", scope.schema[id].name, scope.schema[id].declaration.nameRange)
    case .union(let id): ("union", scope.schema[id].name, scope.schema[id].declaration.nameRange)
    }
  }
}

// MARK: - Whole numbers, bools and names

extension ObjectChecker {
  /// Returns the number that a value stands for. Nil if it is null, the hash of a text, or wrong, which is reported.
  private mutating func checkWhole(
    _ node: Int, _ scalar: ScalarType, _ key: ObjectShapes.Names?, _ type: ShapeType, _ place: ValuePlace,
    _ context: ObjectContext, _ tree: SyntaxTree
  ) -> Int64? {
    guard let bits = readWhole(node, scalar, key, type, place, context, tree) else { return nil }
    recording?.note(.number(UInt64(bitPattern: bits)), of: node)
    return bits
  }

  private mutating func readWhole(
    _ node: Int, _ scalar: ScalarType, _ key: ObjectShapes.Names?, _ type: ShapeType, _ place: ValuePlace,
    _ context: ObjectContext, _ tree: SyntaxTree
  ) -> Int64? {
    guard case .value(let index) = tree.json[node].kind, case .token = tree.values[index].kind else {
      reportWrong(node, type, place, tree)
      return nil
    }
    let token = tree.json[node].span.first
    let kind = tree.tokens[token].kind
    var word = tree.bytes(of: token)
    if kind == .string || kind == .identifier, place.member.isHashed, scalar.size >= 4 {
      recording?.note(.hashedText, of: node)
      return nil
    }
    if kind == .float {
      reportWrong(node, type, place, tree)
      return nil
    }
    if kind == .string {
      guard isPlain(token, tree) else {
        reportNotPlain(token, place, tree)
        return nil
      }
      word = word.dropFirst().dropLast()
    }
    if scalar == .bool, word.elementsEqual("true".utf8) || word.elementsEqual("false".utf8) {
      recording?.note(.number(word.count == 4 ? 1 : 0), of: node)
      return nil
    }
    if word.elementsEqual("null".utf8) {
      recording?.note(.null, of: node)
      checkNull(node, type, place, tree)
      return nil
    }
    if scalar != .bool, let first = word.first, first.isIdentifierStart {
      if let key { return namedBits(word, key, token, tree) }
      guard let bits = qualifiedBits(word, token, type, place, context, tree) else { return nil }
      let number = WholeNumber(bits: bits, of: scalar.isUnsigned ? .uint64 : .int64)
      guard number.fits(scalar) else {
        reportRange(number.text, scalar, token, place, tree)
        return nil
      }
      return bits
    }
    if kind == .string {
      word = word.drop { $0 == UInt8(ascii: " ") }
      while word.last == UInt8(ascii: " ") { word.removeLast() }
    }
    let (number, overflow) = WholeNumber.parse(word)
    guard number != nil || overflow else {
      reportWrong(node, type, place, tree)
      return nil
    }
    guard let number, number.fits(scalar) else {
      reportRange(tree.text(of: token), scalar, token, place, tree)
      return nil
    }
    if scalar == .bool, number.magnitude > 1 {
      scope.report(
        .surprisingValue, .warning, "`\(tree.text(of: token))` is taken for `true`", at: tree.range(of: token),
        advice: "write `true`", fixes: [.replace(tree.range(of: token), with: "true")])
    }
    return number.bits
  }

  /// Returns the bits of one name, or of several with a space between two; nil if a name is unknown, which is reported.
  private mutating func namedBits(
    _ text: ArraySlice<UInt8>, _ key: ObjectShapes.Names, _ token: TokenIndex, _ tree: SyntaxTree
  ) -> Int64? {
    let numbers = valueNames(key).numbers
    var bits: Int64 = 0
    for word in text.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false) {
      guard let number = scope.symbols.names.find(word).flatMap({ numbers[$0] }) else {
        reportUnknownName(word, key, token, tree)
        return nil
      }
      bits |= number
    }
    return bits
  }

  private mutating func reportUnknownName(
    _ word: ArraySlice<UInt8>, _ key: ObjectShapes.Names, _ token: TokenIndex, _ tree: SyntaxTree
  ) {
    guard isComplete(key) else { return }
    let (kind, name, range) = naming(key)
    guard !word.isEmpty else {
      return scope.error(
        .unknownValue, "one space stands between two names, and none after the last", at: tree.range(of: token),
        advice: "remove the other spaces")
    }
    let text = String(decoding: word, as: UTF8.self)
    // The word stands in the file as it is.
    let place = SourceRange(file: tree.source.id, start: word.startIndex, end: word.endIndex)
    var near: String?
    if scope.suggestionsLeft > 0 {
      scope.suggestionsLeft -= 1
      switch key {
      case .enumeration(let id): near = nearestName(to: text, in: scope.schema[id].names.lazy.map(\.name).prefix(1000))
      case .union(let id): near = nearestName(to: text, in: ["NONE"] + scope.schema[id].members.map(\.name))
      }
    }
    // `Color.Red`, where `Red` alone is due.
    if let dot = word.lastIndex(of: UInt8(ascii: ".")),
      let id = scope.symbols.names.find(word[(dot + 1)...]), valueNames(key).numbers[id] != nil
    {
      near = scope.symbols.names.strings[id]
    }
    scope.error(
      .unknownValue, "\(kind) `\(name)` has no \(kind == "enum" ? "value" : "member") `\(text)`",
      at: tree.range(of: token), advice: near.map { "did you mean `\($0)`?" } ?? "",
      labels: [.init(range, "the \(kind) is defined here")],
      fixes: near.map { [.replace(place, with: $0)] } ?? [])
  }

  /// Returns the bits of `Color.Red`, or of several such names, for a field of a number type; nil if one is wrong,
  /// which is reported.
  private mutating func qualifiedBits(
    _ text: ArraySlice<UInt8>, _ token: TokenIndex, _ type: ShapeType, _ place: ValuePlace,
    _ context: ObjectContext, _ tree: SyntaxTree
  ) -> Int64? {
    var bits: Int64 = 0
    for word in text.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false) {
      guard let dot = word.firstIndex(of: UInt8(ascii: ".")) else {
        scope.error(
          .wrongValue, "\(place.subject) takes \(expectation(of: type).what), and not `\(tree.text(of: token))`",
          at: tree.range(of: token), advice: "write a number", labels: place.labels,
          notes: ["the value of an enum is written in quotes with the enum's name: \"Color.Red\""])
        return nil
      }
      let found = scope.symbols.names.find(word[..<dot]).flatMap {
        scope.lookUp([$0], from: context.namespace, in: context.file).found
      }
      let key: ObjectShapes.Names
      switch found.map({ scope.symbols.definitions[$0].id }) {
      case .enumeration(let id): key = .enumeration(id)
      case .union(let id): key = .union(id)
      default:
        scope.error(
          .unknownValue, "there is no enum `\(String(decoding: word[..<dot], as: UTF8.self))`",
          at: tree.range(of: token), advice: "name an enum, or write a number")
        return nil
      }
      let name = word[(dot + 1)...]
      guard let number = scope.symbols.names.find(name).flatMap({ valueNames(key).numbers[$0] }) else {
        reportUnknownName(name, key, token, tree)
        return nil
      }
      bits |= number
    }
    return bits
  }

  private func isPlain(_ token: TokenIndex, _ tree: SyntaxTree) -> Bool {
    tree.bytes(of: token).allSatisfy { $0 < 0x80 && $0 != UInt8(ascii: "\\") }
  }
}

extension UInt8 {
  fileprivate var isLetter: Bool { self | 0x20 >= UInt8(ascii: "a") && self | 0x20 <= UInt8(ascii: "z") }
  fileprivate var isIdentifierStart: Bool { isLetter || self == UInt8(ascii: "_") }
}

// MARK: - Diagnostics

extension ObjectChecker {
  private mutating func checkNull(_ node: Int, _ type: ShapeType, _ place: ValuePlace, _ tree: SyntaxTree) {
    if place.member.isOptional, !place.isElement { return }
    scope.error(
      .wrongValue, "\(place.subject) is never null", at: startRange(of: node, tree),
      advice: place.isElement ? "remove it" : "leave the field out to have its default", labels: place.labels)
  }

  private mutating func reportNotPlain(_ token: TokenIndex, _ place: ValuePlace, _ tree: SyntaxTree) {
    scope.error(
      .wrongValue, "a number or name in quotes is plain ASCII, without escapes", at: tree.range(of: token),
      advice: "write it plainly", labels: place.labels)
  }

  private mutating func reportRange(
    _ text: String, _ type: ScalarType, _ token: TokenIndex, _ place: ValuePlace, _ tree: SyntaxTree
  ) {
    scope.error(
      .valueOutOfRange, "`\(text)` does not fit in \(place.subject), of type \(type.schemaName)",
      at: tree.range(of: token), advice: "\(type.schemaName) holds \(type.rangeText)", labels: place.labels)
  }

  mutating func reportWrong(_ node: Int, _ type: ShapeType, _ place: ValuePlace, _ tree: SyntaxTree) {
    if isReported(node, tree) { return }
    let (what, advice) = expectation(of: type)
    scope.error(
      .wrongValue, "\(place.subject) takes \(what), and not \(describe(node, tree))", at: startRange(of: node, tree),
      advice: advice, labels: place.labels)
  }

  private func expectation(of type: ShapeType) -> (what: String, advice: String) {
    switch type {
    case .scalar(.bool): ("`true` or `false`", "write one of the two")
    case .scalar(let type) where type.isFloatingPoint: ("a number", "such as `1.5`")
    case .scalar: ("a whole number", "such as `1`")
    case .enumeration(let id):
      ("a value of enum `\(scope.schema[id].name)`", scope.schema[id].values.first.map { "such as `\($0.name)`" } ?? "")
    case .unionCode(let id):
      (
        "a member of union `\(scope.schema[id].name)`",
        scope.schema[id].members.first.map { "such as `\($0.name)`" } ?? ""
      )
    case .string: ("a string", "write it in quotes")
    case .structure(let id): ("an object of struct `\(scope.schema[id].name)`", "write its fields in `{ }`")
    case .table(let id): ("an object of table `\(scope.schema[id].name)`", "write its fields in `{ }`")
    case .union: ("an object", "write its fields in `{ }`")
    case .list: ("a list", "write it in `[ ]`")
    case .nested: ("an object, which becomes a buffer of its own", "write its fields in `{ }`")
    case .flexible: ("any value", "")
    }
  }

  private func describe(_ node: Int, _ tree: SyntaxTree) -> String {
    switch tree.json[node].kind {
    case .unreadable: return "this"
    case .object: return "an object"
    case .list: return "a list"
    case .value(let index):
      guard case .token = tree.values[index].kind else { return "`\(tree.text(of: tree.json[node].span))`" }
      let token = tree.json[node].span.first
      if tree.tokens[token].kind == .string {
        return tree.bytes(of: token).count > 40 ? "this string" : "the string \(tree.text(of: token))"
      }
      return "`\(tree.text(of: token))`"
    }
  }
}
