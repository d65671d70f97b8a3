import FBSDiagnostics

/// Turns a text into a `SyntaxTree`. It never fails: what is wrong is reported, and skipped.
///
///     let (tree, diagnostics) = Parser.parse(source)
public struct Parser {
  /// The nesting limit of brackets.
  public static let maximumDepth = 64
  /// The size of the largest file in bytes: offsets have 32 bits. Code that reads files need not read more than that.
  public static let maximumSize = Int(UInt32.max)
  /// The number of mistakes in a file after which the rest of it is not read.
  public static let maximumDiagnostics = 100

  var tree: SyntaxTree
  /// The tokens of the text. A token that was probably meant to be another one, which has been reported, is that other
  /// one.
  var tokens: ContiguousArray<Token>
  var position: TokenIndex = 0
  var diagnostics: [Diagnostic]
  /// The brackets of the JSON object around `position`.
  var openBrackets = BracketCount()
  /// Whether the fields at `position` are a struct's.
  var isInStruct = false
  /// The braces that close a namespace, as other languages have it.
  var namespaceEnds: [TokenIndex] = []
  /// The habits of the definition at `position`, each with its diagnostic.
  var habits: [Habit: Int] = [:]
  /// The names of the file's definitions, if something has asked for them.
  var definedNames: Set<String>?
  /// How often the brackets that follow may still be counted, which takes time in proportion to the file.
  var bracketCountsLeft = 16

  /// Parses a file. Takes time in proportion to its size, whatever it holds.
  /// - Parameters:
  ///   - isData: Whether the file is an object in JSON, and no schema.
  ///   - allowsInvalidUTF8: Whether strings may be bytes that are no UTF-8, as those of data may be.
  public static func parse(
    _ source: SourceFile, isData: Bool = false, allowsInvalidUTF8: Bool = false
  ) -> (tree: SyntaxTree, diagnostics: [Diagnostic]) {
    parse(source, maximumSize: maximumSize, isData: isData, allowsInvalidUTF8: allowsInvalidUTF8)
  }

  /// Parses a file with another limit, which must not be above the real one: for tests that have no 4 GiB to spare.
  static func parse(
    _ source: SourceFile, maximumSize: Int, isData: Bool = false, allowsInvalidUTF8: Bool = false
  ) -> (tree: SyntaxTree, diagnostics: [Diagnostic]) {
    var lexer = Lexer(source, maximumSize: maximumSize, allowsInvalidUTF8: allowsInvalidUTF8)
    lexer.run()
    var parser = Parser(
      tree: SyntaxTree(source: source, tokens: lexer.tokens), tokens: lexer.tokens, diagnostics: lexer.diagnostics)
    if !lexer.hasGivenUp { parser.parseFile(isData: isData) }
    if parser.diagnostics.count >= maximumDiagnostics {
      // At the last of the diagnostics, and so after them.
      let end = parser.diagnostics.map(\.range).max { $0.start < $1.start } ?? parser.tree.range(of: 0)
      parser.diagnostics.append(
        Diagnostic(
          .tooManyMistakes, .error, "there are more mistakes than can be told apart", at: end,
          advice: "the rest of the file was not read"))
    }
    return (parser.tree, parser.diagnostics)
  }
}

// MARK: - Tokens

extension Parser {
  var kind: TokenKind { tokens[position].kind }

  var isAtEnd: Bool { tokens[position].kind == .endOfFile }

  func kind(after distance: Int) -> TokenKind {
    tokens[min(position + distance, tokens.count - 1)].kind
  }

  mutating func advance() {
    if position < tokens.count - 1 { position += 1 }
  }

  /// Advances over some tokens that were looked at. A report in between may have ended the reading: see `report`.
  mutating func advance(by count: Int) { position = min(position + count, tokens.count - 1) }

  mutating func take(_ kind: TokenKind) -> TokenIndex? {
    guard self.kind == kind else { return nil }
    let token = position
    advance()
    return token
  }

  /// Returns whether a token is the first on its line, so that a missing token is more likely than a superfluous one.
  func startsLine(_ token: TokenIndex) -> Bool {
    guard token > 0 else { return true }
    let between = tree.source.bytes[Int(tokens[token - 1].end)..<Int(tokens[token].start)]
    return between.contains { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }
  }

  /// Returns the name of a token for a sentence.
  func describe(_ token: TokenIndex) -> String {
    switch tokens[token].kind {
    case .endOfFile: return "the end of the file"
    case .string where tokens[token].end - tokens[token].start > 40: return "this string"
    default:
      let text = tree.text(of: token)
      return text.utf8.count > 60 ? "`\(text.prefix(57))...`" : "`\(text)`"
    }
  }
}

// MARK: - Diagnostics

