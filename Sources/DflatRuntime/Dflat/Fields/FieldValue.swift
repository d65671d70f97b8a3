/// The value of a field in queries and indexes.
///
/// Each value has one canonical form, so that values that are equal in SQL are also equal in Swift: an integer that
/// fits `Int64` is `integer`, whatever its type, and a NaN is `null`.
public enum FieldValue: Hashable, Sendable {
  /// NULL: the field is absent, or its number is NaN.
  case null
  /// Any integer, bool or enum that fits `Int64`.
  case integer(Int64)
  /// An unsigned integer above `Int64.max`. Make it with `FieldValue(_: UInt64)`.
  case unsigned(UInt64)
  /// A floating-point number that is not NaN. Make it with `FieldValue(_: Double)`.
  case real(Double)
  /// A string, which is compared by its UTF-8 bytes.
  case text(String)
  /// The bytes of a struct that is one fixed array of bytes. They are compared from the first to the last.
  case bytes([UInt8])

  /// Creates the canonical value of an unsigned integer.
  public init(_ value: UInt64) {
    self = Int64(exactly: value).map(FieldValue.integer) ?? .unsigned(value)
  }

  /// Creates the canonical value of a floating-point number. A NaN becomes NULL, because it cannot be ordered.
  public init(_ value: Double) {
    self = value.isNaN ? .null : .real(value)
  }
}

extension FieldValue {
  /// Returns whether two values are the same to a query: strings by their bytes, since texts that are equal in Unicode are different constants.
  public static func == (lhs: FieldValue, rhs: FieldValue) -> Bool {
    switch (lhs, rhs) {
    case (.null, .null): true
    case (.integer(let lhs), .integer(let rhs)): lhs == rhs
    case (.unsigned(let lhs), .unsigned(let rhs)): lhs == rhs
    case (.real(let lhs), .real(let rhs)): lhs == rhs
    case (.text(let lhs), .text(let rhs)): lhs.hasSameBytes(as: rhs)
    case (.bytes(let lhs), .bytes(let rhs)): lhs == rhs
    default: false
    }
  }

  /// Returns bytes as text for people: `0x` and two hexadecimal digits for each.
  static func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
    bytes.reduce(into: "0x") { text, byte in
      text += String(byte >> 4, radix: 16) + String(byte & 0xF, radix: 16)
    }
  }
}

/// A type whose values can be constants and results of query expressions.
public protocol QueryValue: OrderedQueryConstant {
  /// The value in its canonical form.
  var _fieldValue: FieldValue { get }

  /// Creates a value from its canonical form; nil if no value of this type has that form.
  init?(_fieldValue: FieldValue)
}

/// A type of field values that have an order: numbers, strings, and generated enums, which are ordered by raw value.
public protocol DflatFriendlyValue: QueryValue, Comparable {}

extension QueryValue where Self: RawRepresentable, RawValue: QueryValue {
  /// The value in its canonical form.
  public var _fieldValue: FieldValue { rawValue._fieldValue }

  /// Creates a value from its canonical form; nil if it is not a raw value of this type.
  public init?(_fieldValue value: FieldValue) {
    guard let rawValue = RawValue(_fieldValue: value) else { return nil }
    self.init(rawValue: rawValue)
  }
}

extension DflatFriendlyValue where Self: RawRepresentable, RawValue: Comparable {
  /// Returns whether the left value comes before the right one.
  public static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }
}

extension QueryValue where Self: BinaryInteger {
  /// The value in its canonical form.
  public var _fieldValue: FieldValue {
    if let value = Int64(exactly: self) { return .integer(value) }
    return .unsigned(UInt64(truncatingIfNeeded: self))
  }

  /// Creates a value from its canonical form; nil if it is not an integer, or out of range.
  public init?(_fieldValue value: FieldValue) {
    switch value {
    case .integer(let value): self.init(exactly: value)
    case .unsigned(let value): self.init(exactly: value)
    case .null, .real, .text, .bytes: return nil
    }
  }
}

extension QueryValue where Self: BinaryFloatingPoint {
  /// The value in its canonical form.
  public var _fieldValue: FieldValue { FieldValue(Double(self)) }

  /// Creates a value from its canonical form, rounded to this type; nil if it is not a number.
  public init?(_fieldValue value: FieldValue) {
    switch value {
    case .integer(let value): self.init(value)
    case .unsigned(let value): self.init(value)
    case .real(let value): self.init(value)
    case .null, .text, .bytes: return nil
    }
  }
}

extension Int8: DflatFriendlyValue {}
extension UInt8: DflatFriendlyValue {}
extension Int16: DflatFriendlyValue {}
extension UInt16: DflatFriendlyValue {}
extension Int32: DflatFriendlyValue {}
extension UInt32: DflatFriendlyValue {}
extension Int64: DflatFriendlyValue {}
extension UInt64: DflatFriendlyValue {}
extension Int: DflatFriendlyValue {}
extension UInt: DflatFriendlyValue {}
extension Float: DflatFriendlyValue {}
extension Double: DflatFriendlyValue {}

extension Bool: QueryValue {
  /// The value in its canonical form.
  public var _fieldValue: FieldValue { .integer(self ? 1 : 0) }

  /// Creates a value from its canonical form; nil if it is not an integer. Every integer but 0 is true.
  public init?(_fieldValue value: FieldValue) {
    guard case .integer(let value) = value else { return nil }
    self = value != 0
  }
}

extension String: DflatFriendlyValue {
  /// The value in its canonical form.
  public var _fieldValue: FieldValue { .text(self) }

  /// Creates a value from its canonical form; nil if it is not a text.
  public init?(_fieldValue value: FieldValue) {
    guard case .text(let value) = value else { return nil }
    self = value
  }
}
