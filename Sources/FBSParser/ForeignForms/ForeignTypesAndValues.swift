import FBSDiagnostics

// Types and numbers as other languages write them.

extension Parser {
  /// Reads the brackets of `int[]` and `int[3]`, after the name, and reports them. Returns the index of the vector or
  /// array in `tree.types`; nil if no such brackets come next, and then nothing was read.
  mutating func parseForeignVector(of element: TokenSpan) -> Int? {
    guard !startsLine(position) else { return nil }
    let hasLength = kind(after: 1) == .integer
    let closing = position + (hasLength ? 2 : 1)
    guard closing < tokens.count, tokens[closing].kind == .rightBracket else { return nil }
    let type = addVector(of: element, TokenSpan(element.first, closing), length: hasLength ? position + 1 : nil)
    position = closing + 1
    return type
  }

  /// Reads the rest of `[]int`, after the opening bracket, and reports the type. Returns its index in `tree.types`; nil
  /// if no name follows the brackets.
  mutating func parseForeignVector(at first: TokenIndex) -> Int? {
    guard kind(after: 1) == .identifier else { return nil }
    advance()
    guard let element = path("a type is due") else { return nil }
    return addVector(of: element, TokenSpan(first, element.last), length: nil)
  }

  private mutating func addVector(of element: TokenSpan, _ span: TokenSpan, length: TokenIndex?) -> Int {
    let name = tree.text(of: element)
    let isArray = isInStruct && length != nil
    let text = isArray ? "[\(name):\(length.map { tree.text(of: $0) } ?? "")]" : "[\(name)]"
    if !isAfterReport {
      report(
        .unexpectedToken, "\(isArray ? "an array" : "a vector") has its brackets around the type",
        at: tree.range(of: span),
        advice: "write `\(text)`", notes: isArray || length == nil ? [] : ["a vector has any length"],
        fixes: isWithoutComments(tree.range(of: span)) ? [.replace(tree.range(of: span), with: text)] : [])
    }
    return addList(of: element, span, length: isArray ? length : nil)
  }

  /// Reads the `;` or `,` of `[int;3]`.
  mutating func takeForeignColon() -> Bool {
    guard kind == .semicolon || kind == .comma, kind(after: 1) == .integer, kind(after: 2) == .rightBracket else {
      return false
    }
    guard isInStruct else {
      let span = TokenSpan(position, position + 1)
      report(
        .unexpectedToken, "`\(tree.text(of: span))` is not expected here: a table's vector has any length",
        at: tree.range(of: span), advice: "remove it", fixes: [.remove(tree.text(of: span), at: tree.range(of: span))])
      advance(by: 2)
      return false
    }
    reportSlip("`:` stands before an array's length", write: ":")
    advance()
    return true
  }

  /// Reports a map type such as `[string: int]`, whose colon has been read; returns false if the rest is no map type.
  /// Consumes no token.
  mutating func skipMapType(from first: TokenIndex) -> Bool {
    guard kind == .identifier, kind(after: 1) == .rightBracket else { return false }
    reportForeign(
      "`\(tree.text(of: TokenSpan(first, position + 1)))` is no type of a schema",
      at: tree.range(of: TokenSpan(first, position + 1)),
      advice: "there are no maps: write a vector of a table with a `key` field")
    return true
  }

  /// Says that the type at `position` stands without quotes.
  mutating func skipQuotedType() -> Bool {
    let name = tree.text(of: position).dropFirst().dropLast()
    if isForeign(position + 1, UInt8(ascii: "|")) {
      reportForeign(
        "a string is no type", at: tree.range(of: position), advice: "write an enum: `enum Kind: byte { A, B }`")
      return true
    }
    guard let first = name.utf8.first, !first.isDigit, name.utf8.allSatisfy(\.isIdentifierPart) else { return false }
    reportUnexpected(
      "a type stands without quotes", advice: "write `\(name)`",
      fixes: [.replace(tree.range(of: position), with: String(name))])
    return true
  }

