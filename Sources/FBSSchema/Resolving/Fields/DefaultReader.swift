import FBSDiagnostics
import FBSParser

/// Finds out what reading an absent field gives: a value, or nothing.
struct DefaultReader {
  let scope: ResolutionScope
  /// The enums that defaults have named so far.
  var enumIndexes: [EnumID: EnumIndex] = [:]
  /// The last default before it was rounded; nil if it was no floating-point number.
  private var lastReal: Double?

  init(_ scope: ResolutionScope) { self.scope = scope }

  /// Returns the presence of a field: the value that an absent field is read as, or that it is optional or required.
  /// Reports a wrong default.
  /// - Parameters:
  ///   - value: the index in `tree.values` of the default that is written; nil if none is.
  ///   - isInStruct: whether the field is in a struct. Only the texts about an enum without a value 0 differ then.
  mutating func presence(
    of type: FieldType, _ value: Int?, _ declaration: Declaration, _ definition: UnresolvedDefinition,
    _ tree: SyntaxTree, isInStruct: Bool = false
  ) -> FieldDefinition.Presence {
    let value = value.map { tree.values[$0] }
    lastReal = nil
    // A malformed literal was reported by the lexer.
    let isMalformed = value.map { tree.tokens[$0.span.first].isMalformed } ?? false
    switch type {
    case .scalar(let scalar):
      guard let value else { return .defaulted(ScalarValue.zero(of: scalar)) }
      guard !isMalformed else { return .defaulted(ScalarValue.zero(of: scalar)) }
      return scalarDefault(value, scalar, definition, tree) ?? .defaulted(ScalarValue.zero(of: scalar))
    case .enumeration(let id):
      return enumDefault(isMalformed ? nil : value, id, declaration, definition, tree, isInStruct)
    case .string:
      guard let value else { return absent(declaration, isKeyString: declaration.has("key")) }
      if isMalformed { return .optional }
      if isNull(value, tree), tree.tokens[value.span.first].kind == .identifier {
        wrongDefault(
          value, tree, "a string has no default `null`", advice: "remove it", note: "an absent string reads as null",
          fixes: tree.defaultRemovalFixes(value))
        return .optional
      }
      guard case .token = value.kind, tree.tokens[value.span.first].kind == .string else {
        if isForeignNull(value, tree) {
          wrongDefault(
            value, tree, "a string's default is a string", advice: "remove it", note: "an absent string reads as null",
            fixes: tree.defaultRemovalFixes(value))
          return .optional
        }
        wrongDefault(
          value, tree, "a string's default is a string", advice: "write it in quotes",
          fixes: [.replace(tree.range(of: value.span), with: "\"\(tree.text(of: value.span))\"")])
        return .optional
      }
      return objectDefault(tree.stringValue(of: value.span.first) ?? "", value, declaration, type, tree)
    case .vector:
      guard let value else { return absent(declaration, isKeyString: false) }
      if isNull(value, tree) {
        wrongDefault(
          value, tree, "a vector has no default `null`", advice: "remove it", note: "an absent vector reads as null",
          fixes: tree.defaultRemovalFixes(value))
        return .optional
      }
      guard case .emptyList = value.kind else {
        wrongDefault(
          value, tree, "a vector's only default is `[]`", advice: "write `[]`, or remove it",
          fixes: [.replace(tree.range(of: value.span), with: "[]")] + tree.defaultRemovalFixes(value))
        return .optional
      }
      return objectDefault("", value, declaration, type, tree)
    case .structure, .table, .union:
      if let value {
        let kind = type.isUnion ? "a union" : type.isStruct ? "a struct" : "a table"
        wrongDefault(
          value, tree, "\(kind) cannot have a default", advice: "remove it", note: "an absent one reads as null",
          fixes: tree.defaultRemovalFixes(value))
      }
      return absent(declaration, isKeyString: false)
    }
  }

