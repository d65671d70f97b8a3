import FBSSchema
import FlatBuffersJSON
import Foundation
import TestSupport
import Testing

@Suite("Dates, durations and decimal numbers as people write them")
struct ValueTextTests {
  private let units = ValueMapping.TimeUnit.allCases

  private func bits(_ value: Int64) -> UInt64 { UInt64(bitPattern: value) }

  @Test("A date has the text that Foundation gives it, and is read from it")
  func dates() throws {
    var random = SeededGenerator(seed: 1)
    let format = Date.ISO8601FormatStyle(includingFractionalSeconds: false)
    for unit in units {
      for _ in 0..<2_000 {
        let seconds = Int64.random(in: -9_000_000_000...9_000_000_000, using: &random)
        let fraction = Int64.random(in: 0..<unit.perSecond, using: &random)
        let count = seconds * unit.perSecond + fraction
        let text = try #require(ValueText.text(bits(count), .int64, .date(unit)))
        let whole = Date(timeIntervalSince1970: Double(seconds)).formatted(format)
        #expect(text.hasPrefix(whole.dropLast()), "\(count) \(unit)")
        #expect(text.hasSuffix("Z") && !text.hasSuffix("0Z") || !text.contains("."))
        #expect(ValueText.value(text, .date(unit)) == .integer(count), "\(text)")
      }
    }
  }

  @Test("Dates are read with and without a time, a fraction and a time zone, and not otherwise")
  func datesOfPeople() {
    let cases: [(String, Int64)] = [
      ("1970-01-01", 0), ("2026-11-28", 1_795_824_000_000), ("2026-11-28T16:09", 1_795_882_140_000),
      ("2026-11-28 16:09:51.25Z", 1_795_882_191_250), ("2026-11-28T17:09:51+01:00", 1_795_882_191_000),
      ("2026-11-28T15:39:51-00:30", 1_795_882_191_000), ("2000-02-29", 951_782_400_000),
      ("0000-01-01", -62_167_219_200_000), ("9999-12-31T23:59:59.999Z", 253_402_300_799_999),
    ]
    for (text, count) in cases {
      #expect(ValueText.value(text, .date(.ms)) == .integer(count), "\(text)")
    }
    #expect(ValueText.value("1970-01-01T00:00:00.0005", .date(.ms)) == .real(0.5))
    for text in [
      "", "2026", "2026-11", "2026-13-01", "2026-00-01", "2025-02-29", "1900-02-29", "2026-11-31", "2026-11-28T",
      "2026-11-28T24:00", "2026-11-28T16:60", "2026-11-28T16:09:60", "2026-11-28T16:09:51.",
      "2026-11-28T16:09:51.1234567890",
      "2026-11-28T16:09:51Zz", "2026-11-28T16:09:51+1:00", "2026-11-28T16:09:51+24:00", "26-11-28", "２026-11-28",
      "2026-11-28T16", "today",
    ] {
      #expect(ValueText.value(text, .date(.ms)) == nil, "\(text)")
    }
  }

  @Test("A duration has its seconds, and is read in other units")
  func durations() {
    let cases: [(Int64, ValueMapping.TimeUnit, String)] = [
      (0, .s, "0 s"), (1_500, .ms, "1.5 s"), (-1_500, .ms, "-1.5 s"), (-1, .ns, "-0.000000001 s"),
      (-1_000, .ms, "-1 s"),
      (86_400, .s, "86400 s"), (1, .us, "0.000001 s"), (.max, .ns, "9223372036.854775807 s"),
      (-.max, .s, "-9223372036854775807 s"), (.min, .s, "-9223372036854775808 s"),
    ]
    for (count, unit, text) in cases {
      #expect(ValueText.text(bits(count), .int64, .duration(unit)) == text)
      guard count.magnitude < 1 << 60 else { continue }
      #expect(ValueText.value(text, .duration(unit)) == .integer(count), "\(text)")
    }
    #expect(ValueText.value("90 min", .duration(.ms)) == .integer(5_400_000))
    #expect(ValueText.value("1.5h", .duration(.s)) == .integer(5_400))
    #expect(ValueText.value("250ms", .duration(.us)) == .integer(250_000))
    #expect(ValueText.value("250 ms", .duration(.s)) == .real(0.25))
    // With more decimal places than nanoseconds have, and beyond 64 bits.
    #expect(ValueText.value("1500.000000000000 us", .duration(.ns)) == .integer(1_500_000))
    #expect(ValueText.value("0.0000000000000001 ns", .duration(.ns)) == .real(1e-16))
    #expect(ValueText.value("1000000000.0000000000 ns", .duration(.s)) == .integer(1))
    #expect(ValueText.value("9000000000000000.001 h", .duration(.s)) == .real(3.24e19))
    for text in ["", "s", "1", "1 d", "1.5.2 s", "- 1 s", ".5 s", "1. s", "1e3 s"] {
      #expect(ValueText.value(text, .duration(.ms)) == nil, "\(text)")
    }
    #expect(ValueText.text(1_500_000, .uint32, .duration(.us)) == "1.5 s")
    #expect(ValueText.text(.max, .uint64, .duration(.s)) == "18446744073709551615 s")
    #expect(ValueText.text(.max, .uint64, .duration(.ms)) == "18446744073709551.615 s")
    #expect(ValueText.text((-1.25).bitPattern, .double, .duration(.s)) == "-1.25 s")
    #expect(ValueText.text(Double.nan.bitPattern, .double, .date(.s)) == nil)
    #expect(ValueText.text(1e300.bitPattern, .double, .date(.s)) == nil)
  }

  @Test("A decimal number has its digits")
  func decimals() {
    var random = SeededGenerator(seed: 2)
    for places in [0, 1, 2, 9, 18] {
      for _ in 0..<500 {
        let units = Int64.random(in: -100_000_000_000_000_000...100_000_000_000_000_000, using: &random)
        let text = ValueText.text(bits(units), .int64, .decimal(places: places))
        let decimal = Decimal(
          sign: units < 0 ? .minus : .plus, exponent: -places, significand: Decimal(units.magnitude))
        #expect(text.flatMap { Decimal(string: $0, locale: Locale(identifier: "en_US_POSIX")) } == decimal)
        #expect(
          text.flatMap { ValueText.value($0, .decimal(places: places)) } == .integer(units), "\(text ?? "") \(places)")
      }
    }
    #expect(ValueText.text(bits(5), .int64, .decimal(places: 2)) == "0.05")
    #expect(ValueText.text(bits(-5), .int16, .decimal(places: 2)) == "-0.05")
    #expect(ValueText.text(.max, .uint64, .decimal(places: 2)) == "184467440737095516.15")
    #expect(ValueText.value("19.9", .decimal(places: 2)) == .integer(1990))
    #expect(ValueText.value("19.995", .decimal(places: 2)) == .real(1999.5))
    #expect(ValueText.value("100000000000000000", .decimal(places: 18)) == .real(1e35))
    #expect(ValueText.value("184467440737095516.15", .decimal(places: 2)) == .unsigned(.max))
    #expect(ValueText.value("-92233720368547758.08", .decimal(places: 2)) == .integer(.min))
    #expect(ValueText.value("1.000000000000000000000", .decimal(places: 2)) == .integer(100))
    for text in ["", "-", "1,5", "1e3", "+1", "0x10"] {
      #expect(ValueText.value(text, .decimal(places: 2)) == nil, "\(text)")
    }
  }
}
