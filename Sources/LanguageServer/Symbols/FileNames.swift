import FBSDiagnostics
import FBSParser
import FBSSchema

/// The names of types, fields, values, members, services and methods in one file, each with its symbol.
///
/// Unresolved names have no symbol, and are left out.
struct FileNames {
  private let file: FileID
  private let tree: SyntaxTree
  private let schema: Schema
  private let known: [QualifiedName: DefinitionID]
  /// The occurrences of names, in the order of the text.
  private(set) var occurrences: [NameOccurrence] = []

  init(_ file: FileID, tree: SyntaxTree, schema: Schema, known: [QualifiedName: DefinitionID]? = nil) {
    self.file = file
    self.tree = tree
    self.schema = schema
    self.known = known ?? schema.definitionsByName
    collect()
    occurrences.sort { ($0.range.start, $0.range.end) < ($1.range.start, $1.range.end) }
  }

  /// Returns the name that contains an offset or ends there; nil if there is none.
  func occurrence(at offset: Int) -> NameOccurrence? {
    occurrences.first { $0.range.start <= offset && offset <= $0.range.end }
  }

  private mutating func collect() {
    // The definitions by the offsets of their names.
    var definitions: [Int: DefinitionID] = [:]
    var services: [Int: ServiceID] = [:]
    for definition in schema[file].definitions {
      definitions[schema.declaration(of: definition).nameRange.start] = definition
    }
    for service in schema[file].services { services[schema[service].declaration.nameRange.start] = service }
    for item in tree.items {
      switch item {
      case .table(let node), .structure(let node):
        guard let id = definitions[start(node.name)] else { continue }
        declare(.definition(id), node.name)
        collectFields(node, of: id)
      case .enumeration(let node):
        guard let id = definitions[start(node.name)], case .enumeration(let enumeration) = id else { continue }
        declare(.definition(id), node.name)
        for (index, value) in schema[enumeration].names.enumerated() {
          add(.enumValue(enumeration, index), value.declaration.nameRange, isDeclaration: true)
        }
      case .union(let node):
        guard let id = definitions[start(node.name)], case .union(let union) = id else { continue }
        declare(.definition(id), node.name)
        collectMembers(node, of: union)
      case .service(let node):
        guard let id = services[start(node.name)] else { continue }
        declare(.service(id), node.name)
        collectMethods(node, of: id)
      case .rootType(let name):
        if let root = schema[file].rootTable { refer(to: .definition(.table(root)), name.last) }
      case .include, .namespace, .attribute, .fileIdentifier, .fileExtension, .object: break
      }
    }
  }

  // MARK: Parts

  private mutating func collectFields(_ node: StructureSyntax, of id: DefinitionID) {
    let namespace = schema.name(of: id).namespace
    var symbols: [Int: (symbol: NamedSymbol, type: DefinitionID?, isString: Bool)] = [:]
    switch id {
    case .table(let table):
      for (index, field) in schema[table].fields.enumerated() {
        symbols[field.declaration.nameRange.start] = (
          .field(table, index), field.type.definition, field.type == .string
        )
      }
    case .structure(let structure):
      for (index, field) in schema[structure].fields.enumerated() {
        symbols[field.declaration.nameRange.start] = (.structField(structure, index), field.type.definition, false)
      }
    case .enumeration, .union: return
    }
    for index in node.fields {
      let syntax = tree.fields[index]
      guard let (symbol, type, isString) = symbols[start(syntax.name)] else { continue }
      declare(symbol, syntax.name)
      if let type { refer(to: .definition(type), lastToken(ofType: syntax.type)) }
      // The default of a string is a text, whatever names it holds.
      if let value = syntax.value, !isString { collectDefault(value, type: type, namespace) }
      for attribute in syntax.attributes { collectAttribute(tree.attributes[attribute], namespace) }
    }
  }

  private mutating func collectMembers(_ node: UnionSyntax, of union: UnionID) {
    var members: [Int: Int] = [:]
    for (index, member) in schema[union].members.enumerated() { members[member.declaration.nameRange.start] = index }
    for index in node.members {
      let syntax = tree.unionMembers[index]
      // The name of a member without an alias is that of its type, with its namespace or without.
      guard let member = members[start(syntax.name.first)] ?? members[start(syntax.name.last)] else { continue }
      if syntax.type != nil { declare(.unionMember(union, member), syntax.name.last) }
      guard let type = schema[union].members[member].type.definition else { continue }
      refer(to: .definition(type), syntax.type.map(lastToken) ?? syntax.name.last)
    }
  }

