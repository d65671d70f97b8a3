import FBSDiagnostics
import FBSParser

// Checks of values whose type another field tells, and of values that are read before their type is known.

extension ObjectChecker {
  /// Checks the value of a union, or of a vector of unions. `isKnown` says whether all fields beside it could be read.
  mutating func checkUnion(
    _ entry: ObjectShapes.Entry, _ member: ObjectShape.Member, _ typeName: String, isKnown: Bool,
    _ context: ObjectContext, _ tree: SyntaxTree
  ) {
    let node = entry.node
    let place = ValuePlace(member: member)
    let isVector: Bool
    let id: UnionID
    switch member.type {
    case .union(let union): (isVector, id) = (false, union)
    case .list(of: .union(let union), _): (isVector, id) = (true, union)
    default: return
    }
    if isVector {
      guard case .list = tree.json[node].kind else { return reportWrong(node, member.type, place, tree) }
      // For flatc, an empty list needs no types. But without types, its output does not verify.
      if !isData, tree.json[node].end == node + 1 { return }
    }
    let key = tree.json[node].key ?? tree.json[node].span.first
    guard let typeNode = entry.typeNode else {
      guard isKnown else { return }
      return scope.error(
        .incompleteUnion, "`\(typeName)` is missing, which says what `\(member.name)` holds", at: tree.range(of: key),
        advice: "write `\(typeName)` \(isData ? "beside" : "before") it", labels: place.labels)
    }
    if typeNode > node, !isData {
      guard !isVector, tree.json[node].end == typeNode else {
        return scope.error(
          .incompleteUnion, "`\(typeName)` comes too late to say what `\(member.name)` holds",
          at: tree.range(of: tree.json[typeNode].key ?? tree.json[typeNode].span.first),
          advice: isVector ? "move it before the values" : "move it before the value, or right after it",
          labels: [.init(tree.range(of: key), "needed here")])
      }
      checkReadAhead(node, context, "stands before `\(typeName)`", "write `\(typeName)` first", tree)
    }
    guard isVector else {
      return checkMember(node, id, shapes.codes[typeNode], place, context, tree)
    }
    var code = typeNode + 1
    var child = node + 1
    guard case .list = tree.json[typeNode].kind else { return }
    let codesEnd = tree.json[typeNode].end
    while child < tree.json[node].end {
      guard code < codesEnd else {
        guard tree.json[typeNode].isComplete else { return }
        return scope.error(
          .wrongLength, "`\(typeName)` says of fewer values what they are", at: startRange(of: child, tree),
          advice: "add a type for this one", labels: [.init(startRange(of: typeNode, tree), "the types are here")])
      }
      checkMember(child, id, shapes.codes[code], ValuePlace(member: member, isElement: true), context, tree)
      code = tree.json[code].end
      child = tree.json[child].end
    }
    if code < codesEnd, tree.json[node].isComplete {
      scope.report(
        isData ? .wrongLength : .surprisingValue, isData ? .error : .warning,
        "`\(member.name)` has fewer values than `\(typeName)` has types", at: startRange(of: code, tree),
        advice: "remove the types without a value",
        labels: [.init(startRange(of: node, tree), "the values are here")],
        notes: isData ? [] : ["readers may refuse the object"])
    }
  }

  /// Reports a union's type without a value, or a list of types without a list of values. An error if the output would
  /// not verify: a list of types needs a list of values beside it, and a struct in a union is never absent.
  mutating func reportIfValueless(_ entry: ObjectShapes.Entry, _ node: Int, _ shape: Int, _ tree: SyntaxTree) {
    let member = shapes.all[shape].members[entry.member]
    guard entry.isValueless, tree.json[node].isComplete else { return }
    var isHarmful = true
    if case .unionCode(let union) = member.type {
      guard let code = shapes.codes[entry.node], code != 0 else { return }
      isHarmful = scope.schema[union].members.contains { $0.code == code && $0.type.isStruct }
    } else if !isData {
      return
    }
    let isError = isData && isHarmful
    scope.report(
      isError ? .incompleteUnion : .surprisingValue, isError ? .error : .warning,
      "`\(member.name)` says what `\(shapes.all[shape].members[entry.member + 1].name)` holds, which is missing",
      at: startRange(of: entry.node, tree), advice: "add the value, or remove the type",
      labels: [.init(member.range, "defined here")], notes: isError ? [] : ["readers may refuse the object"],
      fixes: isError ? entryRemoval(entry.node, tree) : [])
  }