extension Parser {
  mutating func report(
    _ code: DiagnosticCode, _ message: String, at range: SourceRange, advice: String = "",
    labels: [Diagnostic.Label] = [], notes: [String] = [], fixes: [Diagnostic.Fix] = []
  ) {
    diagnostics.append(
      Diagnostic(code, .error, message, at: range, advice: advice, labels: labels, notes: notes, fixes: fixes))
    if diagnostics.count >= Self.maximumDiagnostics { position = tokens.count - 1 }
  }

  /// Says that something is written as in another language, and what to write.
  mutating func reportForeign(
    _ message: String, at range: SourceRange, advice: String, notes: [String] = [], fixes: [Diagnostic.Fix] = []
  ) {
    report(.foreignForm, message, at: range, advice: advice, notes: notes, fixes: fixes)
  }

  func range(_ start: Int, _ end: Int) -> SourceRange { SourceRange(file: tree.source.id, start: start, end: end) }

  /// Whether the lexer has reported this token or the one before, so that the parser need not report them again.
  var isAfterReport: Bool {
    kind == .invalid || tokens[position].isMalformed
      || (position > 0 && (tokens[position - 1].isMalformed || tokens[position - 1].kind == .invalid))
  }

  /// Reports that the token at `position` is not the expected one, unless the lexer has reported it.
  /// - Parameter due: The expected part, as a clause of the message, such as "a type is due".
  mutating func reportUnexpected(
    _ due: String, advice: String = "", notes: [String] = [], fixes: [Diagnostic.Fix] = []
  ) {
    guard !isAfterReport else { return }
    if kind == .foreign {
      let text = tree.text(of: position)
      return report(
        .illegalCharacter, "`\(text)` means nothing in a schema", at: tree.range(of: position), advice: advice,
        notes: [due] + notes, fixes: fixes)
    }
    let message = isAtEnd ? "the file ends, but \(due)" : "\(describe(position)) is not expected here: \(due)"
    report(.unexpectedToken, message, at: tree.range(of: position), advice: advice, notes: notes, fixes: fixes)
  }

  /// Reports that the token at `position` is a slip for `text`, with a fix that replaces it.
  /// - Parameter due: The expected part, as for `reportUnexpected`.
  mutating func reportSlip(_ due: String, write text: String) {
    reportUnexpected(due, advice: "write `\(text)`", fixes: [.replace(tree.range(of: position), with: text)])
  }

  /// Reports that `text` is missing right after the previous token, with a fix that inserts it.
  mutating func reportMissing(_ text: String, after context: String, advice: String) {
    guard !isAfterReport else { return }
    let end = position == 0 ? 0 : Int(tokens[position - 1].end)
    let place = SourceRange(file: tree.source.id, start: end, end: end)
    report(
      .missingToken, "`\(text)` is missing after \(context)", at: place, advice: advice,
      fixes: [.insert(text, after: place)])
  }

  mutating func identifier(_ due: String, advice: String = "") -> TokenIndex? {
    if let token = take(.identifier) {
      if kind == .minus || kind == .integer, isAdjacent(position) { skipRestOfName(from: token) }
      return token
    }
    if kind == .integer, self.kind(after: 1) == .identifier, isAdjacent(position + 1) {
      // `2nd`
      let first = position
      advance()
      let token = position
      advance()
      skipRestOfName(from: first)
      return token
    }
    if kind == .string {
      let name = String(tree.text(of: position).dropFirst().dropLast())
      let isName = name.utf8.first.map { !$0.isDigit } == true && name.utf8.allSatisfy(\.isIdentifierPart)
      reportUnexpected(
        due, advice: isName ? "write `\(name)`" : advice,
        fixes: isName ? [.replace(tree.range(of: position), with: name)] : [])
    } else {
      reportUnexpected(due, advice: advice)
    }
    return nil
  }

  /// Returns whether nothing stands between a token and the one before.
  private func isAdjacent(_ token: TokenIndex) -> Bool { tokens[token - 1].end == tokens[token].start }

  /// Says that a word such as `last-name` or `2nd` is no name, and goes on behind it.
  private mutating func skipRestOfName(from first: TokenIndex) {
    while isAdjacent(position), kind == .minus || kind == .integer || kind == .identifier { advance() }
    let span = TokenSpan(first, position - 1)
    let text = String(
      decoding: tree.source.bytes[Int(tokens[first].start)..<Int(tokens[position - 1].end)], as: UTF8.self)
    var name = String(text.map { $0 == "-" || $0 == "+" ? "_" : $0 })
    if tokens[first].kind == .integer { name = "_" + name }
    report(
      .unexpectedToken, "`\(text)` is no name", at: tree.range(of: span), advice: "write `\(name)`",
      notes: ["a name is letters, digits and `_`, and begins with no digit"],
      fixes: [.replace(tree.range(of: span), with: name)])
  }

