import FBSSchema

/// The names that an enum or a union gives to numbers.
public struct NumberNames: Sendable {
  /// The numbers and their names, in ascending order.
  public let entries: [(number: Int64, name: String)]
  /// Whether a number may combine several bits, each with a name.
  public let isBitFlags: Bool
  private let byNumber: [Int64: String]
  private let byName: [String: Int64]

  init(_ entries: [(Int64, String)], isUnsigned: Bool, isBitFlags: Bool) {
    self.entries = entries.sorted { first, second in
      let (a, b) = (first.0, second.0)
      // If a number has several names, flatc prints the first in alphabetical order.
      if a == b { return first.1.utf8.lexicographicallyPrecedes(second.1.utf8) }
      return isUnsigned ? UInt64(bitPattern: a) < UInt64(bitPattern: b) : a < b
    }.map { ($0.0, $0.1) }
    self.isBitFlags = isBitFlags
    byNumber = Dictionary(self.entries.map { ($0.number, $0.name) }, uniquingKeysWith: { first, _ in first })
    byName = Dictionary(self.entries.map { ($0.name, $0.number) }, uniquingKeysWith: { first, _ in first })
  }

  /// Returns the number of a name; nil if the name is unknown.
  public func number(of name: String) -> Int64? { byName[name] }

  /// Returns the name of a number in JSON; for bit flags, the names separated by spaces. Returns nil if a part of the
  /// number has no name.
  public func name(of number: Int64) -> String? {
    if let name = byNumber[number] { return name }
    guard isBitFlags, number != 0 else { return nil }
    var mask: Int64 = 0
    var names: [String] = []
    for entry in entries where entry.number & number != 0 {
      mask |= entry.number
      names.append(entry.name)
    }
    return mask == number ? names.joined(separator: " ") : nil
  }
}

/// The representation of numbers of all types in 64 bits: integers sign-extended in two's complement, a float or double
/// as the bits of its own type.
enum NumberBits {
  /// Returns the bits of a default.
  static func bits(of value: ScalarValue, as type: ScalarType) -> UInt64 {
    switch value {
    case .bool(let value): value ? 1 : 0
    case .integer(let number): bits(ofWhole: UInt64(bitPattern: number), as: type)
    case .unsigned(let number): bits(ofWhole: number, as: type)
    case .real(let number): bits(of: number, as: type)
    }
  }

  /// Returns the bits of a floating-point number, rounded to the type of a field.
  static func bits(of number: Double, as type: ScalarType) -> UInt64 {
    type == .float ? UInt64(Float(number).bitPattern) : number.bitPattern
  }

  private static func bits(ofWhole bits: UInt64, as type: ScalarType) -> UInt64 {
    type.isFloatingPoint ? self.bits(of: Double(Int64(bitPattern: bits)), as: type) : bits
  }

  /// Returns whether two numbers are equal, as C++ compares them: 0 equals -0, and NaN is not equal to itself.
  static func areEqual(_ first: UInt64, _ second: UInt64, as type: ScalarType) -> Bool {
    switch type {
    case .float, .double:
      return real(first, type) == real(second, type)
    default:
      return first == second
    }
  }

  /// Returns the value of a floating-point number.
  static func real(_ bits: UInt64, _ type: ScalarType) -> Double {
    type == .float ? Double(Float(bitPattern: UInt32(truncatingIfNeeded: bits))) : Double(bitPattern: bits)
  }

  /// Returns whether a number comes before another one in the order of keys. NaN comes last, as in `FlatBuffersCore`.
  static func isLess(_ first: UInt64, _ second: UInt64, as type: ScalarType) -> Bool {
    switch type {
    case .float, .double:
      let (a, b) = (real(first, type), real(second, type))
      return a < b || (b.isNaN && !a.isNaN)
    case .uint64: return first < second
    default: return Int64(bitPattern: first) < Int64(bitPattern: second)
    }
  }
}

extension MemberType {
  /// Returns the type of a field. A nested buffer whose type is no table counts as bytes.
  static func of(_ field: FieldDefinition, _ schema: Schema) -> MemberType {
    if field.type == .vector(of: .scalar(.uint8)) {
      if let id = field.nestedTable { return .nested(id) }
      if field.declaration.has("flexbuffer") { return .flexible }
    }
    return switch field.type {
    case .scalar(let scalar): .number(NumberType(scalar, mapping: field.mapping))
    case .enumeration(let id): .number(NumberType(schema[id].underlyingType, .enumeration(id)))
    case .string: .string
    case .structure(let id): .structure(id)
    case .table(let id): .table(id)
    case .union(let id): .union(id)
    case .vector(of: .scalar(let scalar)): .vector(of: .number(NumberType(scalar, mapping: field.mapping)))
    case .vector(of: .enumeration(let id)):
      .vector(of: .number(NumberType(schema[id].underlyingType, .enumeration(id))))
    case .vector(of: .string): .vector(of: .string)
    case .vector(of: .structure(let id)): .vector(of: .structure(id))
    case .vector(of: .table(let id)): .vector(of: .table(id))
    case .vector(of: .union(let id)): .vector(of: .union(id))
    }
  }
}
