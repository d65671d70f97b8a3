import FBSParser

// What concerns a file as a whole: root types, services, JSON objects.

extension Resolver {
  mutating func resolveRoot(_ name: TokenSpan, in namespace: Int, of file: Int) {
    // The last one counts, and so does its being wrong.
    if let earlier = schema.files[file].rootTypeRange {
      report(
        .repeatedRootType, .warning, "the file has another root type already: the last one counts",
        at: tree(file).range(of: name), advice: "remove one of them", labels: [.init(earlier, "given here before")])
    }
    schema.files[file].rootTable = nil
    guard let found = resolve(name, from: namespace, in: file) else { return }
    let range = tree(file).range(of: name)
    guard case .table(let id) = found.id else {
      return error(
        .wrongRootType, "a root type is a table, and `\(tree(file).text(of: name))` is \(found.id.kindName)", at: range,
        advice: "name a table", labels: [.init(tree(found.file).range(of: found.nameToken), "defined here")])
    }
    schema.files[file].rootTable = id
    schema.files[file].rootTypeRange = range
  }

  mutating func resolveService(_ node: ServiceSyntax, in namespace: Int, of file: Int) {
    let tree = tree(file)
    let place = Definition(
      file: file, namespace: namespace, name: intern(tree.bytes(of: node.name)), nameToken: node.name,
      id: .table(TableID(0)), syntax: .service(node))
    let declaration = declaration(node.keyword, node.name, node.attributes, on: .service, place)
    var methods: [ServiceDefinition.Method] = []
    var seen: [Int: TokenIndex] = [:]
    for index in node.methods {
      let syntax = tree.methods[index]
      let name = intern(tree.bytes(of: syntax.name))
      if let first = seen[name] {
        duplicateMember(
          "service `\(names.strings[place.name])` has two methods `\(names.strings[name])`",
          at: tree.range(of: syntax.name), first: tree.range(of: first))
        continue
      }
      seen[name] = syntax.name
      let own = self.declaration(syntax.name, syntax.name, syntax.attributes, on: .method, place)
      let request = methodType(syntax.request, namespace, file)
      guard let response = methodType(syntax.response, namespace, file), let request else { continue }
      methods.append(.init(name: names.strings[name], request: request, response: response, declaration: own))
    }
    schema.files[file].services.append(ServiceID(schema.services.count))
    schema.services.append(
      ServiceDefinition(name: qualifiedName(place), methods: methods, declaration: declaration))
  }

  private mutating func methodType(_ span: TokenSpan, _ namespace: Int, _ file: Int) -> TableID? {
    guard let found = resolve(span, from: namespace, in: file) else { return nil }
    if case .table(let id) = found.id { return id }
    error(
      .wrongType, "methods take and give tables, and `\(tree(file).text(of: span))` is \(found.id.kindName)",
      at: tree(file).range(of: span), advice: "name a table")
    return nil
  }
}
