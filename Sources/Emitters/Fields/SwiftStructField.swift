import FBSSchema

/// A field of a struct, with everything that emitters need to write its code.
struct SwiftStructField {
  let field: StructDefinition.Field
  /// The name in Swift, without backticks.
  let plainName: String
  /// The name after a dot or in a declaration.
  let name: String
  /// The name as the label of an argument in a call.
  let label: String
  /// The name as a parameter's name in a declaration.
  var parameter: String { SwiftKeywords.escapeParameter(label) }
  /// The mapping of the field; nil if it has none.
  let mapping: SwiftMapping?
  private let unit: EmissionUnit

  init(_ field: StructDefinition.Field, in unit: EmissionUnit) {
    self.field = field
    self.unit = unit
    plainName = unit.names.plain(field)
    name = SwiftKeywords.escape(plainName)
    label = SwiftKeywords.escapeLabel(plainName)
    mapping = field.mapping.map {
      SwiftMapping($0, storage: field.type.scalar, isBytes: field.byteCount != nil, unit.imported)
    }
  }

  static func all(_ structure: StructDefinition, in unit: EmissionUnit) -> [SwiftStructField] {
    structure.fields.map { SwiftStructField($0, in: unit) }
  }

  private var schema: Schema { unit.schema }
  var names: Namer { unit.names }
  var imported: ImportedTypeNames { unit.imported }
  private var offset: Int { field.offset }

  /// The names of the types of one family: the data model, the values to write, or the readers.
  private struct Family {
    let enumeration: (EnumID) -> String
    let structure: (StructID) -> String
  }

  private func type(_ type: StructDefinition.FieldType, _ family: Family, array: (String) -> String) -> String {
    switch type {
    case .scalar(let scalar): imported[scalar.swiftType]
    case .enumeration(let id): family.enumeration(id)
    case .structure(let id): family.structure(id)
    case .array(let element, _): array(self.type(element, family, array: array))
    }
  }

  // MARK: The data model

  /// The data model's type.
  var modelType: String {
    if let mapping { return mapping.valueType }
    return type(field.type, Family(enumeration: names.model, structure: names.model)) { "[\($0)]" }
  }

  /// The data model's default: zeros.
  var modelDefault: String {
    guard let mapping, wrapper == nil else { return zero(field.type, value: false) }
    return "\(mapping.valueType)(.empty)"
  }

  /// The property wrapper that keeps the stored value of a mapped field; nil for a field whose value is the stored form.
  var wrapper: String? {
    mapping?.mappingType.map { "\(imported[.mapped])<\(imported[.mappedValue])<\($0)>>" }
  }

  /// The name of the stored property.
  var storedName: String { wrapper == nil ? name : "_" + plainName }

  private func zero(_ type: StructDefinition.FieldType, value: Bool) -> String {
    switch type {
    case .scalar(let scalar): scalar.swiftZero
    case .enumeration(let id): value ? ".init(rawValue: 0)" : schema[id].swiftZero(names: names)
    case .structure(let id): (value ? names.value(id) : names.model(id)) + "()"
    case .array(let element, let count):
      "\(imported[.array])(repeating: \(zero(element, value: value)), count: \(count))"
    }
  }

  /// The expression that reads the data model's value of the field from `structure`.
  var modelRead: String {
    switch field.type {
    case .scalar: return "structure.scalar(at: \(offset))"
    case .enumeration(let id):
      return modelCase(id, "structure.scalar(at: \(offset))")
    case .structure(let id):
      let type = mapping?.valueType ?? names.model(id)
      return "\(type)(structure.structure(at: \(offset), size: \(schema[id].size)))"
    case .array(.scalar(let scalar), let count):
      let type = imported[scalar.swiftType]
      return "\(imported[.array])(structure.fixedArray(of: \(type).self, at: \(offset), count: \(count)))"
    case .array(.enumeration(let id), let count):
      let raw = imported[schema[id].underlyingType.swiftType]
      return "structure.fixedArray(of: \(raw).self, at: \(offset), count: \(count)).map { \(modelCase(id, "$0")) }"
    case .array(.structure(let id), let count):
      return "structure.fixedArray(of: \(names.reader(id)).self, at: \(offset), count: \(count))"
        + ".map { \(names.model(id))($0._structure) }"
    case .array(.array, _):
      return "[]"  // Arrays of arrays do not resolve.
    }
  }

  private func modelCase(_ id: EnumID, _ number: String) -> String {
    let definition = schema[id]
    let read = "\(names.model(id))(rawValue: \(number))"
    return definition.isBitFlags ? read : "\(read) ?? \(definition.swiftZero(names: names))"
  }

  // MARK: The accessors