  private mutating func checkMember(
    _ node: Int, _ id: UnionID, _ code: Int64?, _ place: ValuePlace, _ context: ObjectContext, _ tree: SyntaxTree
  ) {
    // If there is no code, the type is wrong, which is reported.
    guard let code else { return }
    guard code != 0 else {
      return scope.error(
        .wrongUnionType, "\(place.subject) has the type `NONE`, and so no value", at: startRange(of: node, tree),
        advice: place.isElement ? "give it another type, or remove both" : "write `null`, or give it another type",
        labels: place.labels)
    }
    guard let member = scope.schema[id].members.first(where: { $0.code == code }) else {
      guard isComplete(.union(id)) else { return }
      return scope.error(
        .wrongUnionType, "union `\(scope.schema[id].name)` has no member with the code \(code)",
        at: startRange(of: node, tree), advice: "name the type that is meant",
        labels: [.init(scope.schema[id].declaration.nameRange, "the union is defined here")])
    }
    switch member.type {
    case .table(let table): check(node, .table(table), place, context, tree)
    case .structure(let structure): check(node, .structure(structure), place, context, tree)
    case .string: check(node, .string, place, context, tree)
    }
  }

  /// Checks the value of a field that holds a buffer of its own.
  mutating func checkNested(
    _ node: Int, _ type: DefinitionID?, _ place: ValuePlace, _ context: ObjectContext, _ tree: SyntaxTree
  ) {
    switch tree.json[node].kind {
    case .unreadable: return
    case .value, .list:
      reportWrong(node, .nested(type), place, tree)
    case .object:
      guard let type else { return }
      guard case .table(let id) = type else {
        return scope.error(
          .wrongValue, "`\(place.member.name)` holds a struct's buffer, which JSON cannot give",
          at: startRange(of: node, tree), advice: "write `null`, or nest a table", labels: place.labels)
      }
      checkReadAhead(node, context, "stands in a buffer of its own", "write it in quotes, or as a number", tree)
      // The inner object stands alone: names are looked up in the global namespace.
      checkFields(of: node, as: shape(of: id), ObjectContext(namespace: 0, file: context.file), tree)
    }
  }
}

// MARK: - Values without a type

extension ObjectChecker {
  /// Reports values that cannot be read before their type is known.
  private mutating func checkReadAhead(
    _ node: Int, _ context: ObjectContext, _ reason: String, _ remedy: String, _ tree: SyntaxTree
  ) {
    guard node >= shapes.readAhead else { return }
    shapes.readAhead = tree.json[node].end
    forEachValue(in: node, context, tree) { checker, child in
      guard case .value(let index) = tree.json[child].kind else { return }
      let first = tree.json[child].span.first
      switch tree.values[index].kind {
      case .token:
        guard tree.tokens[first].kind == .identifier else { return }
        let words: [StaticString] = ["true", "false", "null", "inf"]
        if words.contains(where: { tree.token(first, is: $0) }) { return }
      case .signedName:
        if tree.token(tree.json[child].span.last, is: "inf") { return }
      case .call, .emptyList:
        break
      }
      checker.shapes.unreadable.insert(child)
      checker.scope.error(
        .unreadableAhead, "`\(tree.text(of: tree.json[child].span))` is read before its type is known: it \(reason)",
        at: tree.range(of: tree.json[child].span), advice: remedy)
    }
  }

