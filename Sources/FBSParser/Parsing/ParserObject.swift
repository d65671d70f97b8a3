// A JSON object, which may stand last in a file.

extension Parser {
  /// The nesting limit of brackets in a JSON object. The braces of a table and the brackets of the list around it are
  /// two. The parser does not know which brackets are tables; the code that does limits the depth of tables.
  static let maximumObjectDepth = 2 * maximumDepth + 1

  /// Reads a JSON object.
  /// - Parameter isData: whether the file is to hold this object and nothing else.
  mutating func parseObject(isData: Bool = false) {
    let first = position
    let isWell = parseJSONValue(key: nil, depth: 0)
    tree.items.append(.object(TokenSpan(first, max(first, position - 1))))
    if !isWell {
      // After a broken object, it is unknown where its rest ends and other statements begin.
      position = tokens.count - 1
      return
    }
    guard !isAtEnd else { return }
    report(
      .objectNotLast, "nothing may follow the JSON object", at: tree.range(of: position),
      advice: isData
        ? "a file of data is one object: write each to a file of its own" : "move the object to the end of the file")
    position = tokens.count - 1
  }

  /// Returns false after a mistake that hides the end of the value. The mistake is reported, and the value keeps its
  /// index in the tree.
  private mutating func parseJSONValue(key: TokenIndex?, depth: Int) -> Bool {
    let first = position
    let node = tree.json.count
    switch kind {
    case .leftBrace, .leftBracket:
      guard depth < Self.maximumObjectDepth else {
        reportTooDeep(position, limit: Self.maximumObjectDepth)
        addUnreadable(key: key, at: first)
        return false
      }
      let isObject = kind == .leftBrace
      tree.json.append(
        JSONSyntax(key: key, kind: isObject ? .object : .list, span: TokenSpan(first, first), end: node + 1))
      advance()
      openBrackets.count(isObject ? .leftBrace : .leftBracket, 1)
      defer { openBrackets.count(isObject ? .leftBrace : .leftBracket, -1) }
      let isWell = parseJSONEntries(of: node, isObject: isObject, depth: depth + 1)
      if !isWell { tree.json[node].isComplete = false }
      tree.json[node].span = TokenSpan(first, max(first, position - 1))
      tree.json[node].end = tree.json.count
      return isWell
    default:
      guard let value = parseValue(depth: 0) else {
        addUnreadable(key: key, at: first)
        return false
      }
      tree.json.append(JSONSyntax(key: key, kind: .value(value), span: tree.values[value].span, end: node + 1))
      return true
    }
  }

  private mutating func addUnreadable(key: TokenIndex?, at token: TokenIndex) {
    tree.json.append(
      JSONSyntax(key: key, kind: .unreadable, span: TokenSpan(token, token), end: tree.json.count + 1))
  }

  /// Parses the entries of the JSON object or list `node`, and its closing bracket. Returns false if the bracket is not
  /// where it should be, which is reported.
  private mutating func parseJSONEntries(of node: Int, isObject: Bool, depth: Int) -> Bool {
    let closing: TokenKind = isObject ? .rightBrace : .rightBracket
    while take(closing) == nil {
      // If the parser has given up, the bracket may well be closed.
      guard diagnostics.count < Self.maximumDiagnostics else { return false }
      guard parseJSONEntry(of: node, isObject: isObject, depth: depth) else {
        if let isWell = endAfterSkippingEntry(to: closing) { return isWell }
        continue
      }
      if take(.comma) != nil || kind == closing { continue }
      if startsJSONEntry(inObject: isObject) {
        reportMissing(",", after: describe(position - 1), advice: "add `,`")
        continue
      }
      let due = isObject ? "`,` or `}` is due" : "`,` or `]` is due"
      if kind == .semicolon { reportSlip(due, write: ",") } else { reportUnexpected(due) }
      if let isWell = endAfterSkippingEntry(to: closing) { return isWell }
    }
    return true
  }

  /// Parses a value, in an object with its key. Returns false after a mistake that hides the value's end.
  private mutating func parseJSONEntry(of node: Int, isObject: Bool, depth: Int) -> Bool {
    var key: TokenIndex?
    if isObject {
      guard !startsDeclaration(position), let token = take(.identifier) ?? take(.string) else {
        reportUnexpected("a field's name is due in a JSON object")
        tree.json[node].isComplete = false
        return false
      }
      key = token
      guard take(.colon) != nil else {
        let due = "`:` is due after a field's name"
        if kind == .equals { reportSlip(due, write: ":") } else { reportUnexpected(due) }
        addUnreadable(key: key, at: token)
        return false
      }
    }
    return parseJSONValue(key: key, depth: depth) && kind != .invalid
  }

  /// Skips to the next entry of the same object or list, or to the bracket that closes it, and returns nil. If neither
  /// follows, returns true if another kind of bracket closes it by a slip, and false if none does.
  private mutating func endAfterSkippingEntry(to closing: TokenKind) -> Bool? {
    var depth = 0
    while !isAtEnd {
      switch kind {
      // A semicolon in place of a comma is a slip.
      case .comma where depth == 0, .semicolon where depth == 0:
        advance()
        return nil
      case .leftBrace, .leftBracket: depth += 1
      case .rightBrace, .rightBracket:
        if depth > 0 {
          depth -= 1
        } else if kind == closing {
          return nil
        } else {
          guard bracketCountsLeft > 0 else { return false }
          bracketCountsLeft -= 1
          let missing = missingBrackets
          let (own, other) =
            closing == .rightBrace ? (missing.braces, missing.brackets) : (missing.brackets, missing.braces)
          // The bracket closes an enclosing object or list, unless there is one too many.
          guard other < 0 else { return false }
          if own > 0 {
            advance()
            return true
          }
        }
      case .identifier where startsDeclaration(position): return false
      default: break
      }
      advance()
    }
    return false
  }

  /// The number of open brackets that nothing closes. Negative if too many closing ones follow.
  private var missingBrackets: BracketCount {
    var missing = openBrackets
    for token in tokens[position...] { missing.count(token.kind, token.kind.isOpening ? 1 : -1) }
    return missing
  }

  /// Returns whether an entry surely starts at a token that should be a comma, so that the comma is missing.
  private func startsJSONEntry(inObject: Bool) -> Bool {
    guard tokens[position - 1].end < tokens[position].start else { return false }
    if inObject { return (kind == .identifier || kind == .string) && self.kind(after: 1) == .colon }
    switch kind {
    case .integer, .float, .string, .leftBrace, .leftBracket: return true
    default: return false
    }
  }
}

/// The number of brackets of each kind.
struct BracketCount {
  private(set) var braces = 0
  private(set) var brackets = 0

  mutating func count(_ kind: TokenKind, _ change: Int) {
    switch kind {
    case .leftBrace, .rightBrace: braces += change
    case .leftBracket, .rightBracket: brackets += change
    default: break
    }
  }
}

extension TokenKind {
  fileprivate var isOpening: Bool { self == .leftBrace || self == .leftBracket }
}
