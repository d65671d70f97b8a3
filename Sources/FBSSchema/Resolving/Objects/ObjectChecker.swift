import FBSDiagnostics
import FBSParser

/// The context of a value of a JSON object.
struct ObjectContext {
  /// The number of enclosing tables and structs.
  var depth = 0
  /// The namespace in which names of enums are looked up.
  var namespace: Int
  let file: Int
}

/// The purpose of a value.
struct ValuePlace {
  let member: ObjectShape.Member
  var isElement = false

  var subject: String { isElement ? "an element of `\(member.name)`" : "`\(member.name)`" }
  var labels: [Diagnostic.Label] { [.init(member.range, "defined here")] }
}

/// Checks JSON objects, the one that may stand last in a file or one of its own: their tables and structs.
struct ObjectChecker {
  let scope: ResolutionScope
  /// Whether an object may have fields that its table does not have.
  private let ignoresUnknownFields: Bool
  /// Records what the values of an object mean, for its encoder. Nil if the object is only checked.
  var recording: ObjectRecording?
  /// Whether the object is to be encoded. Then it must verify, and its fields may stand in any order. An object that is
  /// only checked is judged as flatc does.
  var isData: Bool { recording != nil }
  /// The facts about the types that objects use, as far as checking has needed them.
  var shapes = ObjectShapes()

  init(_ scope: ResolutionScope, ignoresUnknownFields: Bool = false) {
    self.scope = scope
    self.ignoresUnknownFields = ignoresUnknownFields
  }

  /// Checks the object that stands last in a file.
  /// - Parameter faults: The offset of the first mistake in the text of each file.
  mutating func check(_ object: PendingStatements.Object, roots: [PendingStatements.Root], faults: [FileID: Int]) {
    let (span, namespace, file) = (object.span, object.namespace, object.file)
    let tree = scope.tree(file)
    let start = tree.range(of: span.first)
    guard roots.contains(where: { $0.file == file }) else {
      return scope.error(
        .objectWithoutRoot, "a JSON object needs a root type, to say what it is", at: start,
        advice: "add `root_type` before it")
    }
    // If declarations could not be read, it is unknown which fields the object lacks or has too many of.
    let isReadable = faults.allSatisfy { $0.key == tree.source.id && $0.value >= start.start }
    guard isReadable, let root = scope.schema.files[file].rootTable, !tree.json.isEmpty else { return }
    startObject()
    let context = ObjectContext(namespace: namespace, file: file)
    checkFields(of: 0, as: shape(of: root), context, tree)
  }

  /// Checks an object that stands in a file of its own. As in flatc, names of enums are looked up in the global
  /// namespace, in the files that the root's file can see.
  /// - Returns: The meaning of its values.
  mutating func check(_ tree: SyntaxTree, as root: TableID) -> ObjectRecording? {
    guard let definition = scope.symbols.definitions.first(where: { $0.id == .table(root) }) else { return nil }
    return record(tree, as: root, ObjectContext(namespace: 0, file: definition.file))
  }

  /// Checks the object that ends a file of a valid schema, to be encoded.
  /// - Returns: The meaning of its values.
  mutating func record(_ object: PendingStatements.Object, as root: TableID) -> ObjectRecording? {
    record(scope.tree(object.file), as: root, ObjectContext(namespace: object.namespace, file: object.file))
  }

  private mutating func record(_ tree: SyntaxTree, as root: TableID, _ context: ObjectContext) -> ObjectRecording? {
    recording = ObjectRecording(count: tree.json.count)
    defer { recording = nil }
    startObject()
    checkFields(of: 0, as: shape(of: root), context, tree)
    return recording
  }

  /// Returns the range where a value starts: its bracket, or all of it if it has none.
  func startRange(of node: Int, _ tree: SyntaxTree) -> SourceRange {
    guard case .value = tree.json[node].kind else { return tree.range(of: tree.json[node].span.first) }
    return tree.range(of: tree.json[node].span)
  }

  /// Returns whether a value could not be read, which is reported.
  func isReported(_ node: Int, _ tree: SyntaxTree) -> Bool {
    switch tree.json[node].kind {
    case .unreadable: true
    case .value: tree.tokens[tree.json[node].span.first].isMalformed
    case .object, .list: false
    }
  }

  /// Returns whether a value is an unquoted word.
  func isWord(_ word: StaticString, _ node: Int, _ tree: SyntaxTree) -> Bool {
    guard case .value(let index) = tree.json[node].kind, case .token = tree.values[index].kind else { return false }
    return tree.token(tree.json[node].span.first, is: word)
  }

  mutating func reportTooDeep(_ node: Int, _ tree: SyntaxTree) {
    scope.error(
      .nestedTooDeeply, "more than \(Parser.maximumDepth) values stand in one another",
      at: startRange(of: node, tree), advice: "flatten the data")
  }

