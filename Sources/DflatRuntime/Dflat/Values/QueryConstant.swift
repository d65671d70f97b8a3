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

  /// Whether the value has no stored form, such as a date that is not a number: no field has it. Comparisons of its
  /// order with the values of a field are NULL.
  var _isUnstorable: Bool { get }

  /// Returns the two numbers of a field between which the value lies, if no `FieldValue` can hold the value itself; otherwise nil.
  ///
  /// - Parameter perOne: the number of units that make one second, or one whole.
  func _neighbors(perOne: Int64) -> (below: FieldValue, above: FieldValue)?
}

extension QueryConstant {
  /// The value in the form of other fields: the type has only one.
  public var _constantOfBytes: FieldValue { _constant(perOne: 1) }

  /// False: each value of the type has a stored form.
  public var _isUnstorable: Bool { false }

  /// Returns nil: a `FieldValue` can hold each value of the type.
  public func _neighbors(perOne: Int64) -> (below: FieldValue, above: FieldValue)? { nil }
}

/// A type whose values can be compared with a field by their order.
public protocol OrderedQueryConstant: QueryConstant {}

extension QueryValue {
  /// Returns the value in its canonical form.
  @inlinable
  public func _constant(perOne: Int64) -> FieldValue { _fieldValue }
}

extension Date: OrderedQueryConstant {
  /// Returns the date in units after the start of 1970, rounded as when it is stored. A date beyond the range of a
  /// field is larger or smaller than every date of the field.
  public func _constant(perOne: Int64) -> FieldValue {
    // A field of seconds with fractions.
    if perOne == 0 { return FieldValue(timeIntervalSince1970) }
    if let count = count(perSecond: perOne) { return count }
    let interval = timeIntervalSinceReferenceDate
    return interval.isNaN ? .null : .real(interval < 0 ? -.infinity : .infinity)
  }

  /// Whether the date is not a number.
  public var _isUnstorable: Bool { timeIntervalSinceReferenceDate.isNaN }
}

extension Duration: OrderedQueryConstant {
  /// Returns the duration in units, rounded as when it is stored. A duration beyond the range of a field is larger or
  /// smaller than every duration of the field.
  public func _constant(perOne: Int64) -> FieldValue {
    if perOne == 0 { return FieldValue(seconds) }
    if let count = count(perSecond: perOne) { return count }
    return .real(self < .zero ? -.infinity : .infinity)
  }
}

extension Decimal: OrderedQueryConstant {
  /// Returns the number in units of the last decimal place. A number with more places becomes one that equals no number of
  /// the field.
  public func _constant(perOne: Int64) -> FieldValue {
    guard isFinite else { return .null }
    if let whole = units(places: Decimal.places(of: perOne)) { return whole.wholeValue }
    guard let below = wholeUnitsBelow(perOne: perOne), below.isBelowLargestHalf else {
      return .real(isSignMinus ? -.infinity : .infinity)
    }
    return .real((Double(below.description) ?? .nan) + 0.5)
  }

  /// Whether it is not a number.
  public var _isUnstorable: Bool { !isFinite }

  /// Returns the two numbers of the field around a number with more decimal places; nil if a `Double` lies between them, too.
  public func _neighbors(perOne: Int64) -> (below: FieldValue, above: FieldValue)? {
    guard isFinite, units(places: Decimal.places(of: perOne)) == nil, let below = wholeUnitsBelow(perOne: perOne),
      !below.isBelowLargestHalf
    else { return nil }
    return (below.wholeValue, (below + 1).wholeValue)
  }

  /// Returns the number of whole units, rounded down; nil if it is beyond the range of `Decimal`.
  private func wholeUnitsBelow(perOne: Int64) -> Decimal? {
    let units = multiplied(byPowerOfTen: Decimal.places(of: perOne))
    guard units.isFinite else { return nil }
    let nearest = units.roundedToNearest
    return nearest > units ? nearest - 1 : nearest
  }

  /// Whether a `Double` can lie in the middle between this whole number and the next one.
  private var isBelowLargestHalf: Bool { magnitude < Decimal(1 << 51) }

  /// The value of a whole number. One beyond the range of 64 bits is larger or smaller than every number of a field.
  private var wholeValue: FieldValue {
    if let value = Int64(description) { return .integer(value) }
    if let value = UInt64(description) { return FieldValue(value) }
    return .real(isSignMinus ? -.infinity : .infinity)
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
