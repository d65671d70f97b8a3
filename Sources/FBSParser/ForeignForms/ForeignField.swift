import FBSDiagnostics

/// The parts of a field that a schema writes elsewhere or not at all: words before its name, its type before its name,
/// attributes that are not in parentheses at its end.
struct ForeignField {
  /// The start of the text that a fix replaces.
  var start: Int
  /// The diagnostic's message, in one line; nil if the field is right.
  var message: String?
  /// The range of the mistake.
  var range: SourceRange?
  /// The attributes that were meant, as a schema writes them.
  var attributes: [String] = []
  /// The value behind the `=`.
  var value: String?
  var isRequired = false
  var isOptional = false
  var isRepeated = false
  /// The number before a field of Thrift or behind one of Protocol Buffers, which is no default.
  var hasNumber = false
  /// A number behind a field that may be its number or its default.
  var mayBeNumber = false
  /// Whether the field's type is another language's, which is reported together with the rest of the field.
  var hasForeignType = false
  /// Whether all that was meant is known, so that a fix can write it.
  var isPlain = true
  /// Further advice.
  var notes: [String] = []

  init(start: Int) { self.start = start }

  /// Takes note of a word that stands where attributes do in other languages.
  ///
  /// - Returns: false if nothing is known of the word.
  mutating func add(attribute name: String) -> Bool {
    let word = name.lowercased()
    switch ForeignAttributes.meaning(of: name) {
    case .attribute("required"): isRequired = true
    case .attribute(let attribute):
      if !attributes.contains(attribute) { attributes.append(attribute) }
    case .optional: isOptional = true
    case .defaultValue: isPlain = false
    case .nothing(let advice):
      notes.append(advice)
      isPlain = false
    case nil:
      guard ForeignAttributes.ofLanguage.contains(word) else { return false }
      if !attributes.contains(word) { attributes.append(word) }
    }
    return true
  }

  /// Returns the field as a schema writes it, with the schema's name of the field and of its type.
  func text(name: String, type: String) -> String {
    let isVector = isRepeated || type.hasPrefix("[")
    let type = isRepeated && !type.hasPrefix("[") ? "[\(type)]" : type
    let isNumber = !isVector && ForeignTypes.isNumber(type)
    var text = "\(name): \(type)"
    if let value {
      text += " = \(value)"
    } else if isOptional, isNumber {
      text += " = null"
    }
    var attributes = attributes
    if isRequired, !isNumber, isVector || type.lowercased() == "string" { attributes.append("required") }
    if !attributes.isEmpty { text += " (\(attributes.joined(separator: ", ")))" }
    return text
  }
}

extension Parser {
  /// Reads a field that begins otherwise than with its name and a colon, if it is written as another language writes it.
  ///
  /// - Returns: false if it is not: then nothing was read.
  mutating func parseForeignField() -> Bool {
    if skipForeignStatement() { return true }
    var field = ForeignField(start: Int(tokens[position].start))
    guard let first = readPrefixes(&field) else { return false }
    // The first words may be of any kind; what follows tells which is the name.
    guard tokens[first].kind == .identifier || tokens[first].kind == .leftBracket else { return false }
    var last = first
    while tokens[last].kind == .identifier, tokens[last + 1].kind == .identifier, !startsLine(last + 1) { last += 1 }
    if tokens[last].kind == .identifier, tokens[last + 1].kind == .colon {
      guard last > position else { return false }
      return parseNamed(last, words: first..<last, &field)
    }
    if last > first + 1 || tokens[last + 1].kind != .semicolon, parseNameFirst(first, last: last, &field) {
      return true
    }
    var type = first
    while type < last, isFieldModifier(type), !isCompound(type), tokens[type + 1].kind == .identifier,
      type + 1 < last || isTyped(type + 1)
    {
      type += 1
    }
    if tokens[type].kind == .identifier, tokens[type + 1].kind == .leftBracket, isFieldModifier(type) { type += 1 }
    guard let (span, name) = typeAndName(at: type, last: last) else { return false }
    return parseTyped(span, name, words: first..<type, &field)
  }

  /// Reads `id INT PRIMARY KEY`, which has a type where the colon is due.
  private mutating func parseNameFirst(_ name: TokenIndex, last: TokenIndex, _ field: inout ForeignField) -> Bool {
    guard last > name, field.message == nil, !ForeignTypes.builtin.contains(tree.text(of: name)),
      ForeignTypes.isType(tree.text(of: name + 1)),
      !isFieldModifier(name) || ["id", "key", "v", "hash", "index"].contains(lowercased(name)),
      last == name + 1 || isKnown(name + 2)
        || ForeignAttributes.meaning(of: tree.text(of: TokenSpan(name + 2, min(name + 3, last)))) != nil
    else { return false }
    switch tokens[last + 1].kind {
    case .semicolon where last == name + 1, .equals, .colon, .leftBracket: return false
    case .leftParenthesis where last > name + 1 || tokens[last + 2].kind != .integer: return false
    default: break
    }
    field.message = "a colon stands between a field's name and its type"
    field.range = tree.range(of: TokenSpan(name, name + 1))
    position = name + 1
    parseFieldType(name: name, &field)
    return true
  }

