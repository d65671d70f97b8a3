import FBSDiagnostics
import FBSParser

/// Reads the documentation and the attributes of a declaration.
struct AttributeReader {
  let scope: ResolutionScope

  /// Returns the documentation, the attributes and the ranges of a declaration. Reports wrong attributes.
  /// - Parameters:
  ///   - tree: The tree of the file. It is passed along, since copying it costs more than reading a declaration.
  ///   - file: The file's number.
  ///   - type: The type that is written after the name, in `SyntaxTree.types`.
  ///   - value: The value that is written after the name.
  func declaration(
    _ documented: TokenIndex, _ name: TokenIndex, _ attributes: Range<Int>, on place: AttributePlace,
    in tree: SyntaxTree, _ file: Int, type: Int? = nil, value: TokenSpan? = nil
  ) -> Declaration {
    Declaration(
      documentation: tree.documentation(before: documented),
      attributes: attributes.isEmpty
        ? [] : resolveAttributes(attributes, on: place, tree, file, type: type, hasDefault: value != nil),
      nameRange: tree.range(of: name), typeRange: type.map { tree.range(of: tree.types[$0].span) },
      valueRange: value.map { tree.range(of: $0) })
  }

  func fieldDeclaration(
    _ syntax: FieldSyntax, on place: AttributePlace, in tree: SyntaxTree, _ file: Int
  ) -> Declaration {
    declaration(
      syntax.name, syntax.name, syntax.attributes, on: place, in: tree, file, type: syntax.type,
      value: syntax.value.map { tree.values[$0].span })
  }

  func resolveAttributes(
    _ range: Range<Int>, on place: AttributePlace, _ tree: SyntaxTree, _ file: Int, type: Int? = nil,
    hasDefault: Bool = false
  ) -> [Attribute] {
    var result: [Attribute] = []
    result.reserveCapacity(range.count)
    for index in range {
      let syntax = tree.attributes[index]
      guard let name = tree.attributeName(syntax.name) else { continue }
      let nameRange = tree.range(of: syntax.name)
      let end = syntax.value.map { tree.values[$0].span.last } ?? syntax.name
      let whole = SourceRange(file: nameRange.file, start: nameRange.start, end: Int(tree.tokens[end].end))
      let removal = tree.removal(of: TokenSpan(syntax.name, end))
      guard let rule = AttributeRule.known[name] ?? declared(name, before: syntax.name, in: file) else {
        if !reportForeign(name, syntax, on: place, in: file, removal, type: type, hasDefault: hasDefault) {
          reportUnknownAttribute(name, syntax.name, in: file)
        }
        continue
      }
      if let index = result.firstIndex(where: { $0.name == name }) {
        let first = result[index]
        // No removal for the first one: if it were removed, the second one would count, so a fix that removes an
        // attribute would have no effect.
        result[index] = Attribute(name: name, value: first.value, range: first.range, removal: nil)
        scope.report(
          .duplicateAttribute, .warning, "`\(name)` is written twice, and the first one counts", at: nameRange,
          advice: "keep one", labels: [.init(first.range, "the first is here")],
          fixes: removal.map { [.remove(name, at: $0)] } ?? [])
      }
      var value: Attribute.Value?
      if let valueIndex = syntax.value {
        guard let resolved = attributeValue(tree.values[valueIndex], of: name, tree) else { continue }
        value = resolved
      }
      if !rule.places.contains(place) {
        reportIdle(name, place, rule, at: nameRange, removal)
      } else if !check(value, of: name, rule, at: whole) {
        continue
      }
      result.append(Attribute(name: name, value: value, range: whole, removal: removal))
    }
    return result
  }

  private func reportIdle(
    _ name: String, _ place: AttributePlace, _ rule: AttributeRule, at range: SourceRange, _ removal: SourceRange?
  ) {
    let places = rule.places.map(\.text)
    let text = places.count == 1 ? places[0] : places.dropLast().joined(separator: ", ") + " or " + (places.last ?? "")
    scope.report(
      .idleAttribute, .warning, "`\(name)` does nothing on \(place.text)", at: range, advice: "remove it",
      notes: ["it belongs on \(text)"], fixes: removal.map { [.remove(name, at: $0)] } ?? [])
  }

  /// Returns the rule for an attribute that a file declares: any place and value is right. Nil if no declaration is visible at
  /// `token`.
  private func declared(_ name: String, before token: TokenIndex, in file: Int) -> AttributeRule? {
    guard let declarations = scope.symbols.declaredAttributes[name] else { return nil }
    let isDeclared = declarations.contains { declaration in
      declaration.file == file
        ? declaration.token < token
        : scope.placeOfFile[declaration.file] < scope.placeOfFile[file]
          && scope.visibility.canSee(declaration.file, from: file)
    }
    return isDeclared ? AttributeRule.declared : nil
  }

