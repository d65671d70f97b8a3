import FBSDiagnostics

// Statements at the top level of a file.

extension Parser {
  mutating func parseFile(isData: Bool) {
    let isJSON = kind == .leftBrace || kind == .leftBracket
    if isData {
      // The caller reports a text that is no object at all.
      return isJSON ? parseObject(isData: true) : ()
    }
    if isJSON { return reportData() }
    var canInclude = true
    while !isAtEnd {
      let start = position
      parseItem(canInclude: &canInclude)
      if position == start { advance() }
    }
    if tree.items.isEmpty && diagnostics.isEmpty {
      report(
        .emptyFile, "the file declares nothing", at: SourceRange(file: tree.source.id, start: 0, end: 0),
        advice: "a schema holds at least one declaration, such as `table T { name: string; }`", notes: dataNotes)
    }
  }

  /// Reports at the start of the file that it is JSON.
  private mutating func reportData() {
    report(
      .dataFile, "this file is data in JSON, and no schema", at: tree.range(of: position),
      advice: "name the schema that describes it", notes: [Self.convertNote(tree.source.path)])
    position = tokens.count - 1
  }

  /// The advice for data, unless the name of this file is that of a schema.
  private var dataNotes: [String] { Self.dataNotes(tree.source.path) }

  /// Returns the advice for data, unless the name of the file is that of a schema.
  static func dataNotes(_ path: String) -> [String] {
    path.hasSuffix(".fbs") || path.hasPrefix("<") ? [] : [convertNote(path)]
  }

  private static func convertNote(_ path: String) -> String {
    "data is converted by its schema: `dflatc convert SCHEMA.fbs \(path)`"
  }

  mutating func parseItem(canInclude: inout Bool) {
    if kind == .leftBrace { return parseObject() }
    guard kind == .identifier else {
      if kind == .semicolon {
        report(
          .unexpectedToken, "this `;` ends nothing", at: tree.range(of: position), advice: "remove it",
          notes: ["no `;` follows the `}` of a declaration"], fixes: [.remove(";", at: tree.range(of: position))])
        advance()
      } else if kind == .rightBrace, let outer = namespaceEnds.last {
        // This brace closes a namespace, which has been reported.
        if position == outer { namespaceEnds.removeLast() }
        advance()
      } else if kind == .rightBrace {
        report(
          .unexpectedToken, "this `}` closes nothing", at: tree.range(of: position), advice: "remove it",
          fixes: [.remove("}", at: tree.range(of: position))])
        advance()
      } else if !skipAnnotation() {
        reportUnexpected("a declaration is due", notes: [Self.declarationNote])
        skipDeclaration()
      }
      return
    }
    guard let keyword = keyword(at: position) ?? slip() else { return }
    if keyword != .include, keyword != .nativeInclude { canInclude = false }
    switch keyword {
    case .include, .nativeInclude: parseInclude(isNative: keyword == .nativeInclude, isAllowed: canInclude)
    case .table, .structure: parseStructure(isStruct: keyword == .structure)
    case .enumeration: parseEnum()
    case .union: parseUnion()
    case .namespace: parseNamespace()
    case .rootType: parseRootType()
    case .attribute: parseAttributeDeclaration()
    case .fileIdentifier, .fileExtension: parseFileProperty(isIdentifier: keyword == .fileIdentifier)
    case .service: parseService()
    }
  }

  /// The words that declarations begin with.
  enum Keyword: String, CaseIterable {
    case table
    case structure = "struct"
    case enumeration = "enum"
    case union, namespace
    case rootType = "root_type"
    case attribute, include
    case nativeInclude = "native_include"
    case fileIdentifier = "file_identifier"
    case fileExtension = "file_extension"
    case service = "rpc_service"

    /// The kinds of tokens that may follow the keyword.
    var isFollowedBy: Set<TokenKind> {
      switch self {
      case .include, .nativeInclude, .fileIdentifier, .fileExtension: [.string]
      case .attribute: [.string, .identifier]
      default: [.identifier]
      }
    }
  }

  func keyword(at token: TokenIndex) -> Keyword? {
    // Most are tables.
    if tree.token(token, is: "table") { return .table }
    return Keyword(rawValue: tree.text(of: token))
  }

  static let declarationNote =
    "a declaration starts with `table`, `struct`, `enum`, `union`, `namespace`, `root_type`, `attribute`, "
    + "`file_identifier`, `file_extension` or `rpc_service`"

