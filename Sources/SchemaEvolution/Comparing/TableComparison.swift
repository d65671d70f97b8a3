import FBSDiagnostics
import FBSParser
import FBSSchema

extension Comparison {
  mutating func compare(_ first: TableDefinition, _ second: TableDefinition) {
    if isExtension(second, of: first) {
      // Nearly always: nothing came but at the end.
      for place in first.fields.indices {
        compare(first.fields[place], second.fields[place], true, slotCount: first.slotCount)
      }
      for field in second.fields[first.fields.count...] { checkAddition(field, first, second) }
      return
    }
    let isNumbered = second.fields.contains { $0.declaration.attribute("id") != nil }
    let alignment = FieldAlignment(
      old: first.fields.map { .init(name: $0.name, number: $0.id) },
      new: second.fields.map { .init(name: $0.name, number: $0.id) }, isNumbered: isNumbered)
    // Nothing that is read moved if only deprecated fields did, and no other took their place.
    let isHarmless =
      alignment.matched.allSatisfy {
        let (before, after) = (first.fields[$0.old], second.fields[$0.new])
        // A deprecated field that is taken up again under a number that nothing had reads nothing.
        return before.id == after.id || after.isDeprecated || (before.isDeprecated && after.id >= first.slotCount)
      }
      && (alignment.inserted + alignment.added).allSatisfy { place in
        let field = second.fields[place]
        return field.isDeprecated || field.id - (field.type.takesTwoSlots ? 1 : 0) >= first.slotCount
      }
    for match in alignment.matched {
      compare(first.fields[match.old], second.fields[match.new], isHarmless, slotCount: first.slotCount)
    }
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
    if !isTrial, !alignment.added.isEmpty { checkReuse(alignment.added, first, second) }
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
    // A union that becomes something else, or the reverse, takes one number more or less before its own.
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
    // The next version that is checked will not know that the number was taken once.
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

  /// The field as it stood, deprecated, before the one that took its place.
  private func restoration(of field: FieldDefinition, before next: FieldDefinition) -> Finding.FixIt? {
    guard next.declaration.attribute("id") == nil, let text = deprecated(field) else { return nil }
    let place = next.declaration.nameRange
    return .init(
      title: "keep it as deprecated", range: SourceRange(file: place.file, start: place.start, end: place.start),
      replacement: "\(text) ")
  }

  /// The field as it stood, deprecated, at the end of its table.
  private mutating func restoration(of field: FieldDefinition, after last: FieldDefinition?) -> Finding.FixIt? {
    guard let last, last.declaration.attribute("id") == nil, let text = deprecated(field),
      let end = newPlaces.end(of: last.declaration)
    else { return nil }
    return .init(title: "keep it as deprecated", range: end, replacement: "\n  \(text)")
  }

  private func deprecated(_ field: FieldDefinition) -> String? {
    if field.declaration.attribute("id") != nil { return nil }
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

  /// A new field in a number that the hidden type of a union had.
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

  // MARK: A field in both versions

  private mutating func compare(_ first: FieldDefinition, _ second: FieldDefinition, _ isHarmless: Bool, slotCount: Int)
  {
    let wasSeen = !first.isDeprecated
    let isSeen = !second.isDeprecated
    // What no accessor reads is not misread; but it may be one day, and flatc's own check speaks up.
    // But a union has two numbers: where it comes or goes, others move.
    let movesOthers = first.type.takesTwoSlots != second.type.takesTwoSlots && !isHarmless
    let evidence: Finding.Evidence? = isSeen || movesOthers ? nil : .precaution
    if first.name != second.name, wasSeen, isSeen {
      report(
        .fieldRenamed, "`\(first.name)` is called `\(second.name)`",
        harm: "stored data is safe; code that uses the old name stops building",
        advice: "rename it in the code as well", at: second.declaration.nameRange, was: first.declaration.nameRange,
        "the old name",
        fix: .init(title: "put the old name back", range: second.declaration.nameRange, replacement: first.name))
    }
    if !wasSeen, isSeen {
      report(
        .fieldUndeprecated,
        first.name == second.name
          ? "`\(second.name)` is deprecated no more"
          : "`\(second.name)` takes the place of `\(first.name)`, which is deprecated",
        harm: "objects from before it was deprecated still hold it, and their values come back",
        advice: first.name == second.name
          ? "mark it as `(deprecated)`, and append a new field" : "append it, and keep `\(first.name)`",
        at: second.declaration.nameRange,
        was: first.declaration.attribute("deprecated")?.range ?? first.declaration.nameRange, "deprecated here",
        severity: second.id >= slotCount ? .warning : nil, evidence: second.id >= slotCount ? .precaution : nil,
        fix: first.name == second.name ? insertion("deprecated", second) : nil)
    }
    let isSameType = compareTypes(first, second, evidence)
    comparePresence(first, second, isSameType: isSameType, evidence)
    if isSeen, !first.declaration.attributes.isEmpty || !second.declaration.attributes.isEmpty {
      compareAttributes(first, second)
    }
  }

  /// - Returns: Whether the defaults of the two may be compared.
  private mutating func compareTypes(
    _ first: FieldDefinition, _ second: FieldDefinition, _ evidence: Finding.Evidence?
  ) -> Bool {
    let relation: Relation
    if first.type.form == second.type.form {
      relation =
        evidence == .precaution
        ? relateLater(first.type.definition, second.type.definition)
        : relate(first.type.definition, second.type.definition)
    } else {
      // A name that now means another kind is reported where it is defined, too.
      if let before = first.type.definition, let after = second.type.definition {
        reportKind(before, after, evidence)
      }
      relation = .different
    }
    switch relation {
    case .same: return true
    case .alike:
      report(
        .typeRenamed,
        "`\(second.name)` is of type `\(second.type.text(in: new.schema))` rather than `\(first.type.text(in: old.schema))`",
        harm: "the two are stored alike, so that data is safe; code that uses the old type stops building",
        advice: "change the code as well", at: typeRange(second), was: typeRange(first), "the type was this")
      return true
    case .kind, .different:
      let (before, after) = (first.type.text(in: old.schema), second.type.text(in: new.schema))
      let isSameName = before == after
      report(
        .fieldType,
        isSameName
          ? "`\(second.name)` holds \(second.type.definition?.kindWithArticle ?? "") rather than \(first.type.definition?.kindWithArticle ?? "")"
          : "`\(second.name)` was `\(before)`, and is `\(after)`",
        harm: harm(of: first.type, to: second.type),
        advice: "put the type back, deprecate the field, and append one", at: typeRange(second), was: typeRange(first),
        "the type was this", severity: evidence == .precaution ? .warning : nil, evidence: evidence,
        fix: isSameName || first.type.definition.map({ newIndex.byName[old.schema.name(of: $0)] == nil }) == true
          ? nil : second.declaration.typeRange.map { .init(title: "put the type back", range: $0, replacement: before) }
      )
      return false
    }
  }

  private func harm(of first: FieldType, to second: FieldType) -> String {
    switch (first, second) {
    case (.scalar(let before), .scalar(let after)) where before.size < after.size:
      "stored values of \(before.size) bytes are read as \(after.size), with what happens to stand beside them"
    case (.scalar(let before), .scalar(let after)) where before.size > after.size:
      "stored values of \(before.size) bytes are cut off to \(after.size)"
    case (.scalar, .scalar): "the same bytes are another number"
    case (.scalar, _), (.enumeration, _), (_, .scalar), (_, .enumeration):
      "stored bytes are read as something that they are not, or the object is refused"
    default: "stored objects are refused, or read as something that they are not"
    }
  }

  mutating func reportKind(_ first: DefinitionID, _ second: DefinitionID, _ evidence: Finding.Evidence? = nil) {
    let name = new.schema.name(of: second)
    guard first.kind != second.kind, old.schema.name(of: first) == name else { return }
    report(
      .typeKind, "`\(name)` was \(first.kindWithArticle), and is \(second.kindWithArticle)",
      harm: "what was stored as the one is no valid other", advice: "give the new type a name of its own",
      at: new.schema.declaration(of: second).nameRange, was: old.schema.declaration(of: first).nameRange,
      "\(first.kindWithArticle) here", severity: evidence == .precaution ? .warning : nil, evidence: evidence)
  }

  // MARK: Places and edits

  func typeRange(_ field: FieldDefinition) -> SourceRange { field.declaration.typeRange ?? field.declaration.nameRange }

  func requiredRange(_ field: FieldDefinition) -> SourceRange {
    field.declaration.attribute("required")?.range ?? field.declaration.nameRange
  }

  /// Writes an attribute.
  mutating func insertion(_ attribute: String, _ field: FieldDefinition) -> Finding.FixIt? {
    guard let (place, isFirst) = newPlaces.attributeInsertion(of: field.declaration) else { return nil }
    return .init(
      title: "write `\(attribute)`", range: place, replacement: isFirst ? " (\(attribute))" : ", \(attribute)")
  }

  /// Takes an attribute away, with its comma or its parentheses.
  func removal(_ name: String, _ declaration: Declaration) -> Finding.FixIt? {
    guard let attribute = declaration.attribute(name) else { return nil }
    let bytes = new.sources[attribute.range.file].bytes
    var (start, end) = (attribute.range.start, attribute.range.end)
    let attributes = declaration.attributes
    if attributes.count == 1 {
      while start > 0, bytes[start] != UInt8(ascii: "(") { start -= 1 }
      while end < bytes.count, bytes[end] != UInt8(ascii: ")") { end += 1 }
      end = min(end + 1, bytes.count)
      while start > 0, bytes[start - 1] == UInt8(ascii: " ") { start -= 1 }
    } else if let place = attributes.firstIndex(of: attribute) {
      if place + 1 < attributes.count {
        end = attributes[place + 1].range.start
      } else {
        start = attributes[place - 1].range.end
      }
    }
    return .init(
      title: "remove `\(name)`", range: SourceRange(file: attribute.range.file, start: start, end: end), replacement: ""
    )
  }
}

extension FieldType {
  /// A type without what it refers to: two fields of different forms have nothing in common.
  enum Form: Hashable {
    case scalar(ScalarType), enumeration, string, structure, table, union
    indirect case vector(Form)
  }

  var form: Form {
    switch self {
    case .scalar(let type): .scalar(type)
    case .enumeration: .enumeration
    case .string: .string
    case .structure: .structure
    case .table: .table
    case .union: .union
    case .vector(of: let element): .vector(element.asField.form)
    }
  }

  /// Whether a hidden field with the type, or the types, stands before it.
  var takesTwoSlots: Bool {
    switch self {
    case .union, .vector(of: .union): true
    default: false
    }
  }
}
