import FBSParser

/// Binds the names of all files and computes what their definitions mean.
///
/// First every definition is given its name and its id; then enums, structs, unions, tables and services are resolved, in this
/// order, so that what one needs of another is known.
struct Resolver {
  let files: [LoadedFile]
  let order: [Int]
  let visibility: Visibility

  var schema = Schema()
  var diagnostics: [Diagnostic] = []

  var names = NameTable()
  var namespaces = NamespaceTable()
  /// All definitions, in the order in which they were read.
  var definitions: [Definition] = []
  private var types: [NamespaceTable.Pair: Int] = [:]
  private var services: [NamespaceTable.Pair: SourceRange] = [:]
  private var pendingServices: [PendingService] = []
  private(set) var pendingRoots: [PendingRoot] = []
  private var objects: [(file: Int, namespace: Int, span: TokenSpan)] = []
  /// What checking JSON objects has found out about the types that they use.
  var shapes = ObjectShapes()
  /// What the values of an object mean, for who encodes it. Nothing if the object is only checked.
  var recording: ObjectRecording?
  /// Whether an object may have fields that its table does not have.
  var ignoresUnknownFields = false
  /// Where the text of a file is first at fault: what stands before may lack declarations.
  let faults: [FileID: Int]
  /// The declarations of attributes, by name.
  var declaredAttributes: [String: [(file: Int, token: TokenIndex)]] = [:]
  /// By name: how many definitions have it.
  private var typeCounts: [Int] = []
  /// Marks for finding duplicates: which definition a name was seen in last, and as which member.
  var lastSeen: [(definition: Int, member: Int)] = []
  /// Where each file stands in `order`.
  var placeOfFile: [Int]
  /// Enums with a value that is wrong, which is reported: what they lack may not be missing.
  var incompleteEnums: Set<EnumID> = []
  /// The types of enums' numbers, by the places of the enums among the definitions.
  var underlyingTypes: [Int: ScalarType] = [:]
  /// The enums that defaults have asked for.
  var enumIndexes: [EnumID: EnumIndex] = [:]
  private var counts = (tables: 0, structs: 0, enums: 0, unions: 0)
  /// Looking for what a name may be a slip of takes time in proportion to the schema, and so has its limit.
  var suggestionsLeft = 100

  /// Something that a file defines, not yet resolved.
  struct Definition {
    let file: Int
    let namespace: Int
    let name: Int
    let nameToken: TokenIndex
    let id: DefinitionID
    let syntax: ItemSyntax

    /// The type of an enum's numbers or a union's codes, in `SyntaxTree.types`, if one is written.
    var numberType: Int? {
      switch syntax {
      case .enumeration(let node): node.type
      case .union(let node): node.type
      default: nil
      }
    }
  }

  private struct PendingService {
    let file: Int
    let namespace: Int
    let syntax: ServiceSyntax
  }

  struct PendingRoot {
    let file: Int
    let namespace: Int
    let name: TokenSpan
  }

  init(files: [LoadedFile], order: [Int], faults: [FileID: Int]) {
    self.faults = faults
    self.files = files
    self.order = order
    self.visibility = Visibility(files)
    self.placeOfFile = Array(repeating: 0, count: files.count)
    for (place, file) in order.enumerated() { placeOfFile[file] = place }
    for builtin in BuiltinType.names { _ = names.intern(Array(builtin.name.utf8)[...]) }
  }

  mutating func run() {
    schema.files = files.indices.map { index in
      SchemaFile(id: FileID(index), path: files[index].path, isInput: files[index].isInput)
    }
    for file in files.indices { schema.files[file].includes = files[file].includes.map { FileID($0) } }
    for file in order { collect(file) }
    for definition in definitions { typeCounts[definition.name] += 1 }
    resolveEnums()
    resolveStructs()
    resolveUnions()
    resolveTables()
    for service in pendingServices { resolveService(service.syntax, in: service.namespace, of: service.file) }
    for root in pendingRoots { resolveRoot(root.name, in: root.namespace, of: root.file) }
    for object in objects { checkObject(object.span, in: object.namespace, of: object.file) }
  }

