import FBSSchema

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Formats numbers for JSON.
package enum JSONNumbers {
  /// Returns a number of a field's type, without its name. Infinities and NaN, for which JSON has no number, are words
  /// as flatc writes them. In JSON for other programs they are in quotes, which flatc also reads.
  package static func text(_ bits: UInt64, _ type: ScalarType, _ options: JSONOptions) -> String {
    switch type {
    case .bool: return bits & 0xFF == 0 ? "false" : "true"
    case .float, .double:
      let number = NumberBits.real(bits, type)
      guard number.isFinite else {
        let word = word(number, isExact: options.hasExactNumbers)
        return options.isForOthers ? "\"\(word)\"" : word
      }
      return options.hasExactNumbers ? exact(bits, type) : fixed(number, digits: type == .float ? 6 : 12)
    case .uint64: return String(bits)
    default: return String(Int64(bitPattern: bits))
    }
  }

  /// Returns a number in a value of any form, where quoted text is no number. In JSON for other programs, an infinity
  /// is a number too large for a double, which flatc reads as infinity, and NaN becomes text.
  static func flexibleText(_ number: Double, _ options: JSONOptions) -> String {
    guard options.isForOthers, number.isInfinite else { return text(number.bitPattern, .double, options) }
    return number < 0 ? "-1e999" : "1e999"
  }

  /// Returns an infinity or NaN as C++ streams write it. The sign of NaN is lost on reading, so exact numbers do not
  /// have it.
  private static func word(_ number: Double, isExact: Bool) -> String {
    let sign = number.sign == .minus && !(isExact && number.isNaN) ? "-" : ""
    return sign + (number.isNaN ? "nan" : "inf")
  }

  /// Returns the shortest text that distinguishes the number from all others of its type.
  private static func exact(_ bits: UInt64, _ type: ScalarType) -> String {
    type == .float ? String(Float(bitPattern: UInt32(truncatingIfNeeded: bits))) : String(Double(bitPattern: bits))
  }

  /// Returns a number as C++ streams write it with `std::fixed`, without trailing zeros, except for one after the
  /// point.
  private static func fixed(_ number: Double, digits: Int32) -> String {
    // The largest number has 309 digits before the point.
    var buffer = [CChar](repeating: 0, count: 352)
    let length = withVaList([digits, number]) { vsnprintf(&buffer, buffer.count, "%.*f", $0) }
    var text = buffer.prefix(Int(length)).map { UInt8(bitPattern: $0) }
    while text.last == UInt8(ascii: "0") { text.removeLast() }
    if text.last == UInt8(ascii: ".") { text.append(UInt8(ascii: "0")) }
    return String(decoding: text, as: UTF8.self)
  }
}