  private mutating func parseInclude(isNative: Bool, isAllowed: Bool) {
    let keyword = position
    advance()
    guard let path = take(.string) else {
      return skipPathWithoutQuotes()
    }
    if !isAllowed {
      report(
        .lateInclude, "includes must stand before all declarations", at: tree.range(of: TokenSpan(keyword, path)),
        advice: "move it to the top of the file")
    } else {
      tree.items.append(.include(path: path, isNative: isNative))
    }
    // If `#include` lacks the `;`, the lexer has reported it.
    let start = Int(tokens[keyword].start)
    if start > 0, tree.source.bytes[start - 1] == UInt8(ascii: "#") {
      _ = take(.semicolon)
    } else {
      semicolon(after: "an include")
    }
  }

  mutating func parseNamespace() {
    advance()
    if take(.semicolon) != nil {
      tree.items.append(.namespace(name: nil))
      return
    }
    if skipNamespaceLanguage() { return parseNamespace() }
    if kind == .string { return parseQuotedName(isNamespace: true) }
    guard let name = foreignPath("a namespace's name is due") else { return skipDeclaration() }
    tree.items.append(.namespace(name: name))
    if kind == .leftBrace { return openNamespaceBlock() }
    semicolon(after: "a namespace")
  }

  private mutating func parseRootType() {
    advance()
    if kind == .equals || kind == .colon { skipSuperfluous("`root_type` has no `\(tree.text(of: position))`") }
    if kind == .string { return parseQuotedName(isNamespace: false) }
    guard let name = foreignPath("a table's name is due after `root_type`") else { return skipDeclaration() }
    tree.items.append(.rootType(name: name))
    semicolon(after: "`root_type`")
  }

  private mutating func parseAttributeDeclaration() {
    advance()
    guard let name = take(.string) ?? take(.identifier) else {
      reportUnexpected("an attribute's name is due", advice: "such as `attribute \"priority\";`")
      return skipDeclaration()
    }
    tree.items.append(.attribute(name: name))
    if kind == .comma {
      reportUnexpected("a declaration has one attribute", advice: "declare each of them: `attribute \"name\";`")
      return skipDeclaration()
    }
    semicolon(after: "an attribute's declaration")
  }

  private mutating func parseFileProperty(isIdentifier: Bool) {
    advance()
    if kind == .equals || kind == .colon { skipSuperfluous("no `\(tree.text(of: position))` stands before the string") }
    if kind == .identifier, self.kind(after: 1) == .semicolon {
      reportSlip("a string is due", write: "\"\(tree.text(of: position))\"")
      advance()
      return semicolon(after: "")
    }
    guard let value = take(.string) else {
      reportUnexpected(
        "a string is due",
        advice: isIdentifier ? "such as `file_identifier \"POST\";`" : "such as `file_extension \"bin\";`")
      return skipDeclaration()
    }
    tree.items.append(isIdentifier ? .fileIdentifier(value: value) : .fileExtension(value: value))
    semicolon(after: isIdentifier ? "`file_identifier`" : "`file_extension`")
  }
}

// MARK: - Tables and structs

extension Parser {
  private mutating func parseStructure(isStruct: Bool) {
    let keyword = position
    advance()
    let word = isStruct ? "struct" : "table"
    guard let name = identifier("a \(word)'s name is due") else { return skipDeclaration() }
    noteTypeParameters(of: name)
    let firstField = tree.fields.count
    let mistakes = diagnostics.count
    func node(_ attributes: Range<Int>, _ parser: Parser) -> StructureSyntax {
      StructureSyntax(
        keyword: keyword, name: name, attributes: attributes, fields: firstField..<parser.tree.fields.count,
        hasUnreadFields: parser.tree.fields.count == firstField && parser.diagnostics.count > mistakes,
        span: TokenSpan(keyword, max(keyword, parser.position - 1)))
    }
    if skipFieldsInParentheses(of: name) {
      let node = node(0..<0, self)
      return tree.items.append(isStruct ? .structure(node) : .table(node))
    }
    skipForeignHeader(of: name, word)
    let attributes = parseAttributes()
    let label = "\(word) `\(tree.text(of: name))`"
    guard let brace = openingBrace(of: label) else { return skipDeclaration() }
    isInStruct = isStruct
    withOwnHabits { $0.parseBody(of: label, openedBy: brace) { $0.parseField() } }
    let node = node(attributes, self)
    tree.items.append(isStruct ? .structure(node) : .table(node))
  }

  mutating func openingBrace(of label: String) -> TokenIndex? {
    if let brace = take(.leftBrace) ?? takeForeignBrace(of: label) { return brace }
    reportUnexpected("`{` is due, which opens \(label)")
    return nil
  }

