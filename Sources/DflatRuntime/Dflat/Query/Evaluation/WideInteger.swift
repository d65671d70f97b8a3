/// An integer of 128 bits, which holds the exact sum of more integers of 64 bits than a query can have. Swift's own
/// `Int128` needs newer systems than dflat does.
package struct WideInteger: BitwiseCopyable, Sendable {
  // In two's complement.
  private let high: Int64
  private let low: UInt64

  private init(high: Int64, low: UInt64) {
    self.high = high
    self.low = low
  }

  init(_ value: Int64) {
    self.init(high: value < 0 ? -1 : 0, low: UInt64(bitPattern: value))
  }

  init(_ value: UInt64) {
    self.init(high: 0, low: value)
  }

  /// Creates the integer part of a number that is at least -2^127 and below 2^127.
  init(truncating value: Double) {
    let whole = value.magnitude.rounded(.towardZero)
    let high = (whole / 0x1p64).rounded(.towardZero)
    // This is exact: a Double has 53 significant bits, and each goes to one of the halves.
    let magnitude = WideInteger(high: Int64(bitPattern: UInt64(high)), low: UInt64(whole - high * 0x1p64))
    self = value < 0 ? magnitude.negated : magnitude
  }

  /// Creates the integer that equals a number; nil if the number is not whole, or out of range.
  init?(exactly value: Double) {
    guard value.magnitude < 0x1p127, value == value.rounded(.towardZero) else { return nil }
    self.init(truncating: value)
  }

  var isNegative: Bool { high < 0 }

  private var negated: WideInteger { WideInteger(0 as Int64) - self }

  /// The integer if it fits; else nil.
  var int64: Int64? {
    let value = Int64(bitPattern: low)
    return high == (value < 0 ? -1 : 0) ? value : nil
  }

  /// The integer if it fits; else nil.
  var uint64: UInt64? { high == 0 ? low : nil }

  /// The nearest `Double`, or the one next to it.
  var double: Double { Double(high) * 0x1p64 + Double(low) }

  /// A number for hashing that changes with each bit of the integer.
  var bits: UInt64 { low ^ UInt64(bitPattern: high).byteSwapped }

  static func + (lhs: WideInteger, rhs: WideInteger) -> WideInteger {
    let (low, carry) = lhs.low.addingReportingOverflow(rhs.low)
    return WideInteger(high: lhs.high &+ rhs.high &+ (carry ? 1 : 0), low: low)
  }

  static func - (lhs: WideInteger, rhs: WideInteger) -> WideInteger {
    let (low, borrow) = lhs.low.subtractingReportingOverflow(rhs.low)
    return WideInteger(high: lhs.high &- rhs.high &- (borrow ? 1 : 0), low: low)
  }

  /// Returns the product, which must fit into 128 bits.
  static func * (lhs: WideInteger, rhs: WideInteger) -> WideInteger {
    let product = lhs.low.multipliedFullWidth(by: rhs.low)
    let high = Int64(bitPattern: product.high) &+ lhs.high &* Int64(bitPattern: rhs.low)
    return WideInteger(high: high &+ Int64(bitPattern: lhs.low) &* rhs.high, low: product.low)
  }

  /// Returns the remainder, with the sign of `self`; nil if the divisor is 0.
  func remainder(dividingBy divisor: WideInteger) -> WideInteger? {
    let rest = isNegative ? negated : self
    let magnitude = divisor.isNegative ? divisor.negated : divisor
    guard let result = rest.unsignedRemainder(dividingBy: magnitude) else { return nil }
    return isNegative ? result.negated : result
  }

  /// Returns the remainder of integers that are not negative; nil if the divisor is 0.
  private func unsignedRemainder(dividingBy divisor: WideInteger) -> WideInteger? {
    if divisor.high == 0 {
      if divisor.low == 0 { return nil }
      let rest = UInt64(bitPattern: high) % divisor.low
      return WideInteger(divisor.low.dividingFullWidth((rest, low)).remainder)
    }
    // Subtracts multiples of the divisor by powers of two. There are few, because the divisor is at least 2^64.
    var rest = self
    var multiples = [divisor]
    while let last = multiples.last, last.high < 1 << 61, last < self { multiples.append(last + last) }
    for multiple in multiples.reversed() where !(rest < multiple) { rest = rest - multiple }
    return rest
  }
}

extension WideInteger: Comparable {
  package static func < (lhs: WideInteger, rhs: WideInteger) -> Bool {
    lhs.high == rhs.high ? lhs.low < rhs.low : lhs.high < rhs.high
  }
}
