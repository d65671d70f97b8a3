// A JSON object, which may stand last in a file.

extension Parser {
  /// How deep brackets may stand in brackets in a JSON object. A table's braces and the brackets of the list that it
  /// stands in are two, and which brackets are a table is not known here: what knows it counts tables.
  static let maximumObjectDepth = 2 * maximumDepth + 1

  mutating func parseObject() {
    let first = position
    let isWell = parseJSONValue(key: nil, depth: 0)
    tree.items.append(.object(TokenSpan(first, max(first, position - 1))))
    if !isWell {
      // What follows a broken object cannot be told from its inside.
      position = tokens.count - 1
      return
    }
    guard !isAtEnd else { return }
    report(
      .objectNotLast, "nothing may follow the JSON object", at: tree.range(of: position),
      advice: "move the object to the end of the file")
    position = tokens.count - 1
  }

  /// Stops at a mistake that hides what follows, having reported it. What stands before it is in the tree.
  private mutating func parseJSONValue(key: TokenIndex?, depth: Int) -> Bool {
    let first = position
    let node = tree.json.count
    switch kind {
    case .leftBrace, .leftBracket:
      guard depth < Self.maximumObjectDepth else {
        reportTooDeep(position, limit: Self.maximumObjectDepth)
        return false
      }
      let isObject = kind == .leftBrace
      tree.json.append(
        JSONSyntax(key: key, kind: isObject ? .object : .list, span: TokenSpan(first, first), end: node + 1))
      advance()
      let isWell = parseJSONEntries(isObject: isObject, depth: depth + 1)
      tree.json[node].isComplete = isWell
      tree.json[node].span = TokenSpan(first, max(first, position - 1))
      tree.json[node].end = tree.json.count
      return isWell
    default:
      guard let value = parseValue(depth: 0) else { return false }
      tree.json.append(JSONSyntax(key: key, kind: .value(value), span: tree.values[value].span, end: node + 1))
      return true
    }
  }

  private mutating func parseJSONEntries(isObject: Bool, depth: Int) -> Bool {
    let closing: TokenKind = isObject ? .rightBrace : .rightBracket
    while take(closing) == nil {
      var key: TokenIndex?
      if isObject {
        guard let token = parseJSONKey() else { return false }
        key = token
      }
      guard parseJSONValue(key: key, depth: depth), kind != .invalid else { return false }
      if take(.comma) != nil || kind == closing { continue }
      guard startsJSONEntry(inObject: isObject), diagnostics.count < Self.maximumDiagnostics else {
        reportUnexpected(isObject ? "`,` or `}` is due" : "`,` or `]` is due")
        return false
      }
      reportMissing("`,`", after: describe(position - 1), advice: "add `,`")
    }
    return true
  }

  /// Whether an entry surely starts at a token that should be a comma, so that the comma is missing.
  private func startsJSONEntry(inObject: Bool) -> Bool {
    guard tokens[position - 1].end < tokens[position].start else { return false }
    if inObject { return (kind == .identifier || kind == .string) && self.kind(after: 1) == .colon }
    switch kind {
    case .integer, .float, .string, .leftBrace, .leftBracket: return true
    default: return false
    }
  }

  private mutating func parseJSONKey() -> TokenIndex? {
    guard let key = take(.identifier) ?? take(.string) else {
      reportUnexpected("a field's name is due in a JSON object")
      return nil
    }
    guard take(.colon) != nil else {
      reportUnexpected("`:` is due after a field's name")
      return nil
    }
    return key
  }
}