  /// Checks the fields of an object, or of the list that stands for it. They are bound to members first, so that a
  /// field that describes another one is known when their values are checked.
  mutating func checkFields(of node: Int, as shape: Int, _ context: ObjectContext, _ tree: SyntaxTree) {
    guard context.depth < Parser.maximumDepth else { return reportTooDeep(node, tree) }
    var inner = context
    inner.depth += 1
    let base = shapes.entries.count
    if case .list = tree.json[node].kind {
      bindList(node, shape, tree)
    } else {
      bindObject(node, shape, tree)
    }
    let count = shapes.entries.count
    // The marks belong to this object only until other objects of its type, which may be nested in it, are checked.
    for index in base..<count {
      let place = shapes.entries[index].member
      if let type = shapes.all[shape].members[place].typeMember {
        let mark = shapes.all[shape].marks[type]
        if mark.object == node { shapes.entries[index].typeNode = mark.value }
      } else if shapes.all[shape].members[place].type.isUnionType {
        // A union's type stands before it.
        let value = place + 1
        shapes.entries[index].isValueless =
          shapes.all[shape].marks[value].object != node && !shapes.all[shape].excused.contains(value)
      }
    }
    // Unions are checked last, since their type fields must be known.
    for isForTypes in [true, false] {
      for index in base..<count {
        let entry = shapes.entries[index]
        let member = shapes.all[shape].members[entry.member]
        guard member.type.isUnionType == isForTypes else { continue }
        if let type = member.typeMember {
          let typeName = shapes.all[shape].members[type].name
          checkUnion(entry, member, typeName, isKnown: tree.json[node].isComplete, inner, tree)
        } else {
          check(entry.node, member.type, ValuePlace(member: member), inner, tree)
        }
      }
    }
    for index in base..<count { reportIfValueless(shapes.entries[index], node, shape, tree) }
    shapes.entries.removeLast(count - base)
  }

  private mutating func bindObject(_ node: Int, _ shape: Int, _ tree: SyntaxTree) {
    var isComplete = tree.json[node].isComplete && shapes.all[shape].isComplete
    shapes.all[shape].excused = []
    var unknown: [TokenIndex] = []
    var child = node + 1
    while child < tree.json[node].end {
      defer { child = tree.json[child].end }
      guard let key = tree.json[child].key, !tree.tokens[key].isMalformed else {
        isComplete = false
        continue
      }
      let name = keyBytes(key, tree)
      if name.elementsEqual("$schema".utf8) {
        checkSchemaName(child, tree)
        continue
      }
      guard let member = scope.symbols.names.find(name).flatMap({ shapes.all[shape].places[$0] }) else {
        if shapes.all[shape].isComplete, !ignoresUnknownFields { unknown.append(key) }
        continue
      }
      bind(child, to: member, of: shape, in: node, tree)
    }
    // Now the present fields are known, which an unknown name cannot be a slip of.
    for key in unknown { reportUnknownField(key, node, shape, tree) }
    guard isComplete else { return }
    reportMissing(node, shape, tree)
  }

  private mutating func bindList(_ node: Int, _ shape: Int, _ tree: SyntaxTree) {
    let members = shapes.all[shape].members.count
    var position = 0
    var child = node + 1
    while child < tree.json[node].end {
      guard position < members else {
        if shapes.all[shape].isComplete { reportLength(child, members, shape, isMore: true, tree) }
        return
      }
      if bind(child, to: position, of: shape, in: node, tree) { position += 1 }
      child = tree.json[child].end
    }
    guard position < members, tree.json[node].isComplete, shapes.all[shape].isComplete else { return }
    reportLength(node, members, shape, isMore: false, tree)
  }

  /// Binds a value to a member. Returns false if the value is a `null` that leaves the field out.
  @discardableResult
  private mutating func bind(_ child: Int, to place: Int, of shape: Int, in node: Int, _ tree: SyntaxTree) -> Bool {
    let member = shapes.all[shape].members[place]
    if !member.type.isNumber, isWord("null", child, tree) { return false }
    if let first = shapes.mark(place, of: shape, in: node, value: child) {
      let key = tree.json[child].key ?? tree.json[child].span.first
      scope.error(
        .duplicateField, "`\(member.name)` is set twice", at: tree.range(of: key), advice: "remove one",
        labels: [.init(tree.range(of: tree.json[first].key ?? tree.json[first].span.first), "first set here")],
        fixes: entryRemoval(child, tree))
      return true
    }
    if member.isDeprecated {
      scope.report(
        .deprecatedField, .warning, "`\(member.name)` is deprecated: nothing reads it",
        at: tree.range(of: tree.json[child].key ?? tree.json[child].span.first), advice: "remove it",
        labels: [.init(member.range, "defined here")], fixes: entryRemoval(child, tree))
    }
    shapes.entries.append(.init(node: child, member: place))
    recording?.members[child] = Int32(truncatingIfNeeded: place)
    return true
  }