  /// Reads the statements of a definition's body, up to the `}`.
  /// - Parameters:
  ///   - label: The definition, as messages name it, such as "table `Post`".
  ///   - brace: The `{` of the body.
  ///   - statement: Reads one statement.
  mutating func parseBody(of label: String, openedBy brace: TokenIndex, statement: (inout Parser) -> Void) {
    while take(.rightBrace) == nil {
      if isAtEnd { return reportUnclosed(brace, label) }
      if startsDeclaration(position) {
        guard isClosed(brace) else { return reportUnclosed(brace, label) }
        parseNestedDefinition(in: label)
        continue
      }
      let start = position
      statement(&self)
      if position == start { advance() }
    }
  }

  mutating func reportUnclosed(_ brace: TokenIndex, _ label: String) {
    // If the parser has given up, the bracket may well be closed.
    guard diagnostics.count < Self.maximumDiagnostics else { return }
    // An unterminated string may have swallowed the bracket.
    guard !isAfterReport else { return }
    let labels = isAtEnd ? [] : [Diagnostic.Label(tree.range(of: position), "the next declaration starts here")]
    report(
      .unclosedBracket, "the `{` of \(label) is never closed", at: tree.range(of: brace), advice: "close it with `}`",
      labels: labels)
  }

  private mutating func parseField() {
    if kind == .semicolon {
      report(
        .unexpectedToken, "this `;` ends nothing", at: tree.range(of: position), advice: "remove it",
        fixes: [.remove(";", at: tree.range(of: position))])
      return advance()
    }
    if kind != .identifier || self.kind(after: 1) != .colon, parseForeignField() { return }
    guard let name = identifier("a field is due", advice: "such as `name: string;`") else { return skipStatement() }
    guard take(.colon) != nil else {
      if kind == .identifier || kind == .leftBracket {
        reportMissing(":", after: "the field's name", advice: "add `:` before the type")
      } else {
        if kind == .equals || isForeign(position, UInt8(ascii: "-")), self.kind(after: 1) == .identifier,
          self.kind(after: 2) == .semicolon
        {
          reportSlip("`:` and a type are due after a field's name", write: ":")
          advance()
          return parseFieldType(name: name)
        }
        reportUnexpected("`:` and a type are due after a field's name", advice: "such as `\(tree.text(of: name)): int`")
        return skipStatement()
      }
      return parseFieldType(name: name)
    }
    parseFieldType(name: name)
  }

  private mutating func parseFieldType(name: TokenIndex) {
    var field = ForeignField(start: Int(tokens[name].start))
    parseFieldType(name: name, &field)
  }
}

// MARK: - Services

extension Parser {
  private mutating func parseService() {
    let keyword = position
    advance()
    guard let name = identifier("a service's name is due") else { return skipDeclaration() }
    let attributes = parseAttributes()
    let label = "service `\(tree.text(of: name))`"
    let first = tree.methods.count
    guard let brace = openingBrace(of: label) else { return skipDeclaration() }
    let mistakes = diagnostics.count
    parseBody(of: label, openedBy: brace) { $0.parseMethod() }
    if tree.methods.count == first, diagnostics.count == mistakes {
      report(
        .emptyList, "\(label) has no methods", at: tree.range(of: name), advice: "add one, or remove the service")
    }
    tree.items.append(
      .service(
        ServiceSyntax(keyword: keyword, name: name, attributes: attributes, methods: first..<tree.methods.count)))
  }

  private mutating func parseMethod() {
    if !startsMethod(position), parseForeignMethod() { return }
    let advice = "a method reads `name(Request): Response;`"
    guard let name = identifier("a method is due", advice: advice) else { return skipStatement() }
    guard take(.leftParenthesis) != nil else {
      reportUnexpected("`(` is due after a method's name", advice: advice)
      return skipStatement()
    }
    guard let request = path("the table that the method takes is due") else { return skipStatement() }
    guard take(.rightParenthesis) != nil else {
      reportUnexpected("`)` is due", advice: advice)
      return skipStatement()
    }
    guard take(.colon) != nil else {
      reportUnexpected("`:` is due, and the table that the method gives", advice: advice)
      return skipStatement()
    }
    guard let response = path("the table that the method gives is due") else { return skipStatement() }
    let attributes = parseAttributes()
    tree.methods.append(MethodSyntax(name: name, request: request, response: response, attributes: attributes))
    semicolon(after: "a method")
  }
}