  /// Reports an attribute of another language or of a database, with what a schema writes instead.
  ///
  /// - Returns: false if the attribute is unknown, or the schema declares it somewhere.
  private func reportForeign(
    _ name: String, _ syntax: AttributeSyntax, on place: AttributePlace, in file: Int, _ removal: SourceRange?,
    type: Int?, hasDefault: Bool
  ) -> Bool {
    guard scope.symbols.declaredAttributes[name] == nil, let meaning = ForeignAttributes.meaning(of: name) else {
      return false
    }
    let tree = scope.tree(file)
    let range = tree.range(of: syntax.name)
    let removalFix = removal.map { [Diagnostic.Fix.remove(name, at: $0)] } ?? []
    let typeSpan = type.map { tree.types[$0].span }
    let isNumber = typeSpan.map { $0.first == $0.last && scope.builtinNumber(tree.bytes(of: $0.first)) } ?? false
    /// Returns the fix that writes a default behind the type, in place of the attribute; none if the field has a
    /// default.
    func writeDefault(_ value: String) -> [Diagnostic.Fix] {
      guard !hasDefault, place == .field, let typeSpan, let removal else { return [] }
      let end = tree.range(of: typeSpan).end
      let insertion = SourceRange(file: range.file, start: end, end: end)
      let edits =
        removal.start == end
        ? [Diagnostic.Edit(removal, " = \(value)")]
        : [Diagnostic.Edit(insertion, " = \(value)"), Diagnostic.Edit(removal, "")]
      return [Diagnostic.Fix("Write `= \(value)` behind the type", edits)]
    }
    func report(_ advice: String, _ fixes: [Diagnostic.Fix], notes: [String] = []) {
      scope.error(
        .unknownAttribute, "there is no attribute `\(name)`", at: range, advice: advice, notes: notes, fixes: fixes)
    }
    switch meaning {
    case .attribute("required") where isNumber:
      report("remove it: a number or bool is always there", removalFix)
    case .attribute(let attribute):
      let rule = AttributeRule.known[attribute]
      let takesValue =
        switch rule?.value {
        case .string: syntax.value != nil
        case .optional: syntax.value == nil
        case .any, AttributeRule.ValueRule.none?, nil: true
        }
      let isPlain = rule?.places.contains(place) == true && takesValue
      report("write `\(attribute)`", isPlain ? [.replace(range, with: attribute)] : [])
    case .optional:
      report(
        "write `= null` behind the type of a number, bool or enum, and nothing for others",
        isNumber ? writeDefault("null") : removalFix, notes: ["others are absent unless they are set or `required`"])
    case .defaultValue:
      let value = syntax.value.map { tree.text(of: tree.values[$0].span) }
      report("write `= \(value ?? "value")` behind the type", value.map { writeDefault($0) } ?? [])
    case .nothing(let advice):
      report(
        advice, removalFix, notes: ["an attribute for a program of your own is declared: `attribute \"\(name)\";`"])
    }
    return true
  }

  private func reportUnknownAttribute(_ name: String, _ token: TokenIndex, in file: Int) {
    let range = scope.tree(file).range(of: token)
    let declarations = scope.symbols.declaredAttributes[name] ?? []
    if let declaration = declarations.first(where: { scope.visibility.canSee($0.file, from: file) }) {
      return scope.error(
        .unknownAttribute, "`\(name)` is used before it is declared", at: range,
        // Included files are read before the file's own declarations.
        advice: declaration.file == file
          ? "move its declaration up" : "declare it in a file that is included before this one",
        labels: [.init(scope.tree(declaration.file).range(of: declaration.token), "declared here")])
    }
    for declaration in declarations {
      guard let note = scope.noteOfIncluder(bringing: declaration.file, to: file) else { continue }
      return scope.error(
        .unknownAttribute, "`\(name)` is declared in a file that this file does not include", at: range,
        advice: "add an `include` of it",
        labels: [.init(scope.tree(declaration.file).range(of: declaration.token), "declared here")], notes: [note])
    }
    guard scope.suggestionsLeft > 0 else {
      return scope.error(.unknownAttribute, "there is no attribute `\(name)`", at: range)
    }
    scope.suggestionsLeft -= 1
    let known = AttributeRule.known.keys.sorted()
    let declared = scope.symbols.declaredAttributes.keys.sorted().prefix(1000)
    if let near = nearestName(to: name, inMany: known + declared) {
      return scope.error(
        .unknownAttribute, "there is no attribute `\(name)`", at: range, advice: "did you mean `\(near)`?",
        fixes: [.replace(range, with: near)])
    }
    let declaration = "attribute \"\(name)\";"
    let isPlain = name.utf8.allSatisfy { $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }
    scope.error(
      .unknownAttribute, "there is no attribute `\(name)`", at: range, advice: "declare it first: `\(declaration)`",
      fixes: isPlain ? [declare(declaration, in: file)] : [])
  }

