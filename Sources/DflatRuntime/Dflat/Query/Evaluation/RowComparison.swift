#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

extension RowValue {
  /// Compares two values in the order of SQLite: NULL, then numbers by their exact value, then texts by their bytes, then
  /// bytes.
  ///
  /// - Returns: a negative number if `lhs` comes first, 0 if the values are equal, else a positive number.
  package static func order(_ lhs: RowValue, _ rhs: RowValue) -> Int {
    switch (lhs, rhs) {
    case (.integer(let a), .integer(let b)): a < b ? -1 : a == b ? 0 : 1
    case (.text(let a), .text(let b)), (.bytes(let a), .bytes(let b)): order(a, b)
    case (.real(let a), .real(let b)): a < b ? -1 : a == b ? 0 : 1
    case (.integer(let a), .real(let b)): order(a, b)
    case (.real(let a), .integer(let b)): -order(b, a)
    case (.unsigned(let a), .unsigned(let b)): a < b ? -1 : a == b ? 0 : 1
    case (.integer, .unsigned): -1
    case (.unsigned, .integer): 1
    case (.unsigned(let a), .real(let b)): order(a, b)
    case (.real(let a), .unsigned(let b)): -order(b, a)
    case (.wide(let a), .wide(let b)): a < b ? -1 : a == b ? 0 : 1
    // A wide integer is out of the range of the others.
    case (.wide(let a), .integer), (.wide(let a), .unsigned): a.isNegative ? -1 : 1
    case (.integer, .wide(let b)), (.unsigned, .wide(let b)): b.isNegative ? 1 : -1
    case (.wide(let a), .real(let b)): order(a, b)
    case (.real(let a), .wide(let b)): -order(b, a)
    default: lhs.rank - rhs.rank
    }
  }

  private var rank: Int {
    switch self {
    case .null: 0
    case .integer, .unsigned, .wide, .real: 1
    case .text: 2
    case .bytes: 3
    }
  }

  // Inlined for the benchmark row "fetch a sixth by a string without index": the text of each row is compared here.
  @inline(__always)
  private static func order(_ lhs: UnsafeRawBufferPointer, _ rhs: UnsafeRawBufferPointer) -> Int {
    let count = min(lhs.count, rhs.count)
    if count > 0, let a = lhs.baseAddress, let b = rhs.baseAddress {
      let difference = memcmp(a, b, count)
      if difference != 0 { return Int(difference) }
    }
    return lhs.count - rhs.count
  }

  /// Compares without rounding: not every `Int64` can be converted to a `Double` exactly.
  private static func order(_ lhs: Int64, _ rhs: Double) -> Int {
    if rhs >= 0x1p63 { return -1 }
    if rhs < -0x1p63 { return 1 }
    let whole = Int64(rhs)
    if lhs != whole { return lhs < whole ? -1 : 1 }
    let fraction = rhs - Double(whole)
    return fraction > 0 ? -1 : fraction == 0 ? 0 : 1
  }

  private static func order(_ lhs: UInt64, _ rhs: Double) -> Int {
    if rhs >= 0x1p64 { return -1 }
    if rhs < 0 { return 1 }
    let whole = UInt64(rhs)
    // `lhs` is above 2^63. If the integer parts are equal, `rhs` is, too, and a Double above 2^53 has no fraction.
    return lhs < whole ? -1 : lhs == whole ? 0 : 1
  }

  private static func order(_ lhs: WideInteger, _ rhs: Double) -> Int {
    if rhs >= 0x1p127 { return -1 }
    if rhs < -0x1p127 { return 1 }
    let whole = WideInteger(truncating: rhs)
    // If the integer parts are equal, `rhs` has no fraction, as above.
    return lhs < whole ? -1 : lhs == whole ? 0 : 1
  }
}

extension UnsafeRawBufferPointer {
  /// Returns whether both have the same bytes.
  @usableFromInline
  package func isSame(as other: UnsafeRawBufferPointer) -> Bool {
    guard count == other.count else { return false }
    guard count > 0, let lhs = baseAddress, let rhs = other.baseAddress else { return true }
    return memcmp(lhs, rhs, count) == 0
  }

  /// Returns whether the first bytes are those of `prefix`.
  func hasPrefix(_ prefix: UnsafeRawBufferPointer) -> Bool {
    count >= prefix.count && UnsafeRawBufferPointer(rebasing: self[..<prefix.count]).isSame(as: prefix)
  }

  /// Returns whether the last bytes are those of `suffix`.
  func hasSuffix(_ suffix: UnsafeRawBufferPointer) -> Bool {
    count >= suffix.count && UnsafeRawBufferPointer(rebasing: self[(count - suffix.count)...]).isSame(as: suffix)
  }
}
