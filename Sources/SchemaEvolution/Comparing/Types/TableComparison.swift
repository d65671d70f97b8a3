import FBSDiagnostics
import FBSParser
import FBSSchema

/// Compares two versions of a table.
struct TableComparison: TypeComparer {
  let pair: TypePair
  let versions: VersionPair
  let relations: any TypeRelations
  var findings: [Finding] = []

  mutating func compare(_ first: TableDefinition, _ second: TableDefinition) {
    if isExtension(second, of: first) {
      // The usual case: fields were only appended.
      compareFields(zip(first.fields, second.fields), isHarmless: true, slotCount: first.slotCount)
      for field in second.fields[first.fields.count...] { checkAddition(field, first, second) }
      return
    }
    let isNumbered = second.fields.contains { $0.declaration.has("id") }
    let alignment = FieldAlignment(
      old: first.fields.map { .init(name: $0.name, number: $0.id) },
      new: second.fields.map { .init(name: $0.name, number: $0.id) }, isNumbered: isNumbered)
    // No field that is read has moved if only deprecated fields have, and no other field took their place.
    let isHarmless =
      alignment.matched.allSatisfy {
        let (before, after) = (first.fields[$0.old], second.fields[$0.new])
        // A deprecated field that comes back under an unused number reads no stored bytes.
        return before.id == after.id || after.isDeprecated || (before.isDeprecated && after.id >= first.slotCount)
      }
      && (alignment.inserted + alignment.added).allSatisfy { place in
        let field = second.fields[place]
        return field.isDeprecated || field.id - (field.type.takesTwoSlots ? 1 : 0) >= first.slotCount
      }
    compareFields(
      alignment.matched.lazy.map { (first.fields[$0.old], second.fields[$0.new]) }, isHarmless: isHarmless,
      slotCount: first.slotCount)
    for match in alignment.moved {
      reportMove(isHarmless, first.fields[match.old], second.fields[match.new], second, isNumbered: isNumbered)
    }
    for place in alignment.removed {
      reportRemoval(of: first.fields[place], first, second, isHarmless)
    }
    for place in alignment.inserted {
      reportInsertion(of: second.fields[place], first, second, isHarmless)
    }
    for place in alignment.inserted + alignment.added { checkAddition(second.fields[place], first, second) }
    if !alignment.added.isEmpty { checkReuse(alignment.added, first, second) }
  }

  private mutating func compareFields(
    _ fields: some Sequence<(FieldDefinition, FieldDefinition)>, isHarmless: Bool, slotCount: Int
  ) {
    var comparison = FieldComparison(
      pair: pair, versions: versions, relations: relations, isHarmless: isHarmless, slotCount: slotCount)
    for (first, second) in fields { comparison.compare(first, second) }
    findings += comparison.findings
  }

  private func isExtension(_ second: TableDefinition, of first: TableDefinition) -> Bool {
    guard second.fields.count >= first.fields.count else { return false }
    for (place, field) in second.fields.enumerated() {
      if place >= first.fields.count {
        guard field.id - (field.type.takesTwoSlots ? 1 : 0) >= first.slotCount else { return false }
      } else if field.id != first.fields[place].id || field.name != first.fields[place].name {
        return false
      }
    }
    return true
  }

  // MARK: Fields that came, went or moved

  private mutating func reportMove(
    _ isHarmless: Bool, _ first: FieldDefinition, _ second: FieldDefinition, _ table: TableDefinition, isNumbered: Bool
  ) {
    // A field that becomes a union, or was one, has one hidden field more or less before it, which shifts its number by
    // one.
    if first.type.takesTwoSlots != second.type.takesTwoSlots,
      first.id - second.id == (first.type.takesTwoSlots ? 1 : -1)
    {
      return
    }
    let attribute = second.declaration.attribute("id")
    let evidence: Finding.Evidence? = isHarmless ? .precaution : nil
    let harm = "code that reads `\(second.name)` reads the bytes of what was number \(second.id)"
    if isNumbered {
      report(
        .idChanged, "the id of `\(second.name)` was \(first.id), and is \(second.id)", harm: harm,
        advice: "put `id: \(first.id)` back", at: attribute?.range ?? second.declaration.nameRange,
        was: first.declaration.attribute("id")?.range ?? first.declaration.nameRange, "number \(first.id)",
        severity: isHarmless ? .warning : nil, evidence: evidence,
        fix: attribute.map { .init(title: "put the id back", range: $0.range, replacement: "id: \(first.id)") })
    } else {
      report(
        .fieldInserted, "`\(second.name)` was moved: it was number \(first.id), and is \(second.id)", harm: harm,
        advice: "move it back", at: second.declaration.nameRange, was: first.declaration.nameRange,
        "number \(first.id)", severity: isHarmless ? .warning : nil, evidence: evidence,
        notes: ["the order of the text gives fields their numbers"])
    }
  }

