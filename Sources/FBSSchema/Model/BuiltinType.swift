import FBSParser

/// The types that need no definition.
enum BuiltinType: Hashable {
  case scalar(ScalarType)
  case string

  /// The names of the builtin types. Resolution interns these first, so that a name's number says at once whether it is
  /// one of them.
  static let names: [(name: String, type: BuiltinType)] = [
    ("bool", .scalar(.bool)), ("byte", .scalar(.int8)), ("int8", .scalar(.int8)), ("ubyte", .scalar(.uint8)),
    ("uint8", .scalar(.uint8)), ("short", .scalar(.int16)), ("int16", .scalar(.int16)), ("ushort", .scalar(.uint16)),
    ("uint16", .scalar(.uint16)), ("int", .scalar(.int32)), ("int32", .scalar(.int32)), ("uint", .scalar(.uint32)),
    ("uint32", .scalar(.uint32)), ("long", .scalar(.int64)), ("int64", .scalar(.int64)), ("ulong", .scalar(.uint64)),
    ("uint64", .scalar(.uint64)), ("float", .scalar(.float)), ("float32", .scalar(.float)),
    ("double", .scalar(.double)), ("float64", .scalar(.double)), ("string", .string),
  ]

  /// The builtin types, by the number of their name.
  static let types = names.map(\.type)
}

extension ScalarType {
  /// The name that schemas use most.
  package var schemaName: String {
    switch self {
    case .bool: "bool"
    case .int8: "byte"
    case .uint8: "ubyte"
    case .int16: "short"
    case .uint16: "ushort"
    case .int32: "int"
    case .uint32: "uint"
    case .int64: "long"
    case .uint64: "ulong"
    case .float: "float"
    case .double: "double"
    }
  }

  var isUnsigned: Bool {
    switch self {
    case .bool, .uint8, .uint16, .uint32, .uint64: true
    default: false
    }
  }

  /// The largest whole number, and the size of the smallest. Only whole numbers (and bool, a byte) have them.
  var limits: (greatest: UInt64, least: UInt64) {
    let bits = UInt64(size * 8)
    if isUnsigned { return (size == 8 ? .max : (1 << bits) - 1, 0) }
    return ((1 << (bits - 1)) - 1, 1 << (bits - 1))
  }

  var rangeText: String {
    limits.least == 0 ? "0 to \(limits.greatest)" : "-\(limits.least) to \(limits.greatest)"
  }
}

/// A whole number between -2^64 and 2^64: wide enough to tell what fits into 64 bits, signed or not.
struct WholeNumber: Hashable, Comparable {
  let isNegative: Bool
  let magnitude: UInt64

  init(_ magnitude: UInt64, isNegative: Bool = false) {
    self.magnitude = magnitude
    self.isNegative = isNegative && magnitude > 0
  }

  static let zero = WholeNumber(0)

  /// Reads a number as tokens and quoted defaults write it: an optional sign, decimal digits or `0x` and hexadecimal
  /// ones. `number` is nil if the text is no number; `overflow` is true if it is wider than 64 bits.
  static func parse(_ text: some Collection<UInt8>) -> (number: WholeNumber?, overflow: Bool) {
    var digits = text[...]
    let isNegative = digits.first == UInt8(ascii: "-")
    if isNegative || digits.first == UInt8(ascii: "+") { digits = digits.dropFirst() }
    var radix: UInt64 = 10
    if digits.count > 2, digits.first == UInt8(ascii: "0"),
      digits.dropFirst().first.map({ $0 | 0x20 }) == UInt8(ascii: "x")
    {
      radix = 16
      digits = digits.dropFirst(2)
    }
    guard !digits.isEmpty else { return (nil, false) }
    var value: UInt64 = 0
    var overflow = false
    for digit in digits {
      let number: UInt64
      switch digit {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): number = UInt64(digit - UInt8(ascii: "0"))
      case UInt8(ascii: "a")...UInt8(ascii: "f"), UInt8(ascii: "A")...UInt8(ascii: "F"):
        guard radix == 16 else { return (nil, false) }
        number = UInt64((digit | 0x20) - UInt8(ascii: "a")) + 10
      default: return (nil, false)
      }
      let (product, first) = value.multipliedReportingOverflow(by: radix)
      let (sum, second) = product.addingReportingOverflow(number)
      overflow = overflow || first || second
      value = sum
    }
    return overflow ? (nil, true) : (WholeNumber(value, isNegative: isNegative), false)
  }

  /// Returns a number as quoted attributes write it: blanks may stand before it, as C reads numbers.
  static func parse(quoted text: String) -> (number: WholeNumber?, overflow: Bool) {
    parse(text.utf8.drop { $0 == UInt8(ascii: " ") || (0x09...0x0D).contains($0) })
  }

  func fits(_ type: ScalarType) -> Bool {
    isNegative ? magnitude <= type.limits.least : magnitude <= type.limits.greatest
  }

  /// The bits of the number. It must fit into 64 of them.
  var bits: Int64 { Int64(bitPattern: isNegative ? 0 &- magnitude : magnitude) }

  /// Creates the number that `bits` stand for in a type.
  init(bits: Int64, of type: ScalarType) {
    if type == .uint64 || bits >= 0 {
      self.init(UInt64(bitPattern: bits))
    } else {
      self.init(bits.magnitude, isNegative: true)
    }
  }

  var scalarValue: ScalarValue {
    !isNegative && magnitude > UInt64(Int64.max) ? .unsigned(magnitude) : .integer(bits)
  }

  /// The next number; nil after 2^64 - 1.
  var successor: WholeNumber? {
    if isNegative { return WholeNumber(magnitude - 1, isNegative: true) }
    return magnitude == .max ? nil : WholeNumber(magnitude + 1)
  }

  static func < (lhs: WholeNumber, rhs: WholeNumber) -> Bool {
    if lhs.isNegative != rhs.isNegative { return lhs.isNegative }
    return lhs.isNegative ? lhs.magnitude > rhs.magnitude : lhs.magnitude < rhs.magnitude
  }

  var text: String { (isNegative ? "-" : "") + String(magnitude) }
}
