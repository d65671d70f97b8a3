import FBSSchema

/// Converts dates, durations, decimal numbers and UUIDs between text for people and the numbers or bytes that fields store.
///
/// Foundation's dates cannot do this: they are `Double`s, and round nanoseconds.
///
/// - A date is that of ISO 8601 in UTC: `2026-11-28T16:09:51.250Z`, or `2026-11-28` alone for its start.
/// - A duration is its seconds: `1.5 s`. It is also read in `ms`, `us`, `ns`, `min` and `h`.
/// - A decimal number is its digits: `19.99`.
/// - A UUID is its 32 hexadecimal digits, with a hyphen after the eighth, twelfth, sixteenth and twentieth.
public enum ValueText {
  /// Returns the text of a number, given by its bits in the form of `NumberBits`; nil for a number without a text, such
  /// as a date after the year 9999.
  public static func text(_ bits: UInt64, _ scalar: ScalarType, _ mapping: ValueMapping) -> String? {
    switch mapping {
    case .date(let unit):
      guard let (seconds, fraction) = parts(bits, scalar, unit) else { return nil }
      return date(seconds, fraction)
    case .duration(let unit) where !scalar.isFloatingPoint:
      // In integers without a sign: `ulong` has more seconds than `Int64`.
      let (isNegative, magnitude) = integer(bits, scalar)
      let (seconds, rest) = magnitude.quotientAndRemainder(dividingBy: UInt64(unit.perSecond))
      let fraction = Self.fraction(Int64(rest) * (nanosecondsPerSecond / unit.perSecond))
      return "\(isNegative ? "-" : "")\(seconds)\(fraction) s"
    case .duration(let unit):
      guard let (seconds, fraction) = parts(bits, scalar, unit) else { return nil }
      // Whole seconds are rounded down, so the fraction of a negative number counts from the other side.
      guard seconds < 0, fraction > 0 else { return "\(seconds)\(Self.fraction(fraction)) s" }
      return "-\(-(seconds + 1))\(Self.fraction(nanosecondsPerSecond - fraction)) s"
    case .decimal(let places):
      let (isNegative, magnitude) = integer(bits, scalar)
      let digits = String(magnitude)
      let padded = String(repeating: "0", count: max(0, places + 1 - digits.count)) + digits
      let text = places == 0 ? padded : padded.dropLast(places) + "." + padded.suffix(places)
      return (isNegative ? "-" : "") + text
    case .uuid, .url, .swiftType: return nil
    }
  }

  /// Returns the number for a text, as a field with this mapping stores it; nil if the text is malformed. A value
  /// between two numbers of the field becomes a floating-point number.
  public static func value(_ text: String, _ mapping: ValueMapping) -> FieldValue? {
    switch mapping {
    case .date, .duration, .decimal: number(text, mapping)?.value
    // UUIDs are stored in lower case.
    case .uuid: .text(Array(text.lowercased().utf8))
    case .url, .swiftType: .text(Array(text.utf8))
    }
  }

  /// Returns the number for the text of a date, duration or decimal number, in the unit of a field with this mapping;
  /// nil if the text is malformed, or the mapping is another one.
  package static func number(_ text: String, _ mapping: ValueMapping) -> WholeNumber? {
    switch mapping {
    case .date(let unit): DateText(text)?.number(in: unit)
    case .duration(let unit): duration(text, in: unit)
    case .decimal(let places): DecimalNumber(text, isPlain: true)?.scaled(byPowerOfTen: places).wholeNumber
    case .uuid, .url, .swiftType: nil
    }
  }

  // MARK: UUIDs

  /// The number of bytes of a UUID.
  static let uuidByteCount = 16

  /// Returns the text of a UUID, in lower case.
  static func text(ofUUID bytes: some Sequence<UInt8>) -> String {
    bytes.enumerated().reduce(into: "") { text, byte in
      if [4, 6, 8, 10].contains(byte.offset) { text += "-" }
      text += String(byte.element >> 4, radix: 16) + String(byte.element & 0xF, radix: 16)
    }
  }

  /// Returns the bytes of a UUID's text, in upper or lower case; nil if the text is malformed.
  public static func bytes(ofUUID text: String) -> [UInt8]? {
    let digits = text.replacing("-", with: "")
    guard let bytes = bytes(ofHexadecimal: digits), bytes.count == uuidByteCount,
      self.text(ofUUID: bytes) == text.lowercased()
    else { return nil }
    return bytes
  }

