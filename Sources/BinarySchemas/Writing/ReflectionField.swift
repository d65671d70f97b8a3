import FBSSchema

/// A field of a struct or table, prepared for writing into a binary schema.
struct ReflectionField {
  let name: String
  let type: ReflectionType
  var attributes: [(name: String, value: Attribute.Value?)] = []
  var documentation: [String] = []
  var id: UInt16 = 0
  /// The offset in bytes: of a struct's field from the start of the struct, of a table's field in the vtable.
  var offset: UInt16 = 0
  /// The number of padding bytes after a struct's field.
  var padding: UInt16 = 0
  var defaultInteger: Int64 = 0
  var defaultReal: Double = 0
  var isDeprecated = false
  var isRequired = false
  var isKey = false
  var isOptional = false
  var hasWideOffset = false

  init(_ name: String, _ type: ReflectionType, _ declaration: Declaration) {
    self.name = name
    self.type = type
    documentation = declaration.documentation
    if !declaration.attributes.isEmpty {
      var written = declaration.attributes
      // flatc adds this attribute to the one that it specifies.
      if let type = declaration.attribute("cpp_type"), !declaration.has("cpp_ptr_type") {
        written.append(Attribute(name: "cpp_ptr_type", value: .string("naked"), range: type.range))
      }
      attributes = written.sortedByName().map { ($0.name, $0.value) }
    }
  }

  /// Describes a table's field.
  init(_ field: FieldDefinition, _ type: ReflectionType) {
    var type = type
    if field.hasWideLength { type.base = .vector64 }
    self.init(field.name, type, field.declaration)
    id = UInt16(field.id)
    offset = UInt16(field.vtableOffset)
    isDeprecated = field.isDeprecated
    isKey = field.declaration.has("key")
    hasWideOffset = field.hasWideOffset
    switch field.presence {
    case .defaulted(.bool(let value)): defaultInteger = value ? 1 : 0
    case .defaulted(.integer(let value)): defaultInteger = value
    // The format has no unsigned default: the bits are the same.
    case .defaulted(.unsigned(let value)): defaultInteger = Int64(bitPattern: value)
    case .defaulted(.real(let value)): defaultReal = field.unroundedDefault ?? value
    // The format cannot hold the text of a default.
    case .defaultedObject: break
    case .optional: isOptional = true
    case .required: isRequired = true
    }
  }

  /// Describes the hidden field of a union field, which tells which member the union holds.
  init(typeOf field: FieldDefinition, _ type: ReflectionType) {
    name = field.name + "_type"
    self.type = type
    id = UInt16(field.id - 1)
    offset = UInt16(field.vtableOffset - 2)
    isDeprecated = field.isDeprecated
    // A vector of codes is present with the vector of members, and has a default if that has one. A single code always
    // has a default, and is neither optional nor required.
    if type.base == .vector {
      isRequired = field.presence == .required
      isOptional = field.presence == .optional
    }
    if field.declaration.has("id") { attributes = [("id", .integer(Int64(field.id - 1)))] }
  }
}