  /// Returns whether a type may stand at `token` with more behind it than words.
  private func isTyped(_ token: TokenIndex) -> Bool {
    tokens[token + 1].kind == .leftBracket || tokens[token + 1].kind == .dot
  }

  /// Returns whether two words are one type in C or SQL.
  private func isCompound(_ first: TokenIndex) -> Bool {
    ForeignTypes.compound(tree.text(of: first), tree.text(of: first + 1)) != nil
  }

  private func isFieldModifier(_ token: TokenIndex) -> Bool {
    ForeignWords.fieldModifiers.contains(lowercased(token)) || isAttribute(token)
  }

  private func isAttribute(_ token: TokenIndex) -> Bool {
    let text = tree.text(of: token)
    return ForeignAttributes.ofLanguage.contains(text) || ForeignAttributes.meaning(of: text) != nil
  }

  /// Looks over `@primary`, `(primary)`, `[primary]` and `1:` before a field.
  ///
  /// - Returns: the token after them; nil if something unknown stands there.
  private func readPrefixes(_ field: inout ForeignField) -> TokenIndex? {
    var token = position
    while true {
      switch tokens[token].kind {
      case .foreign where isForeign(token, UInt8(ascii: "@")) && tokens[token + 1].kind == .identifier:
        if !field.add(attribute: tree.text(of: token + 1)) { field.isPlain = false }
        token += 2
        while tokens[token].kind == .dot, tokens[token + 1].kind == .identifier {
          token += 2
          field.isPlain = false
        }
        if tokens[token].kind == .leftParenthesis, let closing = closingBracket(of: token) {
          if closing > token + 1 { field.isPlain = false }
          token = closing + 1
        }
      case .leftParenthesis:
        guard let closing = closingBracket(of: token), closing > token + 1 else { return nil }
        addAttributes(in: token + 1..<closing, &field)
        token = closing + 1
      case .leftBracket:
        guard let closing = closingBracket(of: token), tokens[closing + 1].kind == .identifier,
          tokens[closing + 2].kind == .colon
        else { return token }
        addAttributes(in: token + 1..<closing, &field)
        token = closing + 1
      case .integer where token == position && tokens[token + 1].kind == .colon:
        guard tokens[token + 2].kind == .identifier,
          tokens[token + 3].kind == .identifier || tokens[token + 2].isMalformed
        else { return nil }
        field.hasNumber = true
        token += 2
      default:
        return token
      }
      field.message = "attributes stand in parentheses at the end of a field"
      if field.hasNumber { field.message = "a field begins with its name, and not with a number" }
      field.range = range(field.start, Int(tokens[token - 1].end))
    }
  }

  private func addAttributes(in range: Range<TokenIndex>, _ field: inout ForeignField) {
    for token in range {
      switch tokens[token].kind {
      case .comma: break
      case .identifier where tokens[token + 1].kind == .comma || token + 1 == range.upperBound:
        if !field.add(attribute: tree.text(of: token)) { field.isPlain = false }
      default: field.isPlain = false
      }
    }
  }

  /// Takes note of words before a field's name or type.
  private func add(_ words: Range<TokenIndex>, to field: inout ForeignField) {
    for token in words {
      let word = lowercased(token)
      switch word {
      case "required": field.isRequired = true
      case "optional": field.isOptional = true
      case "repeated": field.isRepeated = true
      default:
        if ForeignWords.fieldModifiers.contains(word) { continue }
        if !field.add(attribute: tree.text(of: token)) { field.isPlain = false }
      }
    }
  }

  /// Reads a field such as `var name: string` or `primary id: int`.
  private mutating func parseNamed(_ name: TokenIndex, words: Range<TokenIndex>, _ field: inout ForeignField) -> Bool {
    add(words, to: &field)
    if field.message == nil {
      let text = tree.text(of: TokenSpan(words.lowerBound, words.upperBound - 1))
      let areAttributes = words.allSatisfy { isAttribute($0) }
      field.message =
        areAttributes
        ? "attributes stand in parentheses at the end of a field"
        : "`\(text)` is not expected here: a field begins with its name"
      field.range = tree.range(of: TokenSpan(words.lowerBound, words.upperBound - 1))
    }
    position = name + 2
    parseFieldType(name: name, &field)
    return true
  }

