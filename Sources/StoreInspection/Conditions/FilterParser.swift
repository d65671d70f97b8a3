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
