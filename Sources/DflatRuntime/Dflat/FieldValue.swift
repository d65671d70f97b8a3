/// The value of a field as queries and indexes see it.
///
/// The same value always has one form, so that equal values are equal here, in memory and in SQL:
/// an integer that fits `Int64` is `integer`, whatever its type, and a NaN is `null`.
public enum FieldValue: Hashable, Sendable {
  case null
  /// Any integer, bool or enum that fits `Int64`.
  case integer(Int64)
  /// An unsigned integer above `Int64.max`. Make it with `FieldValue(_: UInt64)`.
  case unsigned(UInt64)
  /// A floating-point number that is not NaN. Make it with `FieldValue(_: Double)`.
  case real(Double)
  case text(String)

  /// The value of an unsigned integer.
  public init(_ value: UInt64) {
    self = Int64(exactly: value).map(FieldValue.integer) ?? .unsigned(value)
  }

  /// The value of a floating-point number: a NaN has no place in an order, so it counts as NULL.
  public init(_ value: Double) {
    self = value.isNaN ? .null : .real(value)
  }
}

/// A type whose values can be the constants and results of a query.
public protocol QueryValue: Equatable, Sendable {
  /// The value as queries see it.
  var _fieldValue: FieldValue { get }
}

/// A value of a field that has an order: numbers, strings, and generated enums, which are ordered by their raw value.
public protocol DflatFriendlyValue: QueryValue, Comparable {}

extension QueryValue where Self: RawRepresentable, RawValue: QueryValue {
  /// The value as queries see it.
  public var _fieldValue: FieldValue { rawValue._fieldValue }
}

extension DflatFriendlyValue where Self: RawRepresentable, RawValue: Comparable {
  /// Whether the left value comes before the right one.
  public static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }
}

extension QueryValue where Self: BinaryInteger {
  /// The value as queries see it.
  public var _fieldValue: FieldValue {
    if let value = Int64(exactly: self) { return .integer(value) }
    return .unsigned(UInt64(truncatingIfNeeded: self))
  }
}

extension QueryValue where Self: BinaryFloatingPoint {
  /// The value as queries see it.
  public var _fieldValue: FieldValue { FieldValue(Double(self)) }
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
  /// The value as queries see it.
  public var _fieldValue: FieldValue { .integer(self ? 1 : 0) }
}

extension String: DflatFriendlyValue {
  /// The value as queries see it.
  public var _fieldValue: FieldValue { .text(self) }
}
