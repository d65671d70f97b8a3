import FBSDiagnostics
import FBSParser
import FBSSchema

extension FieldComparison {
  /// Compares the attributes that change a field's bytes, or how they are looked up.
  mutating func compareAttributes(_ first: FieldDefinition, _ second: FieldDefinition) {
    compareKey(first.declaration, second.declaration, second.name)
    compareHash(first.declaration, second.declaration, second.name)
    compareWidths(first, second)
    compareAttribute(
      .shared, "shared", first.declaration, second.declaration, second.name,
      harm: "buffers of the same content are other bytes; every reader reads both")
    if case .vector = second.type {
      compareAttribute(
        .forceAlign, "force_align", first.declaration, second.declaration, second.name,
        harm: "data that was stored with the old alignment is not aligned as code may expect", severity: .warning)
    }
    compareContent(first, second)
  }

  /// Compares the widths of a field's offset and of its vector's length.
  private mutating func compareWidths(_ first: FieldDefinition, _ second: FieldDefinition) {
    guard first.hasWideOffset != second.hasWideOffset || first.hasWideLength != second.hasWideLength else { return }
    func attribute(_ field: FieldDefinition) -> Attribute? {
      field.declaration.attribute("vector64") ?? field.declaration.attribute("offset64")
    }
    func text(_ field: FieldDefinition) -> String {
      field.hasWideLength ? "an offset and a length of 64 bits" : "an offset of \(field.hasWideOffset ? 64 : 32) bits"
    }
    report(
      .offset64, "`\(second.name)` had \(text(first)), and has \(text(second))",
      harm: "stored fields are read with the wrong width: they are refused, or read from elsewhere",
      advice: attribute(first) == nil ? "remove it, and append a field with it" : "put it back as it was",
      at: attribute(second)?.range ?? second.declaration.nameRange,
      was: attribute(first)?.range ?? first.declaration.nameRange, "\(text(first)) here",
      fix: attribute(first) == nil ? attribute(second).flatMap { removal($0.name, second.declaration) } : nil)
  }

  /// Compares `nested_flatbuffer` and `flexbuffer`, which say what the bytes of a vector hold.
  private mutating func compareContent(_ first: FieldDefinition, _ second: FieldDefinition) {
    let harm = "stored bytes are read as something that they are not, or the object is refused"
    if let before = first.nestedType, let after = second.nestedType {
      switch relate(before, after) {
      case .same: break
      case .alike:
        reportPrecautions(
          before, after, at: second.declaration.attribute("nested_flatbuffer")?.range ?? second.declaration.nameRange,
          was: first.declaration.attribute("nested_flatbuffer")?.range ?? first.declaration.nameRange)
      case .kind, .different:
        reportAttribute(
          .nestedFlatbuffer, "nested_flatbuffer", first.declaration, second.declaration, second.name, harm: harm)
      }
    } else {
      compareAttribute(
        .nestedFlatbuffer, "nested_flatbuffer", first.declaration, second.declaration, second.name, harm: harm,
        evidence: .data)
    }
    compareAttribute(
      .nestedFlatbuffer, "flexbuffer", first.declaration, second.declaration, second.name, harm: harm)
  }
}

extension TypeComparer {
  mutating func compareKey(_ first: Declaration, _ second: Declaration, _ name: String) {
    compareAttribute(
      .key, "key", first, second, name, harm: "stored vectors are sorted otherwise: a look-up misses what is there")
  }

  mutating func compareHash(_ first: Declaration, _ second: Declaration, _ name: String) {
    compareAttribute(
      .hash, "hash", first, second, name,
      harm: "the same text hashes to another number: what was stored is not found by it")
  }

  fileprivate mutating func compareAttribute(
    _ rule: EvolutionRule, _ name: String, _ first: Declaration, _ second: Declaration, _ field: String, harm: String,
    severity: Severity? = nil, evidence: Finding.Evidence = .precaution
  ) {
    let (before, after) = (first.attribute(name), second.attribute(name))
    if before == nil || after == nil {
      guard (before == nil) != (after == nil), !versions.isUnknown(name) else { return }
    } else if before?.comparedValue == after?.comparedValue {
      return
    }
    reportAttribute(rule, name, first, second, field, harm: harm, severity: severity, evidence: evidence)
  }

  fileprivate mutating func reportAttribute(
    _ rule: EvolutionRule, _ name: String, _ first: Declaration, _ second: Declaration, _ field: String, harm: String,
    severity: Severity? = nil, evidence: Finding.Evidence = .data
  ) {
    let (before, after) = (first.attribute(name), second.attribute(name))
    let what = before == nil ? "was added to" : after == nil ? "was removed from" : "changed on"
    report(
      rule, "`\(name)` \(what) `\(field)`", harm: harm,
      advice: before == nil ? "remove `\(name)`" : "put `\(name)` back as it was",
      at: after?.range ?? second.nameRange, was: before?.range ?? first.nameRange,
      before == nil ? "without `\(name)`" : "it was this", severity: severity, evidence: evidence)
  }
}

extension Attribute {
  /// The value as text, since a number may be written in quotes. Nil if the attribute's value makes no difference.
  fileprivate var comparedValue: String? {
    guard ["force_align", "hash", "nested_flatbuffer"].contains(name) else { return nil }
    switch value {
    case .integer(let number): return String(number)
    case .string(let text): return text
    case nil: return nil
    }
  }
}
