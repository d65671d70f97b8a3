import FBSDiagnostics
import FBSParser

/// Parses conditions.
struct FilterParser {
  /// The reserved words.
  static let words: Set<String> = ["and", "or", "not", "in", "is", "null", "true", "false"]

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
    var parts = [try conjunction()]
    while take("or") { parts.append(try conjunction()) }
    return parts.count == 1 ? parts[0] : .or(parts)
  }

  private mutating func conjunction() throws(FilterMistake) -> FilterSyntax {
    var parts = [try negation()]
    while take("and") { parts.append(try negation()) }
    return parts.count == 1 ? parts[0] : .and(parts)
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
      let condition: FilterSyntax
      if take("null") {
        condition = .isNull(left)
      } else if take("empty") {
        condition = .isEmpty(left)
      } else {
        throw unexpected("`null` or `empty` is due after `is`")
      }
      return isNegated ? .not(condition) : condition
    }
    let isNegated = take("not")
    if let condition = try wordCondition(on: left) { return isNegated ? .not(condition) : condition }
    guard !isNegated else { throw unexpected("`in`, `contains` or `has` is due after `not`") }
    guard next.kind == .sign, let comparison = FilterSyntax.Comparison(rawValue: next.text) else { return .alone(left) }
    position += 1
    return .comparison(left, comparison, try operand())
  }

  /// Parses the rest of a condition with a word: `in`, `has` or `contains`. These are words only behind an operand, so
  /// that fields may have such names.
  ///
  /// - Returns: nil if there is no such word.
  private mutating func wordCondition(on left: FilterSyntax.Operand) throws(FilterMistake) -> FilterSyntax? {
    if take("in") { return .among(left, try list(after: "in")) }
    if take("has") {
      if take("prefix") { return .hasEnd(.prefix, left, try operand()) }
      if take("suffix") { return .hasEnd(.suffix, left, try operand()) }
      throw unexpected("`prefix` or `suffix` is due after `has`")
    }
    guard take("contains") else { return nil }
    if next.kind == .name, next.text.lowercased() == "any", isParenthesis(tokens[position + 1]) {
      position += 1
      return .containsAny(left, try list(after: "any"))
    }
    guard take("(") else { return .contains(left, try operand()) }
    let inner = try alternatives()
    guard take(")") else { throw unexpected("`)` is due") }
    return .containsElement(left, inner)
  }

  private func isParenthesis(_ token: Token) -> Bool { token.kind == .sign && token.text == "(" }

  /// Parses operands in parentheses.
  private mutating func list(after word: String) throws(FilterMistake) -> [FilterSyntax.Operand] {
    guard take("(") else { throw unexpected("`(` is due after `\(word)`") }
    var operands = [try operand()]
    while take(",") { operands.append(try operand()) }
    guard take(")") else { throw unexpected("`,` or `)` is due") }
    return operands
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
    let path = FilterSyntax.Path(names: names, isQuoted: first.kind == .quotedName)
    return .init(kind: .path(path), range: SourceRange(file: first.range.file, start: first.range.start, end: end))
  }
}