  /// The type of the reader's property.
  var readerType: String {
    type(field.type, Family(enumeration: names.value, structure: names.reader)) {
      "\(imported[.flatBufferVector])<\($0)>"
    }
  }

  /// The expression that reads the field from `_structure`.
  var readerRead: String {
    switch field.type {
    case .scalar: "_structure.scalar(at: \(offset))"
    case .enumeration(let id): "\(names.value(id))(rawValue: _structure.scalar(at: \(offset)))"
    case .structure: "_structure.structure(at: \(offset))"
    case .array(_, let count): "_structure.fixedArray(at: \(offset), count: \(count))"
    }
  }

  /// The type of the property in the generated `...Value` struct, which writes the struct to a buffer.
  var valueType: String {
    type(field.type, Family(enumeration: names.value, structure: names.value)) { "[\($0)]" }
  }

  /// The default of the property in the generated `...Value` struct: zeros.
  var valueDefault: String { zero(field.type, value: true) }

  /// The statement that writes the field with `writer`.
  var writeStatement: String {
    switch field.type {
    case .scalar, .structure: "writer.set(self.\(name), at: \(offset))"
    case .enumeration: "writer.set(self.\(name).rawValue, at: \(offset))"
    case .array(_, let count): "writer.set(self.\(name), at: \(offset), count: \(count))"
    }
  }

  /// The name in a doc comment.
  var documentedName: String { "`" + plainName + "`" }

  /// Whether vectors of the struct are sorted by the field.
  var isKey: Bool { field.declaration.has("key") }

  /// Whether the field is a struct or an array, so that a key of this type is compared number by number.
  var isComposite: Bool {
    switch field.type {
    case .scalar, .enumeration: false
    case .structure, .array: true
    }
  }

  /// Returns the member by which `type`, a reader or a value, declares this scalar or enum as its key.
  func scalarKeyMember(of type: String) -> CodeText {
    if case .enumeration(let id) = field.type {
      let number = imported[schema[id].underlyingType.swiftType]
      return "public static func key(of element: \(type)) -> \(number) { element.\(name).rawValue }"
    }
    return "public static func key(of element: \(type)) -> \(valueType) { element.\(name) }"
  }

  /// Returns the members by which `reader`, of a struct of `size` bytes, declares this struct or array as its key.
  func compositeKeyMembers(of reader: String, size: Int) -> [CodeText] {
    let count = if case .array(_, let count) = field.type { ", count: \(count)" } else { "" }
    let parameters: CodeText = "key: \(valueType), to writer: inout \(imported[.flatBufferStructWriter])"
    return schema.keyLayout(of: field.type, at: offset, byteSize: size, imported) + [
      "public static func keyStructure(of element: \(reader)) -> \(imported[.flatBufferStruct])? { element._structure }",
      "public static func write(\(parameters)) { writer.set(key, at: \(offset)\(count)) }",
    ]
  }

  // MARK: Serializing and querying

  /// The expression that converts the field's value in the data model to the accessors' value to write.
  var writtenValue: CodeText {
    if wrapper != nil { return "self.$\(plainName).stored" }
    return switch field.type {
    case .scalar, .array(.scalar, _): "self.\(name)"
    case .enumeration(let id): "\(names.value(id))(rawValue: self.\(name).rawValue)"
    case .structure(let id):
      mapping == nil ? "self.\(name)._value" : CodeText(unit.structOfBytes(id, "self.\(name)"))
    case .array(.enumeration(let id), _): "self.\(name).map { \(names.value(id))(rawValue: $0.rawValue) }"
    case .array: "self.\(name).map(\\._value)"
    }
  }

  /// Returns the code of a `RecordField` for the field, reached through `path`; nil for a field that holds no single
  /// value.
  func recordField(path: String) -> CodeText? {
    let storage: String
    switch field.type {
    case .scalar(let scalar): storage = scalar.storageCase
    case .enumeration(let id): storage = schema[id].underlyingType.storageCase
    case .structure:
      guard let count = field.byteCount else { return nil }
      storage = ".bytes(\(count))"
    case .array: return nil
    }
    return "\(imported[.recordField])(\(path), \(storage), at: \(offset))"
  }

  /// Returns the type of the query field for objects of type `element`, and the arguments of the call that creates it;
  /// nil for an array.
  func query(element: String, path: String) -> (type: CodeText, arguments: CodeText)? {
    if let value = recordField(path: path) {
      return ("\(imported[.queryExpression])<\(modelType), \(element)>", "\(value)\(mapping?.queryArguments ?? "")")
    }
    guard case .structure(let id) = field.type else { return nil }
    return ("\(names.model(id)).Fields<\(element)>", "\(path).structure(at: \(offset))")
  }
}
