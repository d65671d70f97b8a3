import FlatBuffersCore
import Foundation

/// The unit in which a field counts time or parts of a decimal number.
public protocol FieldUnit: NonisolatedByDefault {
  /// The number of units that make one second, or one whole.
  static var perOne: Int64 { get }
}

/// The units of time.
public enum FieldUnits {
  /// Seconds: `"s"`.
  public enum Seconds: FieldUnit {
    /// The number of units that make one second.
    @inlinable public static var perOne: Int64 { 1 }
  }

  /// Milliseconds: `"ms"`.
  public enum Milliseconds: FieldUnit {
    /// The number of units that make one second.
    @inlinable public static var perOne: Int64 { 1_000 }
  }

  /// Microseconds: `"us"`.
  public enum Microseconds: FieldUnit {
    /// The number of units that make one second.
    @inlinable public static var perOne: Int64 { 1_000_000 }
  }

  /// Nanoseconds: `"ns"`.
  public enum Nanoseconds: FieldUnit {
    /// The number of units that make one second.
    @inlinable public static var perOne: Int64 { 1_000_000_000 }
  }
}

/// The mapping of dates to whole numbers: the number of units after the start of 1970, in UTC. A date is rounded to
/// the nearest unit.
public enum DateMapping<Unit: FieldUnit, Stored: FixedWidthInteger & MappableStorage>: CompleteFieldMapping {
  /// Returns the date that a stored number stands for. It is never nil, because every number stands for a date.
  @inlinable
  public static func value(of stored: Stored) -> Date? { Date(stored, perSecond: Unit.perOne) }

  /// Returns the nearest number of units.
  ///
  /// - Throws: `UnstorableValue` if the date is beyond the range of the numbers, or not a number.
  @inlinable
  public static func stored(for value: Date) throws -> Stored {
    guard let stored = Stored(count: value.count(perSecond: Unit.perOne)) else {
      throw UnstorableValue(date: value, perSecond: Unit.perOne, in: Stored.self)
    }
    return stored
  }

  /// The start of 1970. It is never used, because every number stands for a date.
  @inlinable
  public static var fallback: Date { Date(timeIntervalSince1970: 0) }
}

/// The mapping of dates to seconds after the start of 1970, in UTC, with a fraction.
public enum FractionalDateMapping: CompleteFieldMapping {
  /// Returns the date; nil for an infinity or NaN.
  @inlinable
  public static func value(of stored: Double) -> Date? {
    stored.isFinite ? Date(timeIntervalSince1970: stored) : nil
  }

  /// Returns the seconds.
  ///
  /// - Throws: `UnstorableValue` if the date is not a number.
  @inlinable
  public static func stored(for value: Date) throws -> Double {
    let seconds = value.timeIntervalSince1970
    guard seconds.isFinite else { throw UnstorableValue(date: value, perSecond: 1, in: Double.self) }
    return seconds
  }

  /// The start of 1970.
  @inlinable
  public static var fallback: Date { Date(timeIntervalSince1970: 0) }
}

/// The mapping of durations to whole numbers of units. A duration is rounded to the nearest unit.
public enum DurationMapping<Unit: FieldUnit, Stored: FixedWidthInteger & MappableStorage>: CompleteFieldMapping {
  /// Returns the duration.
  @inlinable
  public static func value(of stored: Stored) -> Duration? { Duration(stored, perSecond: Unit.perOne) }

  /// Returns the nearest number of units.
  ///
  /// - Throws: `UnstorableValue` if the duration is beyond the range of the numbers.
  @inlinable
  public static func stored(for value: Duration) throws -> Stored {
    guard let stored = Stored(count: value.count(perSecond: Unit.perOne)) else {
      throw UnstorableValue(duration: value, perSecond: Unit.perOne, in: Stored.self)
    }
    return stored
  }

  /// A duration of zero.
  @inlinable
  public static var fallback: Duration { .zero }
}

/// The mapping of durations to seconds with a fraction. A duration is rounded to the nearest number.
public enum FractionalDurationMapping: CompleteFieldMapping {
  /// Returns a duration that is stored as this number; nil for a NaN, or a number beyond the range of durations.
  @inlinable
  public static func value(of stored: Double) -> Duration? {
    // A duration counts attoseconds in 128 bits with a sign.
    stored.magnitude < 0x1p127 / 1e18 ? Duration(nearestTo: stored) : nil
  }

