/// Splits Swift source into code, the text of string literals, and comments.
///
/// It knows what this package's sources and generated code hold: literals between single or triple quotation marks, with
/// interpolations that may hold literals; line comments; no raw strings.
struct SwiftScanner {
  enum Kind {
    case code, literal, comment
  }

  /// A word, or a single character that belongs to none; never whitespace.
  struct Token {
    let kind: Kind
    let text: String
    /// Whether it follows a period, and so names a member.
    let isMember: Bool
    /// The text of the literal from its start, if it is in one.
    let literalStart: String
  }

  /// The tokens of `source`, in their order.
  static func tokens(_ source: String) -> [Token] {
    var scanner = SwiftScanner(source)
    scanner.scan()
    return scanner.tokens
  }

  /// What surrounds the position: code within so many parentheses, or a literal.
  private enum Context {
    case code(parentheses: Int)
    case literal(quote: String, start: Int)
  }

  private let characters: [UInt8]
  private var index = 0
  private var tokens: [Token] = []
  private var contexts: [Context] = [.code(parentheses: 0)]
  private var endsWithPeriod = false

  private init(_ source: String) { characters = Array(source.utf8) }

  private func isNext(_ text: String) -> Bool { characters[index...].starts(with: text.utf8) }

  private mutating func scan() {
    while index < characters.count, let context = contexts.last {
      switch context {
      case .code(let parentheses): scanCode(parentheses)
      case .literal(let quote, let start): scanLiteral(quote, start)
      }
    }
  }

  private mutating func scanCode(_ parentheses: Int) {
    if isNext("//") {
      while index < characters.count, characters[index] != UInt8(ascii: "\n") { append(.comment) }
    } else if isNext("\"") {
      let quote = isNext("\"\"\"") ? "\"\"\"" : "\""
      index += quote.utf8.count
      contexts.append(.literal(quote: quote, start: index))
    } else {
      if isNext("(") { contexts[contexts.count - 1] = .code(parentheses: parentheses + 1) }
      if isNext(")") {
        if parentheses == 0, contexts.count > 1 {
          contexts.removeLast()
          index += 1
          return
        }
        contexts[contexts.count - 1] = .code(parentheses: parentheses - 1)
      }
      append(.code)
    }
  }

  private mutating func scanLiteral(_ quote: String, _ start: Int) {
    if isNext(quote) {
      contexts.removeLast()
      index += quote.utf8.count
      endsWithPeriod = false
    } else if isNext("\\(") {
      index += 2
      contexts.append(.code(parentheses: 0))
    } else if isNext("\\") {
      index += 2
    } else {
      append(.literal, start: start)
    }
  }

  /// Appends the word or character at the position.
  private mutating func append(_ kind: Kind, start: Int? = nil) {
    var end = index + 1
    if Self.isWordPart(characters[index]) {
      while end < characters.count, Self.isWordPart(characters[end]) { end += 1 }
    }
    let text = String(decoding: characters[index..<end], as: UTF8.self)
    let literal = start.map { String(decoding: characters[$0..<end], as: UTF8.self) } ?? ""
    index = end
    if text.allSatisfy(\.isWhitespace) { return }
    tokens.append(Token(kind: kind, text: text, isMember: endsWithPeriod, literalStart: literal))
    endsWithPeriod = text == "."
  }

  private static func isWordPart(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
      true
    default: byte >= 0x80
    }
  }
}
