import FBSDiagnostics
import FBSParser

/// Checks what the language's own attributes demand of the fields that they stand on.
struct FieldRules {
  let scope: ResolutionScope

  func checkKey(
    _ attribute: Attribute, isAllowed: Bool, isOptional: Bool, _ keys: inout [SourceRange]
  ) {
    if let first = keys.first {
      scope.error(
        .misplacedAttribute, "only one field can be the key", at: attribute.range, advice: "remove one",
        labels: [.init(first, "the first is here")], fixes: attribute.removalFixes)
    } else if !isAllowed {
      scope.error(
        .misplacedAttribute, "only a number, bool, enum, string or struct can be the key", at: attribute.range,
        advice: "remove `key`", fixes: attribute.removalFixes)
    } else if isOptional {
      scope.error(
        .misplacedAttribute, "a key is never absent, so its field cannot be optional", at: attribute.range,
        advice: "remove `key` or `= null`", fixes: attribute.removalFixes)
    } else {
      keys.append(attribute.range)
    }
  }

  /// Checks the attributes of a field.
  /// - Parameter isInStruct: whether the field is in a struct, for which some rules differ.
  func checkAttributes(
    of field: PendingField, _ type: FieldType, _ keys: inout [SourceRange], _ definition: UnresolvedDefinition,
    isInStruct: Bool = false
  ) {
    guard !field.declaration.attributes.isEmpty else { return }
    let isScalar = type.isScalarOrEnum
    for attribute in field.declaration.attributes {
      switch attribute.name {
      case "required", "key", "deprecated", "offset64", "vector64", "force_align":
        // Structs have their own rules for these attributes.
        if isInStruct { continue }
      default: break
      }
      switch attribute.name {
      case "required" where isScalar:
        scope.error(
          .misplacedAttribute, "a number, bool or enum is never absent", at: attribute.range,
          advice: "remove `required`",
          notes: ["reading it gives its default, or null if its default is `null`"], fixes: attribute.removalFixes)
      case "key":
        var isAllowed = isScalar || type == .string
        if case .structure = type { isAllowed = true }
        checkKey(attribute, isAllowed: isAllowed, isOptional: isScalar && field.presence == .optional, &keys)
      case "hash":
        checkHash(attribute, type)
      case "nested_flatbuffer":
        checkNested(attribute, type, definition)
      case "vector64":
        checkVector64(attribute, type, field)
      case "offset64":
        checkOffset64(attribute, type, field)
      case "flexbuffer" where type != .vector(of: .scalar(.uint8)):
        scope.error(
          .misplacedAttribute, "`flexbuffer` stands on `[ubyte]` alone", at: attribute.range, advice: "remove it",
          labels: typeLabel(field), fixes: attribute.removalFixes)
      case "flexbuffer" where field.has("vector64"):
        scope.error(
          .contradictoryAttributes, "a `vector64` cannot hold a FlexBuffer", at: attribute.range,
          advice: "remove one of the two",
          labels: field.declaration.attribute("vector64").map { [.init($0.range, "")] } ?? [],
          notes: ["`offset64` can stand beside `flexbuffer`"],
          fixes: attribute.removalFixes + (field.declaration.attribute("vector64")?.removalFixes ?? []))
      case "shared" where type != .string:
        scope.error(
          .misplacedAttribute, "`shared` stands on strings alone", at: attribute.range, advice: "remove it",
          labels: typeLabel(field), fixes: attribute.removalFixes)
      case "native_inline":
        switch type {
        case .structure, .vector(of: .structure), .vector(of: .table): break
        default:
          scope.error(
            .misplacedAttribute, "`native_inline` stands on structs and vectors of structs or tables alone",
            at: attribute.range, advice: "remove it", labels: typeLabel(field), fixes: attribute.removalFixes)
        }
      case "native_custom_alloc":
        scope.error(
          .misplacedAttribute, "`native_custom_alloc` stands on tables and structs, not on their fields",
          at: attribute.range, advice: "move it")
      case "cpp_type" where !field.has("hash"):
        scope.error(
          .misplacedAttribute, "`cpp_type` needs `hash` beside it", at: attribute.range,
          advice: "add `hash`, or remove it", fixes: attribute.removalFixes)
      case "force_align" where !type.isVector:
        scope.report(
          .idleAttribute, .warning, "`force_align` does nothing on this field", at: attribute.range,
          advice: "remove it",
          notes: ["it belongs on structs and vectors"], fixes: attribute.removalFixes)
      case "deprecated":
        checkDeprecated(attribute, field)
      default:
        break
      }
    }
    checkMappings(field, type, isInStruct: isInStruct)
  }

  private func checkVector64(_ attribute: Attribute, _ type: FieldType, _ field: PendingField) {
    guard case .vector(let element) = type else {
      return scope.error(
        .misplacedAttribute, "`vector64` stands on vectors alone", at: attribute.range,
        advice: type == .string ? "use `offset64`" : "remove it", labels: typeLabel(field),
        fixes: type == .string ? [.replace(attribute.range, with: "offset64")] : attribute.removalFixes)
    }
    if !element.canBeFarAway { reportNearElements(attribute, field) }
  }

  private func checkOffset64(_ attribute: Attribute, _ type: FieldType, _ field: PendingField) {
    switch type {
    // The rule for `vector64` reports whatever else is wrong with the field.
    case _ where field.has("vector64"):
      guard case .vector(let element) = type, element.canBeFarAway else { return }
      scope.report(
        .idleAttribute, .warning, "`vector64` implies `offset64`", at: attribute.range, advice: "remove `offset64`",
        fixes: attribute.removalFixes)
    case .string: break
    case .vector(let element):
      if !element.canBeFarAway { reportNearElements(attribute, field) }
    default:
      scope.error(
        .misplacedAttribute, "`offset64` stands on strings and vectors alone", at: attribute.range,
        advice: "remove it", labels: typeLabel(field), fixes: attribute.removalFixes)
    }
  }

