import FlatBuffersCore
import Foundation

/// A unit in which a field counts: how many of it make one second, or one whole of a decimal number.
public protocol FieldUnit: NonisolatedByDefault {
  /// How many of the unit make one.
  static var perOne: Int64 { get }
}

/// The units of time.
public enum FieldUnits {
  /// `"s"`.
  public enum Seconds: FieldUnit {
    /// How many of the unit make one second.
    @inlinable public static var perOne: Int64 { 1 }
  }

  /// `"ms"`.
  public enum Milliseconds: FieldUnit {
    /// How many of the unit make one second.
    @inlinable public static var perOne: Int64 { 1_000 }
  }

  /// `"us"`.
  public enum Microseconds: FieldUnit {
    /// How many of the unit make one second.
    @inlinable public static var perOne: Int64 { 1_000_000 }
  }

  /// `"ns"`.
  public enum Nanoseconds: FieldUnit {
    /// How many of the unit make one second.
    @inlinable public static var perOne: Int64 { 1_000_000_000 }
  }
}

/// Dates as whole numbers: how many of the unit after the start of 1970, in UTC. A date is rounded to the nearest.
public enum DateMapping<Unit: FieldUnit, Stored: FixedWidthInteger & MappableStorage>: CompleteFieldMapping {
  /// The date.
  @inlinable
  public static func value(of stored: Stored) -> Date? { Date(stored, perSecond: Unit.perOne) }

  /// The nearest number.
  ///
  /// - Throws: `UnstorableValue` if the date is beyond the range of the numbers, or not a number.
  @inlinable
  public static func stored(for value: Date) throws -> Stored {
    guard let count = value.count(perSecond: Unit.perOne), let stored = Stored(exactly: count) else {
      throw UnstorableValue(date: value, perSecond: Unit.perOne, in: Stored.self)
    }
    return stored
  }

  /// The start of 1970, which every number can be read as.
  @inlinable
  public static var fallback: Date { Date(timeIntervalSince1970: 0) }
}

/// Dates as seconds after the start of 1970, in UTC, with a fraction.
public enum FractionalDateMapping: CompleteFieldMapping {
  /// The date; nil for a number that is none.
  @inlinable
  public static func value(of stored: Double) -> Date? {
    stored.isFinite ? Date(timeIntervalSince1970: stored) : nil
  }

  /// The seconds.
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

/// Durations as whole numbers of the unit. A duration is rounded to the nearest.
public enum DurationMapping<Unit: FieldUnit, Stored: FixedWidthInteger & MappableStorage>: CompleteFieldMapping {
  /// The duration.
  @inlinable
  public static func value(of stored: Stored) -> Duration? { Duration(stored, perSecond: Unit.perOne) }

  /// The nearest number.
  ///
  /// - Throws: `UnstorableValue` if the duration is beyond the range of the numbers.
  @inlinable
  public static func stored(for value: Duration) throws -> Stored {
    guard let count = value.count(perSecond: Unit.perOne), let stored = Stored(exactly: count) else {
      throw UnstorableValue(duration: value, perSecond: Unit.perOne, in: Stored.self)
    }
    return stored
  }

  /// No time.
  @inlinable
  public static var fallback: Duration { .zero }
}

/// Durations as seconds with a fraction.
public enum FractionalDurationMapping: CompleteFieldMapping {
  /// The duration; nil for a number that is none, or beyond what a duration can be.
  @inlinable
  public static func value(of stored: Double) -> Duration? {
    // A duration has whole seconds in 64 bits.
    stored.magnitude < 0x1p63 ? .seconds(stored) : nil
  }

  /// The seconds.
  @inlinable
  public static func stored(for value: Duration) -> Double { value.seconds }

  /// No time.
  @inlinable
  public static var fallback: Duration { .zero }
}

// MARK: Counting

extension Date {
  /// Seconds from 1970 to 2001, from where a `Date` counts.
  @usableFromInline
  static var secondsUntilReference: Int64 { 978_307_200 }

  /// The date that is `count` units after the start of 1970.
  @inlinable
  init(_ count: some FixedWidthInteger, perSecond: Int64) {
    // The whole seconds are exact then, and so the nearest date is found.
    let (seconds, rest) = Self.split(count, perSecond)
    let fraction = Double(rest) / Double(perSecond)
    let whole = seconds.subtractingReportingOverflow(Self.secondsUntilReference)
    let reference = whole.overflow ? Double(seconds) - Double(Self.secondsUntilReference) : Double(whole.partialValue)
    self.init(timeIntervalSinceReferenceDate: reference + fraction)
  }

  /// The whole seconds of a count, and what is left over.
  @inlinable
  static func split(_ count: some FixedWidthInteger, _ perSecond: Int64) -> (seconds: Int64, rest: Int64) {
    if let count = Int64(exactly: count) {
      let (seconds, rest) = count.quotientAndRemainder(dividingBy: perSecond)
      return (seconds, rest)
    }
    let (seconds, rest) = UInt64(truncatingIfNeeded: count).quotientAndRemainder(dividingBy: UInt64(perSecond))
    // Beyond the seconds of an `Int64` there are no dates: the last one stands for them.
    return (Int64(clamping: seconds), Int64(rest))
  }

  /// How many units after the start of 1970 the date is, rounded; nil if that is no `Int64`.
  @usableFromInline
  func count(perSecond: Int64) -> Int64? {
    let interval = timeIntervalSinceReferenceDate
    // Also keeps out NaN.
    guard interval.magnitude < 0x1p62 else { return nil }
    let seconds = interval.rounded(.down)
    let fraction = Int64(((interval - seconds) * Double(perSecond)).rounded())
    let (whole, overflow) = (Int64(seconds) + Self.secondsUntilReference).multipliedReportingOverflow(by: perSecond)
    let (count, overflowOfSum) = whole.addingReportingOverflow(fraction)
    return overflow || overflowOfSum ? nil : count
  }
}

extension Duration {
  @usableFromInline
  static var attosecondsPerSecond: Int64 { 1_000_000_000_000_000_000 }

  /// The duration of `count` units.
  @inlinable
  init(_ count: some FixedWidthInteger, perSecond: Int64) {
    let (seconds, rest) = Date.split(count, perSecond)
    self.init(
      secondsComponent: seconds, attosecondsComponent: rest * (Self.attosecondsPerSecond / perSecond))
  }

  /// How many units the duration has, rounded; nil if that is no `Int64`.
  @usableFromInline
  func count(perSecond: Int64) -> Int64? {
    let (seconds, attoseconds) = components
    let size = Self.attosecondsPerSecond / perSecond
    var (fraction, rest) = attoseconds.quotientAndRemainder(dividingBy: size)
    if rest.magnitude >= size.magnitude - size.magnitude / 2 { fraction += rest < 0 ? -1 : 1 }
    let (whole, overflow) = seconds.multipliedReportingOverflow(by: perSecond)
    let (count, overflowOfSum) = whole.addingReportingOverflow(fraction)
    return overflow || overflowOfSum ? nil : count
  }

  /// The seconds with their fraction, as near as a `Double` can be.
  @usableFromInline
  var seconds: Double { Double(components.seconds) + Double(components.attoseconds) * 1e-18 }
}

extension UnstorableValue {
  @usableFromInline
  init(date: Date, perSecond: Int64, in type: Any.Type) {
    self.init(reason: "a Date that is beyond what \(Self.name(perSecond)) in an \(type) can count: \(Self.text(date))")
  }

  private static func text(_ date: Date) -> String {
    let seconds = date.timeIntervalSince1970
    // Beyond some years Foundation has no text for a date, and the program ends if it is not a number.
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
