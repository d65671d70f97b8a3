import FBSDiagnostics

// What other languages write behind a field's type, and the end of a field that is written as in another language.

extension Parser {
  /// Reads a field from its type on.
  mutating func parseFieldType(name: TokenIndex, _ field: inout ForeignField) {
    guard let type = takeForeignType(field) ?? parseType(depth: 0) else { return skipStatement() }
    var value: Int?
    if take(.equals) != nil {
      guard let parsed = parseValue(depth: 0) else { return skipStatement() }
      value = parsed
    }
    let attributes = parseAttributes()
    if field.message == nil, kind == .semicolon {
      advance()
    } else {
      if let value { field.value = tree.text(of: tree.values[value].span) }
      let typeText = tree.text(of: tree.types[type].span)
      readForeignSuffix(&field, type: tree.types[type].span)
      if field.message == nil {
        if isForeign(position, UInt8(ascii: "|")) {
          reportForeign(
            "a field has one type", at: tree.range(of: TokenSpan(tree.types[type].span.first, position + 1)),
            advice: "write a union of tables, or an enum")
          skipStatement()
        } else if kind == .rightBrace, habits[.comma] != nil {
          let end = Int(tokens[position - 1].end)
          report(
            .comma, "", at: range(end, end), advice: "", edit: Diagnostic.Edit(range(end, end), ";"))
        } else if skipThousands() {
          skipStatement()
        } else if kind == .comma, endsField(position) {
          report(
            .comma, "a field ends with `;`", at: tree.range(of: position), advice: "write `;`",
            edit: Diagnostic.Edit(tree.range(of: position), ";"))
          advance()
        } else {
          semicolon(after: "a field")
        }
      } else {
        endForeignField(name, typeText, attributes, &field, isReported: false)
      }
    }
    guard !field.hasForeignType else { return }
    tree.fields.append(FieldSyntax(name: name, type: type, value: value, attributes: attributes))
  }

  /// Reads `VARCHAR(20)` in a field that is reported as a whole. Returns the type's index in `tree.types`; nil if no
  /// such type comes next, and then nothing was read.
  private mutating func takeForeignType(_ field: ForeignField) -> Int? {
    guard field.message != nil, kind == .identifier, self.kind(after: 1) == .leftParenthesis,
      self.kind(after: 2) == .integer, self.kind(after: 3) == .rightParenthesis,
      foreignType(tree.text(of: position))?.name != nil
    else { return nil }
    tree.types.append(TypeSyntax(kind: .named, span: TokenSpan(position, position)))
    advance(by: 4)
    return tree.types.count - 1
  }

  /// Returns the advice for a type, or for the elements of a vector, that has another language's name. Nil if the file
  /// defines the name, or its letter case lets it be the name of a definition elsewhere.
  private mutating func foreignType(_ text: String) -> ForeignTypes.Replacement? {
    guard !namesDefinedHere().contains(text), let type = ForeignTypes.replacement(for: text) else { return nil }
    let isPlain = text == text.lowercased() || text == text.uppercased()
    return isPlain || ForeignTypes.builtin.contains(text.lowercased()) ? type : nil
  }

  /// Takes note of a type, or of a vector of it, that is another language's.
  ///
  /// - Returns: the type as a schema writes it, or as it stands if that is not known.
  private mutating func readForeignType(_ text: String, _ field: inout ForeignField) -> String {
    let isVector = text.hasPrefix("[") && text.hasSuffix("]")
    let name = isVector ? String(text.dropFirst().dropLast()) : text
    guard let type = foreignType(name) else { return text }
    field.hasForeignType = true
    guard let replacement = type.name, !isVector || !replacement.hasPrefix("[") else {
      field.notes.append("`\(name)` is no type of a schema: \(type.advice)")
      field.isPlain = false
      return text
    }
    return isVector ? "[\(replacement)]" : replacement
  }

  private mutating func namesDefinedHere() -> Set<String> {
    if let definedNames { return definedNames }
    var names: Set<String> = []
    for token in tokens.indices.dropLast() where tokens[token].kind == .identifier {
      guard ["table", "struct", "enum", "union"].contains(tree.text(of: token)) else { continue }
      names.insert(tree.text(of: token + 1))
    }
    definedNames = names
    return names
  }

  /// Reports that the comma of `1,000` does not belong to a number; the caller then skips it. Returns false if no such
  /// comma is next.
  private mutating func skipThousands() -> Bool {
    guard kind == .comma, position > 0, tokens[position - 1].kind == .integer, self.kind(after: 1) == .integer,
      tokens[position - 1].end == tokens[position].start, tokens[position].end == tokens[position + 1].start,
      tokens[position + 1].end - tokens[position + 1].start == 3
    else { return false }
    var last = position + 1
    while tokens[last + 1].kind == .comma, tokens[last + 2].kind == .integer { last += 2 }
    let span = TokenSpan(position - 1, last)
    let number = tree.text(of: span).filter { $0 != "," }
    report(
      .malformedNumber, "the digits of a number have nothing between them", at: tree.range(of: span),
      advice: "write `\(number)`", fixes: [.replace(tree.range(of: span), with: number)])
    return true
  }

  /// Returns whether the comma at a token stands between two fields, or after the last.
  private func endsField(_ comma: TokenIndex) -> Bool {
    switch tokens[comma + 1].kind {
    case .rightBrace, .endOfFile: true
    case .identifier:
      tokens[comma + 2].kind == .colon || startsLine(comma + 1)
        || ForeignWords.fieldStatements[lowercased(comma + 1)] != nil
    default: false
    }
  }