  /// Returns the default that was read last, before it was rounded to `float`; nil if there is none, or if it needed no
  /// rounding.
  func unroundedReal(of presence: FieldDefinition.Presence) -> Double? {
    guard case .defaulted(.real(let rounded)) = presence, let lastReal, lastReal != rounded else { return nil }
    return lastReal
  }

  private func absent(_ declaration: Declaration, isKeyString: Bool) -> FieldDefinition.Presence {
    isKeyString || declaration.has("required") ? .required : .optional
  }

  private func objectDefault(
    _ text: String, _ value: ValueSyntax, _ declaration: Declaration, _ type: FieldType, _ tree: SyntaxTree
  ) -> FieldDefinition.Presence {
    guard absent(declaration, isKeyString: type == .string && declaration.has("key")) == .required else {
      return .defaultedObject(text)
    }
    scope.report(
      .surprisingDefault, .warning, "this field is never absent, so its default means nothing",
      at: tree.range(of: value.span), advice: "remove it",
      labels: (declaration.attribute("required") ?? declaration.attribute("key")).map { [.init($0.range, "")] } ?? [],
      fixes: tree.defaultRemovalFixes(value))
    return .required
  }

  func wrongDefault(
    _ value: ValueSyntax, _ tree: SyntaxTree, _ message: String, advice: String, note: String? = nil,
    fixes: [Diagnostic.Fix] = []
  ) {
    scope.error(
      .wrongDefault, message, at: tree.range(of: value.span), advice: advice, notes: note.map { [$0] } ?? [],
      fixes: fixes)
  }

  /// Returns whether a default is a word that other languages write for `null`.
  private func isForeignNull(_ value: ValueSyntax, _ tree: SyntaxTree) -> Bool {
    guard case .token = value.kind, tree.tokens[value.span.first].kind == .identifier else { return false }
    return ["nil", "NULL", "Null", "none", "None", "nullptr", "undefined"].contains(tree.text(of: value.span.first))
  }

  func isNull(_ value: ValueSyntax, _ tree: SyntaxTree) -> Bool {
    guard case .token = value.kind else { return false }
    return tree.token(value.span.first, is: "null") || tree.token(value.span.first, is: "\"null\"")
      || tree.token(value.span.first, is: "'null'")
  }

  /// Returns the content of a quoted default, which must be plain: other tools read no escapes in it. `text` is nil if it is
  /// not quoted.
  func quoted(_ value: ValueSyntax, _ tree: SyntaxTree) -> (text: String?, isWrong: Bool) {
    guard case .token = value.kind, tree.tokens[value.span.first].kind == .string else { return (nil, false) }
    let content = tree.bytes(of: value.span.first).dropFirst().dropLast()
    guard content.allSatisfy({ $0 < 0x80 && $0 != UInt8(ascii: "\\") }) else {
      wrongDefault(
        value, tree, "a number or name in quotes is plain ASCII, without escapes", advice: "write it plainly")
      return (nil, true)
    }
    return (String(decoding: content, as: UTF8.self), false)
  }
}

extension FieldType {
  var isStruct: Bool { if case .structure = self { true } else { false } }
}

// MARK: - Numbers and bools

