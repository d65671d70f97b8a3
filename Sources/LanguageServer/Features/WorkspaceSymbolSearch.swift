import FBSParser

struct WorkspaceSymbolParams: Decodable { var query: String }

struct WorkspaceSymbol: Encodable {
  var name: String
  var kind: SymbolKind
  var location: TextLocation
  var containerName: String?
}

extension LanguageServerSession {
  /// The most symbols in an answer: more than a person looks through.
  private static var maximumSymbols: Int { 1_000 }

  /// Returns the types, services, fields, values and methods whose names contain the letters of a query in their order.
  mutating func workspaceSymbols(_ params: WorkspaceSymbolParams) throws -> [WorkspaceSymbol] {
    let symbols = workspaceSymbols()
    let query = params.query.lowercased()
    var found: [WorkspaceSymbol] = []
    for (_, file) in symbols.files.sorted(by: { $0.key < $1.key }) {
      let uri = self.uri(ofFileAt: file.source.path)
      let text = DocumentText(file.source.bytes, client.encoding)
      let tree = file.tree
      func add(_ token: TokenIndex, _ kind: SymbolKind, in container: String? = nil) {
        let name = tree.text(of: token)
        guard found.count < Self.maximumSymbols, Self.matches(name, query) else { return }
        found.append(
          WorkspaceSymbol(
            name: name, kind: kind, location: TextLocation(uri: uri, range: text.range(tree.range(of: token))),
            containerName: container))
      }
      for item in tree.items {
        switch item {
        case .table(let node), .structure(let node):
          let isTable = tree.token(node.keyword, is: "table")
          add(node.name, isTable ? .class : .structure)
          let name = tree.text(of: node.name)
          for field in node.fields { add(tree.fields[field].name, .field, in: name) }
        case .enumeration(let node):
          add(node.name, .enum)
          let name = tree.text(of: node.name)
          for value in node.values { add(tree.enumValues[value].name, .enumMember, in: name) }
        case .union(let node): add(node.name, .interface)
        case .service(let node):
          add(node.name, .interface)
          let name = tree.text(of: node.name)
          for method in node.methods { add(tree.methods[method].name, .method, in: name) }
        case .include, .namespace, .attribute, .rootType, .fileIdentifier, .fileExtension, .object: break
        }
      }
    }
    return found
  }

  private static func matches(_ name: String, _ query: String) -> Bool {
    var rest = query[...]
    for character in name.lowercased() where character == rest.first { rest.removeFirst() }
    return rest.isEmpty
  }
}
