import FBSDiagnostics

// Text of other languages between a definition's name and its `{`, and definitions in definitions.

extension Parser {
  /// Skips `: Base`, `extends Base` and the like behind the name of a table or struct.
  mutating func skipForeignHeader(of name: TokenIndex, _ word: String) {
    switch kind {
    case .equals where kind(after: 1) == .leftBrace:
      skipSuperfluous("no `=` stands before the `{` of a \(word)")
    case .identifier
    where kind(after: 1) == .leftBrace && ["struct", "table", "interface"].contains(lowercased(position)):
      skipSuperfluous("the kind of a definition stands before its name alone")
    case .colon, .identifier:
      let isInheritance =
        kind == .colon
        || ["extends", "implements", "inherits", "with", "is", "of"].contains(lowercased(position))
      guard isInheritance, let brace = openingBrace(within: 64) else { return }
      reportForeign(
        "a \(word) has no base", at: tree.range(of: TokenSpan(position, brace - 1)),
        advice: "write the fields of the base here, or a field of its type",
        notes: ["tables and structs do not inherit"])
      position = brace
    default: break
    }
  }

  /// Returns the next `{`; nil if something other than names comes before it.
  private func openingBrace(within limit: Int) -> TokenIndex? {
    for token in position..<min(position + limit, tokens.count) {
      switch tokens[token].kind {
      case .leftBrace: return token
      case .identifier where token == position || !startsDeclaration(token): continue
      case .colon, .comma, .dot: continue
      default: return nil
      }
    }
    return nil
  }

  /// Skips the fields of `table t ( id int, name text );`.
  mutating func skipFieldsInParentheses(of name: TokenIndex) -> Bool {
    guard kind == .leftParenthesis, kind(after: 1) == .identifier,
      kind(after: 2) == .identifier || kind(after: 2) == .colon,
      let closing = closingBracket(of: position, limit: 1024)
    else { return false }
    switch tokens[closing + 1].kind {
    case .semicolon, .endOfFile: break
    case .identifier where startsDeclaration(closing + 1): break
    default: return false
    }
    report(
      .unexpectedToken, "the fields of a definition stand in braces", at: tree.range(of: position),
      advice: "write `\(tree.text(of: name - 1)) \(tree.text(of: name)) { id: int; name: string; }`")
    position = closing + 1
    _ = take(.semicolon)
    return true
  }

  /// Reads the `[` of `table T [ a: int; ]` as the `{` that was meant, and its `]` as the `}`. Returns the `[`; nil if
  /// the next token is another one.
  mutating func takeForeignBrace(of label: String) -> TokenIndex? {
    guard kind == .leftBracket else { return nil }
    let opening = position
    var edits = [Diagnostic.Edit(tree.range(of: opening), "{")]
    tokens[opening].kind = .leftBrace
    let closing = endOfBody(openedBy: opening)
    if let closing, tokens[closing].kind == .rightBracket {
      edits.append(Diagnostic.Edit(tree.range(of: closing), "}"))
      tokens[closing].kind = .rightBrace
    }
    report(
      .unexpectedToken, "what \(label) holds stands in braces", at: tree.range(of: opening),
      advice: "write `{` and `}`", fixes: closing == nil ? [] : [Diagnostic.Fix("Write braces", edits)])
    advance()
    return opening
  }

  /// Returns the bracket or brace that closes the body that is opened at a token; nil if it is not among the next thousand
  /// tokens.
  private func endOfBody(openedBy opening: TokenIndex) -> TokenIndex? {
    var depth = 0
    for token in opening..<min(opening + 1024, tokens.count) {
      switch tokens[token].kind {
      case .leftBrace, .leftBracket: depth += 1
      case .rightBrace, .rightBracket:
        depth -= 1
        if depth == 0 { return token }
      default: break
      }
    }
    return nil
  }