  private func reportNearElements(_ attribute: Attribute, _ field: PendingField) {
    scope.error(
      .misplacedAttribute, "`\(attribute.name)` stands on vectors of numbers, bools or structs alone",
      at: attribute.range, advice: "remove it", labels: typeLabel(field), fixes: attribute.removalFixes)
  }

  private func typeLabel(_ field: PendingField) -> [Diagnostic.Label] {
    field.declaration.typeRange.map { [.init($0, "")] } ?? []
  }

  private func checkDeprecated(_ attribute: Attribute, _ field: PendingField) {
    let reasons = [
      ("primary", "objects are found by their primary key"), ("indexed", "an index needs the field's values"),
      ("unique", "an index needs the field's values"), ("required", "nothing can write it any more"),
      ("key", "vectors are sorted by it"),
    ]
    for (name, reason) in reasons {
      guard let other = field.declaration.attribute(name) else { continue }
      scope.error(
        .contradictoryAttributes, "a deprecated field cannot be `\(name)`: \(reason)", at: attribute.range,
        advice: "remove one of the two", labels: [.init(other.range, "")],
        fixes: attribute.removalFixes + other.removalFixes)
    }
  }

  private func checkHash(_ attribute: Attribute, _ type: FieldType) {
    let scalar: ScalarType? =
      switch type {
      case .scalar(let type), .vector(of: .scalar(let type)): type
      case .enumeration(let id), .vector(of: .enumeration(let id)): scope.schema[id].underlyingType
      default: nil
      }
    guard let scalar, scalar.isInteger, scalar.size > 1 else {
      return scope.error(
        .misplacedAttribute, "`hash` stands on whole numbers of 16, 32 or 64 bits alone", at: attribute.range,
        advice: "remove it, or change the type", fixes: attribute.removalFixes)
    }
    let bits = scalar.size * 8
    guard case .string(let algorithm) = attribute.value, ["fnv1_\(bits)", "fnv1a_\(bits)"].contains(algorithm) else {
      return scope.error(
        .wrongAttributeValue, "there is no such algorithm for \(bits) bits", at: attribute.range,
        advice: "use \"fnv1_\(bits)\" or \"fnv1a_\(bits)\"",
        fixes: ["fnv1_\(bits)", "fnv1a_\(bits)"].map { .replace(attribute.range, with: "hash: \"\($0)\"") })
    }
  }

  private func checkNested(_ attribute: Attribute, _ type: FieldType, _ definition: UnresolvedDefinition) {
    guard type == .vector(of: .scalar(.uint8)) else {
      return scope.error(
        .misplacedAttribute, "`nested_flatbuffer` stands on `[ubyte]` alone", at: attribute.range, advice: "remove it",
        fixes: attribute.removalFixes)
    }
    guard case .string(let name) = attribute.value else { return }
    let (found, hidden) = lookUp(name, definition)
    guard let found else {
      // If the name has escapes, its range in the file is unknown.
      let bytes = scope.tree(definition.file).source.bytes
      let start = attribute.range.end - 1 - name.utf8.count
      let isPlain = start > attribute.range.start && bytes[start..<(attribute.range.end - 1)].elementsEqual(name.utf8)
      let place = SourceRange(file: attribute.range.file, start: max(0, start), end: attribute.range.end - 1)
      return scope.reportUnknown(
        name, at: attribute.range, name: isPlain ? place : nil, from: definition.namespace, in: definition.file,
        hidden: hidden)
    }
    switch scope.symbols.definitions[found].id {
    case .table, .structure: break
    case .enumeration, .union:
      scope.error(
        .wrongType, "`\(name)` is \(scope.symbols.definitions[found].id.kindName), and a nested buffer holds a table",
        at: attribute.range, advice: "name a table")
    }
  }

  /// Returns the table or struct that `nested_flatbuffer` names on a field; nil without the attribute, or if it is wrong.
  /// It is looked up like every name: the nearest definition that the file can see is taken, whatever its kind is.
  func nestedType(of field: PendingField, _ type: FieldType, _ definition: UnresolvedDefinition) -> DefinitionID? {
    guard !field.declaration.attributes.isEmpty, type == .vector(of: .scalar(.uint8)),
      case .string(let name)? = field.declaration.attribute("nested_flatbuffer")?.value,
      let found = lookUp(name, definition).found
    else { return nil }
    let id = scope.symbols.definitions[found].id
    return id.isStructure ? id : nil
  }

  /// Looks up the name in an attribute of a field, as `ResolutionScope.lookUp` does.
  private func lookUp(_ name: String, _ definition: UnresolvedDefinition) -> (found: Int?, hidden: Int?) {
    let parts = name.split(separator: ".", omittingEmptySubsequences: false)
    let components = parts.compactMap { scope.symbols.names.find(Array($0.utf8)[...]) }
    guard components.count == parts.count else { return (nil, nil) }
    return scope.lookUp(components, from: definition.namespace, in: definition.file)
  }
}

extension FieldType {
  var isScalarOrEnum: Bool {
    switch self {
    case .scalar, .enumeration: true
    default: false
    }
  }
}

extension ElementType {
  /// Whether a vector of such elements may have a 64-bit offset. Elements that are offsets themselves may not, nor, as
  /// in flatc, enums.
  fileprivate var canBeFarAway: Bool {
    switch self {
    case .scalar, .structure: true
    case .enumeration, .string, .table, .union: false
    }
  }
}
