import FBSSchema

/// The code of the data model for a mapped field, such as a `Date`.
extension SwiftField {
  var isVector: Bool { if case .vector = field.type { true } else { false } }

  /// The property wrapper that keeps the stored value; nil for a field whose value is the stored form.
  var wrapper: String? {
    mapping?.mappingType.map { "\(imported[.mapped])<\(imported[shape])<\($0)>>" }
  }

  private var shape: ImportedType {
    isVector ? .mappedArray : isModelOptional ? .mappedOptional : .mappedValue
  }

  /// The name of the stored property.
  var storedName: String { wrapper == nil ? name : "_" + plainName }

  /// The expression that reads the stored property's value from `table`.
  var keptRead: CodeText { wrapper == nil ? modelRead : ".init(stored: \(modelRead))" }

  /// Returns the stored property's value, made from an optional value with the name `value`.
  func keptValue(_ value: String) -> CodeText {
    switch modelDefault {
    case nil, "nil": ".init(\(value))"
    case let stored?: ".init(\(value), default: \(stored))"
    }
  }

  /// Returns the data model's type of a mapped field, and the stored form of its default; nil for a field without a
  /// default.
  static func model(
    _ field: FieldDefinition, _ mapping: SwiftMapping
  ) -> (type: String, default: String?) {
    let isRequired = field.isPrimary || field.presence == .required
    if case .vector = field.type { return ("[\(mapping.valueType)]", isRequired ? nil : "[]") }
    let optional = mapping.valueType + "?"
    switch field.presence {
    case .optional where !isRequired: return (optional, "nil")
    case .defaulted(let value) where !isRequired:
      return (mapping.valueType, value.swiftLiteral)
    case .defaultedObject(let text) where !isRequired:
      return (mapping.isAlwaysOptional ? optional : mapping.valueType, swiftStringLiteral(text))
    default: return (mapping.isAlwaysOptional ? optional : mapping.valueType, nil)
    }
  }
}