  func tree(_ file: Int) -> SyntaxTree { files[file].tree }

  mutating func report(
    _ code: DiagnosticCode, _ severity: Severity = .error, _ message: String, at range: SourceRange,
    advice: String = "", labels: [Diagnostic.Label] = [], notes: [String] = [], fixes: [Diagnostic.Fix] = []
  ) {
    diagnostics.append(
      Diagnostic(code, severity, message, at: range, advice: advice, labels: labels, notes: notes, fixes: fixes))
  }

  mutating func error(
    _ code: DiagnosticCode, _ message: String, at range: SourceRange, advice: String = "",
    labels: [Diagnostic.Label] = [], notes: [String] = [], fixes: [Diagnostic.Fix] = []
  ) {
    report(code, .error, message, at: range, advice: advice, labels: labels, notes: notes, fixes: fixes)
  }

  mutating func intern(_ bytes: ArraySlice<UInt8>) -> Int {
    let id = names.intern(bytes)
    while lastSeen.count <= id {
      lastSeen.append((-1, -1))
      typeCounts.append(0)
    }
    return id
  }
}

// MARK: - Collecting

extension Resolver {
  private mutating func collect(_ file: Int) {
    let tree = tree(file)
    var namespace = 0
    for item in tree.items {
      switch item {
      case .include:
        break
      case .namespace(let name):
        namespace = open(name, tree)
      case .attribute(let token):
        guard let text = attributeName(token, tree) else { break }
        schema.files[file].declaredAttributes.append(text)
        declaredAttributes[text, default: []].append((file, token))
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
        pendingRoots.append(PendingRoot(file: file, namespace: namespace, name: name))
      case .fileIdentifier(let token):
        setFileIdentifier(token, file)
      case .fileExtension(let token):
        schema.files[file].fileExtension = tree.stringValue(of: token)
      case .service(let node):
        defineService(node, file, namespace)
      case .object(let span):
        objects.append((file, namespace, span))
      }
    }
  }

  private mutating func define(
    _ syntax: ItemSyntax, _ nameToken: TokenIndex, _ id: DefinitionID, _ file: Int, _ namespace: Int
  ) {
    let name = intern(tree(file).bytes(of: nameToken))
    let index = definitions.count
    definitions.append(
      Definition(file: file, namespace: namespace, name: name, nameToken: nameToken, id: id, syntax: syntax))
    schema.files[file].definitions.append(id)
    if let first = types[.init(namespace, name)] {
      let other = definitions[first]
      error(
        .duplicateDefinition, "`\(qualifiedName(other))` is defined twice", at: tree(file).range(of: nameToken),
        advice: "rename one", labels: [.init(tree(other.file).range(of: other.nameToken), "first defined here")])
    } else {
      types[.init(namespace, name)] = index
    }
  }

  private mutating func setFileIdentifier(_ token: TokenIndex, _ file: Int) {
    guard let value = tree(file).stringValue(of: token) else { return }
    guard value.utf8.count == 4 else {
      let count = value.utf8.count
      return error(
        .wrongFileIdentifier, "a file identifier has exactly 4 bytes, and this one has \(count)",
        at: tree(file).range(of: token),
        advice: value.count == 4 ? "each letter outside ASCII takes several bytes" : "such as \"POST\"")
    }
    schema.files[file].fileIdentifier = value
  }

  private mutating func open(_ name: TokenSpan?, _ tree: SyntaxTree) -> Int {
    guard let name else { return 0 }
    if (name.last - name.first) / 2 >= Parser.maximumDepth {
      error(
        .nestedTooDeeply, "a namespace can have at most \(Parser.maximumDepth) parts", at: tree.range(of: name),
        advice: "shorten it")
      return 0
    }
    var namespace = 0
    for token in name.components {
      let id = intern(tree.bytes(of: token))
      namespace = namespaces.open(id, names.strings[id], in: namespace, at: tree.range(of: token))
    }
    return namespace
  }

