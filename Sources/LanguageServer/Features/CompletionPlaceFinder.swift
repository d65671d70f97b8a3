import FBSDiagnostics
import FBSParser
import FBSSchema

/// Finds out what may be written at a position from the tokens before it. The tokens after it do not count, as they may
/// not be written yet.
struct CompletionPlaceFinder {
  private let tree: SyntaxTree
  private let offset: Int
  /// The token after the last one that ends before the word at the position.
  private let end: TokenIndex

  init(tree: SyntaxTree, offset: Int) {
    self.tree = tree
    self.offset = offset
    var end = tree.tokens.firstIndex { Int($0.start) >= offset } ?? tree.tokens.count - 1
    // The word that is being written, and the namespace before it, do not count.
    while end > 0, tree.tokens[end - 1].kind == .identifier || tree.tokens[end - 1].kind == .dot,
      Int(tree.tokens[end - 1].end) == (end < tree.tokens.count ? Self.wordEnd(tree, end, offset) : offset)
    {
      end -= 1
    }
    self.end = end
  }

  /// Returns where a word has to end in order to continue at a token, or at the position.
  private static func wordEnd(_ tree: SyntaxTree, _ end: TokenIndex, _ offset: Int) -> Int {
    let start = Int(tree.tokens[end].start)
    return start >= offset ? offset : start
  }

  private func kind(_ token: TokenIndex) -> TokenKind? { token >= 0 ? tree.tokens[token].kind : nil }

  var place: CompletionPlace {
    if isInComment { return .nothing }
    if end > 0, kind(end - 1) == .string || kind(end - 1) == .invalid, Int(tree.tokens[end - 1].end) >= offset {
      return placeInString(end - 1)
    }
    // The open brackets since the start of the statement.
    var open: [TokenIndex] = []
    var statement = 0
    for token in 0..<end {
      switch tree.tokens[token].kind {
      case .leftBrace, .leftParenthesis, .leftBracket: open.append(token)
      case .rightBrace:
        // A closing brace also closes brackets left open within it.
        while let last = open.popLast(), tree.tokens[last].kind != .leftBrace {}
        if open.isEmpty { statement = token + 1 }
      case .rightParenthesis, .rightBracket: _ = open.popLast()
      case .semicolon:
        while let last = open.last, tree.tokens[last].kind != .leftBrace { open.removeLast() }
        if open.isEmpty { statement = token + 1 }
      default: break
      }
    }
    guard statement < end else { return .statement }
    let keyword = tree.text(of: statement)
    return open.contains { tree.tokens[$0].kind == .leftBrace }
      ? placeInBody(keyword, open) : placeInHeader(keyword, statement, open)
  }

  private var isInComment: Bool {
    let start = end > 0 ? Int(tree.tokens[end - 1].end) : 0
    guard start < offset else { return false }
    let gap = tree.source.bytes[start..<min(offset, tree.source.bytes.count)]
    let line = gap.lastIndex { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }.map { gap[($0 + 1)...] } ?? gap
    return line.contains(UInt8(ascii: "/"))
  }

  private func placeInString(_ token: TokenIndex) -> CompletionPlace {
    guard token > 0 else { return .nothing }
    let start = Int(tree.tokens[token].start) + 1
    if tree.token(token - 1, is: "include"), start <= offset {
      return .includePath(typed: String(decoding: tree.source.bytes[start..<offset], as: UTF8.self))
    }
    return .nothing
  }

  private func placeInHeader(_ keyword: String, _ statement: TokenIndex, _ open: [TokenIndex]) -> CompletionPlace {
    if let bracket = open.last, tree.tokens[bracket].kind == .leftParenthesis {
      switch keyword {
      case "table": return attributePlace(.table)
      case "struct": return attributePlace(.structure)
      case "enum": return attributePlace(.enumeration)
      case "union": return attributePlace(.union)
      default: return .nothing
      }
    }
    switch keyword {
    case "root_type" where end == statement + 1: return .table
    case "enum", "union": return kind(end - 1) == .colon ? .numberType : .nothing
    default: return .nothing
    }
  }

  private func placeInBody(_ keyword: String, _ open: [TokenIndex]) -> CompletionPlace {
    let previous = kind(end - 1)
    if let bracket = open.last, tree.tokens[bracket].kind == .leftParenthesis {
      if keyword == "rpc_service" {
        // In a method, a parenthesis before the colon encloses the parameter, and one after the colon encloses the
        // attributes.
        return kind(bracket - 1) == .identifier && !isAfterColon(bracket) ? .table : attributePlace(.method)
      }
      return attributePlace(memberPlace(keyword))
    }
    switch keyword {
    case "table", "struct":
      if previous == .colon { return keyword == "table" ? .tableType : .structType }
      if previous == .leftBracket { return keyword == "table" ? .elementType : .structType }
      if previous == .equals, let type = typeBefore(end - 1) { return .defaultValue(type: type) }
    case "union":
      if previous == .leftBrace || previous == .comma || previous == .colon { return .unionMember }
    case "rpc_service":
      if previous == .colon { return .table }
    default: break
    }
    return .nothing
  }

  private func memberPlace(_ keyword: String) -> AttributePlace {
    switch keyword {
    case "struct": .structField
    case "enum": .enumValue
    case "union": .unionMember
    default: .field
    }
  }

  /// Returns whether there is a colon between the start of an entry and a token.
  private func isAfterColon(_ token: TokenIndex) -> Bool {
    var index = token - 1
    while index > 0, ![.semicolon, .leftBrace].contains(tree.tokens[index].kind) {
      if tree.tokens[index].kind == .colon { return true }
      index -= 1
    }
    return false
  }

  /// Returns whether an attribute's name or its value is written within parentheses.
  private func attributePlace(_ place: AttributePlace) -> CompletionPlace {
    switch kind(end - 1) {
    case .leftParenthesis, .comma: .attribute(place)
    case .colon where end > 1: .attributeValue(name: tree.text(of: end - 2))
    default: .nothing
    }
  }

  /// Returns the type between a colon and an equals sign; nil if there is none.
  private func typeBefore(_ sign: TokenIndex) -> String? {
    var token = sign - 1
    while token > 0, tree.tokens[token].kind != .colon {
      guard ![.semicolon, .leftBrace, .rightBrace].contains(tree.tokens[token].kind) else { return nil }
      token -= 1
    }
    guard token + 1 < sign else { return nil }
    return tree.text(of: TokenSpan(token + 1, sign - 1))
  }
}