  /// Takes note of the `X` of `table T<X>`, which has been reported, so that the fields of this type bring no more errors.
  mutating func noteTypeParameters(of name: TokenIndex) {
    let start = Int(tokens[name].end)
    guard tokens[name].isMalformed, start < tree.source.bytes.count, tree.source.bytes[start] == UInt8(ascii: "<")
    else { return }
    let text = tree.source.bytes[start..<Int(tokens[name + 1].start)]
    for word in text.split(whereSeparator: { !$0.isIdentifierPart }) {
      tree.unreadNames.insert(String(decoding: word, as: UTF8.self))
    }
  }

  /// Returns whether a `}` closes the `{` at `brace`. If so, a definition behind that `{` may be nested in it; if not, the `}`
  /// is missing.
  func isClosed(_ brace: TokenIndex) -> Bool { closingBrace(of: brace) != nil }

  /// Reads a definition that stands among the fields of another one, and reports it.
  /// - Parameter label: The outer definition, as messages name it, such as "table `Post`".
  mutating func parseNestedDefinition(in label: String) {
    let keyword = position
    reportForeign(
      "a definition stands on its own, and not among the fields of \(label)",
      at: tree.range(of: TokenSpan(keyword, keyword + 1)), advice: "move it up, before \(label)")
    let outer = (isInStruct, habits)
    var canInclude = false
    parseItem(canInclude: &canInclude)
    (isInStruct, habits) = outer
  }
}

// MARK: - Enums and unions

extension Parser {
  /// Skips `class` of `enum class Color`, as C++ has it.
  mutating func skipEnumClass() {
    guard kind == .identifier, kind(after: 1) == .identifier, !startsLine(position + 1),
      ["class", "struct"].contains(lowercased(position))
    else { return }
    let place = range(Int(tokens[position].start), Int(tokens[position + 1].start))
    reportForeign(
      "`\(tree.text(of: position))` does not stand before an enum's name", at: tree.range(of: position),
      advice: "remove it", fixes: [.remove(tree.text(of: position), at: place)])
    advance()
  }

  /// Reads the type of `enum E int {` and `enum E(int) {`, and reports it. Returns its index in `tree.types`; nil if no
  /// such type comes next, and then nothing was read.
  mutating func parseForeignEnumType(of name: TokenIndex) -> Int? {
    if kind == .identifier, kind(after: 1) == .leftBrace || kind(after: 1) == .leftParenthesis, !startsLine(position) {
      reportMissing(":", after: "an enum's name", advice: "add `:` before the type")
      return parseType(depth: 0)
    }
    guard kind == .leftParenthesis, kind(after: 1) == .identifier, kind(after: 2) == .rightParenthesis,
      ForeignTypes.isNumber(tree.text(of: position + 1))
    else { return nil }
    let type = TokenSpan(position + 1, position + 1)
    let place = range(Int(tokens[position - 1].end), Int(tokens[position + 2].end))
    let text = tree.text(of: type)
    report(
      .unexpectedToken, "the type of an enum stands behind a colon",
      at: tree.range(of: TokenSpan(position, position + 2)),
      advice: "write `: \(text)`", fixes: isWithoutComments(place) ? [.replace(place, with: ": \(text)")] : [])
    advance(by: 3)
    tree.types.append(TypeSyntax(kind: .named, span: type))
    return tree.types.count - 1
  }

