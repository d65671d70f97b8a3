import FBSDiagnostics
import FBSParser

/// Resolves what concerns a file as a whole: root types and services.
struct FileStage {
  let scope: ResolutionScope
  private let attributes: AttributeReader

  init(_ scope: ResolutionScope) {
    self.scope = scope
    attributes = AttributeReader(scope: scope)
  }

  func run(_ pending: PendingStatements) {
    for service in pending.services { resolveService(service.syntax, in: service.namespace, of: service.file) }
    for root in pending.roots { resolveRoot(root.name, in: root.namespace, of: root.file) }
  }

  private func resolveRoot(_ name: TokenSpan, in namespace: Int, of file: Int) {
    // The last statement counts, even if it is wrong.
    if let earlier = scope.schema.files[file].rootTypeRange {
      scope.report(
        .repeatedRootType, .warning, "the file has another root type already: the last one counts",
        at: scope.tree(file).range(of: name), advice: "remove one of them",
        labels: [.init(earlier, "given here before")])
    }
    scope.schema.files[file].rootTable = nil
    guard let found = scope.resolve(name, from: namespace, in: file) else { return }
    let range = scope.tree(file).range(of: name)
    guard case .table(let id) = found.id else {
      return scope.error(
        .wrongRootType, "a root type is a table, and `\(scope.tree(file).text(of: name))` is \(found.id.kindName)",
        at: range,
        advice: "name a table", labels: [.init(scope.tree(found.file).range(of: found.nameToken), "defined here")])
    }
    scope.schema.files[file].rootTable = id
    scope.schema.files[file].rootTypeRange = range
  }

  private func resolveService(_ node: ServiceSyntax, in namespace: Int, of file: Int) {
    let tree = scope.tree(file)
    let place = UnresolvedDefinition(
      file: file, namespace: namespace, name: scope.intern(tree.bytes(of: node.name)), nameToken: node.name,
      id: .table(TableID(0)), syntax: .service(node))
    let declaration = attributes.declaration(
      node.keyword, node.name, node.attributes, on: .service, in: tree, file)
    var methods: [ServiceDefinition.Method] = []
    var seen: [Int: TokenIndex] = [:]
    for index in node.methods {
      let syntax = tree.methods[index]
      let name = scope.intern(tree.bytes(of: syntax.name))
      if let first = seen[name] {
        scope.duplicateMember(
          "service `\(scope.symbols.names.strings[place.name])` has two methods `\(scope.symbols.names.strings[name])`",
          at: tree.range(of: syntax.name), first: tree.range(of: first))
        continue
      }
      seen[name] = syntax.name
      let own = attributes.declaration(syntax.name, syntax.name, syntax.attributes, on: .method, in: tree, file)
      let request = methodType(syntax.request, namespace, file)
      guard let response = methodType(syntax.response, namespace, file), let request else { continue }
      methods.append(
        .init(name: scope.symbols.names.strings[name], request: request, response: response, declaration: own))
    }
    scope.schema.files[file].services.append(ServiceID(scope.schema.services.count))
    scope.schema.services.append(
      ServiceDefinition(name: scope.qualifiedName(place), methods: methods, declaration: declaration))
  }

  private func methodType(_ span: TokenSpan, _ namespace: Int, _ file: Int) -> TableID? {
    guard let found = scope.resolve(span, from: namespace, in: file) else { return nil }
    if case .table(let id) = found.id { return id }
    scope.error(
      .wrongType, "methods take and give tables, and `\(scope.tree(file).text(of: span))` is \(found.id.kindName)",
      at: scope.tree(file).range(of: span), advice: "name a table")
    return nil
  }
}
