import FBSDiagnostics

// Enums, unions, and the parts of fields: types, defaults, attributes.

// MARK: - Enums and unions

extension Parser {
  mutating func parseEnum() {
    let keyword = position
    advance()
    skipEnumClass()
    guard let name = identifier("an enum's name is due") else { return skipDeclaration() }
    var type: Int?
    if take(.colon) != nil {
      guard let parsed = parseType(depth: 0) else { return skipDeclaration() }
      type = parsed
      skipForeignProtocols()
    } else if let parsed = parseForeignEnumType(of: name) {
      type = parsed
    } else if kind == .leftBrace || kind == .leftParenthesis || kind == .equals, !tokens[name].isMalformed {
      let end = Int(tokens[name].end)
      report(
        .missingEnumType, "enum `\(tree.text(of: name))` needs the type of its numbers",
        at: SourceRange(file: tree.source.id, start: end, end: end), advice: "such as `: int`",
        fixes: [.insert(": int", after: tree.range(of: name))])
    }
    let attributes = parseAttributes()
    let label = "enum `\(tree.text(of: name))`"
    let first = tree.enumValues.count
    if !parseEntriesWithoutBraces(of: label, entry: { $0.parseEnumValue() }) {
      guard let brace = openingBrace(of: label) else { return skipDeclaration() }
      withOwnHabits { $0.parseList(of: label, openedBy: brace) { $0.parseEnumValue() } }
    }
    tree.items.append(
      .enumeration(
        EnumSyntax(
          keyword: keyword, name: name, type: type, attributes: attributes, values: first..<tree.enumValues.count)))
  }

  private mutating func parseEnumValue() -> Bool {
    guard let name = identifier("an enum's value is due") else { return false }
    var number: TokenIndex?
    if take(.equals) != nil || takeForeignEquals() {
      if skipEnumText() {
        tree.enumValues.append(EnumValueSyntax(name: name, number: nil, attributes: 0..<0))
        return true
      }
      guard let token = takeNumber("a value is a whole number") else { return false }
      number = token
    }
    let attributes = parseAttributes()
    tree.enumValues.append(EnumValueSyntax(name: name, number: number, attributes: attributes))
    return true
  }

  private mutating func takeNumber(_ due: String) -> TokenIndex? {
    guard let token = take(.integer) else {
      reportUnexpected(due)
      return nil
    }
    skipNumberSuffix(of: token)
    return token
  }

  mutating func parseUnion() {
    let keyword = position
    advance()
    guard let name = identifier("a union's name is due") else { return skipDeclaration() }
    var type: Int?
    if take(.colon) != nil {
      guard let parsed = parseType(depth: 0) else { return skipDeclaration() }
      type = parsed
    }
    let attributes = parseAttributes()
    let label = "union `\(tree.text(of: name))`"
    let first = tree.unionMembers.count
    if !parseEntriesWithoutBraces(of: label, entry: { $0.parseUnionMember() }) {
      guard let brace = openingBrace(of: label) else { return skipDeclaration() }
      withOwnHabits { $0.parseList(of: label, openedBy: brace) { $0.parseUnionMember() } }
    }
    tree.items.append(
      .union(
        UnionSyntax(
          keyword: keyword, name: name, type: type, attributes: attributes,
          members: first..<tree.unionMembers.count)))
  }

  private mutating func parseUnionMember() -> Bool {
    let foreign = parseForeignMember()
    guard let name = foreign?.name ?? path("a union's member is due") else { return false }
    var type = foreign?.type
    if type == nil, take(.colon) != nil {
      guard let parsed = parseType(depth: 0) else { return false }
      type = parsed
    }
    var code: TokenIndex?
    if take(.equals) != nil {
      guard let token = takeNumber("a member's code is a whole number") else { return false }
      code = token
    }
    let attributes = parseAttributes()
    tree.unionMembers.append(UnionMemberSyntax(name: name, type: type, code: code, attributes: attributes))
    return true
  }

  /// Reads entries with commas between them, up to the `}`. The last one may have a comma, too.
  /// - Parameters:
  ///   - label: The definition, as messages name it, such as "enum `Color`".
  ///   - brace: The `{` before the entries.
  ///   - entry: Reads one entry. Returns false after a mistake that hides the entry's end.
  private mutating func parseList(
    of label: String, openedBy brace: TokenIndex, entry: (inout Parser) -> Bool
  ) {
    while take(.rightBrace) == nil {
      if isAtEnd || startsDeclaration(position) { return reportUnclosed(brace, label) }
      let start = position
      skipEntryPrefix()
      if !entry(&self) {
        skipEntry()
        if position == start { advance() }
        continue
      }
      if take(.comma) != nil || kind == .rightBrace { continue }
      if kind == .identifier, !startsDeclaration(position) {
        reportMissing(",", after: describe(position - 1), advice: "add `,`")
      } else if kind == .semicolon || isForeign(position, UInt8(ascii: "|")) {
        report(
          .separator, "the entries of \(label) are separated by commas", at: tree.range(of: position),
          advice: "write `,`", edit: Diagnostic.Edit(tree.range(of: position), ","))
        advance()
      } else if !isAtEnd, !startsDeclaration(position) {
        reportUnexpected("`,` or `}` is due")
        skipEntry()
      }
    }
  }

  /// Skips over the next comma, or up to the `}`.
  private mutating func skipEntry() {
    var depth = 0
    while !isAtEnd {
      switch kind {
      case .comma where depth == 0, .semicolon where depth == 0:
        return advance()
      case .leftBrace: depth += 1
      case .rightBrace:
        if depth == 0 { return }
        depth -= 1
      case .identifier where startsDeclaration(position): return
      default: break
      }
      advance()
    }
  }
}

