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

  /// The case of `FieldStorage` for this scalar type. It is made from the raw value: to interpolate the case itself,
  /// Swift would look up its name by reflection for each field.
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
    case .real(let value) where value.isSubnormalInSwift: value.hexadecimalLiteral
    case .real(let value): "\(value)"
    }
  }
}

extension Double {
  /// Whether the value is so close to zero that Swift warns of lost precision where a decimal literal stands for it: at
  /// most the least normal number of `Double`, or of `Float` if that has the value.
  fileprivate var isSubnormalInSwift: Bool {
    guard self != 0 else { return false }
    if magnitude <= .leastNormalMagnitude { return true }
    return magnitude <= Double(Float.leastNormalMagnitude) && Double(Float(self)) == self
  }

  /// The finite value as a hexadecimal literal, such as `0x1p-149`, which Swift reads without rounding.
  fileprivate var hexadecimalLiteral: String {
    var digits = UInt64(magnitude / ulp)
    var exponent = ulp.exponent
    while digits != 0, digits.isMultiple(of: 2) {
      digits /= 2
      exponent += 1
    }
    return "\(sign == .minus ? "-" : "")0x\(String(digits, radix: 16))p\(exponent)"
  }
}

extension EnumDefinition {
  /// Returns a value's number as a literal of the underlying type: an unsigned number may exceed `Int64`.
  func literal(_ value: Value) -> String {
    underlyingType == .uint64 ? String(UInt64(bitPattern: value.number)) : String(value.number)
  }

  /// Returns the case with the number of `value`, as Swift spells it where the enum's type is known; for bit flags, the
  /// option set. Without such a case, returns the value of an absent field.
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

  /// Returns the case numbered 0, or the first case if there is none; for bit flags, the empty set.
  func swiftZero(names: Namer) -> String {
    if isBitFlags { return "[]" }
    guard let zero = values.first(where: { $0.number == 0 }) ?? values.first else { return "" }  // Does not resolve.
    return "." + names.caseName(zero)
  }
}

/// Returns `text` as a Swift string literal.
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

  /// The case of `FieldStorage` for the type code.
  var codeStorage: String { underlyingType.size == 1 ? "unionType" : "unionType\(8 * underlyingType.size)" }

  /// A further argument with the size of a type code in bytes; empty for the usual size, 1.
  var codeSizeArgument: String { underlyingType.size == 1 ? "" : ", codeSize: \(underlyingType.size)" }
}
