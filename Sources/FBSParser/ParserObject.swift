// A JSON object, which may stand last in a file.

extension Parser {
  mutating func parseObject() {
    let first = position
    let mistakes = diagnostics.count
    parseJSONValue(depth: 0)
    if diagnostics.count > mistakes {
      // What follows a broken object cannot be told from its inside.
      position = tokens.count - 1
      return
    }
    tree.items.append(.object(TokenSpan(first, position - 1)))
    guard !isAtEnd else { return }
    report(
      .objectNotLast, "nothing may follow the JSON object", at: tree.range(of: position),
      advice: "move the object to the end of the file")
    position = tokens.count - 1
  }

  /// Stops at the first mistake, having reported it.
  private mutating func parseJSONValue(depth: Int) {
    switch kind {
    case .leftBrace, .leftBracket:
      guard depth < Self.maximumDepth else { return reportTooDeep(position) }
      let closing: TokenKind = kind == .leftBrace ? .rightBrace : .rightBracket
      advance()
      while take(closing) == nil {
        let mistakes = diagnostics.count
        if closing == .rightBrace { parseJSONKey() }
        if diagnostics.count == mistakes { parseJSONValue(depth: depth + 1) }
        guard diagnostics.count == mistakes, kind != .invalid else { return }
        if take(.comma) == nil, kind != closing {
          return reportUnexpected(closing == .rightBrace ? "`,` or `}` is due" : "`,` or `]` is due")
        }
      }
    default:
      if parseValue(depth: 0) != nil { return }
    }
  }

  private mutating func parseJSONKey() {
    guard take(.identifier) ?? take(.string) != nil else {
      return reportUnexpected("a field's name is due in a JSON object")
    }
    if take(.colon) == nil { reportUnexpected("`:` is due after a field's name") }
  }
}
