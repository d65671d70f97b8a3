import FBSDiagnostics

// Looks ahead of `position` where the parser finds nothing that it expects.

extension Parser {
  func lowercased(_ token: TokenIndex) -> String { tree.text(of: token).lowercased() }

  func isForeign(_ token: TokenIndex, _ sign: UInt8) -> Bool {
    tokens[token].kind == .foreign && tree.source.bytes[Int(tokens[token].start)] == sign
  }

  /// Returns the bracket that closes the one at `opening`; nil if none of the `limit` tokens from there does, or the
  /// statement ends before it.
  func closingBracket(of opening: TokenIndex, limit: Int = 64) -> TokenIndex? {
    var depth = 0
    for token in opening..<min(opening + limit, tokens.count - 1) {
      switch tokens[token].kind {
      case .leftParenthesis, .leftBracket: depth += 1
      case .rightParenthesis, .rightBracket:
        depth -= 1
        if depth == 0 { return token }
      case .leftBrace, .rightBrace, .semicolon, .endOfFile: return nil
      default: break
      }
    }
    return nil
  }

  /// Returns whether a run of text holds no comment, so that a fix may write it anew.
  func isWithoutComments(_ range: SourceRange) -> Bool {
    let bytes = tree.source.bytes[range.start..<range.end]
    return !zip(bytes, bytes.dropFirst()).contains {
      $0 == UInt8(ascii: "/") && ($1 == UInt8(ascii: "/") || $1 == UInt8(ascii: "*"))
    }
  }

  /// Returns the token at which the statement at `start` ends: a `;`, the `}` of the enclosing definition, an
  /// identifier that begins a line, or the end of the file. Nil if none of `limit` tokens is one.
  func endOfStatement(from start: TokenIndex, limit: Int = 64) -> TokenIndex? {
    var depth = 0
    for token in start..<min(start + limit, tokens.count) {
      switch tokens[token].kind {
      case .semicolon where depth == 0, .endOfFile: return token
      case .leftBrace: depth += 1
      case .rightBrace:
        if depth == 0 { return token }
        depth -= 1
      case .identifier where token > start && depth == 0 && startsLine(token): return token
      default: break
      }
    }
    return nil
  }
}
