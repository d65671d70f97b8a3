import FBSDiagnostics
import FBSParser

/// The syntax tree of a condition.
indirect enum FilterSyntax {
  case or(FilterSyntax, FilterSyntax)
  case and(FilterSyntax, FilterSyntax)
  case not(FilterSyntax)
  case comparison(Operand, Comparison, Operand)
  case among(Operand, [Operand], isNegated: Bool)
  case isNull(Operand, isNegated: Bool)
  /// A Boolean field by itself.
  case alone(Operand)

  enum Comparison: String {
    case equal = "="
    case unequal = "!="
    case less = "<"
    case lessOrEqual = "<="
    case greater = ">"
    case greaterOrEqual = ">="
  }

  struct Operand {
    enum Kind {
      case path([String])
      case text(String)
      case number(String)
      case bool(Bool)
    }

    let kind: Kind
    let range: SourceRange
  }
}

/// A mistake in an expression.
struct FilterMistake: Error {
  let diagnostic: Diagnostic

  init(_ code: DiagnosticCode, _ message: String, at range: SourceRange, advice: String = "", notes: [String] = []) {
    diagnostic = Diagnostic(code, .error, message, at: range, advice: advice, notes: notes)
  }
}

/// Parses conditions.
struct FilterParser {
  private struct Token {
    enum Kind { case name, quotedName, text, number, sign, end }

    let kind: Kind
    let text: String
    let range: SourceRange

    /// Whether the token is a reserved word. A field of that name has to be written in backticks.
    var isWord: Bool { kind == .name && FilterParser.words.contains(text.lowercased()) }
    /// The text in backticks, as a field's name is written.
    var quoted: String { "`\(text)`" }
  }

  /// The reserved words.
  private static let words: Set<String> = ["and", "or", "not", "in", "is", "null", "true", "false"]

  /// The greatest nesting depth of parentheses and `not`.
  private static let maximumDepth = 64

  private let tokens: [Token]
  private var position = 0
  private var depth = 0

  /// Splits an expression into tokens.
  ///
  /// - Parameter file: the text of the expression.
  init(_ file: SourceFile) throws(FilterMistake) {
    tokens = try Self.tokens(of: file)
  }

  /// Parses the whole expression.
  mutating func condition() throws(FilterMistake) -> FilterSyntax {
    let condition = try alternatives()
    guard next.kind == .end else { throw unexpected("`and`, `or` or the end is due") }
    return condition
  }

  // MARK: Tokens