  private mutating func defineService(_ node: ServiceSyntax, _ file: Int, _ namespace: Int) {
    let name = intern(tree(file).bytes(of: node.name))
    let range = tree(file).range(of: node.name)
    if let first = services.updateValue(range, forKey: .init(namespace, name)) {
      services[.init(namespace, name)] = first
      return error(
        .duplicateDefinition, "service `\(names.strings[name])` is defined twice", at: range, advice: "rename one",
        labels: [.init(first, "first defined here")])
    }
    pendingServices.append(PendingService(file: file, namespace: namespace, syntax: node))
  }
}

// MARK: - Names

extension Resolver {
  func qualifiedName(_ definition: Definition) -> QualifiedName {
    QualifiedName(namespace: namespaces.components[definition.namespace], name: names.strings[definition.name])
  }

  func type(_ name: Int, in namespace: Int) -> Int? { types[.init(namespace, name)] }

  /// Whether any definition anywhere has the name: most have not, and need no look-up.
  func mayBeType(_ name: Int) -> Bool { typeCounts[name] > 0 }

  /// What a path means, from the innermost namespace outwards.
  func lookUp(_ components: [Int], from namespace: Int, in file: Int) -> (found: Int?, hidden: Int?) {
    guard let last = components.last else { return (nil, nil) }
    var hidden: Int?
    var outer = namespace
    while outer >= 0 {
      var current: Int? = outer
      for component in components.dropLast() {
        current = current.flatMap { namespaces.child(component, of: $0) }
      }
      if let current, let found = types[.init(current, last)] {
        if visibility.canSee(definitions[found].file, from: file) { return (found, hidden) }
        hidden = hidden ?? found
      }
      outer = namespaces.parents[outer]
    }
    return (nil, hidden)
  }

  /// The definition that a path names. If there is none, says so.
  mutating func resolve(_ span: TokenSpan, from namespace: Int, in file: Int) -> Definition? {
    resolveIndex(span, from: namespace, in: file).map { definitions[$0] }
  }

  /// The place of the definition that a path names. If there is none, says so.
  mutating func resolveIndex(_ span: TokenSpan, from namespace: Int, in file: Int) -> Int? {
    let tree = tree(file)
    var components: [Int] = []
    for token in span.components {
      // The lexer has said that it is no type.
      if tree.tokens[token].isMalformed { return nil }
      guard let id = names.find(tree.bytes(of: token)) else { break }
      components.append(id)
    }
    var hidden: Int?
    if components.count == (span.last - span.first) / 2 + 1 {
      let (found, invisible) = lookUp(components, from: namespace, in: file)
      if let found {
        warnIfAmbiguous(components, found, span, from: namespace, in: file)
        return found
      }
      hidden = invisible
    }
    // Without the blanks and comments that may stand in it.
    let text = span.components.map { tree.text(of: $0) }.joined(separator: ".")
    let range = tree.range(of: span)
    reportUnknown(text, at: range, name: range, from: namespace, in: file, hidden: hidden)
    return nil
  }

  /// Other compilers may take another definition, further out, for what a name means: if the one that we take has not been
  /// declared yet, or if theirs is an enum or union, which they look for first.
  private mutating func warnIfAmbiguous(
    _ components: [Int], _ found: Int, _ span: TokenSpan, from namespace: Int, in file: Int
  ) {
    guard typeCounts[definitions[found].name] > 1 else { return }
    let definition = definitions[found]
    let isForward =
      definition.file == file
      ? definition.nameToken > span.first : placeOfFile[definition.file] > placeOfFile[file]
    var outer = namespace
    while outer >= 0 {
      var current: Int? = outer
      for component in components.dropLast() { current = current.flatMap { namespaces.child(component, of: $0) } }
      outer = namespaces.parents[outer]
      guard let current, let other = types[.init(current, components[components.count - 1])], other != found,
        visibility.canSee(definitions[other].file, from: file)
      else { continue }
      guard isForward || (definition.id.isStructure && !definitions[other].id.isStructure) else { continue }
      let tree = tree(file)
      return report(
        .ambiguousName, .warning,
        "`\(tree.text(of: span))` is `\(qualifiedName(definition))` here, and flatc may take `\(qualifiedName(definitions[other]))`",
        at: tree.range(of: span), advice: "write the one that is meant with its namespace, or rename one",
        labels: [
          .init(self.tree(definition.file).range(of: definition.nameToken), "this one is taken"),
          .init(self.tree(definitions[other].file).range(of: definitions[other].nameToken), "and not this one"),
        ])
    }
  }

