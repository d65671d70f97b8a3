import FBSSchema

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Numbers as JSON has them.
enum JSONNumbers {
  /// A number of a type, without its name.
  static func text(_ bits: UInt64, _ type: ScalarType, isExact: Bool) -> String {
    switch type {
    case .bool: bits & 0xFF == 0 ? "false" : "true"
    case .float: isExact ? exact(Float(bitPattern: UInt32(truncatingIfNeeded: bits))) : fixed(bits, type, digits: 6)
    case .double: isExact ? exact(Double(bitPattern: bits)) : fixed(bits, type, digits: 12)
    case .uint64: String(bits)
    default: String(Int64(bitPattern: bits))
    }
  }

  /// As few digits as tell the number from all others of its type.
  private static func exact<T: BinaryFloatingPoint & LosslessStringConvertible>(_ number: T) -> String {
    guard number.isFinite else { return number.isNaN ? "nan" : number < 0 ? "-inf" : "inf" }
    return String(number)
  }

  /// As C++ streams write it with `std::fixed`, without the zeros at its end, but for one after the point.
  private static func fixed(_ bits: UInt64, _ type: ScalarType, digits: Int32) -> String {
    let number = NumberBits.real(bits, type)
    guard number.isFinite else { return (number.sign == .minus ? "-" : "") + (number.isNaN ? "nan" : "inf") }
    // The largest number has 309 digits before the point.
    var buffer = [CChar](repeating: 0, count: 352)
    let length = withVaList([digits, number]) { vsnprintf(&buffer, buffer.count, "%.*f", $0) }
    var text = buffer.prefix(Int(length)).map { UInt8(bitPattern: $0) }
    while text.last == UInt8(ascii: "0") { text.removeLast() }
    if text.last == UInt8(ascii: ".") { text.append(UInt8(ascii: "0")) }
    return String(decoding: text, as: UTF8.self)
  }
}