// MARK: - Types

extension Parser {
  mutating func parseType(depth: Int) -> Int? {
    let first = position
    guard take(.leftBracket) != nil else {
      if kind == .string, skipQuotedType() { return nil }
      guard let span = path("a type is due") else { return nil }
      if kind == .leftBracket, let type = parseForeignVector(of: span) { return type }
      if skipForeignType(span) { return nil }
      tree.types.append(TypeSyntax(kind: .named, span: span))
      return tree.types.count - 1
    }
    guard depth < Self.maximumDepth else {
      reportTooDeep(first)
      return nil
    }
    if kind == .rightBracket, let type = parseForeignVector(at: first) { return type }
    guard let element = parseType(depth: depth + 1) else { return nil }
    var length: TokenIndex?
    if take(.colon) != nil || takeForeignColon() {
      if skipMapType(from: first) { return nil }
      guard let token = take(.integer) else {
        reportUnexpected("an array's length is due, a whole number", advice: "such as `[int:16]`")
        return nil
      }
      length = token
    }
    guard let last = take(.rightBracket) else {
      reportUnexpected("`]` is due, which closes the type")
      return nil
    }
    tree.types.append(TypeSyntax(kind: .list(element: element, length: length), span: TokenSpan(first, last)))
    return tree.types.count - 1
  }

  mutating func reportTooDeep(_ token: TokenIndex, limit: Int = Self.maximumDepth) {
    report(
      .nestedTooDeeply, "brackets stand in more than \(limit) others", at: tree.range(of: token),
      advice: "give the inner part a name of its own")
  }
}

// MARK: - Values

extension Parser {
  mutating func parseValue(depth: Int) -> Int? {
    let first = position
    switch kind {
    case .integer, .float:
      advance()
      skipNumberSuffix(of: first)
      return add(.token, first, first)
    case .string:
      advance()
      return add(.token, first, first)
    case .plus, .minus:
      advance()
      guard let name = take(.identifier) else { return nil }
      return add(.signedName, first, name)
    case .identifier:
      advance()
      guard kind == .leftParenthesis, tokens[first].end == tokens[position].start else {
        return add(.token, first, first)
      }
      guard depth < Self.maximumDepth else {
        reportTooDeep(position)
        return nil
      }
      advance()
      guard let argument = parseValue(depth: depth + 1) else { return nil }
      guard let last = take(.rightParenthesis) else {
        reportUnexpected("`)` is due, which closes the call of `\(tree.text(of: first))`")
        return nil
      }
      return add(.call(argument: argument), first, last)
    case .leftBracket:
      advance()
      guard let last = take(.rightBracket) else {
        reportUnexpected("a vector's only default is `[]`")
        return nil
      }
      return add(.emptyList, first, last)
    default:
      reportUnexpected("a value is due")
      return nil
    }
  }

  private mutating func add(_ kind: ValueSyntax.Kind, _ first: TokenIndex, _ last: TokenIndex) -> Int {
    tree.values.append(ValueSyntax(kind: kind, span: TokenSpan(first, last)))
    return tree.values.count - 1
  }
}

// MARK: - Attributes

extension Parser {
  /// Reads attributes such as `(a, b: 1, "c": "x")`, if they stand here.
  mutating func parseAttributes() -> Range<Int> {
    let first = tree.attributes.count
    guard let parenthesis = take(.leftParenthesis) else { return first..<first }
    if kind == .rightParenthesis {
      report(
        .emptyList, "these parentheses hold no attribute", at: tree.range(of: TokenSpan(parenthesis, position)),
        advice: "remove them", fixes: [.remove("()", at: tree.range(of: TokenSpan(parenthesis, position)))])
      advance()
      return first..<first
    }
    while true {
      guard let name = take(.identifier) ?? take(.string) else {
        if kind == .rightParenthesis {
          reportUnexpected(
            "an attribute is due after a comma", advice: "remove the comma before it",
            fixes: [.remove(",", at: tree.range(of: position - 1))])
        } else if !skipTypeLength(from: parenthesis) {
          reportUnexpected("an attribute is due")
        }
        skipAttributes()
        break
      }
      var value: Int?
      if take(.colon) != nil || takeForeignColonOfAttribute() {
        guard let parsed = parseValue(depth: 0) else {
          skipAttributes()
          break
        }
        value = parsed
      }
      tree.attributes.append(AttributeSyntax(name: name, value: value))
      if take(.comma) != nil { continue }
      if take(.rightParenthesis) != nil { break }
      if value == nil, kind == .integer || kind == .string, !startsLine(position) {
        reportMissing(":", after: "an attribute's name", advice: "add `:` before its value")
        advance()
        if take(.comma) != nil { continue }
        if take(.rightParenthesis) != nil { break }
      }
      if kind == .identifier && !startsLine(position) {
        reportMissing(",", after: "an attribute", advice: "add `,`")
        continue
      }
      if kind == .semicolon || kind == .leftBrace || kind == .rightBrace || isAtEnd || startsLine(position) {
        reportMissing(")", after: "the attributes", advice: "add `)`")
        break
      }
      reportUnexpected("`,` or `)` is due")
      skipAttributes()
      break
    }
    return first..<tree.attributes.count
  }

  /// Skips over the next `)`, or up to the next `;`, `{` or `}`, which cannot belong to attributes.
  private mutating func skipAttributes() {
    while !isAtEnd {
      switch kind {
      case .rightParenthesis: return advance()
      case .semicolon, .leftBrace, .rightBrace: return
      default: advance()
      }
    }
  }
}