  /// Reads the entries of `union U = A | B`, which stand in no braces.
  ///
  /// - Parameters:
  ///   - label: The definition, as messages name it, such as "union `U`".
  ///   - entry: Reads one entry. Returns false after a mistake.
  /// - Returns: false if none stand here.
  mutating func parseEntriesWithoutBraces(of label: String, entry: (inout Parser) -> Bool) -> Bool {
    guard kind == .equals else { return false }
    if kind(after: 1) == .leftBrace {
      skipSuperfluous("no `=` stands before the `{` of \(label)")
      return false
    }
    let equals = position
    let isPlain: Bool
    var token = position + 1
    if isForeign(token, UInt8(ascii: "|")) { token += 1 }
    let first = token
    while tokens[token].kind == .identifier || tokens[token].kind == .dot || isForeign(token, UInt8(ascii: "|")) {
      if token > first, tokens[token].kind == .identifier, tokens[token - 1].kind == .identifier { break }
      token += 1
    }
    guard token > first else { return false }
    isPlain = tokens[token].kind == .semicolon || startsLine(token) || tokens[token].kind == .endOfFile
    guard isPlain else { return false }
    let names = tree.text(of: TokenSpan(first, token - 1)).split(separator: "|").map {
      $0.filter { !" \t\r\n".contains($0) }
    }
    let text = " { \(names.joined(separator: ", ")) }"
    let end = Int(tokens[tokens[token].kind == .semicolon ? token : token - 1].end)
    let place = range(Int(tokens[equals - 1].end), end)
    reportForeign(
      "the entries of \(label) stand in braces", at: range(Int(tokens[equals].start), Int(tokens[token - 1].end)),
      advice: "write `\(text.dropFirst())`",
      fixes: isWithoutComments(place)
        ? [Diagnostic.Fix("Write the entries in braces", [Diagnostic.Edit(place, text)])] : [])
    position = first
    while position < token {
      if !entry(&self) { break }
      if isForeign(position, UInt8(ascii: "|")) { advance() }
    }
    position = token
    _ = take(.semicolon)
    return true
  }

  /// Skips `case` of `case red`, and `1:` of `1: A a`.
  mutating func skipEntryPrefix() {
    while isForeign(position, UInt8(ascii: "|")) { skipSeparator() }
    guard kind == .identifier, kind(after: 1) == .identifier, !startsLine(position + 1), lowercased(position) == "case"
    else { return }
    report(
      .caseWord, "`case` does not stand before a value", at: tree.range(of: position), advice: "remove it",
      edit: Diagnostic.Edit(range(Int(tokens[position].start), Int(tokens[position + 1].start)), ""))
    advance()
  }

  private mutating func skipSeparator() {
    report(
      .separator, "nothing stands before the first entry", at: tree.range(of: position), advice: "remove it",
      edit: Diagnostic.Edit(tree.range(of: position), ""))
    advance()
  }

  /// Reads the `:` that stands for the `=` before an enum's number.
  mutating func takeForeignEquals() -> Bool {
    guard kind == .colon, kind(after: 1) == .integer else { return false }
    report(
      .colon, "an enum's number stands behind `=`", at: tree.range(of: position), advice: "write `=`",
      edit: Diagnostic.Edit(range(Int(tokens[position - 1].end), Int(tokens[position].end)), " ="))
    advance()
    return true
  }

  /// Skips the text of `Red = "red"`.
  mutating func skipEnumText() -> Bool {
    guard kind == .string, tokens[position - 1].kind == .equals, !isAfterReport else { return false }
    let place = range(Int(tokens[position - 2].end), Int(tokens[position].end))
    report(
      .unexpectedToken, "a value is a whole number, and not a string", at: tree.range(of: position),
      advice: "remove it: a value has its name, which JSON shows",
      fixes: isWithoutComments(place) ? [.remove(tree.text(of: position), at: place)] : [])
    advance()
    return true
  }

  /// Reads the member of `A a = 1`, as Thrift and Protocol Buffers have it: its type, and then its name. Returns nil if
  /// no such member comes next: then nothing was read.
  mutating func parseForeignMember() -> (name: TokenSpan, type: Int)? {
    guard kind == .identifier, kind(after: 1) == .identifier, !startsLine(position + 1),
      kind(after: 2) == .semicolon || kind(after: 2) == .equals, !startsDeclaration(position)
    else { return nil }
    let span = TokenSpan(position, position)
    let name = position + 1
    reportForeign(
      "a member's name stands before its type", at: tree.range(of: TokenSpan(position, name)),
      advice: "write `\(tree.text(of: name)): \(tree.text(of: span))`",
      fixes: [
        .replace(
          tree.range(of: TokenSpan(position, name)), with: "\(tree.text(of: name)): \(tree.text(of: span))")
      ])
    advance(by: 2)
    tree.types.append(TypeSyntax(kind: .named, span: span))
    return (TokenSpan(name, name), tree.types.count - 1)
  }
}
