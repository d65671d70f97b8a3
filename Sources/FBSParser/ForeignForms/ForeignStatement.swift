import FBSDiagnostics

// Statements that a schema does not have, at the top of a file and among fields.

extension Parser {
  /// Skips a statement of another language that begins with one of these words, and says what a schema has in its place.
  ///
  /// - Returns: false if none stands here: then nothing was read.
  mutating func skipForeignStatement(_ statements: [String: ForeignWords.Statement]) -> Bool {
    guard kind == .identifier, let statement = statements[lowercased(position)] else { return false }
    let first = position
    var fixes: [Diagnostic.Fix] = []
    if statement.isRemovable, let end = endOfStatement(from: position), tokens[end].kind == .semicolon {
      let place = tree.range(of: TokenSpan(position, end))
      // A file of nothing else would be empty.
      if isWithoutComments(place), tokens[end + 1].kind != .endOfFile { fixes = [.remove("it", at: place)] }
    }
    reportForeign(statement.message, at: tree.range(of: first), advice: statement.advice, fixes: fixes)
    skipDeclaration()
    return true
  }

  /// Skips `CREATE TABLE t (...);`, of which the words before `position` have been read.
  mutating func skipSQL(from first: TokenIndex) -> Bool {
    guard lowercased(first) == "create", lowercased(position) == "table" else { return false }
    for token in position..<min(position + 8, tokens.count) {
      switch tokens[token].kind {
      case .leftParenthesis:
        reportForeign(
          "a schema holds no statements of SQL", at: tree.range(of: TokenSpan(first, position)),
          advice: "write `table \(tree.text(of: token - 1)) { name: string; }`")
        skipDeclaration()
        return true
      case .identifier: continue
      default: return false
      }
    }
    return false
  }

  /// Skips `@name` and `@name(...)` before a definition, and says where attributes stand.
  mutating func skipAnnotation() -> Bool {
    guard isForeign(position, UInt8(ascii: "@")), kind(after: 1) == .identifier else { return false }
    let first = position
    let name = tree.text(of: position + 1)
    advance()
    advance()
    var isPlain = ForeignAttributes.ofLanguage.contains(name)
    if kind == .leftParenthesis, let closing = closingBracket(of: position) {
      isPlain = false
      position = closing + 1
    }
    var fixes: [Diagnostic.Fix] = []
    if isPlain, kind == .identifier, keyword(at: position) != nil, kind(after: 1) == .identifier,
      kind(after: 2) == .leftBrace
    {
      let end = Int(tokens[position + 1].end)
      fixes = [
        Diagnostic.Fix(
          "Write `(\(name))` behind the name",
          [
            Diagnostic.Edit(range(Int(tokens[first].start), Int(tokens[position].start)), ""),
            Diagnostic.Edit(range(end, end), " (\(name))"),
          ])
      ]
    }
    reportForeign(
      "attributes stand in parentheses behind a definition's name", at: tree.range(of: TokenSpan(first, position - 1)),
      advice: isPlain ? "such as `table T (\(name))`" : "remove it, or write it there", fixes: fixes)
    return true
  }

  /// Skips what stands among fields in other languages and is none: functions, constraints, definitions.
  mutating func skipForeignStatement() -> Bool {
    guard kind == .identifier else { return false }
    let word = lowercased(position)
    if kind(after: 1) == .identifier, kind(after: 2) == .leftBrace, ForeignWords.definitions[word] != nil {
      let label = word == "oneof" ? "union" : ForeignWords.definitions[word] ?? ""
      reportForeign(
        "a definition stands on its own, and not among fields", at: tree.range(of: TokenSpan(position, position + 1)),
        advice: "write `\(label) \(tree.text(of: position + 1)) { ... }` before this definition")
      skipDeclaration()
      return true
    }
    if skipFunction() { return true }
    switch kind(after: 1) {
    // `primary key (id)`, `reserved 1, 2;`
    case .integer, .string, .leftParenthesis: return skipFieldStatement()
    case .identifier where kind(after: 2) == .leftParenthesis || word == "option": return skipFieldStatement()
    default: return false
    }
  }

