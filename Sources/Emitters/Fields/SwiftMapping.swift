import FBSSchema

/// The spelling of a mapped field's types in generated code, such as `Date`.
struct SwiftMapping: Sendable {
  /// The type of one value: `Date`.
  let valueType: String
  /// The runtime type that converts values, such as `DateMapping<FieldUnits.Milliseconds, Int64>`; nil for a `UUID` in a
  /// struct of bytes, which needs none.
  let mappingType: String?
  /// How many of the field's units make one second, or one whole, as the argument of a query expression; nil if values
  /// are stored unchanged.
  let perOne: Int64?
  /// Whether the type has values that the field cannot hold.
  let canFail: Bool
  /// Whether a required value is an optional in Swift all the same, since its stored form may not be valid.
  let isAlwaysOptional: Bool

  /// Spells a mapping in Swift.
  ///
  /// - Parameters:
  ///   - storage: the type of the number that the field has; nil for a string and for bytes.
  ///   - isBytes: whether the field is a struct of bytes.
  init(_ mapping: ValueMapping, storage: ScalarType?, isBytes: Bool, _ imported: ImportedTypeNames) {
    let stored = imported[storage?.swiftType ?? .string]
    let isFraction = storage?.isFloatingPoint == true
    isAlwaysOptional = mapping == .url
    canFail = mapping.canFail(isFraction: isFraction)
    switch mapping {
    case .date(let unit):
      valueType = imported[.date]
      perOne = isFraction ? 0 : unit.perSecond
      let unit = "\(imported[.fieldUnits]).\(unit.swiftName)"
      mappingType = isFraction ? imported[.fractionalDateMapping] : "\(imported[.dateMapping])<\(unit), \(stored)>"
    case .duration(let unit):
      valueType = imported[.duration]
      perOne = isFraction ? 0 : unit.perSecond
      let unit = "\(imported[.fieldUnits]).\(unit.swiftName)"
      mappingType =
        isFraction ? imported[.fractionalDurationMapping] : "\(imported[.durationMapping])<\(unit), \(stored)>"
    case .decimal(let places):
      valueType = imported[.decimal]
      perOne = (0..<places).reduce(1) { power, _ in power * 10 }
      mappingType = "\(imported[.decimalMapping])<\(imported[.decimalPlaces]).P\(places), \(stored)>"
    case .uuid: (valueType, mappingType, perOne) = (imported[.uuid], isBytes ? nil : imported[.uuidMapping], nil)
    case .url: (valueType, mappingType, perOne) = (imported[.url], imported[.urlMapping], nil)
    case .swiftType(let name):
      let name = SwiftKeywords.escapePath(name)
      (valueType, mappingType, perOne) = (name, "\(imported[.convertedMapping])<\(name)>", nil)
    }
  }

  /// The arguments after the field in a query expression.
  var queryArguments: String { perOne.map { $0 == 1 ? "" : ", perOne: \($0)" } ?? "" }
}

extension ValueMapping.TimeUnit {
  fileprivate var swiftName: String {
    switch self {
    case .s: "Seconds"
    case .ms: "Milliseconds"
    case .us: "Microseconds"
    case .ns: "Nanoseconds"
    }
  }
}

extension ValueMapping {
  /// Returns whether the type has values that a field cannot hold.
  fileprivate func canFail(isFraction: Bool) -> Bool {
    switch self {
    case .duration: !isFraction
    case .date, .decimal, .swiftType: true
    case .uuid, .url: false
    }
  }

  /// Whether the type belongs to Foundation.
  fileprivate var needsFoundation: Bool {
    switch self {
    case .date, .uuid, .decimal, .url: true
    case .duration, .swiftType: false
    }
  }
}

extension Schema {
  /// Returns whether a field of a definition is mapped to a type of Foundation.
  func needsFoundation(_ definition: DefinitionID) -> Bool {
    switch definition {
    case .table(let id): self[id].fields.contains { !$0.isDeprecated && $0.mapping?.needsFoundation == true }
    case .structure(let id): self[id].fields.contains { $0.mapping?.needsFoundation == true }
    case .enumeration, .union: false
    }
  }
}

extension FieldDefinition {
  /// Whether a property wrapper keeps the stored form of the field.
  var isWrapped: Bool { mapping != nil && byteCount == nil }

  /// Whether nil is written as an empty text, which reads as nil: the property is a URL, although the field is never
  /// absent, or an absent text would read as the default.
  var writesNilAsText: Bool {
    guard case .string = type, mapping == .url else { return false }
    if case .defaultedObject = presence { return true }
    return isPrimary || presence == .required
  }

  /// Whether the field's Swift type has values that the field cannot hold.
  var canRefuse: Bool {
    switch type {
    case .scalar(let scalar), .vector(of: .scalar(let scalar)):
      mapping?.canFail(isFraction: scalar.isFloatingPoint) ?? false
    case .string, .vector(of: .string): mapping?.canFail(isFraction: false) ?? false
    default: false
    }
  }
}

extension StructDefinition.Field {
  /// Whether a property wrapper keeps the stored form of the field.
  var isWrapped: Bool { mapping != nil && byteCount == nil }

  /// Whether the field's Swift type has values that the field cannot hold.
  var canRefuse: Bool {
    guard case .scalar(let scalar) = type else { return false }
    return mapping?.canFail(isFraction: scalar.isFloatingPoint) ?? false
  }
}

extension FieldType {
  /// The number type of a field or of the elements of its vector; nil for other types.
  var scalar: ScalarType? {
    switch self {
    case .scalar(let scalar), .vector(of: .scalar(let scalar)): scalar
    default: nil
    }
  }
}

extension StructDefinition.FieldType {
  /// The number type; nil for other types.
  var scalar: ScalarType? { if case .scalar(let scalar) = self { scalar } else { nil } }
}
