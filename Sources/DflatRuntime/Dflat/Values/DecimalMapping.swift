import Foundation

/// The mapping of decimal numbers to whole numbers of a unit, the last decimal place: 1999 for 19.99.
public enum DecimalMapping<Unit: FieldUnit, Stored: FixedWidthInteger & MappableStorage>: CompleteFieldMapping {
  /// Returns the decimal number of `stored` units. It is never nil.
  @inlinable
  public static func value(of stored: Stored) -> Decimal? {
    Decimal(
      sign: stored < 0 ? .minus : .plus, exponent: -Decimal.places(of: Unit.perOne),
      significand: Decimal(UInt64(stored.magnitude)))
  }

  /// Returns the number of units of `value`.
  ///
  /// The digits that a literal such as `19.99` gets on its way through a `Double` do not count as decimal places.
  ///
  /// - Throws: `UnstorableValue` if the number has more decimal places, is beyond the range, or is not a number.
  @inlinable
  public static func stored(for value: Decimal) throws -> Stored {
    let places = Decimal.places(of: Unit.perOne)
    guard let units = value.units(places: places) else {
      throw UnstorableValue(reason: "a Decimal that is no number of at most \(places) decimal places: \(value)")
    }
    // Converted by its text, which is exact for every size.
    guard let stored = Stored(units.description) else {
      throw UnstorableValue(
        reason: "a Decimal that is beyond what an \(Stored.self) with \(places) decimal places can count: \(value)")
    }
    return stored
  }

  /// Zero.
  @inlinable
  public static var fallback: Decimal { 0 }
}

extension Decimal {
  /// Returns the number of decimal places whose unit is one `power`-th, for a power of ten: 2 for 100.
  @usableFromInline
  static func places(of power: Int64) -> Int {
    var (places, rest) = (0, power)
    while rest > 1 {
      rest /= 10
      places += 1
    }
    return places
  }

  /// Returns the number times ten to the power of `places`; nil if that is not whole.
  ///
  /// Swift reads the literal `19.99` as a `Double`, and converts that to the `Decimal` 19.98999999999999488. So a
  /// number counts as whole, too, if it has more digits than a `Double` can tell apart, and differs from a whole number by
  /// no more than the rounding of a `Double`.
  @usableFromInline
  func units(places: Int) -> Decimal? {
    let units = multiplied(byPowerOfTen: places)
    guard units.isFinite else { return nil }
    let whole = units.roundedToNearest
    if units == whole { return whole }
    guard compact.significand.magnitude > Self.largestDistinctSignificand else { return nil }
    let difference = (units - whole).magnitude
    return difference <= Swift.min(units.magnitude * Self.errorOfLiterals, Self.largestError) ? whole : nil
  }

  /// Returns the number times ten to the power of `power`; not a number if that is beyond the range of `Decimal`.
  func multiplied(byPowerOfTen power: Int) -> Decimal {
    var (number, product) = (self, Decimal())
    return NSDecimalMultiplyByPowerOf10(&product, &number, Int16(power), .plain) == .noError ? product : .nan
  }

  /// The number without zeros at the end of its significand. `NSDecimalNormalize` may have added some, which are no
  /// digits of a literal.
  private var compact: Decimal {
    var number = self
    NSDecimalCompact(&number)
    return number
  }

  /// The nearest whole number.
  var roundedToNearest: Decimal {
    var (number, whole) = (self, Decimal())
    NSDecimalRound(&whole, &number, 0, .plain)
    return whole
  }

  /// The largest significand that a person may have written: 17 digits. They suffice to tell every two `Double`s apart.
  /// A `Decimal` that Swift has converted from a `Double` has more digits.
  private static let largestDistinctSignificand = Decimal(99_999_999_999_999_999)

  /// The largest relative error of a literal: two units of a `Double`'s last bit.
  private static let errorOfLiterals = Decimal(sign: .plus, exponent: -17, significand: 45)