  /// Skips `, Codable` behind the type of an enum.
  mutating func skipForeignProtocols() {
    guard kind == .comma else { return }
    var token = position
    while tokens[token].kind == .comma, tokens[token + 1].kind == .identifier { token += 2 }
    guard token > position, tokens[token].kind == .leftBrace else { return }
    let span = TokenSpan(position, token - 1)
    reportForeign(
      "an enum has one type, and nothing else behind the colon", at: tree.range(of: span), advice: "remove it",
      fixes: [.remove(tree.text(of: span), at: tree.range(of: span))])
    position = token
  }

  /// Says that `(20)` of `varchar(20)` does not belong to a type.
  ///
  /// - Returns: false if no length stands here.
  mutating func skipTypeLength(from parenthesis: TokenIndex) -> Bool {
    guard kind == .integer, parenthesis > 0, tokens[parenthesis - 1].kind == .identifier, !isAfterReport,
      let closing = closingBracket(of: parenthesis),
      (position..<closing).allSatisfy({ tokens[$0].kind == .integer || tokens[$0].kind == .comma })
    else { return false }
    let place = tree.range(of: TokenSpan(parenthesis, closing))
    reportForeign(
      "a type has no length", at: place, advice: "remove it",
      fixes: [.remove(tree.text(of: TokenSpan(parenthesis, closing)), at: place)])
    return true
  }

  /// Reports that `varchar(20)` or `unsigned int`, whose first word has been read, belongs to another language.
  ///
  /// - Returns: false if neither stands here.
  mutating func skipForeignType(_ name: TokenSpan) -> Bool {
    if kind == .identifier, !startsLine(position), name.first == name.last,
      let type = ForeignTypes.compound(tree.text(of: name), tree.text(of: position))
    {
      let span = TokenSpan(name.first, position)
      reportForeign(
        "a type is one word", at: tree.range(of: span), advice: "write `\(type)`",
        fixes: [.replace(tree.range(of: span), with: type)])
      return true
    }
    guard kind == .leftParenthesis, self.kind(after: 1) == .integer, name.first == name.last,
      let foreign = ForeignTypes.replacement(for: tree.text(of: name)), let closing = closingBracket(of: position)
    else { return false }
    let span = TokenSpan(name.first, closing)
    reportForeign(
      "`\(tree.text(of: span))` is no type of a schema", at: tree.range(of: span), advice: foreign.advice,
      fixes: foreign.name.map { [.replace(tree.range(of: span), with: $0)] } ?? [])
    return true
  }

  /// Reads the `=` of `(id = 1)`.
  mutating func takeForeignColonOfAttribute() -> Bool {
    guard kind == .equals, !isAfterReport else { return false }
    switch kind(after: 1) {
    case .integer, .string: break
    default: return false
    }
    let place = range(Int(tokens[position - 1].end), Int(tokens[position].end))
    report(
      .unexpectedToken, "an attribute's value stands behind `:`", at: tree.range(of: position), advice: "write `:`",
      fixes: isWithoutComments(place) ? [.replace(place, with: ":")] : [])
    advance()
    return true
  }

  /// Says that a number such as `10L`, `1.0f` or `0b11` is written otherwise in a schema, and reads its letters.
  mutating func skipNumberSuffix(of number: TokenIndex) {
    guard kind == .identifier, tokens[number].end == tokens[position].start, !tokens[number].isMalformed else { return }
    let span = TokenSpan(number, position)
    let meant = plainNumber(tree.text(of: number), tree.text(of: position).lowercased())
    report(
      .malformedNumber, "`\(tree.text(of: span))` is not a number", at: tree.range(of: span),
      advice: meant.map { "write `\($0)`" } ?? "write a number such as `12`, `0x1F`, `1.5` or `1e3`",
      fixes: meant.map { [.replace(tree.range(of: span), with: $0)] } ?? [])
    advance()
  }

  /// Returns the number that digits and the letters behind them stand for in other languages; nil if they stand for none.
  private func plainNumber(_ digits: String, _ letters: String) -> String? {
    if ["l", "ll", "u", "ul", "ull", "f", "d", "n", "lu", "i", "m"].contains(letters) { return digits }
    for (letter, radix) in [("b", 2), ("o", 8)] where letters.hasPrefix(letter) && (digits == "0" || digits == "-0") {
      guard let number = Int64(letters.dropFirst(), radix: radix) else { return nil }
      return digits.dropLast() + String(number)
    }
    return nil
  }
}
