import FBSDiagnostics
import FBSParser
import FBSSchema

/// Compares two versions of a struct.
struct StructComparison: TypeComparer {
  let pair: TypePair
  let versions: VersionPair
  let relations: any TypeRelations
  var findings: [Finding] = []

  mutating func compare(_ first: StructDefinition, _ second: StructDefinition) {
    let alignment = FieldAlignment(
      old: first.fields.enumerated().map { .init(name: $1.name, number: $0) },
      new: second.fields.enumerated().map { .init(name: $1.name, number: $0) }, isNumbered: false)
    var isRetyped = false
    for match in alignment.matched where !compare(first.fields[match.old], second.fields[match.new]) {
      isRetyped = true
    }
    for match in alignment.moved {
      let (before, after) = (first.fields[match.old], second.fields[match.new])
      reportLayout(
        "`\(after.name)` was moved: it was at byte \(before.offset), and is at \(after.offset)", second,
        advice: "move it back",
        at: after.declaration.nameRange, was: before.declaration.nameRange, "at byte \(before.offset)")
    }
    for place in alignment.removed {
      let field = first.fields[place]
      reportLayout(
        "`\(field.name)` is gone from struct `\(second.name)`", second, advice: "put it back",
        at: second.fields.indices.contains(place)
          ? second.fields[place].declaration.nameRange : second.declaration.nameRange,
        was: field.declaration.nameRange, "this field is gone")
    }
    // A field in bytes that were padding moves nothing.
    let isPadding =
      first.size == second.size && first.alignment == second.alignment && alignment.removed.isEmpty
      && alignment.moved.isEmpty && !isRetyped
      && alignment.matched.allSatisfy { first.fields[$0.old].offset == second.fields[$0.new].offset }
    for place in alignment.inserted + alignment.added {
      let field = second.fields[place]
      reportLayout(
        isPadding
          ? "`\(field.name)` was added to struct `\(second.name)`, in bytes that were padding"
          : "`\(field.name)` was added to struct `\(second.name)`", second,
        advice: "remove it, or make a new struct", at: field.declaration.nameRange, was: first.declaration.nameRange,
        "\(first.size) bytes", isPadding: isPadding)
    }
    compareAlignment(
      first, second, isRetyped: isRetyped,
      isSame: alignment.removed.isEmpty && alignment.moved.isEmpty
        && alignment.inserted.isEmpty && alignment.added.isEmpty)
  }

  /// Reports a layout that changed with `force_align`, with an inner struct, or with the types of the fields.
  private mutating func compareAlignment(
    _ first: StructDefinition, _ second: StructDefinition, isRetyped: Bool, isSame: Bool
  ) {
    let (before, after) = (first.declaration.attribute("force_align"), second.declaration.attribute("force_align"))
    let hasNewLayout = first.size != second.size || first.alignment != second.alignment
    if before?.value != after?.value, hasNewLayout {
      report(
        .forceAlign,
        "the alignment of struct `\(second.name)` was \(first.alignment), and is \(second.alignment) bytes",
        harm: "stored structs are \(first.size) bytes at multiples of \(first.alignment): they are refused, or misread",
        advice: before == nil ? "remove `force_align`" : "put `force_align` back as it was",
        at: after?.range ?? second.declaration.nameRange, was: before?.range ?? first.declaration.nameRange,
        before == nil ? "without `force_align`" : "it was this")
    } else if hasNewLayout, isSame, !isRetyped {
      report(
        .structLayout, "struct `\(second.name)` holds a struct whose layout changed",
        harm:
          "it was \(first.size) bytes at multiples of \(first.alignment), and is \(second.size) at \(second.alignment)",
        advice: "put the inner struct back", at: second.declaration.nameRange, was: first.declaration.nameRange,
        "\(first.size) bytes")
    }
    if isRetyped {
      report(
        .structLayout, "the layout of struct `\(second.name)` changed with the types of its fields",
        harm: "it was \(first.size) bytes, and is \(second.size): stored structs are misread",
        advice: "put the types back, or make a new struct", at: second.declaration.nameRange,
        was: first.declaration.nameRange, "\(first.size) bytes")
    }
  }

  private mutating func reportLayout(
    _ message: String, _ definition: StructDefinition, advice: String,
    at range: SourceRange, was oldRange: SourceRange, _ oldText: String,
    isPadding: Bool = false
  ) {
    report(
      .structLayout, message,
      harm: isPadding
        ? "stored structs have padding there, which need not be zero"
        : "stored structs have the old layout, and are misread",
      advice: advice, at: range, was: oldRange, oldText, severity: isPadding ? .warning : nil,
      evidence: isPadding ? .precaution : nil)
  }

  /// Compares two versions of a field.
  /// - Returns: Whether the field's stored bytes still read correctly.
  private mutating func compare(_ first: StructDefinition.Field, _ second: StructDefinition.Field) -> Bool {
    if first.name != second.name {
      report(
        .fieldRenamed, "`\(first.name)` is called `\(second.name)`",
        harm: "stored data is safe; code that uses the old name stops building",
        advice: "rename it in the code as well", at: second.declaration.nameRange, was: first.declaration.nameRange,
        "the old name",
        fix: .init(title: "put the old name back", range: second.declaration.nameRange, replacement: first.name),
        breaksJSON: true)
    }
    compareKey(first.declaration, second.declaration, second.name)
    compareHash(first.declaration, second.declaration, second.name)
    if first.type.form == second.type.form, first.byteCount == second.byteCount {
      compareMappings(
        first.mapping, second.mapping, first.declaration, second.declaration, second.name,
        isBytes: second.byteCount != nil)
    }
    var relation = TypeRelation.different
    if first.type.form == second.type.form {
      relation = relate(first.type.definition, second.type.definition)
    } else if let before = first.type.definition, let after = second.type.definition {
      reportKind(before, after)
    }
    let (before, after) = (first.type.text(in: old.schema), second.type.text(in: new.schema))
    let (range, oldRange) = (
      second.declaration.typeRange ?? second.declaration.nameRange,
      first.declaration.typeRange ?? first.declaration.nameRange
    )
    switch relation {
    case .same: return true
    case .alike:
      report(
        .typeRenamed, "`\(second.name)` is of type `\(after)` rather than `\(before)`",
        harm: "the two are stored alike, so that data is safe; code that uses the old type stops building",
        advice: "change the code as well", at: range, was: oldRange, "the type was this")
      reportPrecautions(first.type.definition, second.type.definition, at: range, was: oldRange)
      return true
    case .different where versions.areBothBoolean(first.type, second.type):
      report(
        .fieldType, "`\(second.name)` was `\(before)`, and is `\(after)`", harm: BooleanTypes.harm,
        advice: BooleanTypes.advice, at: range, was: oldRange, "the type was this", severity: .warning,
        evidence: .precaution)
      return true
    case .kind, .different:
      report(
        .fieldType, "`\(second.name)` was `\(before)`, and is `\(after)`",
        harm: "stored structs have the old layout, and are misread", advice: "put the type back, or make a new struct",
        at: range, was: oldRange, "the type was this",
        fix: .init(title: "put the type back", range: range, replacement: before))
      return false
    }
  }
}

extension StructDefinition.FieldType {
  /// The form of a type, which leaves out which enum or struct the type names.
  enum Form: Hashable {
    case scalar(ScalarType), enumeration, structure
    indirect case array(Form, Int)
  }

  var form: Form {
    switch self {
    case .scalar(let type): .scalar(type)
    case .enumeration: .enumeration
    case .structure: .structure
    case .array(of: let element, let count): .array(element.form, count)
    }
  }
}
