import FBSSchema

extension ScalarType {
  /// The Swift type of the same width and sign.
  var swiftType: ImportedType {
    switch self {
    case .bool: .bool
    case .int8: .int8
    case .uint8: .uint8
    case .int16: .int16
    case .uint16: .uint16
    case .int32: .int32
    case .uint32: .uint32
    case .int64: .int64
    case .uint64: .uint64
    case .float: .float
    case .double: .double
    }
  }

  /// Zero, as a Swift literal.
  var swiftZero: String { self == .bool ? "false" : "0" }

  /// The case of `FieldStorage` for such a scalar. Not the interpolated case itself, whose name Swift would look up by reflection
  /// for each field.
  var storageCase: String { "." + rawValue }
}

extension ScalarValue {
  /// The value as a Swift literal whose type is known from its surroundings.
  var swiftLiteral: String {
    switch self {
    case .bool(let value): value ? "true" : "false"
    case .integer(let value): String(value)
    case .unsigned(let value): String(value)
    case .real(let value) where value.isNaN: ".nan"
    case .real(let value) where value.isInfinite: value < 0 ? "-.infinity" : ".infinity"
    case .real(let value): "\(value)"
    }
  }
}

extension EnumDefinition {
  /// Number as a literal of the underlying type: the numbers of an unsigned one may be beyond `Int64`.
  func literal(_ value: Value) -> String {
    underlyingType == .uint64 ? String(UInt64(bitPattern: value.number)) : String(value.number)
  }

  /// The case with the number of `value`, as Swift spells it in a place where the enum is expected; of a set of bits, the
  /// set. Without such a case, what an absent value reads as.
  func swiftLiteral(_ value: ScalarValue, names: Namer) -> String {
    if isBitFlags { return value == .integer(0) ? "[]" : ".init(rawValue: \(value.swiftLiteral))" }
    let number: Int64
    switch value {
    case .integer(let integer): number = integer
    case .unsigned(let unsigned): number = Int64(bitPattern: unsigned)
    case .bool, .real: return swiftZero(names: names)
    }
    guard let match = values.first(where: { $0.number == number }) else { return swiftZero(names: names) }
    return "." + names.caseName(match)
  }

  /// The case numbered 0, or the first there is; the empty set of bits.
  func swiftZero(names: Namer) -> String {
    if isBitFlags { return "[]" }
    guard let zero = values.first(where: { $0.number == 0 }) ?? values.first else { return "" }  // Does not resolve.
    return "." + names.caseName(zero)
  }
}

/// `text` as a Swift string literal.
func swiftStringLiteral(_ text: String) -> String {
  var result = "\""
  for scalar in text.unicodeScalars {
    switch scalar {
    case "\"": result += "\\\""
    case "\\": result += "\\\\"
    case "\n": result += "\\n"
    case "\r": result += "\\r"
    case "\t": result += "\\t"
    case _ where scalar.value < 0x20 || scalar.value == 0x7F: result += "\\u{\(String(scalar.value, radix: 16))}"
    default: result.unicodeScalars.append(scalar)
    }
  }
  return result + "\""
}

extension UnionDefinition {
  /// The Swift type of the type codes.
  var codeType: ImportedType { underlyingType.swiftType }

  /// How the runtime stores a type code: a case of `FieldStorage`.
  var codeStorage: String { underlyingType.size == 1 ? "unionType" : "unionType\(8 * underlyingType.size)" }

  /// A further argument that says how many bytes a type code takes; empty for the usual one.
  var codeSizeArgument: String { underlyingType.size == 1 ? "" : ", codeSize: \(underlyingType.size)" }
}