  /// Reads the `;` that ends a statement. If it is missing, which is reported, the parser goes on as if it stood there,
  /// or skips the text up to the next statement.
  /// - Parameter context: The statement, as the message names it, such as "a namespace".
  mutating func semicolon(after context: String) {
    if take(.semicolon) != nil { return }
    if kind == .rightBrace || isAtEnd || startsLine(position) || startsDeclaration(position)
      || (kind == .identifier && self.kind(after: 1) == .colon)
    {
      reportMissing(";", after: context, advice: "add `;`")
    } else if kind == .comma, startsLine(position + 1) || self.kind(after: 1) == .rightBrace {
      reportSlip("\(context) ends with `;`", write: ";")
      advance()
    } else {
      reportUnexpected("\(context) ends with `;`")
      skipStatement()
    }
  }

  /// Reads a path such as `A.B.C`. Returns nil, after a report, if no name is next.
  /// - Parameter due: The expected part, as for `reportUnexpected`.
  mutating func path(_ due: String) -> TokenSpan? {
    guard let first = identifier(due) else { return nil }
    var last = first
    while take(.dot) != nil {
      guard let next = identifier("a name is due after the dot") else { return nil }
      last = next
    }
    return TokenSpan(first, last)
  }
}

// MARK: - Recovery

extension Parser {
  /// Returns whether a declaration surely starts at a token. Keywords are no reserved words: what follows decides.
  func startsDeclaration(_ token: TokenIndex) -> Bool {
    guard tokens[token].kind == .identifier, token + 2 < tokens.count else { return false }
    let next = tokens[token + 1].kind
    guard next == .identifier || next == .string else { return false }
    let second = tokens[token + 2].kind
    if next == .string {
      return (["include", "native_include", "attribute", "file_identifier", "file_extension"] as [StaticString])
        .contains { tree.token(token, is: $0) }
    }
    switch second {
    case .leftBrace, .leftParenthesis:
      return (["table", "struct", "enum", "union", "rpc_service"] as [StaticString])
        .contains { tree.token(token, is: $0) }
    case .colon:
      return tree.token(token, is: "enum")
    case .semicolon, .dot:
      return (["namespace", "root_type", "attribute"] as [StaticString]).contains { tree.token(token, is: $0) }
    default:
      return false
    }
  }

  private func startsText(_ token: TokenIndex) -> Bool {
    let start = Int(tokens[token].start)
    return start == 0 || tree.source.bytes[start - 1] == UInt8(ascii: "\n")
      || tree.source.bytes[start - 1] == UInt8(ascii: "\r")
  }

  /// Skips to the end of a statement in braces: over its `;`, up to the `}` or up to a declaration.
  mutating func skipStatement() {
    var depth = 0
    while !isAtEnd {
      switch kind {
      case .semicolon where depth == 0:
        advance()
        return
      case .leftBrace: depth += 1
      case .rightBrace:
        if depth == 0 { return }
        depth -= 1
      case .identifier where startsDeclaration(position) && (depth == 0 || startsText(position)): return
      default: break
      }
      advance()
    }
  }

  /// Records the names that a skipped declaration may define: those that stand first.
  private mutating func noteUnreadName() {
    for token in max(0, position - 2)..<min(position + 3, tokens.count) {
      switch tokens[token].kind {
      case .identifier: tree.unreadNames.insert(tree.text(of: token))
      case .string: tree.unreadNames.insert(String(tree.text(of: token).dropFirst().dropLast()))
      case .leftBrace, .semicolon: if token >= position { return }
      default: break
      }
    }
  }

  /// Skips to where a declaration may start: after a `;` or a closing `}`, or before a declaration.
  mutating func skipDeclaration() {
    var depth = 0
    let start = position
    noteUnreadName()
    while !isAtEnd {
      switch kind {
      case .semicolon where depth == 0:
        advance()
        return
      case .leftBrace: depth += 1
      case .rightBrace:
        depth -= 1
        if depth <= 0 {
          advance()
          return
        }
      case .identifier where position > start && startsDeclaration(position) && (depth == 0 || startsText(position)):
        return
      default: break
      }
      advance()
    }
  }
}

extension Diagnostic {
  /// Returns the diagnostic for a file with more bytes than `limit`, the most that a schema can have. Its range is the
  /// file's start, since the text is not read.
  public static func fileTooLarge(_ file: FileID, limit: Int = Parser.maximumSize) -> Diagnostic {
    Diagnostic(
      .fileTooLarge, .error, "the file is too large: a schema can have at most \(limit) bytes",
      at: SourceRange(file: file, start: 0, end: 0), advice: "split it into files that include one another")
  }
}
