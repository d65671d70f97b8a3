import FBSSchema

/// A field of a table, with everything that emitters need to write its code.
///
/// The switches over the types of fields are here and in the extensions beside this file, one for each emitter, so that
/// the emitters only lay out text.
///
/// A class, since it is passed around a lot, and copying a struct would count references to everything that it holds.
final class SwiftField: Sendable {
  let field: FieldDefinition
  /// The name in Swift, without backticks.
  let plainName: String
  /// The name after a dot or in a declaration.
  let name: String
  /// The name as the label of an argument in a call.
  let label: String
  /// The name as a parameter's name in a declaration.
  var parameter: String { SwiftKeywords.escapeParameter(label) }
  /// The data model's type.
  let modelType: String
  /// The data model's default; nil if a value must be given.
  let modelDefault: String?
  /// Whether the data model stores the value outside of the struct that has the field.
  let isIndirect: Bool
  /// Whether the field belongs to a root table.
  let isOfRoot: Bool
  let unit: EmissionUnit
  /// The mapping of the field, or of each element of its vector; nil if it has none.
  let mapping: SwiftMapping?
  /// The name of the table in the schema.
  private let tableName: String
  /// The root table of the FlatBuffer that is nested in the field; nil if there is none.
  let nestedTable: TableID?
  /// The kind of offset in the field's slot, if it refers to a string or vector.
  let reference: Reference

  init(
    _ field: FieldDefinition, of table: TableDefinition? = nil, isIndirect: Bool = false, isOfRoot: Bool = false,
    in unit: EmissionUnit
  ) {
    self.field = field
    self.isIndirect = isIndirect
    self.isOfRoot = isOfRoot
    self.unit = unit
    reference = Reference(of: field)
    nestedTable = unit.nestedTable(field)
    plainName = unit.names.plain(field)
    name = SwiftKeywords.escape(plainName)
    label = SwiftKeywords.escapeLabel(plainName)
    tableName = table?.name.name ?? ""
    mapping = field.mapping.map {
      SwiftMapping($0, storage: field.type.scalar, isBytes: field.byteCount != nil, unit.imported)
    }
    (modelType, modelDefault) = mapping.map { Self.model(field, $0) } ?? Self.model(field, in: unit)
  }

  /// Returns the fields of a table that the API shows: all except deprecated ones.
  static func live(_ table: TableDefinition, in unit: EmissionUnit) -> [SwiftField] {
    // By index, here and below: copying a field counts references.
    table.fields.indices.lazy.filter { !table.fields[$0].isDeprecated }.map {
      SwiftField(table.fields[$0], of: table, in: unit)
    }
  }

  /// The name in a doc comment.
  var documentedName: String { "`" + plainName + "`" }

  /// Returns the fields of a table that the data model shows.
  static func live(_ id: TableID, in unit: EmissionUnit) -> [SwiftField] {
    let table = unit.schema[id]
    return table.fields.indices.lazy.filter { !table.fields[$0].isDeprecated }.map {
      let field = table.fields[$0]
      return SwiftField(
        field, of: table, isIndirect: unit.traits.recursion.isIndirect(field, of: id), isOfRoot: unit.isRoot(id),
        in: unit)
    }
  }

  var schema: Schema { unit.schema }
  var names: Namer { unit.names }
  var imported: ImportedTypeNames { unit.imported }
  var slot: Int { field.vtableOffset }

  /// Whether the field is never absent, whatever type it has.
  var isRequired: Bool { field.isPrimary || field.presence == .required }

  /// Whether the field is a scalar or enum that may be absent.
  var isOptional: Bool { field.presence == .optional }

  /// Whether the data model's type is an optional.
  var isModelOptional: Bool { modelType.hasSuffix("?") }

  /// The kinds of offsets to strings and vectors.
  enum Reference {
    case offset
    /// `(offset64)`: a 64-bit offset.
    case offset64
    /// `(vector64)`: a 64-bit offset to a vector whose length has 64 bits.
    case vector64

