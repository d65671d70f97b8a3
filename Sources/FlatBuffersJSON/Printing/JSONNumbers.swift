import FBSSchema

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Numbers as JSON has them.
package enum JSONNumbers {
  /// A number of a field's type, without its name. Infinities and NaN, for which JSON has no number, are words as flatc writes
  /// them; in JSON for other programs they stand in quotes, from which flatc reads them, too.
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

  /// A number in a value of any form, where text in quotes is no number. In JSON for other programs an infinity is a number
  /// that is too large for a double, which flatc reads as one, and NaN becomes text.
  static func flexibleText(_ number: Double, _ options: JSONOptions) -> String {
    guard options.isForOthers, number.isInfinite else { return text(number.bitPattern, .double, options) }
    return number < 0 ? "-1e999" : "1e999"
  }

  /// As C++ streams write it. The sign of NaN is lost when it is read, and so is no part of an exact number.
  private static func word(_ number: Double, isExact: Bool) -> String {
    let sign = number.sign == .minus && !(isExact && number.isNaN) ? "-" : ""
    return sign + (number.isNaN ? "nan" : "inf")
  }

  /// As few digits as tell the number from all others of its type.
  private static func exact(_ bits: UInt64, _ type: ScalarType) -> String {
    type == .float ? String(Float(bitPattern: UInt32(truncatingIfNeeded: bits))) : String(Double(bitPattern: bits))
  }

  /// As C++ streams write it with `std::fixed`, without the zeros at its end, but for one after the point.
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
