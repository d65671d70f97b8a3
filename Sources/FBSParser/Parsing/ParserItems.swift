import FBSDiagnostics

// What stands at the top of a file.

extension Parser {
  mutating func parseFile() {
    var canInclude = true
    while !isAtEnd {
      let start = position
      parseItem(canInclude: &canInclude)
      if position == start { advance() }
    }
    if tree.items.isEmpty && diagnostics.isEmpty {
      report(
        .emptyFile, "the file declares nothing", at: SourceRange(file: tree.source.id, start: 0, end: 0),
        advice: "a schema holds at least one declaration, such as `table T { name: string; }`")
    }
  }

  private mutating func parseItem(canInclude: inout Bool) {
    if kind == .leftBrace { return parseObject() }
    guard kind == .identifier else {
      if kind == .semicolon {
        report(
          .unexpectedToken, "this `;` ends nothing", at: tree.range(of: position), advice: "remove it",
          notes: ["no `;` follows the `}` of a declaration"], fixes: [.remove(";", at: tree.range(of: position))])
        advance()
      } else if kind == .rightBrace {
        report(
          .unexpectedToken, "this `}` closes nothing", at: tree.range(of: position), advice: "remove it",
          fixes: [.remove("}", at: tree.range(of: position))])
        advance()
      } else {
        reportUnexpected("a declaration is due", notes: [Self.declarationNote])
        skipDeclaration()
      }
      return
    }
    guard let keyword = keyword(at: position) ?? slip() else { return skipDeclaration() }
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
  private enum Keyword: String, CaseIterable {
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

    /// What follows it.
    var isFollowedBy: Set<TokenKind> {
      switch self {
      case .include, .nativeInclude, .fileIdentifier, .fileExtension: [.string]
      case .attribute: [.string, .identifier]
      default: [.identifier]
      }
    }
  }

  private func keyword(at token: TokenIndex) -> Keyword? {
    // Most are tables.
    if tree.token(token, is: "table") { return .table }
    return Keyword(rawValue: tree.text(of: token))
  }

  /// Says that no declaration begins with the word at `position`.
  ///
  /// - Returns: the keyword that it is a slip of, if what follows fits.
  private mutating func slip() -> Keyword? {
    let word = tree.text(of: position)
    // Words of other languages, which no slip leads to.
    let alias = [
      "message": "table", "class": "table", "type": "table", "record": "table", "interface": "table",
      "oneof": "union", "variant": "union", "package": "namespace", "module": "namespace", "import": "include",
      "service": "rpc_service",
    ][word]
    guard let near = alias ?? nearestName(to: word, in: Keyword.allCases.map(\.rawValue)) else {
      reportUnexpected("a declaration is due", notes: [Self.declarationNote])
      return nil
    }
    reportUnexpected(
      "a declaration is due", advice: alias == nil ? "did you mean `\(near)`?" : "write `\(near)`",
      fixes: [.replace(tree.range(of: position), with: near)])
    guard let keyword = Keyword(rawValue: near), keyword.isFollowedBy.contains(kind(after: 1)) else { return nil }
    return keyword
  }

  private static let declarationNote =
    "a declaration starts with `table`, `struct`, `enum`, `union`, `namespace`, `root_type`, `attribute`, "
    + "`file_identifier`, `file_extension` or `rpc_service`"

  private mutating func parseInclude(isNative: Bool, isAllowed: Bool) {
    let keyword = position
    advance()
    guard let path = take(.string) else {
      reportUnexpected("a file's path in quotes is due", advice: "such as `include \"other.fbs\";`")
      return skipDeclaration()
    }
    if !isAllowed {
      report(
        .lateInclude, "includes must stand before all declarations", at: tree.range(of: TokenSpan(keyword, path)),
        advice: "move it to the top of the file")
    } else {
      tree.items.append(.include(path: path, isNative: isNative))
    }
    semicolon(after: "an include")
  }

  private mutating func parseNamespace() {
    advance()
    if take(.semicolon) != nil {
      tree.items.append(.namespace(name: nil))
      return
    }
    guard let name = path("a namespace's name is due") else { return skipDeclaration() }
    tree.items.append(.namespace(name: name))
    semicolon(after: "a namespace")
  }

  private mutating func parseRootType() {
    advance()
    guard let name = path("a table's name is due after `root_type`") else { return skipDeclaration() }
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
    semicolon(after: "an attribute's declaration")
  }

  private mutating func parseFileProperty(isIdentifier: Bool) {
    advance()
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
    let attributes = parseAttributes()
    let label = "\(word) `\(tree.text(of: name))`"
    let firstField = tree.fields.count
    guard let brace = openingBrace(of: label) else { return skipDeclaration() }
    parseBody(of: label, openedBy: brace) { $0.parseField() }
    let node = StructureSyntax(
      keyword: keyword, name: name, attributes: attributes, fields: firstField..<tree.fields.count,
      span: TokenSpan(keyword, max(keyword, position - 1)))
    tree.items.append(isStruct ? .structure(node) : .table(node))
  }

  mutating func openingBrace(of label: String) -> TokenIndex? {
    if let brace = take(.leftBrace) { return brace }
    reportUnexpected("`{` is due, which opens \(label)")
    return nil
  }

  /// Statements up to the `}`.
  mutating func parseBody(of label: String, openedBy brace: TokenIndex, statement: (inout Parser) -> Void) {
    while take(.rightBrace) == nil {
      if isAtEnd || startsDeclaration(position) { return reportUnclosed(brace, label) }
      let start = position
      statement(&self)
      if position == start { advance() }
    }
  }

  mutating func reportUnclosed(_ brace: TokenIndex, _ label: String) {
    // Having given up is no mistake of the text's.
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
    guard let name = identifier("a field is due", advice: "such as `name: string;`") else { return skipStatement() }
    guard take(.colon) != nil else {
      if kind == .identifier || kind == .leftBracket {
        reportMissing(":", after: "the field's name", advice: "add `:` before the type")
      } else {
        reportUnexpected("`:` and a type are due after a field's name", advice: "such as `\(tree.text(of: name)): int`")
        return skipStatement()
      }
      return parseFieldType(name: name)
    }
    parseFieldType(name: name)
  }

  private mutating func parseFieldType(name: TokenIndex) {
    guard let type = parseType(depth: 0) else { return skipStatement() }
    var value: Int?
    if take(.equals) != nil {
      guard let parsed = parseValue(depth: 0) else { return skipStatement() }
      value = parsed
    }
    let attributes = parseAttributes()
    tree.fields.append(FieldSyntax(name: name, type: type, value: value, attributes: attributes))
    semicolon(after: "a field")
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