    init(of field: FieldDefinition) {
      self =
        if field.declaration.attributes.isEmpty || !field.hasWideOffset { .offset } else {
          field.hasWideLength ? .vector64 : .offset64
        }
    }

    /// The label of the slot in a read.
    var label: String {
      switch self {
      case .offset: "at"
      case .offset64: "offset64At"
      case .vector64: "vector64At"
      }
    }

    /// The type of the offset that `create` takes.
    var offsetType: ImportedType {
      switch self {
      case .offset: .offset
      case .offset64: .offset64
      case .vector64: .vector64Offset
      }
    }

    /// The size by which the fields of a table are sorted. As in C++, an `offset64` counts as 4 bytes, although it
    /// takes 8.
    var sortedSize: Int { self == .vector64 ? 8 : 4 }
  }

  /// The names of the schema's types that the code for the field may name.
  var typesInCode: [Namer.DeclaredName] {
    let types = [field.type.definition, nestedTable.map { DefinitionID.table($0) }]
    return types.compactMap { $0 }.map { names.declared($0) }
  }

  /// The argument with the slot of a field that refers to a string or vector.
  var slotArgument: String { "\(reference.label): \(slot)" }

  // MARK: The data model

  /// Whether the default is an implicit member, such as `.red` or `-.infinity`, whose type Swift has to infer.
  var defaultNeedsType: Bool {
    guard let modelDefault, !isModelOptional, mapping == nil else { return false }
    return modelDefault.hasPrefix(".") || modelDefault.hasPrefix("-.")
  }

  /// Returns the field of `object` as a side of `==`.
  func comparedValue(of object: String) -> String {
    // Without parentheses, Swift takes `.nan` for `FloatingPoint`'s, and warns that nothing is equal to it.
    if plainName == "nan", case .scalar(let scalar) = field.type, scalar.isFloatingPoint {
      return "(\(object).\(name))"
    }
    return "\(object).\(name)"
  }

  /// The name in a message.
  var qualifiedName: String { "\(tableName).\(plainName)" }

  private static func model(_ field: FieldDefinition, in unit: EmissionUnit) -> (type: String, default: String?) {
    // Through the unit: its parts would be copied otherwise, with many arrays.
    let isRequired = field.isPrimary || field.presence == .required
    switch field.type {
    case .scalar(let scalar):
      guard case .defaulted(let value) = field.presence else { return (unit.imported[scalar.swiftType] + "?", "nil") }
      return (unit.imported[scalar.swiftType], field.isPrimary ? nil : value.swiftLiteral)
    case .enumeration(let id):
      guard case .defaulted(let value) = field.presence else { return (unit.names.model(id) + "?", "nil") }
      return (unit.names.model(id), field.isPrimary ? nil : unit.schema[id].swiftLiteral(value, names: unit.names))
    case .string:
      if isRequired { return (unit.imported[.string], nil) }
      guard case .defaultedObject(let text) = field.presence else { return (unit.imported[.string] + "?", "nil") }
      return (unit.imported[.string], swiftStringLiteral(text))
    case .structure(let id):
      return isRequired ? (unit.names.model(id), nil) : (unit.names.model(id) + "?", "nil")
    case .table(let id):
      return isRequired ? (unit.names.model(id), nil) : (unit.names.model(id) + "?", "nil")
    case .union(let id):
      // Even a required union is optional: a newer version may have written a member that this one does not know.
      return (unit.names.model(id) + "?", isRequired ? nil : "nil")
    case .vector(let element):
      return ("[" + modelName(element, names: unit.names) + "]", isRequired ? nil : "[]")
    }
  }

  private static func modelName(_ element: ElementType, names: Namer) -> String {
    switch element {
    case .scalar(let scalar): names.imported[scalar.swiftType]
    case .enumeration(let id): names.model(id)
    case .string: names.imported[.string]
    case .structure(let id): names.model(id)
    case .table(let id): names.model(id)
    case .union(let id): names.model(id)
    }
  }