  /// Returns the bytes of hexadecimal digits; nil if the text has other characters, or an odd number of digits.
  public static func bytes(ofHexadecimal text: String) -> [UInt8]? {
    let digits = text.utf8.map { Character(UnicodeScalar($0)).hexDigitValue }
    guard digits.count % 2 == 0 else { return nil }
    var bytes: [UInt8] = []
    for index in stride(from: 0, to: digits.count, by: 2) {
      guard let high = digits[index], let low = digits[index + 1] else { return nil }
      bytes.append(UInt8(high << 4 | low))
    }
    return bytes
  }

  // MARK: Texts

  private static let nanosecondsPerSecond: Int64 = 1_000_000_000

  /// Returns the whole seconds of a number, rounded down, and the remaining nanoseconds; nil if the number is not
  /// finite or out of range.
  private static func parts(
    _ bits: UInt64, _ scalar: ScalarType, _ unit: ValueMapping.TimeUnit
  ) -> (seconds: Int64, nanoseconds: Int64)? {
    if scalar == .double {
      let value = Double(bitPattern: bits)
      guard value.magnitude < 0x1p53 else { return nil }
      let seconds = value.rounded(.down)
      // As many digits as a `Double` has for a date of these years.
      let microseconds = Int64(((value - seconds) * 1_000_000).rounded())
      return microseconds == 1_000_000 ? (Int64(seconds) + 1, 0) : (Int64(seconds), microseconds * 1_000)
    }
    let (isNegative, magnitude) = integer(bits, scalar)
    let per = UInt64(unit.perSecond)
    let (whole, rest) = magnitude.quotientAndRemainder(dividingBy: per)
    guard let seconds = Int64(exactly: whole) else { return nil }
    let nanoseconds = Int64(rest) * (nanosecondsPerSecond / unit.perSecond)
    guard isNegative else { return (seconds, nanoseconds) }
    return nanoseconds == 0 ? (0 - seconds, 0) : (-1 - seconds, nanosecondsPerSecond - nanoseconds)
  }

  private static func integer(_ bits: UInt64, _ scalar: ScalarType) -> (isNegative: Bool, magnitude: UInt64) {
    switch scalar {
    case .int8, .int16, .int32, .int64: (Int64(bitPattern: bits) < 0, Int64(bitPattern: bits).magnitude)
    case .bool, .uint8, .uint16, .uint32, .uint64, .float, .double: (false, bits)
    }
  }

  /// Returns nanoseconds after a point, without trailing zeros; empty if there are none.
  private static func fraction(_ nanoseconds: Int64) -> String {
    guard nanoseconds > 0 else { return "" }
    var digits = String(String(nanoseconds + nanosecondsPerSecond).dropFirst())
    while digits.hasSuffix("0") { digits.removeLast() }
    return "." + digits
  }

  private static func date(_ seconds: Int64, _ nanoseconds: Int64) -> String? {
    guard let date = DateText(seconds: seconds) else { return nil }
    func padded(_ number: Int64, _ width: Int) -> String {
      let digits = String(number)
      return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
    let day = "\(padded(date.year, 4))-\(padded(date.month, 2))-\(padded(date.day, 2))"
    let time = "\(padded(date.hour, 2)):\(padded(date.minute, 2)):\(padded(date.second, 2))"
    return "\(day)T\(time)\(fraction(nanoseconds))Z"
  }

  // MARK: Reading

  private static func duration(_ text: String, in fieldUnit: ValueMapping.TimeUnit) -> WholeNumber? {
    let units: [(name: String, seconds: Int, places: Int)] = [
      ("ms", 1, 3), ("us", 1, 6), ("ns", 1, 9), ("min", 60, 0), ("h", 3600, 0), ("s", 1, 0),
    ]
    guard let unit = units.first(where: { text.hasSuffix($0.name) }) else { return nil }
    var number = text.dropLast(unit.name.count)
    while number.last == " " { number.removeLast() }
    return DecimalNumber(String(number), isPlain: true)?.multiplied(by: unit.seconds)
      .scaled(byPowerOfTen: fieldUnit.places - unit.places).wholeNumber
  }
}

extension ValueMapping.TimeUnit {
  /// The number of decimal places of seconds that the unit counts.
  fileprivate var places: Int {
    switch self {
    case .s: 0
    case .ms: 3
    case .us: 6
    case .ns: 9
    }
  }
}

/// A point in time of the years 0 to 9999, in UTC.
private struct DateText {
  let year: Int64
  let month: Int64
  let day: Int64
  var hour: Int64 = 0
  var minute: Int64 = 0
  var second: Int64 = 0
  /// The fraction of the second, as digits.
  var fraction = ""
  /// The minutes by which the time zone is ahead of UTC.
  var minutesAhead: Int64 = 0