  private mutating func skipFieldStatement() -> Bool {
    guard let statement = ForeignWords.fieldStatements[lowercased(position)] else { return false }
    var fixes: [Diagnostic.Fix] = []
    if statement.isRemovable, let end = endOfStatement(from: position), tokens[end].kind == .semicolon {
      let place = tree.range(of: TokenSpan(position, end))
      if isWithoutComments(place) { fixes = [.remove("it", at: place)] }
    }
    reportForeign(statement.message, at: tree.range(of: position), advice: statement.advice, fixes: fixes)
    skipStatement()
    return true
  }

  /// Skips `func f(x: int) -> int { ... }` and `f(x: int): int;`.
  private mutating func skipFunction() -> Bool {
    var name = position
    while ForeignWords.functions.contains(lowercased(name)), tokens[name + 1].kind == .identifier { name += 1 }
    guard tokens[name + 1].kind == .leftParenthesis, let closing = closingBracket(of: name + 1) else { return false }
    let isArgument = tokens[closing + 1].kind == .colon
    guard name > position || isArgument || closing == name + 2 else { return false }
    let place = tree.range(of: TokenSpan(position, closing))
    let isField = isArgument && name == position
    reportForeign(
      isField ? "a field takes no arguments" : "a schema holds no functions", at: place,
      advice: isField ? "write `\(tree.text(of: name)):` and its type" : "remove it: functions belong to the app")
    position = closing + 1
    skipFunctionBody()
    return true
  }

  /// Skips what follows a function's arguments: its type, and its body or `;`.
  private mutating func skipFunctionBody() {
    while !isAtEnd, kind != .rightBrace, kind != .semicolon, kind != .leftBrace, !startsLine(position) { advance() }
    if kind == .semicolon { return advance() }
    guard kind == .leftBrace else { return }
    var depth = 0
    while !isAtEnd {
      if kind == .leftBrace { depth += 1 }
      if kind == .rightBrace { depth -= 1 }
      advance()
      if depth == 0 { return }
    }
  }
}

// MARK: - Includes, namespaces and root types

extension Parser {
  /// Skips `user` of `include user;`, up to the `;` or the end of the line.
  mutating func skipPathWithoutQuotes() {
    let first = position
    var end = position
    while kind == .identifier || kind == .dot || kind == .foreign || kind == .integer || kind == .minus,
      end == position || tokens[end].end == tokens[position].start
    {
      end = position
      advance()
    }
    guard position > first, kind == .semicolon || startsLine(position) || isAtEnd else {
      position = first
      reportUnexpected("a file's path in quotes is due", advice: "such as `include \"other.fbs\";`")
      return skipDeclaration()
    }
    let span = TokenSpan(first, end)
    var path = tree.text(of: span)
    if !path.contains("/"), !path.hasSuffix(".fbs") {
      path = path.split(separator: ".").joined(separator: "/") + ".fbs"
    }
    report(
      .unexpectedToken, "a file's path stands in quotes", at: tree.range(of: span), advice: "write `\"\(path)\"`",
      fixes: kind == .semicolon ? [.replace(tree.range(of: span), with: "\"\(path)\"")] : [])
    tree.hasUnreadInclude = true
    _ = take(.semicolon)
  }

  /// Reports `java` of `namespace java com.example`, as Thrift has it; the caller then skips it. Returns false if no
  /// such word is next.
  mutating func skipNamespaceLanguage() -> Bool {
    guard kind == .identifier, kind(after: 1) == .identifier, !startsLine(position + 1), !startsDeclaration(position),
      !startsDeclaration(position + 1)
    else { return false }
    let place = range(Int(tokens[position].start), Int(tokens[position + 1].start))
    reportForeign(
      "a namespace is the same in all languages", at: tree.range(of: position), advice: "remove it",
      fixes: isWithoutComments(place) && kind(after: 2) != .rightBrace
        ? [.remove(tree.text(of: position), at: place)] : [])
    return true
  }