  /// The value with which an empty object starts: the schema's default, which a key has too, or else an empty value.
  var emptyValue: String {
    if let modelDefault { return modelDefault }
    if let wrapper, !isVector { return "\(wrapper)(stored: \(emptyNumberOrText)).wrappedValue" }
    switch field.type {
    case .scalar, .string: return emptyNumberOrText
    case .enumeration(let id):
      guard case .defaulted(let value) = field.presence else { return schema[id].swiftZero(names: names) }
      return schema[id].swiftLiteral(value, names: names)
    case .structure(let id): return mapping.map { "\($0.valueType)(.empty)" } ?? names.model(id) + "()"
    case .table(let id): return names.model(id, reading: ".empty")
    case .union: return "nil"
    case .vector: return "[]"
    }
  }

  /// The stored form of `emptyValue`, for a number or a string.
  private var emptyNumberOrText: String {
    switch field.presence {
    case .defaulted(let value): value.swiftLiteral
    case .defaultedObject(let text): swiftStringLiteral(text)
    case .optional, .required: field.type.scalar?.swiftZero ?? "\"\""
    }
  }

  /// The expression that reads the data model's value of the field from `table`.
  var modelRead: CodeText {
    switch field.type {
    case .scalar:
      // Root objects are read by the thousand: for their scalars and unions, speed counts more than the length of the
      // code.
      guard case .defaulted(let value) = field.presence else {
        return isOfRoot ? "table.optionalScalar(at: \(slot))" : "table.decodeOptionalScalar(at: \(slot))"
      }
      let read = isOfRoot ? "scalar" : "decodeScalar"
      return "table.\(read)(at: \(slot), default: \(value.swiftLiteral))"
    case .enumeration(let id):
      return enumRead(schema[id], type: names.model(id))
    case .string:
      let read: CodeText = "table.string(\(slotArgument))"
      if case .defaultedObject(let text) = field.presence { return "\(read) ?? \(swiftStringLiteral(text))" }
      return isRequired ? "\(read) ?? \"\"" : read
    case .structure(let id):
      let read: CodeText = "table.decodeStruct(at: \(slot))"
      return isRequired ? "\(read) ?? \(mapping?.valueType ?? names.model(id))(.empty)" : read
    case .table(let id) where !names.isRoot(id):
      let read: CodeText = "table.decodeTable(at: \(slot))"
      return isRequired ? "\(read) ?? \(names.model(id))(.empty)" : read
    case .table(let id):
      let read = "table.table(at: \(slot))"
      return isRequired
        ? CodeText(names.model(id, reading: "\(read) ?? .empty")) : "\(read).map { \(names.model(id, reading: "$0")) }"
    case .union(let id):
      return isOfRoot ? "\(names.model(id))(table.union(at: \(slot)))" : "table.decodeUnion(at: \(slot))"
    case .vector(let element):
      return vectorRead(element)
    }
  }

  private func enumRead(_ definition: EnumDefinition, type: String) -> CodeText {
    guard case .defaulted(let value) = field.presence else { return "table.decodeOptionalEnum(at: \(slot))" }
    // Any set of bits is valid, but a newer version may have written a number without a case.
    if definition.isBitFlags { return "\(type)(rawValue: table.scalar(at: \(slot), default: \(value.swiftLiteral)))" }
    return "table.decodeEnum(at: \(slot), default: \(definition.swiftLiteral(value, names: names)))"
  }

  private func vectorRead(_ element: ElementType) -> CodeText {
    switch element {
    case .scalar: return "table.decodeNumbers(\(slotArgument))"
    case .string: return "table.decodeStrings(at: \(slot))"
    case .enumeration(let id):
      return "table.decodeEnums(at: \(slot), default: \(schema[id].swiftZero(names: names)))"
    case .structure(let id): return "table.decodeStructs(of: \(names.reader(id)).self, \(slotArgument))"
    case .table(let id) where !names.isRoot(id): return "table.decodeTables(at: \(slot))"
    case .table(let id):
      let type: CodeText = "\(imported[.flatBufferVector])<\(imported[.flatBufferTable])>"
      return "(table.vector(at: \(slot)) as \(type)).map { \(names.model(id, reading: "$0")) }"
    case .union: return "table.decodeUnions(at: \(slot))"
    }
  }
}