  /// How to write a name that is defined somewhere: with its namespace, if it is not found without.
  private func reference(to name: String, from namespace: Int, in file: Int) -> String {
    guard let id = names.find(Array(name.utf8)[...]), id >= BuiltinType.names.count,
      lookUp([id], from: namespace, in: file).found == nil,
      let other = definitions.first(where: { $0.name == id && visibility.canSee($0.file, from: file) })
    else { return name }
    return qualifiedName(other).description
  }

  /// - Parameter name: Where the name stands, as it is in the text: what a fix may replace.
  mutating func reportUnknown(
    _ text: String, at range: SourceRange, name: SourceRange?, from namespace: Int, in file: Int,
    hidden: Int?
  ) {
    if let hidden {
      let definition = definitions[hidden]
      let path = files[definition.file].path
      return error(
        .unknownType, "`\(text)` is defined in \(path), which this file does not include", at: range,
        advice: "add an `include` of it",
        labels: [.init(tree(definition.file).range(of: definition.nameToken), "defined here")])
    }
    if let name = names.find(Array(text.utf8)[...]), name < BuiltinType.names.count {
      return error(
        .wrongType, "`\(text)` cannot stand here: a type that the schema defines is due", at: range,
        advice: "name a table")
    }
    guard suggestionsLeft > 0 else { return error(.unknownType, "`\(text)` is not defined", at: range) }
    suggestionsLeft -= 1
    let last = text.split(separator: ".").last.map(String.init) ?? text
    // The very name in another namespace is a better guess than a similar one.
    if let id = names.find(Array(last.utf8)[...]), mayBeType(id),
      let other = definitions.first(where: { $0.name == id && visibility.canSee($0.file, from: file) })
    {
      return error(
        .unknownType, "`\(text)` is not defined", at: range, advice: "did you mean `\(qualifiedName(other))`?",
        labels: [.init(tree(other.file).range(of: other.nameToken), "defined here")],
        fixes: name.map { [.replace($0, with: qualifiedName(other).description)] } ?? [])
    }
    var candidates = BuiltinType.names.map(\.name)
    for definition in definitions.prefix(2000) where visibility.canSee(definition.file, from: file) {
      candidates.append(names.strings[definition.name])
    }
    // Unless it is a slip of a definition's name.
    if let foreign = ForeignTypes.replacement(for: last), text == last,
      nearestName(to: last, in: candidates.dropFirst(BuiltinType.names.count)) == nil
    {
      return error(
        .unknownType, "`\(text)` is not defined", at: range, advice: foreign.advice,
        // So are definitions called.
        notes: text.first?.isUppercase == true ? ["or define it, or include the file that does"] : [],
        fixes: foreign.name.flatMap { type in name.map { [.replace($0, with: type)] } } ?? [])
    }
    let near = nearestName(to: last, in: candidates).map { reference(to: $0, from: namespace, in: file) }
    error(
      .unknownType, "`\(text)` is not defined", at: range,
      advice: near.map { "did you mean `\($0)`?" } ?? "",
      notes: near == nil ? ["define it, or include the file that does"] : [],
      fixes: near.flatMap { near in name.map { [.replace($0, with: near)] } } ?? [])
  }
}
