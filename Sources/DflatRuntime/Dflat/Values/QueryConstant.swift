import Foundation

/// A type whose values can be compared with a field in a query.
public protocol QueryConstant: Hashable, Sendable {
  /// The value as a field has it that counts so many of its units for one second, or for one whole.
  func _constant(perOne: Int64) -> FieldValue
}

/// A type whose values can be compared with a field by their order.
public protocol OrderedQueryConstant: QueryConstant {}

extension QueryValue {
  /// The value in its canonical form.
  @inlinable
  public func _constant(perOne: Int64) -> FieldValue { _fieldValue }
}

extension Date: OrderedQueryConstant {
  /// The date in units after the start of 1970, rounded as it is where it is stored. Beyond the range of a field, it is larger or
  /// smaller than every date of the field.
  public func _constant(perOne: Int64) -> FieldValue {
    // A field with fractions of seconds.
    if perOne == 0 { return FieldValue(timeIntervalSince1970) }
    if let count = count(perSecond: perOne) { return .integer(count) }
    let interval = timeIntervalSinceReferenceDate
    return interval.isNaN ? .null : .real(interval < 0 ? -.infinity : .infinity)
  }
}

extension Duration: OrderedQueryConstant {
  /// The duration in units, rounded as it is where it is stored. Beyond the range of a field, it is larger or smaller than every
  /// duration of the field.
  public func _constant(perOne: Int64) -> FieldValue {
    if perOne == 0 { return FieldValue(seconds) }
    if let count = count(perSecond: perOne) { return .integer(count) }
    return .real(self < .zero ? -.infinity : .infinity)
  }
}

extension Decimal: OrderedQueryConstant {
  /// The number in units of the last decimal place. One with more places lies between two numbers of the field.
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
  /// The text of the UUID, with small letters. Its order is that of the bytes.
  public func _constant(perOne: Int64) -> FieldValue { .text(UUIDMapping.stored(for: self)) }
}

extension URL: QueryConstant {
  /// The text of the URL.
  public func _constant(perOne: Int64) -> FieldValue { .text(absoluteString) }
}