  /// Reads the words of `id: int primary key not null`, and takes note of them. Reads nothing if it does not know them.
  mutating func readForeignSuffix(_ field: inout ForeignField, type: TokenSpan) {
    guard kind != .semicolon, kind != .rightBrace, !isAtEnd, !startsLine(position), !isAfterReport else { return }
    var suffix = field
    var token = position
    var hasWords = false
    var braces = 0
    scan: while !startsLine(token) || token == position {
      switch tokens[token].kind {
      case .semicolon, .endOfFile: break scan
      case .rightBrace:
        guard braces > 0 else { break scan }
        braces -= 1
        token += 1
      case .leftBrace:
        braces += 1
        token += 1
      case .comma:
        if endsField(token) || tokens[token + 2].kind == .identifier { break scan }
        token += 1
      case .foreign where isForeign(token, UInt8(ascii: "@")): token += 1
      case .leftBracket, .rightBracket, .rightParenthesis: token += 1
      case .colon where tokens[token + 1].kind == .identifier: token += 1
      case .leftParenthesis where hasWords && tokens[token - 1].kind == .identifier:
        // The rest of a known word, as in `references users (id)`.
        guard let closing = closingBracket(of: token) else { return }
        if closing > token + 1 { suffix.isPlain = false }
        token = closing + 1
      case .leftParenthesis:
        token += 1
      case .equals where suffix.value == nil:
        guard isValue(token + 1) else { return }
        suffix.value = tree.text(of: token + 1)
        suffix.message = "a default stands before the attributes"
        hasWords = true
        token += 2
      case .identifier:
        guard let next = readWord(token, &suffix) else { return }
        hasWords = true
        token = next
      default: return
      }
    }
    guard hasWords, braces == 0 else { return }
    if suffix.message == nil { suffix.message = "attributes stand in parentheses at the end of a field" }
    if suffix.range == nil { suffix.range = tree.range(of: TokenSpan(position, token - 1)) }
    field = suffix
    position = token
  }

  private func isValue(_ token: TokenIndex) -> Bool {
    switch tokens[token].kind {
    case .integer, .float, .string, .identifier: true
    default: false
    }
  }

  /// Takes note of a word behind a type.
  ///
  /// - Returns: the token after it; nil if nothing is known of it.
  private func readWord(_ token: TokenIndex, _ field: inout ForeignField) -> TokenIndex? {
    let word = tree.text(of: token)
    let next = token + 1
    if tokens[next].kind == .identifier {
      // `primary key`, `not null`, `foreign key`
      let pair = "\(word) \(tree.text(of: next))"
      if ForeignAttributes.meaning(of: pair) != nil, field.add(attribute: pair) {
        if ForeignAttributes.meaning(of: pair) == .attribute("required") || pair.lowercased().hasSuffix(" key") {
          return next + 1
        }
      }
    }
    if ForeignAttributes.meaning(of: word) == .defaultValue, isValue(next), field.value == nil {
      field.value = tree.text(of: next)
      return next + 1
    }
    guard field.add(attribute: word) else { return nil }
    if case .nothing = ForeignAttributes.meaning(of: word) {
      // The name that the word refers to, as in `references users`.
      return tokens[next].kind == .identifier && !isKnown(next) ? next + 1 : next
    }
    return next
  }

  func isKnown(_ token: TokenIndex) -> Bool {
    let word = tree.text(of: token)
    return ForeignAttributes.ofLanguage.contains(word.lowercased()) || ForeignAttributes.meaning(of: word) != nil
  }

  /// Reads the `;`, or the mark in its place, of a field that is written as in another language, and reports the field.
  ///
  /// - Parameter isReported: Whether the lexer has reported the field's mistake.
  mutating func endForeignField(
    _ name: TokenIndex, _ type: String, _ attributes: Range<Int>, _ field: inout ForeignField, isReported: Bool
  ) {
    for index in attributes {
      let syntax = tree.attributes[index]
      let end = syntax.value.map { tree.values[$0].span.last } ?? syntax.name
      let text = tree.text(of: TokenSpan(syntax.name, end))
      if !field.attributes.contains(text) { field.attributes.append(text) }
    }
    var end = Int(tokens[position - 1].end)
    var isEnded = true
    if kind == .comma || kind == .semicolon {
      end = Int(tokens[position].end)
      advance()
    } else if kind != .rightBrace, !isAtEnd, !startsLine(position) {
      isEnded = false
    }
    if !isReported {
      let type = readForeignType(type, &field)
      if field.hasForeignType, isInStruct, field.value != nil {
        field.value = nil
        field.notes.append("a struct's fields have no defaults")
      }
      let text = field.text(name: tree.text(of: name), type: type) + ";"
      let place = range(field.start, end)
      let isPlain = field.isPlain && isEnded && isWithoutComments(place)
      var other = field
      other.value = nil
      let withoutValue = other.text(name: tree.text(of: name), type: type) + ";"
      let advice = field.mayBeNumber ? "write `\(withoutValue)`, or `\(text)` for a default" : "write `\(text)`"
      var fixes = isPlain ? [Diagnostic.Fix.replace(place, with: text)] : []
      if field.mayBeNumber, isPlain { fixes.insert(.replace(place, with: withoutValue), at: 0) }
      var notes = field.notes
      if field.hasNumber || field.mayBeNumber {
        notes.append("fields are numbered in their order, or all by `(id: 0)`, `(id: 1)` and so on")
      }
      reportForeign(field.message ?? "", at: field.range ?? place, advice: advice, notes: notes, fixes: fixes)
    }
    if !isEnded { skipStatement() }
  }
}