  private static func tokens(of file: SourceFile) throws(FilterMistake) -> [Token] {
    let bytes = file.bytes
    var tokens: [Token] = []
    var index = 0
    func isWord(_ byte: UInt8) -> Bool {
      (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20) || byte == UInt8(ascii: "_")
    }
    func range(_ start: Int, _ end: Int) -> SourceRange { SourceRange(file: file.id, start: start, end: end) }
    func add(_ kind: Token.Kind, _ start: Int, _ text: String) {
      tokens.append(Token(kind: kind, text: text, range: range(start, index)))
    }
    while index < bytes.count {
      let start = index
      let byte = bytes[index]
      switch byte {
      case 0x20, 0x09, 0x0A, 0x0D:
        index += 1
      case UInt8(ascii: "'"), UInt8(ascii: "\""):
        // As in SQL, a quote within a text is doubled.
        var content: [UInt8] = []
        index += 1
        while index < bytes.count, bytes[index] != byte || (index + 1 < bytes.count && bytes[index + 1] == byte) {
          if bytes[index] == byte { index += 1 }
          content.append(bytes[index])
          index += 1
        }
        guard index < bytes.count else {
          throw FilterMistake(
            .malformedFilter, "this text has no closing quote", at: range(start, start + 1), advice: "close it")
        }
        index += 1
        add(.text, start, String(decoding: content, as: UTF8.self))
      case UInt8(ascii: "`"):
        // Backticks allow a field's name that is a reserved word, such as `and`. Names contain nothing to escape.
        index += 1
        while index < bytes.count, isWord(bytes[index]) { index += 1 }
        guard index < bytes.count, bytes[index] == byte, index > start + 1 else {
          throw FilterMistake(
            .malformedFilter, "a field's name is due between two backticks", at: range(start, index),
            advice: "close it", notes: ["a name is letters, digits and `_`"])
        }
        index += 1
        add(.quotedName, start, String(decoding: bytes[(start + 1)..<(index - 1)], as: UTF8.self))
      case _ where (0x30...0x39).contains(byte) || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "+"):
        index += 1
        while index < bytes.count,
          isWord(bytes[index]) || bytes[index] == UInt8(ascii: ".")
            || ((bytes[index] == UInt8(ascii: "-") || bytes[index] == UInt8(ascii: "+"))
              && bytes[index - 1] | 0x20 == UInt8(ascii: "e"))
        { index += 1 }
        add(.number, start, String(decoding: bytes[start..<index], as: UTF8.self))
      case _ where isWord(byte):
        while index < bytes.count, isWord(bytes[index]) { index += 1 }
        add(.name, start, String(decoding: bytes[start..<index], as: UTF8.self))
      default:
        let pair = String(decoding: bytes[start..<min(start + 2, bytes.count)], as: UTF8.self)
        let signs = ["==": "=", "!=": "!=", "<>": "!=", "<=": "<=", ">=": ">=", "&&": "and", "||": "or"]
        if let sign = signs[pair] {
          index += 2
          add(.sign, start, sign)
        } else if "=<>().,!".utf8.contains(byte) {
          index += 1
          add(.sign, start, byte == UInt8(ascii: "!") ? "not" : String(UnicodeScalar(byte)))
        } else {
          let text = String(String(decoding: bytes[start...], as: UTF8.self).prefix(1))
          throw FilterMistake(
            .malformedFilter, "`\(text)` has no meaning here", at: range(start, start + text.utf8.count),
            advice: "write texts in quotes")
        }
      }
    }
    add(.end, bytes.count, "")
    return tokens
  }

  private var next: Token { tokens[position] }

  private mutating func take(_ text: String) -> Bool {
    guard next.kind == .sign || next.kind == .name, next.text.lowercased() == text else { return false }
    position += 1
    return true
  }

  private func unexpected(_ due: String) -> FilterMistake {
    let what = next.kind == .end ? "the condition ends here" : "`\(next.text)` cannot stand here"
    return FilterMistake(
      .malformedFilter, "\(what): \(due)", at: next.range, advice: next.isWord ? "a field's name: \(next.quoted)" : "",
      notes: ["such as: priority > 3 and title != 'x'"])
  }

  // MARK: Conditions

  private mutating func alternatives() throws(FilterMistake) -> FilterSyntax {
    depth += 1
    defer { depth -= 1 }
    guard depth <= Self.maximumDepth else {
      throw FilterMistake(
        .malformedFilter, "more than \(Self.maximumDepth) conditions stand in one another", at: next.range)
    }
    var left = try conjunction()
    while take("or") { left = .or(left, try conjunction()) }
    return left
  }

  private mutating func conjunction() throws(FilterMistake) -> FilterSyntax {
    var left = try negation()
    while take("and") { left = .and(left, try negation()) }
    return left
  }

  private mutating func negation() throws(FilterMistake) -> FilterSyntax {
    var isNegated = false
    while take("not") { isNegated.toggle() }
    let inner = try simple()
    return isNegated ? .not(inner) : inner
  }

  private mutating func simple() throws(FilterMistake) -> FilterSyntax {
    if take("(") {
      let inner = try alternatives()
      guard take(")") else { throw unexpected("`)` is due") }
      return inner
    }
    let left = try operand()
    if take("is") {
      let isNegated = take("not")
      guard take("null") else { throw unexpected("`null` is due after `is`") }
      return .isNull(left, isNegated: isNegated)
    }
    let isNegated = take("not")
    if take("in") {
      guard take("(") else { throw unexpected("`(` is due after `in`") }
      var choices = [try operand()]
      while take(",") { choices.append(try operand()) }
      guard take(")") else { throw unexpected("`,` or `)` is due") }
      return .among(left, choices, isNegated: isNegated)
    }
    guard !isNegated else { throw unexpected("`in` is due after `not`") }
    guard next.kind == .sign, let comparison = FilterSyntax.Comparison(rawValue: next.text) else { return .alone(left) }
    position += 1
    return .comparison(left, comparison, try operand())
  }

  private mutating func operand() throws(FilterMistake) -> FilterSyntax.Operand {
    let token = next
    switch token.kind {
    case .text:
      position += 1
      return .init(kind: .text(token.text), range: token.range)
    case .number:
      position += 1
      return .init(kind: .number(token.text), range: token.range)
    case .name:
      let word = token.text.lowercased()
      if word == "null" {
        throw FilterMistake(
          .malformedFilter, "a comparison with null is never true", at: token.range,
          advice: "write `is null` or `is not null`", notes: ["a field of this name is written \(token.quoted)"])
      }
      if word == "true" || word == "false" {
        position += 1
        return .init(kind: .bool(word == "true"), range: token.range)
      }
      guard !token.isWord else { throw unexpected("a field or a value is due") }
      return try path()
    case .quotedName: return try path()
    case .sign, .end: throw unexpected("a field or a value is due")
    }
  }

  /// Parses the path to a field: names with dots between them. After a dot, any word is a name.
  private mutating func path() throws(FilterMistake) -> FilterSyntax.Operand {
    let first = next
    var names = [first.text]
    var end = first.range.end
    position += 1
    while take(".") {
      guard next.kind == .name || next.kind == .quotedName else {
        throw unexpected("a field's name is due after the dot")
      }
      names.append(next.text)
      end = next.range.end
      position += 1
    }
    return .init(kind: .path(names), range: SourceRange(file: first.range.file, start: first.range.start, end: end))
  }
}