  /// The largest absolute error of a literal: a number that differs more from a whole one has decimal places.
  private static let largestError = Decimal(sign: .plus, exponent: -4, significand: 1)
}

/// The units of the attribute `decimal`, from `"0"` to `"18"` decimal places.
public enum DecimalPlaces {
  /// The unit of numbers with 0 decimal places.
  public enum P0: FieldUnit {
    /// The number of units that make one.
    @inlinable public static var perOne: Int64 { 1 }
  }

  /// The unit of numbers with 1 decimal place.
  public enum P1: FieldUnit {
    /// The number of units that make one.
    @inlinable public static var perOne: Int64 { 10 }
  }

  /// The unit of numbers with 2 decimal places.
  public enum P2: FieldUnit {
    /// The number of units that make one.
    @inlinable public static var perOne: Int64 { 100 }
  }

  /// The unit of numbers with 3 decimal places.
  public enum P3: FieldUnit {
    /// The number of units that make one.
    @inlinable public static var perOne: Int64 { 1_000 }
  }

  /// The unit of numbers with 4 decimal places.
  public enum P4: FieldUnit {
    /// The number of units that make one.
    @inlinable public static var perOne: Int64 { 10_000 }
  }

  /// The unit of numbers with 5 decimal places.
  public enum P5: FieldUnit {
    /// The number of units that make one.
    @inlinable public static var perOne: Int64 { 100_000 }
  }

  /// The unit of numbers with 6 decimal places.
  public enum P6: FieldUnit {
    /// The number of units that make one.
    @inlinable public static var perOne: Int64 { 1_000_000 }
  }

  /// The unit of numbers with 7 decimal places.
  public enum P7: FieldUnit {
    /// The number of units that make one.
    @inlinable public static var perOne: Int64 { 10_000_000 }
  }

  /// The unit of numbers with 8 decimal places.
  public enum P8: FieldUnit {
    /// The number of units that make one.
    @inlinable public static var perOne: Int64 { 100_000_000 }
  }

  /// The unit of numbers with 9 decimal places.
  public enum P9: FieldUnit {
    /// The number of units that make one.
    @inlinable public static var perOne: Int64 { 1_000_000_000 }
  }

  /// The unit of numbers with 10 decimal places.
  public enum P10: FieldUnit {
    /// The number of units that make one.
    @inlinable public static var perOne: Int64 { 10_000_000_000 }
  }

  /// The unit of numbers with 11 decimal places.
  public enum P11: FieldUnit {
    /// The number of units that make one.
    @inlinable public static var perOne: Int64 { 100_000_000_000 }
  }

  /// The unit of numbers with 12 decimal places.
  public enum P12: FieldUnit {
    /// The number of units that make one.
    @inlinable public static var perOne: Int64 { 1_000_000_000_000 }
  }

  /// The unit of numbers with 13 decimal places.
  public enum P13: FieldUnit {
    /// The number of units that make one.
    @inlinable public static var perOne: Int64 { 10_000_000_000_000 }
  }

  /// The unit of numbers with 14 decimal places.
  public enum P14: FieldUnit {
    /// The number of units that make one.
    @inlinable public static var perOne: Int64 { 100_000_000_000_000 }
  }

  /// The unit of numbers with 15 decimal places.
  public enum P15: FieldUnit {
    /// The number of units that make one.
    @inlinable public static var perOne: Int64 { 1_000_000_000_000_000 }
  }

  /// The unit of numbers with 16 decimal places.
  public enum P16: FieldUnit {
    /// The number of units that make one.
    @inlinable public static var perOne: Int64 { 10_000_000_000_000_000 }
  }

  /// The unit of numbers with 17 decimal places.
  public enum P17: FieldUnit {
    /// The number of units that make one.
    @inlinable public static var perOne: Int64 { 100_000_000_000_000_000 }
  }

  /// The unit of numbers with 18 decimal places.
  public enum P18: FieldUnit {
    /// The number of units that make one.
    @inlinable public static var perOne: Int64 { 1_000_000_000_000_000_000 }
  }
}