extension DefaultReader {
  private mutating func scalarDefault(
    _ value: ValueSyntax, _ type: ScalarType, _ definition: UnresolvedDefinition, _ tree: SyntaxTree
  ) -> FieldDefinition.Presence? {
    if isNull(value, tree) { return .optional }
    if type.isFloatingPoint {
      guard let number = RealNumberReader(scope: scope).numbers(value, type, tree) else { return nil }
      lastReal = number.unrounded
      return .defaulted(.real(number.rounded))
    }
    let (text, isWrong) = quoted(value, tree)
    guard !isWrong else { return nil }
    switch value.kind {
    case .token:
      break
    case .call, .signedName, .emptyList:
      wrongDefault(
        value, tree, "the default of a \(type.schemaName) is \(type == .bool ? "`true` or `false`" : "a whole number")",
        advice: "write one, such as `\(type == .bool ? "true" : "1")`")
      return nil
    }
    let word = text ?? tree.text(of: value.span.first)
    if type == .bool, word == "true" || word == "false" { return .defaulted(.bool(word == "true")) }
    if tree.tokens[value.span.first].kind == .float {
      wrongDefault(
        value, tree, "`\(word)` is not a \(type == .bool ? "bool" : "whole number")",
        advice: type == .bool ? "write `true` or `false`" : "remove the fraction, or make the field a float or double")
      return nil
    }
    if let text, let first = text.utf8.first, isNameStart(first) {
      if type != .bool { return enumNames(text, value, type, definition, tree).map { .defaulted($0) } }
    } else if text == nil, tree.tokens[value.span.first].kind == .identifier {
      let place = tree.range(of: value.span)
      if isForeignNull(value, tree) {
        wrongDefault(
          value, tree, "`\(word)` is not a \(type == .bool ? "bool" : "number")", advice: "write `null`",
          fixes: [.replace(place, with: "null")])
      } else if type == .bool {
        let meant = ["true": "true", "yes": "true", "on": "true", "false": "false", "no": "false", "off": "false"][
          word.lowercased()]
        wrongDefault(
          value, tree, "`\(word)` is not a bool", advice: meant.map { "write `\($0)`" } ?? "write `true` or `false`",
          fixes: meant.map { [.replace(place, with: $0)] } ?? [])
      } else {
        wrongDefault(
          value, tree, "`\(word)` is not a number", advice: "write a number",
          note: "the value of an enum is written in quotes with the enum's name: \"Color.Red\"")
      }
      return nil
    }
    guard let number = whole(word, value, type, tree) else { return nil }
    guard type == .bool else { return .defaulted(number.scalarValue) }
    if number.magnitude > 1 {
      scope.report(
        .surprisingDefault, .warning, "`\(word)` is taken for `true`", at: tree.range(of: value.span),
        advice: "write `true`", fixes: [.replace(tree.range(of: value.span), with: "true")])
    }
    return .defaulted(.bool(number.magnitude != 0))
  }

  func isNameStart(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "_") || (byte | 0x20 >= UInt8(ascii: "a") && byte | 0x20 <= UInt8(ascii: "z"))
  }

  /// Returns a whole number in a type's range; nil if the text is no such number, which is reported.
  func whole(
    _ word: String, _ value: ValueSyntax, _ type: ScalarType, _ tree: SyntaxTree
  ) -> WholeNumber? {
    let trimmed = trim(word)
    let (number, overflow) = WholeNumber.parse(trimmed.utf8)
    guard number != nil || overflow else {
      wrongDefault(
        value, tree, word.isEmpty ? "an empty string is not a number" : "`\(word)` is not a whole number",
        advice: "write a number, such as `1`")
      return nil
    }
    guard let number, number.fits(type) else {
      scope.error(
        .outOfRange, "`\(trimmed)` does not fit in \(type.schemaName)", at: tree.range(of: value.span),
        advice: "\(type.schemaName) holds \(type.rangeText)")
      return nil
    }
    return number
  }

  private func trim(_ text: String) -> String {
    guard let first = text.utf8.firstIndex(where: { $0 != UInt8(ascii: " ") }),
      let last = text.utf8.lastIndex(where: { $0 != UInt8(ascii: " ") })
    else { return "" }
    return String(text[first...last])
  }
}

extension ScalarValue {
  /// Returns the value that a field of a type has if the schema gives no default.
  static func zero(of type: ScalarType) -> ScalarValue {
    switch type {
    case .bool: .bool(false)
    case .float, .double: .real(0)
    default: .integer(0)
    }
  }
}

extension SyntaxTree {
  /// Returns the edit that removes a default.
  func defaultRemovalFixes(_ value: ValueSyntax) -> [Diagnostic.Fix] {
    removal(ofDefault: value.span).map { [Diagnostic.Fix("Remove the default", [Diagnostic.Edit($0, "")])] } ?? []
  }
}
