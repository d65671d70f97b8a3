import FBSDiagnostics
import FBSParser
import FBSSchema

extension FieldComparison {
  /// Compares whether a field may be absent, and what its absence means.
  mutating func comparePresence(
    _ first: FieldDefinition, _ second: FieldDefinition, isSameType: Bool, _ evidence: Finding.Evidence?
  ) {
    let wasRequired = first.presence == .required
    let isRequired = second.presence == .required
    if wasRequired != isRequired {
      // A deprecated field cannot be required. Versions in which it was required still refuse objects without it.
      report(
        .fieldRequired,
        isRequired ? "`\(second.name)` became required" : "`\(second.name)` is required no more",
        harm: isRequired
          ? "stored objects without it are refused"
          : "older versions of the app refuse objects that are written without it",
        advice: isRequired ? "remove `required`" : "put `required` back",
        at: isRequired ? requiredRange(second) : second.declaration.nameRange,
        was: wasRequired ? requiredRange(first) : first.declaration.nameRange,
        wasRequired ? "required here" : "not required here",
        fix: isRequired
          ? removal("required", second.declaration) : second.isDeprecated ? nil : insertion("required", second))
    }
    guard isSameType, !wasRequired, !isRequired, first.presence.differs(from: second.presence, second.type)
    else { return }
    switch (first.presence, second.presence) {
    case (.defaulted, .optional), (.optional, .defaulted):
      let became = second.presence == .optional
      report(
        .fieldOptional, "`\(second.name)` \(became ? "became optional" : "is optional no more")",
        harm: became
          ? "absent values, which meant the default, now mean nothing"
          : "absent values, which meant nothing, now mean the default",
        advice: became ? "remove `= null`" : "put `= null` back", at: defaultRange(second), was: defaultRange(first),
        became ? "the default was used here" : "optional here", severity: evidence == .precaution ? .warning : nil,
        evidence: evidence, fix: defaultFix(first, second))
    default:
      if old.isBinary || new.isBinary, first.presence.isObjectDefault || second.presence.isObjectDefault { return }
      if isUnknown(first, second) { return }
      let (before, after) = (text(of: first, old.schema), text(of: second, new.schema))
      // An absent vector is read as an empty one anyway, but not in every language.
      var (evidence, harm) = (
        evidence, "a field that holds its default is not stored: objects that meant \(before) now read as \(after)"
      )
      if case .vector = second.type {
        evidence = .precaution
        harm = "an absent vector reads as an empty one either way; code in other languages may tell them apart"
      }
      let hadNone = first.presence == .optional
      report(
        .fieldDefault, "the default of `\(second.name)` was \(before), and is \(after)",
        harm: harm,
        advice: hadNone ? "remove the default" : "put the default back", at: defaultRange(second),
        was: defaultRange(first), "it was \(before)",
        severity: evidence == .precaution || first.isDeprecated ? .warning : nil,
        evidence: first.isDeprecated ? .precaution : evidence, fix: defaultFix(first, second))
    }
  }

  /// Returns whether a binary schema may have lost the default. flatc writes -0.0, and a default above `Int64.max`, as 0, and
  /// the result of a function with 12 digits after the point.
  private func isUnknown(_ first: FieldDefinition, _ second: FieldDefinition) -> Bool {
    guard old.isBinary || new.isBinary else { return false }
    switch (first.presence, second.presence) {
    case (.defaulted(.integer(0)), .defaulted(.unsigned)): return old.isBinary
    case (.defaulted(.unsigned), .defaulted(.integer(0))): return new.isBinary
    case (.defaulted(.real(let before)), .defaulted(.real(let after))):
      // The defaults differ, so that one of two zeros is -0.0.
      if before == 0, after == 0 { return true }
      return abs(before - after) <= 1e-12 && (isCall(first, old) || isCall(second, new))
    default: return false
    }
  }

  /// Returns whether the text of a default is a call of a function.
  private func isCall(_ field: FieldDefinition, _ version: SchemaVersion) -> Bool {
    guard let range = field.declaration.valueRange else { return false }
    return version.sources[range.file].bytes[range.start..<range.end].contains(UInt8(ascii: "("))
  }

  /// Returns a field's default in words.
  private func text(of field: FieldDefinition, _ schema: Schema) -> String {
    if case .enumeration(let id) = field.type, case .defaulted(.integer(let number)) = field.presence,
      let value = schema[id].values.first(where: { $0.number == number })
    {
      return "`\(value.name)`"
    }
    return field.presence.text
  }

  // MARK: Ranges and edits

  /// Returns an edit that puts OLD's default back, or removes the default if OLD has none.
  private func defaultFix(_ first: FieldDefinition, _ second: FieldDefinition) -> Finding.FixIt? {
    guard let range = first.declaration.valueRange else {
      return new.defaultRemoval(of: second.declaration).map {
        .init(title: "remove the default", range: $0, replacement: "")
      }
    }
    let text = String(decoding: old.sources[range.file].bytes[range.start..<range.end], as: UTF8.self)
    if let place = second.declaration.valueRange {
      return .init(title: "put the default back", range: place, replacement: text)
    }
    return second.declaration.typeRange.map {
      let end = SourceRange(file: $0.file, start: $0.end, end: $0.end)
      return .init(title: "put the default back", range: end, replacement: " = \(text)")
    }
  }

  private func defaultRange(_ field: FieldDefinition) -> SourceRange {
    field.declaration.valueRange ?? field.declaration.nameRange
  }
}

extension FieldDefinition.Presence {
  var isObjectDefault: Bool { if case .defaultedObject = self { true } else { false } }

  /// Returns whether an absent field reads differently. NaN equals NaN, and -0.0 differs from 0.0.
  func differs(from other: Self, _ type: FieldType) -> Bool {
    if case .defaulted(.real(let first)) = self, case .defaulted(.real(let second)) = other {
      // Digits beyond what the type holds make no difference.
      if type == .scalar(.float), Float(first).bitPattern == Float(second).bitPattern { return false }
      return first.bitPattern != second.bitPattern && !(first.isNaN && second.isNaN)
    }
    switch (self, other) {
    case (.defaulted(.bool(let value)), .defaulted(.integer(let number))),
      (.defaulted(.integer(let number)), .defaulted(.bool(let value))):
      // A bool became an enum of 0 and 1, or the reverse.
      return number != (value ? 1 : 0)
    default: return self != other
    }
  }

  /// The default in words.
  var text: String {
    switch self {
    case .defaulted(.bool(let value)): "`\(value)`"
    case .defaulted(.integer(let value)): "`\(value)`"
    case .defaulted(.unsigned(let value)): "`\(value)`"
    case .defaulted(.real(let value)): "`\(value)`"
    case .defaultedObject(let text): text.isEmpty ? "an empty one" : "`\(text)`"
    case .optional: "nothing"
    case .required: "required"
    }
  }
}
