import Foundation
import TestSupport
import Testing

@testable import Dflat

@Suite("Numbers and strings are converted to dates, amounts and UUIDs and back")
struct FieldMappingTests {
  /// Each unit of time, as a mapping to and from 64 bits.
  private struct Unit {
    let perSecond: Int64
    let date: (Int64) -> Date?
    let count: (Date) throws -> Int64
    let duration: (Int64) -> Duration?
    let durationCount: (Duration) throws -> Int64

    init<U: FieldUnit>(_: U.Type) {
      perSecond = U.perOne
      date = { DateMapping<U, Int64>.value(of: $0) }
      count = { try DateMapping<U, Int64>.stored(for: $0) }
      duration = { DurationMapping<U, Int64>.value(of: $0) }
      durationCount = { try DurationMapping<U, Int64>.stored(for: $0) }
    }
  }

  private let units = [
    Unit(FieldUnits.Seconds.self), Unit(FieldUnits.Milliseconds.self), Unit(FieldUnits.Microseconds.self),
    Unit(FieldUnits.Nanoseconds.self),
  ]

  @Test("A count of seconds to microseconds between 1800 and 2200 is that of the date that it stands for")
  func dateOfCount() throws {
    var random = SeededGenerator(seed: 1)
    for unit in units.dropLast() {
      for _ in 0..<5_000 {
        let count =
          Int64.random(in: -5_364_662_400...7_258_118_400, using: &random) * unit.perSecond
          + Int64.random(in: 0..<unit.perSecond, using: &random)
        let date = try #require(unit.date(count))
        #expect(try unit.count(date) == count)
        #expect(abs(date.timeIntervalSince1970 - Double(count) / Double(unit.perSecond)) < 1e-6)
      }
    }
  }

  @Test("The first and the last second of 64 bits of nanoseconds can be stored, and those beyond cannot")
  func limitsOfNanoseconds() throws {
    let unit = Unit(FieldUnits.Nanoseconds.self)
    // The limits are at 0.854... of a second.
    let (first, last) = (Date(timeIntervalSince1970: -9_223_372_036), Date(timeIntervalSince1970: 9_223_372_036))
    #expect(try unit.count(first - 0.5) == -9_223_372_036_500_000_000)
    #expect(try unit.count(last + 0.5) == 9_223_372_036_500_000_000)
    #expect(throws: UnstorableValue.self) { try unit.count(first - 1) }
    #expect(throws: UnstorableValue.self) { try unit.count(last + 1) }
  }

