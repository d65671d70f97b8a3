/// The kind of a token.
public enum TokenKind: UInt8, Sendable {
  case identifier, integer, float, string
  case leftBrace, rightBrace, leftParenthesis, rightParenthesis, leftBracket, rightBracket
  case comma, colon, semicolon, equals, dot
  /// A sign that does not belong to a number: it may stand before a named constant, such as `-inf`.
  case plus, minus
  /// `@`, `|`, `/` or `->`, which mean something in other languages. The parser says what to write instead.
  case foreign
  /// Bytes that no token may hold. They have been reported.
  case invalid
  /// The end of the file: always the last token, of no bytes.
  case endOfFile
}

extension TokenKind {
  /// Creates the kind of a token of this one character; nil if there is none.
  init?(punctuation: UInt8) {
    switch punctuation {
    case UInt8(ascii: "{"): self = .leftBrace
    case UInt8(ascii: "}"): self = .rightBrace
    case UInt8(ascii: "("): self = .leftParenthesis
    case UInt8(ascii: ")"): self = .rightParenthesis
    case UInt8(ascii: "["): self = .leftBracket
    case UInt8(ascii: "]"): self = .rightBracket
    case UInt8(ascii: ","): self = .comma
    case UInt8(ascii: ":"): self = .colon
    case UInt8(ascii: ";"): self = .semicolon
    case UInt8(ascii: "="): self = .equals
    default: return nil
    }
  }

  /// Whether a statement or an entry of a list may begin after a token of this kind.
  var mayEndStatement: Bool {
    switch self {
    case .semicolon, .comma, .leftBrace, .rightBrace: true
    default: false
    }
  }
}

/// A word or a sign of a schema: which bytes, and what they are. The bytes between two tokens are blank or comments.
public struct Token: Hashable, Sendable {
  /// The offset of the first byte.
  public let start: UInt32
  /// The offset after the last byte.
  public internal(set) var end: UInt32
  /// The kind of token.
  public internal(set) var kind: TokenKind
  /// Whether doc comments (`///`) stand between the token before and this one.
  public let hasDocumentation: Bool
  /// Whether the text was at fault, which has been reported: an unterminated string, a malformed number.
  public internal(set) var isMalformed: Bool

  init(_ kind: TokenKind, start: Int, end: Int, hasDocumentation: Bool = false, isMalformed: Bool = false) {
    // The lexer refuses files whose offsets would not fit.
    self.start = UInt32(start)
    self.end = UInt32(end)
    self.kind = kind
    self.hasDocumentation = hasDocumentation
    self.isMalformed = isMalformed
  }
}

/// A token by its place in a tree.
public typealias TokenIndex = Int