  /// Returns the content of a key, with its escapes applied.
  func keyBytes(_ key: TokenIndex, _ tree: SyntaxTree) -> ArraySlice<UInt8> {
    let bytes = tree.bytes(of: key)
    guard tree.tokens[key].kind == .string else { return bytes }
    return tree.stringBytes(of: key) ?? []
  }

  /// Returns the edit that removes a field's value with its name. Nil in a list, where the others would move up.
  func entryRemoval(_ node: Int, _ tree: SyntaxTree) -> [Diagnostic.Fix] {
    guard let key = tree.json[node].key, !isReported(node, tree),
      let range = tree.removal(of: TokenSpan(key, tree.json[node].span.last))
    else { return [] }
    return [.remove(tree.text(of: key), at: range)]
  }

  private mutating func checkSchemaName(_ node: Int, _ tree: SyntaxTree) {
    if case .value(let index) = tree.json[node].kind, case .token = tree.values[index].kind,
      tree.tokens[tree.json[node].span.first].kind == .string
    {
      return
    }
    if isReported(node, tree) { return }
    scope.error(
      .wrongValue, "`$schema` names a schema, in quotes", at: startRange(of: node, tree),
      advice: "write a string, or remove it")
  }
}

extension ShapeType {
  var isUnionType: Bool {
    switch self {
    case .unionCode, .list(of: .unionCode, _): true
    default: false
    }
  }
}

// MARK: - Missing and unknown fields

extension ObjectChecker {
  private mutating func reportUnknownField(_ key: TokenIndex, _ node: Int, _ shape: Int, _ tree: SyntaxTree) {
    let text = String(decoding: keyBytes(key, tree), as: UTF8.self)
    let kind = shapes.all[shape].isStruct ? "struct" : "table"
    var near: String?
    if scope.suggestionsLeft > 0 {
      scope.suggestionsLeft -= 1
      let marks = shapes.all[shape].marks
      let absent = zip(shapes.all[shape].members, marks).lazy.filter { $1.object != node }
      near = nearestName(to: text, in: absent.map(\.0.name).prefix(1000))
    }
    // The unknown field is taken for this one, which then is not missing.
    if let near, let member = scope.symbols.names.find(Array(near.utf8)[...]).flatMap({ shapes.all[shape].places[$0] })
    {
      shapes.all[shape].excused.insert(member)
    }
    scope.error(
      .unknownField, "\(kind) `\(shapes.all[shape].name)` has no field `\(text)`", at: tree.range(of: key),
      advice: near.map { "did you mean `\($0)`?" } ?? "remove it, or add it to the \(kind)",
      labels: [.init(shapes.all[shape].range, "the \(kind) is defined here")],
      fixes: near.map { [.replace(tree.range(of: key), with: $0)] } ?? [])
  }

  private mutating func reportMissing(_ node: Int, _ shape: Int, _ tree: SyntaxTree) {
    let excused = shapes.all[shape].excused
    let range = startRange(of: node, tree)
    if shapes.all[shape].isStruct {
      let missing = shapes.all[shape].members.indices.filter {
        shapes.all[shape].marks[$0].object != node && !excused.contains($0)
      }
      guard let first = missing.first else { return }
      let names = missing.prefix(5).map { "`\(shapes.all[shape].members[$0].name)`" }.joined(separator: ", ")
      let more = missing.count > 5 ? " and \(missing.count - 5) more" : ""
      return scope.error(
        .incompleteStruct,
        "struct `\(shapes.all[shape].name)` needs all its fields, and \(names)\(more) \(missing.count == 1 ? "is" : "are") missing",
        at: range, advice: "add \(missing.count == 1 ? "it" : "them")",
        labels: [.init(shapes.all[shape].members[first].range, "defined here")],
        notes: ["fields of structs have no defaults, and cannot be null"])
    }
    for member in shapes.all[shape].required
    where shapes.all[shape].marks[member].object != node && !excused.contains(member) {
      let field = shapes.all[shape].members[member]
      scope.error(
        .missingField, "`\(field.name)` is missing, which every `\(shapes.all[shape].name)` needs", at: range,
        advice: "add it", labels: [.init(field.range, "defined here")])
    }
  }

  private mutating func reportLength(_ node: Int, _ members: Int, _ shape: Int, isMore: Bool, _ tree: SyntaxTree) {
    let shape = shapes.all[shape]
    scope.error(
      .wrongLength,
      "a list that stands for `\(shape.name)` gives all its \(members) fields, and this one has \(isMore ? "more" : "fewer")",
      at: startRange(of: node, tree), advice: "write `{ name: value }` to tell them apart",
      labels: [.init(shape.range, "defined here")],
      notes: ["a union's type counts as a field, and `null` in place of an object or string does not count"])
  }
}