  private mutating func reportRemoval(
    of field: FieldDefinition, _ first: TableDefinition, _ second: TableDefinition, _ isHarmless: Bool
  ) {
    let next = second.fields.first { $0.id >= field.id - (field.type.takesTwoSlots ? 1 : 0) }
    let taker = second.fields.first { $0.id == field.id }
    // A warning even if nothing is misread yet: the next check will not know that the number was once in use.
    let isUnread = field.isDeprecated && isHarmless && taker?.isDeprecated != false
    let harm =
      field.isDeprecated
      ? "objects from before it was deprecated still hold it: the next field in its slot reads their bytes"
      : taker.map { "stored values are lost, and `\($0.name)` reads their bytes as its own" }
        ?? "stored values are lost, and the next field that is appended reads their bytes as its own"
    report(
      .fieldRemoved, "`\(field.name)` is gone from `\(second.name)`", harm: harm,
      advice: "keep it, and mark it as `(deprecated)`",
      at: next?.declaration.nameRange ?? second.declaration.nameRange, was: field.declaration.nameRange,
      "this field is gone", severity: isUnread ? .warning : nil, evidence: isUnread ? .precaution : nil,
      fix: next.map { restoration(of: field, before: $0) } ?? restoration(of: field, after: second.fields.last))
  }

  /// Returns an edit that puts a removed field back, deprecated, before the field that took its place and the comments
  /// above it; nil if ids are written, or NEW lacks the field's type.
  private func restoration(of field: FieldDefinition, before next: FieldDefinition) -> Finding.FixIt? {
    guard !next.declaration.has("id"), let text = deprecated(field) else { return nil }
    let place = next.declaration.nameRange
    return restoration(versions.newTree(of: place.file).addition(of: text, beforeEntryAt: place.start))
  }

  /// Returns an edit that puts a removed field back, deprecated, at the end of its table; nil if ids are written, NEW
  /// lacks the field's type, or the table has no field left.
  private func restoration(of field: FieldDefinition, after last: FieldDefinition?) -> Finding.FixIt? {
    guard let last, !last.declaration.has("id"), let text = deprecated(field) else { return nil }
    let place = last.declaration.nameRange
    return restoration(versions.newTree(of: place.file).addition(of: "  " + text, afterEntryAt: place.start))
  }

  private func restoration(_ edit: Diagnostic.Edit?) -> Finding.FixIt? {
    edit.map { .init(title: "keep it as deprecated", range: $0.range, replacement: $0.replacement) }
  }

  private func deprecated(_ field: FieldDefinition) -> String? {
    if field.declaration.has("id") { return nil }
    if let definition = field.type.definition, newIndex.byName[old.schema.name(of: definition)] == nil { return nil }
    return "\(field.name): \(field.type.text(in: old.schema)) (deprecated);"
  }

  private mutating func reportInsertion(
    of field: FieldDefinition, _ first: TableDefinition, _ second: TableDefinition, _ isHarmless: Bool
  ) {
    let victim = first.fields.first { $0.id == field.id } ?? first.fields.first { $0.id > field.id }
    report(
      .fieldInserted, "`\(field.name)` stands before fields that were there already",
      harm: "every field after it has another number, and reads the bytes of the one before",
      advice: "move it to the end of the table", at: field.declaration.nameRange,
      was: victim?.declaration.nameRange ?? first.declaration.nameRange,
      victim.map { "`\($0.name)` was number \($0.id)" } ?? "", severity: isHarmless ? .warning : nil,
      evidence: isHarmless ? .precaution : nil,
      notes: ["the order of the text gives fields their numbers; explicit ids make it free"])
  }

  private mutating func checkAddition(_ field: FieldDefinition, _ first: TableDefinition, _ second: TableDefinition) {
    guard field.presence == .required else { return }
    report(
      .fieldRequired, "`\(field.name)` is new, and required",
      harm: "no stored object has it: each of them is refused", advice: "remove `required`",
      at: requiredRange(field), was: first.declaration.nameRange, "stored without it",
      fix: removal("required", field.declaration))
  }

  /// Reports new fields with the number of the hidden type of a union of OLD.
  private mutating func checkReuse(_ added: [Int], _ first: TableDefinition, _ second: TableDefinition) {
    for place in added {
      let field = second.fields[place]
      guard field.id < first.slotCount, !field.isDeprecated,
        let union = first.fields.first(where: { $0.type.takesTwoSlots && $0.id - 1 == field.id })
      else { continue }
      report(
        .fieldType, "`\(field.name)` takes the number of the type of union `\(union.name)`",
        harm: "it reads stored type codes as its own values", advice: "append it at the end, and keep the union",
        at: field.declaration.nameRange, was: union.declaration.nameRange,
        "takes numbers \(union.id - 1) and \(union.id)"
      )
    }
  }
}
