import FBSDiagnostics
import FBSParser

/// Gives every definition its name and its id, file after file, and collects the statements that can be resolved only
/// then.
struct DeclarationStage {
  let scope: ResolutionScope
  private(set) var pending = PendingStatements()
  private var counts = (tables: 0, structs: 0, enums: 0, unions: 0)
  private var services: [NamespaceTable.Pair: SourceRange] = [:]

  init(_ scope: ResolutionScope) { self.scope = scope }

  mutating func run() {
    for file in scope.order {
      collect(file)
      scope.unreadNames.formUnion(scope.tree(file).unreadNames)
    }
    scope.symbols.countTypes()
  }

  private mutating func collect(_ file: Int) {
    let tree = scope.tree(file)
    var namespace = 0
    for item in tree.items {
      switch item {
      case .include:
        break
      case .namespace(let name):
        namespace = open(name, tree, file)
      case .attribute(let token):
        guard let text = tree.attributeName(token) else { break }
        scope.schema.files[file].declaredAttributes.append(text)
        scope.symbols.declaredAttributes[text, default: []].append((file, token))
      case .table(let node):
        define(item, node.name, .table(TableID(counts.tables)), file, namespace)
        counts.tables += 1
      case .structure(let node):
        define(item, node.name, .structure(StructID(counts.structs)), file, namespace)
        counts.structs += 1
      case .enumeration(let node):
        define(item, node.name, .enumeration(EnumID(counts.enums)), file, namespace)
        counts.enums += 1
      case .union(let node):
        define(item, node.name, .union(UnionID(counts.unions)), file, namespace)
        counts.unions += 1
      case .rootType(let name):
        pending.roots.append(.init(file: file, namespace: namespace, name: name))
      case .fileIdentifier(let token):
        setFileIdentifier(token, file)
      case .fileExtension(let token):
        scope.schema.files[file].fileExtension = tree.stringValue(of: token)
      case .service(let node):
        defineService(node, file, namespace)
      case .object(let span):
        pending.objects.append(.init(file: file, namespace: namespace, span: span))
      }
    }
  }

  private mutating func define(
    _ syntax: ItemSyntax, _ nameToken: TokenIndex, _ id: DefinitionID, _ file: Int, _ namespace: Int
  ) {
    let name = scope.intern(scope.tree(file).bytes(of: nameToken))
    let index = scope.symbols.definitions.count
    scope.symbols.definitions.append(
      UnresolvedDefinition(file: file, namespace: namespace, name: name, nameToken: nameToken, id: id, syntax: syntax))
    scope.schema.files[file].definitions.append(id)
    if let first = scope.symbols.types[.init(namespace, name)] {
      let other = scope.symbols.definitions[first]
      scope.error(
        .duplicateDefinition, "`\(scope.qualifiedName(other))` is defined twice",
        at: scope.tree(file).range(of: nameToken),
        advice: "rename one", labels: [.init(scope.tree(other.file).range(of: other.nameToken), "first defined here")])
    } else {
      scope.symbols.types[.init(namespace, name)] = index
    }
  }

  private mutating func setFileIdentifier(_ token: TokenIndex, _ file: Int) {
    guard let value = scope.tree(file).stringValue(of: token) else { return }
    guard value.utf8.count == 4 else {
      let count = value.utf8.count
      return scope.error(
        .wrongFileIdentifier, "a file identifier has exactly 4 bytes, and this one has \(count)",
        at: scope.tree(file).range(of: token),
        advice: value.count == 4 ? "each letter outside ASCII takes several bytes" : "such as \"POST\"")
    }
    scope.schema.files[file].fileIdentifier = value
    scope.schema.files[file].fileIdentifierRange = scope.tree(file).range(of: token)
  }

  private mutating func open(_ name: TokenSpan?, _ tree: SyntaxTree, _ file: Int) -> Int {
    guard let name else { return 0 }
    if (name.last - name.first) / 2 >= Parser.maximumDepth {
      scope.error(
        .nestedTooDeeply, "a namespace can have at most \(Parser.maximumDepth) parts", at: tree.range(of: name),
        advice: "shorten it")
      return 0
    }
    var namespace = 0
    for token in name.components {
      let id = scope.intern(tree.bytes(of: token))
      namespace = scope.symbols.namespaces.open(
        id, scope.symbols.names.strings[id], in: namespace, at: tree.range(of: token))
      scope.schema.files[file].namespaceParts.append(
        .init(namespace: scope.symbols.namespaces.components[namespace], range: tree.range(of: token)))
    }
    return namespace
  }

  private mutating func defineService(_ node: ServiceSyntax, _ file: Int, _ namespace: Int) {
    let name = scope.intern(scope.tree(file).bytes(of: node.name))
    let range = scope.tree(file).range(of: node.name)
    if let first = services.updateValue(range, forKey: .init(namespace, name)) {
      services[.init(namespace, name)] = first
      return scope.error(
        .duplicateDefinition, "service `\(scope.symbols.names.strings[name])` is defined twice", at: range,
        advice: "rename one",
        labels: [.init(first, "first defined here")])
    }
    pending.services.append(.init(file: file, namespace: namespace, syntax: node))
  }
}

/// Statements that name definitions, and so wait until all of these are known.
struct PendingStatements {
  struct Root {
    let file: Int
    let namespace: Int
    let name: TokenSpan
  }

  struct Service {
    let file: Int
    let namespace: Int
    let syntax: ServiceSyntax
  }

  /// A JSON object.
  struct Object {
    let file: Int
    let namespace: Int
    let span: TokenSpan
  }

  var roots: [Root] = []
  var services: [Service] = []
  var objects: [Object] = []
}