  private mutating func collectMethods(_ node: ServiceSyntax, of service: ServiceID) {
    var methods: [Int: Int] = [:]
    for (index, method) in schema[service].methods.enumerated() { methods[method.declaration.nameRange.start] = index }
    for index in node.methods {
      let syntax = tree.methods[index]
      guard let method = methods[start(syntax.name)] else { continue }
      declare(.method(service, method), syntax.name)
      refer(to: .definition(.table(schema[service].methods[method].request)), syntax.request.last)
      refer(to: .definition(.table(schema[service].methods[method].response)), syntax.response.last)
    }
  }

  /// Collects the names of an enum's values in a default: `Red`, `Color.Red`, `"Red Blue"` or `"Color.Red"`.
  private mutating func collectDefault(_ value: Int, type: DefinitionID?, _ namespace: [String]) {
    let span = tree.values[value].span
    let range = tree.range(of: span)
    var bytes = tree.source.bytes[range.start..<range.end]
    if tree.tokens[span.first].kind == .string {
      guard span.first == span.last, !bytes.contains(UInt8(ascii: "\\")) else { return }
      bytes = bytes.dropFirst().dropLast()
    }
    for word in bytes.split(separator: UInt8(ascii: " ")) {
      let parts = word.split(separator: UInt8(ascii: "."))
      guard let name = parts.last else { continue }
      let path = parts.dropLast().map { String(decoding: $0, as: UTF8.self) }
      var enumeration: EnumID?
      if case .enumeration(let id) = type { enumeration = id }
      if !path.isEmpty, case .enumeration(let id) = schema.definition(named: path, from: namespace, in: known) {
        enumeration = id
        if let owner = parts.dropLast().last {
          refer(to: .definition(.enumeration(id)), owner.startIndex, owner.endIndex)
        }
      }
      guard let enumeration else { continue }
      let text = String(decoding: name, as: UTF8.self)
      guard let index = schema[enumeration].names.firstIndex(where: { $0.name == text }) else { continue }
      refer(to: .enumValue(enumeration, index), name.startIndex, name.endIndex)
    }
  }

  /// Collects the name of a table in `nested_flatbuffer: "N.T"`.
  private mutating func collectAttribute(_ attribute: AttributeSyntax, _ namespace: [String]) {
    guard tree.token(attribute.name, is: "nested_flatbuffer"), let value = attribute.value else { return }
    let token = tree.values[value].span.first
    guard tree.tokens[token].kind == .string, let text = tree.stringValue(of: token) else { return }
    let path = text.split(separator: ".").map(String.init)
    guard let name = path.last, let id = schema.definition(named: path, from: namespace, in: known) else { return }
    let end = Int(tree.tokens[token].end) - 1
    let start = end - name.utf8.count
    // A string with escapes does not contain the name literally.
    guard start > Int(tree.tokens[token].start), tree.source.bytes[start..<end].elementsEqual(name.utf8) else { return }
    refer(to: .definition(id), start, end)
  }

  // MARK: Adding

  private func start(_ token: TokenIndex) -> Int { Int(tree.tokens[token].start) }

  private func lastToken(ofType index: Int) -> TokenIndex {
    var index = index
    while case .list(let element, _) = tree.types[index].kind { index = element }
    return tree.types[index].span.last
  }

  private mutating func declare(_ symbol: NamedSymbol, _ token: TokenIndex) {
    add(symbol, tree.range(of: token), isDeclaration: true)
  }

  private mutating func refer(to symbol: NamedSymbol, _ token: TokenIndex) {
    add(symbol, tree.range(of: token), isDeclaration: false)
  }

  private mutating func refer(to symbol: NamedSymbol, _ start: Int, _ end: Int) {
    add(symbol, SourceRange(file: file, start: start, end: end), isDeclaration: false)
  }

  private mutating func add(_ symbol: NamedSymbol, _ range: SourceRange, isDeclaration: Bool) {
    occurrences.append(NameOccurrence(symbol: symbol, range: range, isDeclaration: isDeclaration))
  }
}