  /// Returns the nearest number of seconds.
  @inlinable
  public static func stored(for value: Duration) -> Double { value.seconds }

  /// A duration of zero.
  @inlinable
  public static var fallback: Duration { .zero }
}

// MARK: Counting

extension FixedWidthInteger {
  /// Creates the integer of a count; nil if there is no count, or it is beyond the type.
  @inlinable
  init?(count: FieldValue?) {
    switch count {
    case .integer(let count)?: self.init(exactly: count)
    case .unsigned(let count)?: self.init(exactly: count)
    default: return nil
    }
  }
}

extension FieldValue {
  /// Creates the value of a count; nil if 64 bits cannot hold it, with a sign or without.
  fileprivate init?(count: WideInteger) {
    if let count = count.int64 {
      self = .integer(count)
    } else if let count = count.uint64 {
      self = .unsigned(count)
    } else {
      return nil
    }
  }
}

extension Date {
  /// The seconds from 1970 to 2001, the reference date of `Date`.
  @usableFromInline
  static var secondsUntilReference: Int64 { 978_307_200 }

  /// Creates the date that is `count` units after the start of 1970.
  @inlinable
  init(_ count: some FixedWidthInteger, perSecond: Int64) {
    guard let signed = Int64(exactly: count) else {
      self.init(unsigned: UInt64(truncatingIfNeeded: count), perSecond: UInt64(perSecond))
      return
    }
    // Whole seconds and fraction are apart, so that whole seconds are exact and the nearest date is found.
    let (seconds, rest) = signed.quotientAndRemainder(dividingBy: perSecond)
    let fraction = Double(rest) / Double(perSecond)
    let whole = seconds.subtractingReportingOverflow(Self.secondsUntilReference)
    let reference = whole.overflow ? Double(seconds) - Double(Self.secondsUntilReference) : Double(whole.partialValue)
    self.init(timeIntervalSinceReferenceDate: reference + fraction)
  }

  /// Creates the date that is `count` units, more than `Int64.max`, after the start of 1970.
  @usableFromInline
  init(unsigned count: UInt64, perSecond: UInt64) {
    let (seconds, rest) = count.quotientAndRemainder(dividingBy: perSecond)
    // Subtracted as whole numbers, so that the date is rounded once. Of units smaller than nanoseconds, the count may be before 2001.
    let until = UInt64(Self.secondsUntilReference)
    let reference = seconds >= until ? Double(seconds - until) : -Double(until - seconds)
    self.init(timeIntervalSinceReferenceDate: reference + Double(rest) / Double(perSecond))
  }

  /// Returns the number of units from the start of 1970 to the date, rounded; nil if 64 bits cannot hold it, with a sign
  /// or without.
  @usableFromInline
  func count(perSecond: Int64) -> FieldValue? {
    let interval = timeIntervalSinceReferenceDate
    // False for NaN, too.
    guard interval.magnitude < 0x1p64 else { return nil }
    let seconds = interval.rounded(.down)
    let fraction = Int64(((interval - seconds) * Double(perSecond)).rounded())
    let secondsSince1970 = WideInteger(truncating: seconds) + WideInteger(Self.secondsUntilReference)
    return FieldValue(count: secondsSince1970 * WideInteger(perSecond) + WideInteger(fraction))
  }
}

extension Duration {
  @usableFromInline
  static var attosecondsPerSecond: Int64 { 1_000_000_000_000_000_000 }

  /// Creates the duration of `count` units.
  @inlinable
  init(_ count: some FixedWidthInteger, perSecond: Int64) {
    let size = Self.attosecondsPerSecond / perSecond
    if let signed = Int64(exactly: count) {
      let (seconds, rest) = signed.quotientAndRemainder(dividingBy: perSecond)
      self.init(secondsComponent: seconds, attosecondsComponent: rest * size)
    } else {
      let (seconds, rest) = UInt64(truncatingIfNeeded: count).quotientAndRemainder(dividingBy: UInt64(perSecond))
      self = Duration.seconds(seconds) + Duration(secondsComponent: 0, attosecondsComponent: Int64(rest) * size)
    }
  }

