import FBSDiagnostics
import FBSParser

/// A declaration in an outline.
struct DocumentSymbol: Encodable {
  var name: String
  var detail: String?
  var kind: SymbolKind
  /// The protocol's numbers of properties: 1 means deprecated.
  var tags: [Int]?
  var range: TextRange
  var selectionRange: TextRange
  var children: [DocumentSymbol]?
}

/// The protocol's kinds of symbols that schemas use.
enum SymbolKind: Int, Codable {
  case file = 1
  case namespace = 3
  case `class` = 5
  case method = 6
  case field = 8
  case `enum` = 10
  case interface = 11
  case enumMember = 22
  case structure = 23
}

extension DocumentContext {
  /// Returns the outline of the document. It is made from the text alone, so that a schema with errors has one as well.
  func documentSymbols() -> [DocumentSymbol] {
    let tree = tree
    return tree.items.compactMap { item in
      switch item {
      case .table(let node): symbol(node, "table", .class)
      case .structure(let node): symbol(node, "struct", .structure)
      case .enumeration(let node):
        symbol(
          node.keyword, node.name, node.type.map { tree.text(of: tree.types[$0].span) } ?? "enum", .enum,
          children: node.values.map { index in
            let value = tree.enumValues[index]
            let number = value.number.map { "= " + tree.text(of: $0) }
            return symbol(value.name, value.name, number, .enumMember)
          })
      case .union(let node):
        symbol(
          node.keyword, node.name, "union", .interface,
          children: node.members.map { index in
            let member = tree.unionMembers[index]
            let type = member.type.map { tree.text(of: tree.types[$0].span) }
            return symbol(member.name.first, member.name.last, type, .enumMember, name: tree.text(of: member.name))
          })
      case .service(let node):
        symbol(
          node.keyword, node.name, "rpc_service", .interface,
          children: node.methods.map { index in
            let method = tree.methods[index]
            let detail = "(\(tree.text(of: method.request))): \(tree.text(of: method.response))"
            return symbol(method.name, method.name, detail, .method)
          })
      case .include, .namespace, .attribute, .rootType, .fileIdentifier, .fileExtension, .object: nil
      }
    }
  }

  private func symbol(_ node: StructureSyntax, _ detail: String, _ kind: SymbolKind) -> DocumentSymbol {
    let tree = tree
    return symbol(
      node.keyword, node.name, detail, kind,
      children: node.fields.map { index in
        let field = tree.fields[index]
        let isDeprecated = field.attributes.contains { tree.token(tree.attributes[$0].name, is: "deprecated") }
        var symbol = symbol(field.name, field.name, tree.text(of: tree.types[field.type].span), .field)
        if isDeprecated { symbol.tags = [1] }
        return symbol
      }, end: node.span.last)
  }

  private func symbol(
    _ first: TokenIndex, _ name: TokenIndex, _ detail: String?, _ kind: SymbolKind, children: [DocumentSymbol]? = nil,
    name given: String? = nil, end: TokenIndex? = nil
  ) -> DocumentSymbol {
    let tree = tree
    let text = given ?? tree.text(of: name)
    let last = end ?? tree.endOfEntry(from: first, hasBody: children != nil)
    return DocumentSymbol(
      name: text.isEmpty ? "?" : text, detail: detail, kind: kind,
      range: texts.range(tree.range(of: TokenSpan(first, max(last, name)))),
      selectionRange: texts.range(tree.range(of: name)), children: children)
  }
}

extension SyntaxTree {
  /// Returns the last token of the entry that begins with a token: the `;` or `,` that ends the entry, or the token
  /// before the closing bracket around it. For a definition, that is its `}`.
  func endOfEntry(from first: TokenIndex, hasBody: Bool) -> TokenIndex {
    var depth = 0
    var token = first
    while token < tokens.count - 1 {
      switch tokens[token].kind {
      case .leftBrace, .leftParenthesis, .leftBracket: depth += 1
      case .rightBrace, .rightParenthesis, .rightBracket:
        depth -= 1
        if depth < 0 { return max(first, token - 1) }
        if depth == 0, hasBody, tokens[token].kind == .rightBrace { return token }
      case .semicolon, .comma: if depth == 0, !hasBody { return token }
      default: break
      }
      token += 1
    }
    return max(first, tokens.count - 2)
  }
}
