import Foundation

/// A type whose values can be compared with a field in a query.
public protocol QueryConstant: Hashable, Sendable {
  /// Returns the value in the units of a field.
  ///
  /// - Parameter perOne: the number of units that make one second, or one whole; 0 for a field of seconds with
  ///   fractions.
  func _constant(perOne: Int64) -> FieldValue

  /// The value in the form of a field that is a struct of bytes.
  var _constantOfBytes: FieldValue { get }
}

extension QueryConstant {
  /// The value in the form of other fields: the type has only one.
  public var _constantOfBytes: FieldValue { _constant(perOne: 1) }
}

/// A type whose values can be compared with a field by their order.
public protocol OrderedQueryConstant: QueryConstant {}

extension QueryValue {
  /// The value in its canonical form.
  @inlinable
  public func _constant(perOne: Int64) -> FieldValue { _fieldValue }
}

extension Date: OrderedQueryConstant {
  /// Returns the date in units after the start of 1970, rounded as when it is stored. A date beyond the range of a
  /// field is larger or smaller than every date of the field.
  public func _constant(perOne: Int64) -> FieldValue {
    // A field of seconds with fractions.
    if perOne == 0 { return FieldValue(timeIntervalSince1970) }
    if let count = count(perSecond: perOne) { return .integer(count) }
    let interval = timeIntervalSinceReferenceDate
    return interval.isNaN ? .null : .real(interval < 0 ? -.infinity : .infinity)
  }
}

extension Duration: OrderedQueryConstant {
  /// Returns the duration in units, rounded as when it is stored. A duration beyond the range of a field is larger or
  /// smaller than every duration of the field.
  public func _constant(perOne: Int64) -> FieldValue {
    if perOne == 0 { return FieldValue(seconds) }
    if let count = count(perSecond: perOne) { return .integer(count) }
    return .real(self < .zero ? -.infinity : .infinity)
  }
}

extension Decimal: OrderedQueryConstant {
  /// Returns the number in units of the last decimal place. A number with more places lies between two numbers of the
  /// field.
  public func _constant(perOne: Int64) -> FieldValue {
    guard isFinite else { return .null }
    let places = Decimal.places(of: perOne)
    if let whole = units(places: places) {
      if let value = Int64(whole.description) { return .integer(value) }
      if let value = UInt64(whole.description) { return FieldValue(value) }
    }
    let units = Decimal(sign: sign, exponent: exponent + places, significand: significand)
    return FieldValue(Double(units.description) ?? .nan)
  }
}

extension UUID: OrderedQueryConstant {
  /// Returns the text of the UUID in lowercase. Texts are ordered as the bytes of the UUIDs are.
  public func _constant(perOne: Int64) -> FieldValue { .text(UUIDMapping.stored(for: self)) }

  /// The 16 bytes of the UUID.
  public var _constantOfBytes: FieldValue { .bytes(_bytes) }
}

extension URL: QueryConstant {
  /// Returns the text of the URL.
  public func _constant(perOne: Int64) -> FieldValue { .text(absoluteString) }
}