  /// Returns the number of units of the duration, rounded; nil if 64 bits cannot hold it, with a sign or without.
  @usableFromInline
  func count(perSecond: Int64) -> FieldValue? {
    var (duration, seconds) = (self, WideInteger(0 as Int64))
    while !duration.hasComponents {
      let part: Int64 = duration < .zero ? .min : .max
      duration -= .seconds(part)
      seconds = seconds + WideInteger(part)
    }
    seconds = seconds + WideInteger(duration.components.seconds)
    let size = Self.attosecondsPerSecond / perSecond
    var (fraction, rest) = duration.components.attoseconds.quotientAndRemainder(dividingBy: size)
    if rest.magnitude >= size.magnitude - size.magnitude / 2 { fraction += rest < 0 ? -1 : 1 }
    return FieldValue(count: seconds * WideInteger(perSecond) + WideInteger(fraction))
  }

  /// Creates a duration whose nearest number of seconds is `seconds`. Up to 48 days, that is a duration of whole
  /// nanoseconds if there is one, or else the nearest duration. Of longer durations, several may be stored as one
  /// number: the initializer takes any of them.
  ///
  /// `Duration.seconds(_:)` makes 1.100000000000000089 seconds of 1.1, and of some numbers a duration that is nearest
  /// to another number.
  @usableFromInline
  init(nearestTo seconds: Double) {
    // 64 bits hold the nanoseconds.
    if seconds.magnitude < 0x1p33 {
      let nanoseconds = Duration.nanoseconds(Int64((seconds * 1e9).rounded()))
      if nanoseconds.seconds == seconds {
        self = nanoseconds
        return
      }
    }
    let whole = seconds.rounded(.towardZero)
    let fraction = seconds - whole
    // The product, and what its rounding has left out.
    let product = fraction * 1e18
    let rest = (-product).addingProduct(fraction, 1e18)
    let nearest = product.rounded()
    let attoseconds = Int64(nearest) + Int64((product - nearest + rest).rounded())
    self = Duration.seconds(whole) + Duration(secondsComponent: 0, attosecondsComponent: attoseconds)
  }

  /// The seconds with their fraction, as exactly as a `Double` can hold them.
  @usableFromInline
  var seconds: Double {
    guard hasComponents else { return self / Duration.seconds(1) }
    let (whole, attoseconds) = (Double(components.seconds), components.attoseconds)
    // A product with 1e-18, which no `Double` is, would make 0.30000000000000004 of three tenths. What the rounding of
    // the quotient and of the sum has left out is added at last.
    let count = Double(attoseconds)
    let fraction = count / 1e18
    let rest = (Double(attoseconds - Int64(count)) + count.addingProduct(-fraction, 1e18)) / 1e18
    let sum = whole + fraction
    return sum + (fraction - (sum - whole) + rest)
  }

  /// Whether 64 bits hold the whole seconds. For any other duration, `components` stops the program.
  private var hasComponents: Bool {
    self >= Duration.seconds(Int64.min) && self < Duration.seconds(Int64.max) + Duration.seconds(1)
  }
}

extension UnstorableValue {
  @usableFromInline
  init(date: Date, perSecond: Int64, in type: Any.Type) {
    self.init(reason: "a Date that is beyond what \(Self.name(perSecond)) in an \(type) can count: \(Self.text(date))")
  }

  private static func text(_ date: Date) -> String {
    let seconds = date.timeIntervalSince1970
    // Foundation has no text for dates beyond some years, and stops the program for a date that is not a number.
    return seconds.magnitude < 250_000_000_000 ? "\(date)" : "\(seconds) seconds after the start of 1970"
  }

  @usableFromInline
  init(duration: Duration, perSecond: Int64, in type: Any.Type) {
    self.init(reason: "a Duration that is beyond what \(Self.name(perSecond)) in an \(type) can count: \(duration)")
  }

  private static func name(_ perSecond: Int64) -> String {
    switch perSecond {
    case 1: "seconds"
    case 1_000: "milliseconds"
    case 1_000_000: "microseconds"
    default: "nanoseconds"
    }
  }
}