  /// Reads a path such as `A.B.C`. A `/` in place of a dot is read as a dot, and reported. Returns nil, after a report,
  /// if no name is next.
  /// - Parameter due: The expected part, as for `reportUnexpected`.
  mutating func foreignPath(_ due: String) -> TokenSpan? {
    guard let path = path(due) else { return nil }
    guard isForeign(position, UInt8(ascii: "/")) else { return path }
    while isForeign(position, UInt8(ascii: "/")) || kind == .dot, kind(after: 1) == .identifier {
      advance()
      advance()
    }
    let span = TokenSpan(path.first, position - 1)
    let text = span.components.map { tree.text(of: $0) }.joined(separator: ".")
    report(
      .unexpectedToken, "the parts of a name are joined by dots", at: tree.range(of: span), advice: "write `\(text)`",
      fixes: [.replace(tree.range(of: span), with: text)])
    return span
  }

  /// Reads the name of `namespace "blog";`.
  mutating func parseQuotedName(isNamespace: Bool) {
    let name = String(tree.text(of: position).dropFirst().dropLast())
    let isName = name.split(separator: ".", omittingEmptySubsequences: false).allSatisfy {
      $0.utf8.first.map { !$0.isDigit } == true && $0.utf8.allSatisfy(\.isIdentifierPart)
    }
    reportUnexpected(
      "a name stands without quotes", advice: isName ? "write `\(name)`" : "",
      fixes: isName ? [.replace(tree.range(of: position), with: name)] : [])
    advance()
    semicolon(after: isNamespace ? "a namespace" : "`root_type`")
  }

  /// Skips the next token, a sign that does not belong here, and reports it with `message`.
  mutating func skipSuperfluous(_ message: String) {
    guard !isAfterReport else { return advance() }
    var end = Int(tokens[position].end)
    // With the blanks behind it, if there are some before it.
    if Int(tokens[position - 1].end) < Int(tokens[position].start) {
      while end < tree.source.bytes.count, tree.source.bytes[end] == UInt8(ascii: " ") { end += 1 }
    }
    report(
      .unexpectedToken, message, at: tree.range(of: position), advice: "remove it",
      fixes: [.remove(tree.text(of: position), at: range(Int(tokens[position].start), end))])
    advance()
  }

  /// Reads the `{` of `namespace blog { ... }`: the definitions in it are read as those of the namespace.
  mutating func openNamespaceBlock() {
    let brace = position
    let closing = closingBrace(of: brace)
    var edits = [Diagnostic.Edit(tree.range(of: brace), ";")]
    // A blank before it would stand before the `;`.
    edits[0] = Diagnostic.Edit(range(Int(tokens[brace - 1].end), Int(tokens[brace].end)), ";")
    let isPlain = isWithoutComments(edits[0].range) && namespaceEnds.isEmpty
    if let closing {
      edits.append(
        Diagnostic.Edit(tree.range(of: closing), tokens[closing + 1].kind == .endOfFile ? "" : "namespace;"))
    }
    report(
      .unexpectedToken, "a namespace has no braces: it goes on to the next one", at: tree.range(of: brace),
      advice: "write `;`, and remove the `}`",
      fixes: isPlain && closing != nil ? [Diagnostic.Fix("Write `;` for the braces", edits)] : [])
    if let closing { namespaceEnds.append(closing) }
    advance()
  }

  /// Returns the brace that closes the one at `opening`; nil if none does.
  func closingBrace(of opening: TokenIndex) -> TokenIndex? {
    var depth = 0
    for token in opening..<tokens.count {
      switch tokens[token].kind {
      case .leftBrace: depth += 1
      case .rightBrace:
        depth -= 1
        if depth == 0 { return token }
      default: break
      }
    }
    return nil
  }
}
