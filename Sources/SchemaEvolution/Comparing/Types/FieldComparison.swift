import FBSDiagnostics
import FBSParser
import FBSSchema

/// Compares two versions of a table's field.
struct FieldComparison: TypeComparer {
  let pair: TypePair
  let versions: VersionPair
  let relations: any TypeRelations
  /// Whether no field that is read moved.
  let isHarmless: Bool
  /// The number of slots that the table had in OLD.
  let slotCount: Int
  var findings: [Finding] = []

  mutating func compare(_ first: FieldDefinition, _ second: FieldDefinition) {
    let wasSeen = !first.isDeprecated
    let isSeen = !second.isDeprecated
    // No accessor reads a deprecated field, so its findings are precautions: an accessor may come back, and flatc's own
    // check reports them. But a union takes two numbers: where it comes or goes, other fields move.
    let movesOthers = first.type.takesTwoSlots != second.type.takesTwoSlots && !isHarmless
    let evidence: Finding.Evidence? = isSeen || movesOthers ? nil : .precaution
    if first.name != second.name, wasSeen, isSeen {
      report(
        .fieldRenamed, "`\(first.name)` is called `\(second.name)`",
        harm: "stored data is safe; code that uses the old name stops building",
        advice: "rename it in the code as well", at: second.declaration.nameRange, was: first.declaration.nameRange,
        "the old name",
        fix: .init(title: "put the old name back", range: second.declaration.nameRange, replacement: first.name),
        breaksJSON: true)
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
    if wasSeen, isSeen, isSameType {
      compareMappings(
        first.mapping, second.mapping, first.declaration, second.declaration, second.name,
        isBytes: second.byteCount != nil)
    }
    if isSeen, !first.declaration.attributes.isEmpty || !second.declaration.attributes.isEmpty {
      compareAttributes(first, second)
    }
  }

  /// Compares the types of the two versions of the field.
  /// - Returns: whether their defaults may be compared.
  private mutating func compareTypes(
    _ first: FieldDefinition, _ second: FieldDefinition, _ evidence: Finding.Evidence?
  ) -> Bool {
    let relation: TypeRelation
    if first.type.form == second.type.form {
      relation =
        evidence == .precaution
        ? relateUnread(first.type.definition, second.type.definition)
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
      reportPrecautions(
        first.type.definition, second.type.definition, at: typeRange(second), was: typeRange(first))
      return true
    case .different where versions.areBothBoolean(first.type, second.type):
      report(
        .fieldType,
        "`\(second.name)` was `\(first.type.text(in: old.schema))`, and is `\(second.type.text(in: new.schema))`",
        harm: BooleanTypes.harm, advice: BooleanTypes.advice, at: typeRange(second), was: typeRange(first),
        "the type was this", severity: .warning, evidence: .precaution)
      return true
    case .kind, .different:
      let (before, after) = (first.type.text(in: old.schema), second.type.text(in: new.schema))
      let isSameName = before == after
      report(
        .fieldType,
        isSameName
          ? "`\(second.name)` holds \(second.type.definition?.kindName ?? "") rather than \(first.type.definition?.kindName ?? "")"
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
}

extension FieldType {
  /// A type without the definition that it refers to. Fields of different forms have nothing in common.
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

  /// Whether a hidden field comes before a field of this type: the type of a union, or the types of a vector of unions.
  var takesTwoSlots: Bool {
    switch self {
    case .union, .vector(of: .union): true
    default: false
    }
  }
}