  /// Creates the time that is `seconds` after the start of 1970; nil beyond the years 0 to 9999. See Howard Hinnant,
  /// "chrono-Compatible Low-Level Date Algorithms".
  init?(seconds: Int64) {
    guard (-62_167_219_200..<253_402_300_800).contains(seconds) else { return nil }
    // Counted from 1 March 0, in eras of 400 years.
    let shifted = seconds + 719_468 * 86_400
    let (days, time) = (Self.floor(shifted, 86_400), Self.modulo(shifted, 86_400))
    let (era, dayOfEra) = (Self.floor(days, 146_097), Self.modulo(days, 146_097))
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
    month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    (hour, minute, second) = (time / 3600, time / 60 % 60, time % 60)
  }

  /// Parses `2026-11-28`, `2026-11-28T16:09`, and these with seconds, a fraction, and `Z` or `+01:00` after them; nil
  /// for any other text.
  init?(_ text: String) {
    var reader = Reader(text)
    guard let year = reader.number(4), reader.take("-"), let month = reader.number(2), reader.take("-"),
      let day = reader.number(2), (1...12).contains(month), (1...Self.days(of: month, year)).contains(day)
    else { return nil }
    (self.year, self.month, self.day) = (year, month, day)
    if reader.isAtEnd { return }
    guard reader.take("T") || reader.take(" "), let hour = reader.number(2), reader.take(":"),
      let minute = reader.number(2), hour < 24, minute < 60
    else { return nil }
    (self.hour, self.minute) = (hour, minute)
    if reader.take(":") {
      guard let second = reader.number(2), second < 60 else { return nil }
      self.second = second
      if reader.take(".") {
        fraction = reader.digits()
        guard (1...9).contains(fraction.utf8.count) else { return nil }
      }
    }
    if reader.isAtEnd { return }
    if reader.take("Z") {
      guard reader.isAtEnd else { return nil }
      return
    }
    let isBehind = reader.take("-")
    guard isBehind || reader.take("+"), let hours = reader.number(2), reader.take(":"), let minutes = reader.number(2),
      hours < 24, minutes < 60, reader.isAtEnd
    else { return nil }
    minutesAhead = (isBehind ? -1 : 1) * (hours * 60 + minutes)
  }

  /// Returns the time since 1970 in a unit; nil if it is not a whole number of units in range.
  func number(in unit: ValueMapping.TimeUnit) -> WholeNumber? {
    let (shiftedYear, shiftedMonth) = month > 2 ? (year, month - 3) : (year - 1, month + 9)
    let era = Self.floor(shiftedYear, 400)
    let yearOfEra = Self.modulo(shiftedYear, 400)
    let dayOfYear = (153 * shiftedMonth + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    let days = era * 146_097 + dayOfEra - 719_468
    let seconds = days * 86_400 + hour * 3600 + (minute - minutesAhead) * 60 + second
    var nanoseconds = Int64((fraction + "000000000").prefix(9)) ?? 0
    var magnitude = abs(seconds)
    // The fraction of a time before 1970 counts from the other side.
    if seconds < 0, nanoseconds > 0 { (magnitude, nanoseconds) = (magnitude - 1, 1_000_000_000 - nanoseconds) }
    let text = "\(seconds < 0 ? "-" : "")\(magnitude).\(String(1_000_000_000 + nanoseconds).dropFirst())"
    return DecimalNumber(text, isPlain: true)?.scaled(byPowerOfTen: unit.places).wholeNumber
  }

  private static func floor(_ number: Int64, _ divisor: Int64) -> Int64 {
    (number - modulo(number, divisor)) / divisor
  }

  private static func modulo(_ number: Int64, _ divisor: Int64) -> Int64 {
    let rest = number % divisor
    return rest < 0 ? rest + divisor : rest
  }

  private static func days(of month: Int64, _ year: Int64) -> Int64 {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  /// Reads digits and signs.
  private struct Reader {
    private var rest: Substring.UTF8View

    init(_ text: String) { rest = text[...].utf8 }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func take(_ character: Unicode.Scalar) -> Bool {
      guard let first = rest.first, UInt32(first) == character.value else { return false }
      rest.removeFirst()
      return true
    }

    mutating func digits() -> String {
      let digits = rest.prefix { (0x30...0x39).contains($0) }
      rest = rest.dropFirst(digits.count)
      return String(Substring(digits))
    }

    /// Reads a number of exactly `count` digits; nil if there are fewer.
    mutating func number(_ count: Int) -> Int64? {
      let digits = rest.prefix(count)
      guard digits.count == count, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
      rest = rest.dropFirst(count)
      return Int64(String(Substring(digits)))
    }
  }
}
