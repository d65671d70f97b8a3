import FBSDiagnostics

/// Checks what `date`, `duration`, `uuid`, `decimal`, `url` and `swift_type` demand of the field that they stand on.
extension FieldRules {
  /// Checks the attributes of a field that map it to another type.
  /// - Parameter isInStruct: whether the field is in a struct. A fixed array then stands here as the type of a table's
  ///   field.
  func checkMappings(_ field: PendingField, _ type: FieldType, isInStruct: Bool) {
    let attributes = field.declaration.attributes.filter { ValueMapping.attributeNames.contains($0.name) }
    guard let first = attributes.first else { return }
    for attribute in attributes.dropFirst() {
      scope.error(
        .contradictoryAttributes, "a field stands for one type, and has `\(first.name)` already", at: attribute.range,
        advice: "remove one of the two", labels: [.init(first.range, "")],
        fixes: attribute.removalFixes + first.removalFixes)
    }
    for attribute in attributes { check(attribute, field, type, isInStruct) }
  }

  private func check(_ attribute: Attribute, _ field: PendingField, _ type: FieldType, _ isInStruct: Bool) {
    let mapping = ValueMapping(attribute)
    if let mapping, mapping.fits(type, byteCount: field.byteCount) {
      if attribute.value != nil, mapping == .uuid || mapping == .url {
        scope.report(
          .idleAttribute, .warning, "the value of `\(attribute.name)` does nothing", at: attribute.range,
          advice: "write `\(attribute.name)` alone", fixes: [.replace(attribute.range, with: attribute.name)])
      }
      return
    }
    let form = Form(attribute.name)
    // A schema may have used an attribute of this name before it meant anything to dflat.
    if scope.symbols.declaredAttributes[attribute.name] != nil, mapping != nil || attribute.value == nil {
      scope.report(
        .idleAttribute, .warning, "`\(attribute.name)` is an attribute of the schema's own here, and maps no value",
        at: attribute.range, advice: "for one that does, write \(form.example)")
      return
    }
    guard let mapping else {
      return scope.error(
        .wrongAttributeValue, "`\(attribute.name)` needs \(form.value)", at: attribute.range,
        advice: "such as \(form.example)",
        fixes: form.values.map { .replace(attribute.range, with: "\(attribute.name): \"\($0)\"") })
    }
    scope.error(
      .misplacedAttribute, "`\(attribute.name)` does not stand on \(kind(of: type, isInStruct))", at: attribute.range,
      advice: advice(mapping, type, isInStruct), labels: field.declaration.typeRange.map { [.init($0, "")] } ?? [],
      notes: ["it stands on \(form.places)"], fixes: attribute.removalFixes)
  }

  private func advice(_ mapping: ValueMapping, _ type: FieldType, _ isInStruct: Bool) -> String {
    switch (mapping, type) {
    case (.date, .scalar(.double)), (.duration, .scalar(.double)):
      return "a `double` counts seconds: write \"s\", or use `long`"
    case (.date, .scalar(let scalar)) where scalar.isInteger && scalar.size == 4:
      return "32 bits end after days of this unit: use `long`"
    case (.date, .scalar), (.duration, .scalar), (.decimal, .scalar): return "use `long`"
    case (.date, .vector(of: .scalar)), (.duration, .vector(of: .scalar)), (.decimal, .vector(of: .scalar)):
      return "use `[long]`"
    case (_, .union): return "put it on a field of a member"
    case (.uuid, .structure), (.uuid, .vector(of: .structure)):
      return "make the struct one field, `[ubyte:16]`, without `force_align`"
    case (_, .table) where isInStruct: return "put it on single fields, or on a vector in a table"
    case (_, .table), (_, .structure), (_, .vector(of: .table)), (_, .vector(of: .structure)):
      return "put it on the fields there"
    default: return "remove it, or change the type"
    }
  }

  private func kind(of type: FieldType, _ isInStruct: Bool) -> String {
    switch type {
    case .scalar(let scalar): "`\(scalar.schemaName)`"
    case .enumeration: "an enum"
    case .string: "a string"
    case .structure: "a struct"
    case .table: isInStruct ? "a fixed array" : "a table"
    case .union: "a union"
    case .vector(of: .scalar(let scalar)): "a vector of `\(scalar.schemaName)`"
    case .vector(of: .string): "a vector of strings"
    case .vector: "a vector of these"
    }
  }

  /// The form of one of the attributes.
  private struct Form {
    /// The kind of value that the attribute takes.
    let value: String
    /// All values that the attribute may have, if they are few.
    let values: [String]
    let example: String
    let places: String

    init(_ name: String) {
      switch name {
      case "date", "duration":
        value = "a unit: \"s\", \"ms\", \"us\" or \"ns\""
        values = ValueMapping.TimeUnit.allCases.map(\.rawValue)
        example = "`\(name): \"ms\"`"
        places =
          name == "date"
          ? "`long` and `ulong`, with \"s\" also on `int`, `uint` and `double`, and on vectors of these"
          : "`int`, `uint`, `long` and `ulong`, with \"s\" also on `double`, and on vectors of these"
      case "decimal":
        value = "the number of decimal places, 0 to \(ValueMapping.maximumPlaces)"
        values = []
        example = "`decimal: \"2\"`"
        places = "whole numbers of 16 bits and more, and vectors of these"
      case "swift_type":
        value = "the name of a type of Swift"
        values = []
        example = "`swift_type: \"Theme.Color\"`"
        places = "numbers, bools and strings, and vectors of these"
      default:
        (value, values, example) = ("no value", [], "`\(name)`")
        places =
          name == "uuid"
          ? "strings, structs whose only field is `[ubyte:16]`, and vectors of these" : "strings and vectors of strings"
      }
    }
  }
}