  /// Returns the type and the name of a field whose type stands first; nil if it does not, or that is unclear.
  private func typeAndName(at first: TokenIndex, last: TokenIndex) -> (type: TokenSpan, name: TokenIndex)? {
    var end = first
    if tokens[first].kind == .leftBracket {
      // `[int] tags;`
      guard let closing = closingBracket(of: first), closing > first + 1 else { return nil }
      end = closing
    } else {
      while tokens[end + 1].kind == .dot, tokens[end + 2].kind == .identifier { end += 2 }
      if tokens[end + 1].kind == .leftBracket, tokens[end + 2].kind == .rightBracket { end += 2 }
      if end == first, last > first + 1, isCompound(first) { end += 1 }
    }
    let name = end + 1
    guard tokens[name].kind == .identifier, !startsLine(name) else { return nil }
    switch tokens[name + 1].kind {
    case .semicolon, .equals, .comma, .rightBrace, .leftParenthesis, .leftBracket, .endOfFile, .identifier: break
    default: return nil
    }
    // A certain type or a path is the type. Of two names, the type has a capital letter.
    if tokens[first].isMalformed || end > first { return (TokenSpan(first, end), name) }
    let (word, other) = (tree.text(of: first), tree.text(of: name))
    let isTypeFirst: Bool
    if ForeignTypes.builtin.contains(word) {
      isTypeFirst = true
    } else if ForeignTypes.builtin.contains(other) {
      isTypeFirst = false
    } else if ForeignTypes.isType(word) != ForeignTypes.isType(other) {
      isTypeFirst = ForeignTypes.isType(word)
    } else {
      isTypeFirst = (isCapital(word) && !isCapital(other)) || first > position
    }
    return isTypeFirst ? (TokenSpan(first, end), name) : nil
  }

  private func isCapital(_ word: String) -> Bool { word.utf8.first.map { (0x41...0x5A).contains($0) } ?? false }

  /// Reads a field such as `required int32 id = 1;` or `int id;`.
  private mutating func parseTyped(
    _ span: TokenSpan, _ name: TokenIndex, words: Range<TokenIndex>, _ field: inout ForeignField
  ) -> Bool {
    add(words, to: &field)
    if field.message == nil {
      field.message = "a field's name stands before its type"
      field.range = tree.range(of: TokenSpan(position, name))
    }
    let isNumbered =
      field.hasNumber
      || words.contains { ["required", "optional", "repeated"].contains(lowercased($0)) }
    let wasReported = tokens[span.first].isMalformed
    // The type, as if it stood behind the name.
    position = span.first
    var type: Int?
    var typeText = tree.text(of: span)
    if span.last == span.first + 1,
      let compound = ForeignTypes.compound(
        tree.text(of: span.first), tree.text(of: span.last))
    {
      typeText = compound
    } else if tokens[span.first].kind == .identifier, tokens[span.last].kind == .rightBracket {
      typeText = "[\(tree.text(of: TokenSpan(span.first, span.last - 2)))]"
      position = span.last + 1
      type = addList(of: TokenSpan(span.first, span.last - 2), span)
    } else {
      let mistakes = diagnostics.count
      type = parseType(depth: 0)
      guard diagnostics.count == mistakes else {
        skipStatement()
        return true
      }
    }
    position = name + 1
    if kind == .equals, self.kind(after: 1) == .integer {
      let isNumbered = isNumbered || !ForeignTypes.isNumber(typeText)
      if isNumbered { field.hasNumber = true } else { field.mayBeNumber = true }
      field.value = isNumbered ? nil : tree.text(of: position + 1)
      advance(by: 2)
      readFieldOptions(&field)
    } else if take(.equals) != nil {
      guard let value = parseValue(depth: 0) else {
        skipStatement()
        return true
      }
      field.value = tree.text(of: tree.values[value].span)
    }
    let attributes = parseAttributes()
    endForeignField(name, typeText, attributes, &field, isReported: wasReported)
    if let type, !field.hasForeignType {
      tree.fields.append(FieldSyntax(name: name, type: type, value: nil, attributes: attributes))
    }
    return true
  }

  /// Reads `[deprecated = true, default = 3]` after a field of Protocol Buffers.
  private mutating func readFieldOptions(_ field: inout ForeignField) {
    guard kind == .leftBracket, let closing = closingBracket(of: position) else { return }
    var token = position + 1
    while token < closing {
      let word = lowercased(token)
      if tokens[token + 1].kind == .equals, token + 2 < closing {
        if word == "default" {
          field.value = tree.text(of: token + 2)
        } else if word != "deprecated" || lowercased(token + 2) != "true" {
          field.isPlain = false
        } else {
          field.attributes.append("deprecated")
        }
        token += 3
      } else {
        field.isPlain = false
        token += 1
      }
      if tokens[token].kind == .comma { token += 1 }
    }
    position = closing + 1
  }

  /// Adds `[element]` to the tree, for an element without brackets of its own. Returns the index of the new type.
  mutating func addList(of element: TokenSpan, _ span: TokenSpan, length: TokenIndex? = nil) -> Int {
    tree.types.append(TypeSyntax(kind: .named, span: element))
    tree.types.append(TypeSyntax(kind: .list(element: tree.types.count - 1, length: length), span: span))
    return tree.types.count - 1
  }
}