  @Test("A Decimal with more places than its field is refused, whatever its size, and the noise of a literal is not")
  func furtherPlaces() throws {
    typealias Mapping = DecimalMapping<DecimalPlaces.P2, Int64>
    for text in [
      "0.001", "10000000000.000001", "99999999999999.001", "-12345678901.234", "1e-30", "0.12345678901234567",
    ] {
      let value = try #require(Decimal(string: text))
      #expect(throws: UnstorableValue.self, "\(text)") { try Mapping.stored(for: value) }
    }
    // Equal numbers of different scales: zeros at the end of a significand are no digits that a literal has got.
    var value = try #require(Decimal(string: "10000000000.000001"))
    var scale = Decimal(sign: .plus, exponent: -12, significand: 1)
    _ = NSDecimalNormalize(&value, &scale, .plain)
    #expect(value == Decimal(string: "10000000000.000001"))
    #expect(throws: UnstorableValue.self) { try Mapping.stored(for: value) }
    #expect(value._constant(perOne: 100) == .real(1_000_000_000_000.5))
    var random = SeededGenerator(seed: 4)
    for round in 0..<20_000 {
      // A larger literal has more noise than the hundredth part of a percent of a hundredth.
      let count = Int64.random(in: -(1 << (round % 37))...(1 << (round % 37)), using: &random)
      let text = "\(count < 0 ? "-" : "")\(count.magnitude / 100).\(String(100 + count.magnitude % 100).dropFirst())"
      let (value, double) = (try #require(Decimal(string: text)), try #require(Double(text)))
      #expect(try Mapping.stored(for: value) == count, "\(text)")
      // As Swift reads a literal.
      #expect(try Mapping.stored(for: Decimal(double)) == count, "literal \(text)")
    }
  }

  @Test("A date is counted by the nearest number of units")
  func countOfDate() throws {
    var random = SeededGenerator(seed: 2)
    for unit in units {
      for _ in 0..<5_000 {
        // A fraction that a Date has exactly, and integers can tell the nearest of.
        let seconds = Int64.random(in: -3_000_000_000...3_000_000_000, using: &random)
        let parts = Int64.random(in: 0..<4_096, using: &random)
        let date = Date(timeIntervalSinceReferenceDate: Double(seconds) + Double(parts) / 4_096)
        let scaled = parts * unit.perSecond
        let (below, rest) = scaled.quotientAndRemainder(dividingBy: 4_096)
        let expected = (seconds + 978_307_200) * unit.perSecond + below + (rest >= 2_048 ? 1 : 0)
        #expect(try unit.count(date) == expected, "\(seconds) + \(parts)/4096 in \(unit.perSecond)")
      }
    }
  }

  @Test("A duration is counted by the nearest number of units, away from zero between two")
  func countOfDuration() throws {
    var random = SeededGenerator(seed: 3)
    for unit in units {
      let size = 1_000_000_000_000_000_000 / unit.perSecond
      for _ in 0..<5_000 {
        let seconds = Int64.random(in: -9_000_000...9_000_000, using: &random)
        let attoseconds =
          Bool.random(using: &random) ? size / 2 : Int64.random(in: 0..<1_000_000_000_000_000_000, using: &random)
        let sign: Int64 = seconds < 0 ? -1 : 1
        let duration = Duration(secondsComponent: seconds, attosecondsComponent: sign * attoseconds)
        let (below, rest) = attoseconds.quotientAndRemainder(dividingBy: size)
        let expected = seconds * unit.perSecond + sign * (below + (rest >= size - size / 2 ? 1 : 0))
        #expect(try unit.durationCount(duration) == expected)
        #expect(unit.duration(expected).map { try? unit.durationCount($0) } == expected)
      }
    }
  }

  @Test("A duration of more seconds than 64 bits count is no number of units, and beyond every stored one in a query")
  func durationBeyondComponents() throws {
    // Twice the largest number of seconds of `Duration.components`.
    let long = Duration.seconds(0x1p64)
    for duration in [long, Duration.zero - long] {
      for unit in units {
        #expect(throws: UnstorableValue.self) { try unit.durationCount(duration) }
        let limit = duration < .zero ? -Double.infinity : .infinity
        #expect(duration._constant(perOne: unit.perSecond) == .real(limit))
      }
      let seconds = FractionalDurationMapping.stored(for: duration)
      #expect(seconds.magnitude == 0x1p64)
      #expect(duration._constant(perOne: 0) == .real(seconds))
      #expect(FractionalDurationMapping.value(of: seconds) == duration)
    }
    let seconds = Unit(FieldUnits.Seconds.self)
    #expect(try seconds.durationCount(.seconds(Int64.max)) == .max)
    #expect(try seconds.durationCount(.seconds(Int64.min)) == .min)
  }

  @Test("A duration in seconds is stored as the nearest number, and what is read of a number is stored as that number")
  func fractionalDurations() throws {
    typealias Mapping = FractionalDurationMapping
    for milliseconds in -3_000...3_000 {
      let (duration, seconds) = (Duration.milliseconds(milliseconds), Double(milliseconds) / 1_000)
      #expect(Mapping.stored(for: duration) == seconds)
      #expect(Mapping.value(of: seconds) == duration, "\(milliseconds) ms")
      #expect(duration._constant(perOne: 0) == .real(seconds))
    }
    var random = SeededGenerator(seed: 7)
    for round in 0..<5_000 {
      let nanoseconds = Duration.nanoseconds(Int64.random(in: -(1 << 51)...(1 << 51), using: &random))
      #expect(Mapping.value(of: Mapping.stored(for: nanoseconds)) == nanoseconds)
      let duration = Duration(
        secondsComponent: round % 3 == 0 ? 0 : Int64.random(in: -(1 << 40)...(1 << 40), using: &random),
        attosecondsComponent: Int64.random(in: .min ... .max, using: &random) >> Int64(round % 60))
      let stored = Mapping.stored(for: duration)
      let read = try #require(Mapping.value(of: stored))
      #expect(Mapping.stored(for: read) == stored, "\(duration)")
    }
  }

  @Test("A number above Int64.max is the date and the duration that it counts, and these are stored as that number")
  func unsignedCounts() throws {
    func check<U: FieldUnit>(_: U.Type, interval: Double) throws {
      for count in [UInt64(Int64.max) + 1, 10_000_000_000_000_000_001, .max] {
        let duration = try #require(DurationMapping<U, UInt64>.value(of: count))
        #expect(try DurationMapping<U, UInt64>.stored(for: duration) == count)
        #expect(duration._constant(perOne: U.perOne) == .unsigned(count))
        #expect(throws: UnstorableValue.self) { try DurationMapping<U, Int64>.stored(for: duration) }
        let date = try #require(DateMapping<U, UInt64>.value(of: count))
        let seconds = Double(count) / Double(U.perOne)
        #expect(abs(date.timeIntervalSince1970 - seconds) <= seconds * 1e-15, "\(count)")
      }
      // A date that a `Double` holds exactly.
      let date = Date(timeIntervalSinceReferenceDate: interval)
      let count = try DateMapping<U, UInt64>.stored(for: date)
      #expect(count > Int64.max)
      #expect(DateMapping<U, UInt64>.value(of: count) == date)
      #expect(date._constant(perOne: U.perOne) == .unsigned(count))
      #expect(throws: UnstorableValue.self) { try DateMapping<U, Int64>.stored(for: date) }
    }
    try check(FieldUnits.Seconds.self, interval: 0x1p63)
    try check(FieldUnits.Milliseconds.self, interval: 1e16)
    try check(FieldUnits.Microseconds.self, interval: 1e13)
    try check(FieldUnits.Nanoseconds.self, interval: 1e10 + 0.5)
    #expect(
      try DateMapping<FieldUnits.Nanoseconds, UInt64>.stored(for: Date(timeIntervalSinceReferenceDate: 1e10 + 0.5))
        == 10_978_307_200_500_000_000)
  }