  /// Checks a value of any form, for a field that holds such values.
  mutating func checkFlexible(_ node: Int, _ context: ObjectContext, _ tree: SyntaxTree) {
    forEachValue(in: node, context, tree) { checker, child in
      switch tree.json[child].kind {
      case .list, .unreadable: return
      case .object: return checker.checkKeys(of: child, tree)
      case .value(let index):
        let span = tree.json[child].span
        guard !tree.tokens[span.first].isMalformed else { return }
        let words: [StaticString]
        switch tree.values[index].kind {
        case .token:
          let kind = tree.tokens[span.first].kind
          if kind == .integer { checker.warnOfRounding(span.first, tree) }
          guard kind == .identifier else { return }
          words = ["true", "false", "null", "inf", "infinity", "nan"]
        case .signedName: words = ["inf", "infinity", "nan"]
        case .call, .emptyList: words = []
        }
        if words.contains(where: { tree.token(span.last, is: $0) }) { return }
        checker.scope.error(
          .wrongValue, "`\(tree.text(of: span))` is no value of a field that may hold anything",
          at: tree.range(of: span), advice: "write text in quotes",
          notes: ["it holds numbers, strings, `true`, `false`, `null`, objects and lists"])
      }
    }
  }

  /// Warns of a whole number that only a floating-point number can hold, in a value of any form.
  private mutating func warnOfRounding(_ token: TokenIndex, _ tree: SyntaxTree) {
    let (number, overflow) = WholeNumber.parse(tree.bytes(of: token))
    guard overflow || number.map({ !$0.fits(.int64) && !$0.fits(.uint64) }) == true else { return }
    scope.report(
      .surprisingValue, .warning,
      "`\(tree.text(of: token))` is beyond 64 bits: it becomes a floating-point number", at: tree.range(of: token),
      advice: "write it as such, with `.0` at its end, or as text in quotes")
  }

  private mutating func checkKeys(of node: Int, _ tree: SyntaxTree) {
    var seen: [ArraySlice<UInt8>: TokenIndex] = [:]
    var cut: [(key: TokenIndex, name: ArraySlice<UInt8>)] = []
    var hasDuplicate = false
    var child = node + 1
    while child < tree.json[node].end {
      defer { child = tree.json[child].end }
      guard let key = tree.json[child].key, !tree.tokens[key].isMalformed else { continue }
      // The keys of a FlexBuffer are strings of C.
      let name = keyBytes(key, tree).prefix { $0 != 0 }
      guard let first = seen.updateValue(key, forKey: name) else {
        if keyBytes(key, tree).contains(0) { cut.append((key, name)) }
        continue
      }
      hasDuplicate = true
      let isCut = [first, key].contains { keyBytes($0, tree).contains(0) }
      scope.error(
        .duplicateField, "`\(String(decoding: name, as: UTF8.self))` is set twice", at: tree.range(of: key),
        advice: "remove one", labels: [.init(tree.range(of: first), "first set here")],
        notes: isCut ? ["a key ends at its first zero byte"] : [])
    }
    // Beside a duplicate, its note says so.
    if !hasDuplicate { for (key, name) in cut { warnOfCut(key, to: name, tree) } }
  }

  private mutating func warnOfCut(_ key: TokenIndex, to name: ArraySlice<UInt8>, _ tree: SyntaxTree) {
    scope.report(
      .surprisingValue, .warning,
      name.isEmpty ? "this key becomes empty" : "this key becomes `\(String(decoding: name, as: UTF8.self))`",
      at: tree.range(of: key), advice: "leave the zero byte out", notes: ["a key ends at its first zero byte"])
  }

  /// Calls `body` with a value and all values in it, unless they are nested too deep.
  private mutating func forEachValue(
    in node: Int, _ context: ObjectContext, _ tree: SyntaxTree, _ body: (inout ObjectChecker, Int) -> Void
  ) {
    var ends: [Int] = []
    for child in node..<tree.json[node].end {
      while let end = ends.last, end <= child { ends.removeLast() }
      ends.append(tree.json[child].end)
      if context.depth + ends.count > Parser.maximumDepth { return reportTooDeep(child, tree) }
      body(&self, child)
    }
  }
}

extension UnionDefinition.MemberType {
  fileprivate var isStruct: Bool { if case .structure = self { true } else { false } }
}