  /// Returns a fix that inserts a declaration where one may stand: after the includes, or at the start of the file.
  private func declare(_ text: String, in file: Int) -> Diagnostic.Fix {
    let tree = scope.tree(file)
    let title = "Declare the attribute"
    let lines = LineTable(tree.source.bytes)
    let lineEnd = lines.firstLineEnd(in: tree.source.bytes).rawValue
    for item in tree.items.reversed() {
      guard case .include(let path, _) = item else { continue }
      let end = tree.tokens[path + 1].kind == .semicolon ? path + 1 : path
      return .insert(lineEnd + text, after: tree.range(of: end), title: title)
    }
    let start = lines.starts[0]
    return .insert(text + lineEnd, after: SourceRange(file: tree.source.id, start: start, end: start), title: title)
  }

  private func attributeValue(_ syntax: ValueSyntax, of name: String, _ tree: SyntaxTree) -> Attribute.Value? {
    let token = syntax.span.first
    guard !tree.tokens[token].isMalformed else { return nil }
    if case .token = syntax.kind {
      if let string = tree.stringValue(of: token) { return .string(string) }
      if tree.tokens[token].kind == .integer {
        if let number = WholeNumber.parse(tree.bytes(of: token)).number, number.fits(.int32) {
          return .integer(number.bits)
        }
        scope.error(
          .outOfRange, "an attribute's number must fit in int: \(ScalarType.int32.rangeText)",
          at: tree.range(of: token), advice: "write it as a string",
          fixes: [.replace(tree.range(of: token), with: "\"\(tree.text(of: token))\"")])
        return nil
      }
    }
    scope.error(
      .wrongAttributeValue, "an attribute's value is a whole number or a string", at: tree.range(of: syntax.span),
      advice: "write \"\(tree.text(of: syntax.span))\"",
      fixes: [.replace(tree.range(of: syntax.span), with: "\"\(tree.text(of: syntax.span))\"")])
    return nil
  }

  private func check(
    _ value: Attribute.Value?, of name: String, _ rule: AttributeRule, at range: SourceRange
  ) -> Bool {
    switch (rule.value, value) {
    case (.any, _), (.none, nil), (.optional, nil):
      return true
    case (.none, _?), (.optional, .integer):
      scope.report(
        .idleAttribute, .warning, "the value of `\(name)` does nothing", at: range, advice: "write `\(name)` alone",
        fixes: [.replace(range, with: name)])
      return true
    case (.optional(let known), .string(let text)):
      if !known.contains(text) { reportUnknownValue(text, of: name, known, at: range) }
      return known.contains(text)
    case (.string, _):
      if case .string = value { return true }
      let example =
        switch name {
        case "v": "such as `v: \"1.1\"`"
        case "hash": "such as `hash: \"fnv1a_32\"`"
        default: "such as `\(name): \"Name\"`"
        }
      scope.error(.wrongAttributeValue, "`\(name)` needs a string", at: range, advice: example)
      return false
    }
  }

  private func reportUnknownValue(_ text: String, of name: String, _ known: [String], at range: SourceRange) {
    let forms = known.map { "\(name): \"\($0)\"" }
    let near = nearestName(to: text, in: known).map { "\(name): \"\($0)\"" }
    let advice =
      near.map { "did you mean `\($0)`?" } ?? "write " + ([name] + forms).map { "`\($0)`" }.joined(separator: " or ")
    scope.error(
      .wrongAttributeValue, "there is no `\(name): \"\(text)\"`", at: range, advice: advice,
      fixes: (near.map { [$0] } ?? [name] + forms).map { .replace(range, with: $0) })
  }
}

extension AttributeRule {
  /// An attribute that the schema declares: it may stand anywhere, with any value.
  static let declared = AttributeRule(
    places: [
      .table, .structure, .enumeration, .union, .field, .structField, .enumValue, .unionMember, .service, .method,
    ], value: .any)
}

extension SyntaxTree {
  /// Returns the name of an attribute, which may be in quotes; nil if the quoted string is malformed.
  func attributeName(_ token: TokenIndex) -> String? {
    tokens[token].kind == .string ? stringValue(of: token) : text(of: token)
  }
}