  @Test("Every number of every size is read without a trap, and the largest are kept apart from what cannot be stored")
  func limits() throws {
    func read<U: FieldUnit>(_: U.Type) {
      for number in [Int64.min, -1, 0, 1, .max] {
        #expect(DateMapping<U, Int64>.value(of: number)?.timeIntervalSince1970.isFinite == true)
        #expect(DurationMapping<U, Int64>.value(of: number) != nil)
        #expect(DecimalMapping<U, Int64>.value(of: number)?.isFinite == true)
      }
      for number in [UInt64.min, 1, .max] {
        #expect(DateMapping<U, UInt64>.value(of: number)?.timeIntervalSince1970.isFinite == true)
        #expect(DurationMapping<U, UInt64>.value(of: number) != nil)
        #expect(DecimalMapping<U, UInt64>.value(of: number)?.isFinite == true)
      }
    }
    read(FieldUnits.Seconds.self)
    read(FieldUnits.Nanoseconds.self)
    read(DecimalPlaces.P18.self)
    for value in [Double.nan, .infinity, -.infinity, 1e300, -1e300] {
      #expect(throws: UnstorableValue.self) {
        try DateMapping<FieldUnits.Seconds, Int64>.stored(for: Date(timeIntervalSince1970: value))
      }
      #expect(FractionalDurationMapping.value(of: value) == nil)
    }
    for value in [Double.nan, .infinity] {
      #expect(FractionalDateMapping.value(of: value) == nil)
      #expect(throws: UnstorableValue.self) {
        try FractionalDateMapping.stored(for: Date(timeIntervalSince1970: value))
      }
    }
    let year100000 = Date(timeIntervalSince1970: 3_093_527_980_800)
    #expect(try DateMapping<FieldUnits.Microseconds, Int64>.stored(for: year100000) == 3_093_527_980_800_000_000)
    #expect(throws: UnstorableValue.self) { try DateMapping<FieldUnits.Nanoseconds, Int64>.stored(for: year100000) }
    #expect(throws: UnstorableValue.self) { try DateMapping<FieldUnits.Seconds, UInt32>.stored(for: year100000) }
    #expect(throws: UnstorableValue.self) {
      try DateMapping<FieldUnits.Seconds, UInt64>.stored(for: Date(timeIntervalSince1970: -1))
    }
  }

  @Test("A decimal number is its digits, and one with more places is not rounded")
  func decimals() throws {
    var random = SeededGenerator(seed: 4)
    for _ in 0..<5_000 {
      let units = Int64.random(in: .min ... .max, using: &random) >> Int64.random(in: 0..<63, using: &random)
      let digits = String(units.magnitude)
      let padded = String(repeating: "0", count: max(0, 5 - digits.count)) + digits
      let text = (units < 0 ? "-" : "") + padded.dropLast(4) + "." + padded.suffix(4)
      let decimal = try #require(Decimal(string: text, locale: Locale(identifier: "en_US_POSIX")))
      #expect(DecimalMapping<DecimalPlaces.P4, Int64>.value(of: units) == decimal, "\(text)")
      #expect(try DecimalMapping<DecimalPlaces.P4, Int64>.stored(for: decimal) == units, "\(text)")
      if units % 10 != 0 {
        #expect(throws: UnstorableValue.self, "\(text)") {
          try DecimalMapping<DecimalPlaces.P3, Int64>.stored(for: decimal)
        }
      }
    }
    #expect(throws: UnstorableValue.self) { try DecimalMapping<DecimalPlaces.P0, Int16>.stored(for: 32_768) }
    #expect(
      try DecimalMapping<DecimalPlaces.P2, UInt64>.stored(
        for: Decimal(sign: .plus, exponent: -2, significand: Decimal(UInt64.max))) == .max)
  }

  @Test("A decimal literal is the number that is written, although Swift makes a Double of it first")
  func literals() throws {
    var random = SeededGenerator(seed: 6)
    for _ in 0..<5_000 {
      let units =
        Int64.random(in: -99_999_999_999...99_999_999_999, using: &random) >> Int64.random(in: 0..<30, using: &random)
      let literal = try #require(Double("\(units)e-2"))
      #expect(try DecimalMapping<DecimalPlaces.P2, Int64>.stored(for: Decimal(literal)) == units)
      #expect(Decimal(literal)._constant(perOne: 100) == .integer(units))
      // A third place is none of a literal's.
      let third = try #require(Decimal(string: "\(units)5e-3", locale: Locale(identifier: "en_US_POSIX")))
      #expect(throws: UnstorableValue.self) { try DecimalMapping<DecimalPlaces.P2, Int64>.stored(for: third) }
    }
  }

  @Test("A string is a UUID exactly if it is the UUID's text in lower case")
  func uuids() {
    var random = SeededGenerator(seed: 5)
    for _ in 0..<2_000 {
      let bytes = (0..<16).map { _ in UInt8.random(in: 0...255, using: &random) }
      let uuid = bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
      let text = UUIDMapping.stored(for: uuid)
      #expect(text == uuid.uuidString.lowercased())
      #expect(UUIDMapping.value(of: text) == uuid)
      // A change of one character is another UUID, or none.
      var characters = Array(text)
      let place = Int.random(in: 0..<36, using: &random)
      let character = Character(UnicodeScalar(UInt8.random(in: 0x20...0x7E, using: &random)))
      characters[place] = character
      let changed = String(characters)
      let isCanonical = changed == changed.lowercased()
      // Foundation takes some texts that it would not write.
      let read =
        isCanonical ? UUID(uuidString: changed).flatMap { $0.uuidString.lowercased() == changed ? $0 : nil } : nil
      #expect(UUIDMapping.value(of: changed) == read, "\(changed)")
    }
  }

  @Test("A constant of a query is compared as it is stored, or as beyond or between stored values")
  func constants() {
    let date = Date(timeIntervalSince1970: 1.25)
    #expect(date._constant(perOne: 1_000) == .integer(1_250))
    #expect(date._constant(perOne: 1) == .integer(1))
    #expect(date._constant(perOne: 0) == .real(1.25))
    #expect(Date.distantFuture._constant(perOne: 1_000_000_000) == .real(.infinity))
    #expect(Date.distantPast._constant(perOne: 1_000_000_000) == .real(-.infinity))
    #expect(Date(timeIntervalSince1970: .nan)._constant(perOne: 1) == .null)
    #expect(Duration.milliseconds(-1_500)._constant(perOne: 1_000) == .integer(-1_500))
    #expect(Duration.seconds(Int64.max)._constant(perOne: 1_000) == .real(.infinity))
    #expect(Decimal(string: "2.5")?._constant(perOne: 100) == .integer(250))
    #expect(Decimal(string: "2.505")?._constant(perOne: 100) == .real(250.5))
    #expect(Decimal(UInt64.max)._constant(perOne: 1) == .unsigned(.max))
    #expect(Decimal.nan._constant(perOne: 100) == .null)
    #expect(
      UUID(uuidString: "ABCDEF01-0203-0405-0607-08090A0B0CFE")?._constant(perOne: 1)
        == .text("abcdef01-0203-0405-0607-08090a0b0cfe"))
  }
}
