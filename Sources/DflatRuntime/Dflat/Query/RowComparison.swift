#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

extension RowValue {
  /// Compares two values in the order of SQLite: NULL, then numbers by their exact value, then texts by their bytes.
  ///
  /// - Returns: a negative number if `lhs` comes first, 0 if the values are equal, else a positive number.
  package static func order(_ lhs: RowValue, _ rhs: RowValue) -> Int {
    switch (lhs, rhs) {
    case (.integer(let a), .integer(let b)): a < b ? -1 : a == b ? 0 : 1
    case (.text(let a), .text(let b)): order(a, b)
    case (.real(let a), .real(let b)): a < b ? -1 : a == b ? 0 : 1
    case (.integer(let a), .real(let b)): order(a, b)
    case (.real(let a), .integer(let b)): -order(b, a)
    case (.unsigned(let a), .unsigned(let b)): a < b ? -1 : a == b ? 0 : 1
    case (.integer, .unsigned): -1
    case (.unsigned, .integer): 1
    case (.unsigned(let a), .real(let b)): order(a, b)
    case (.real(let a), .unsigned(let b)): -order(b, a)
    default: lhs.rank - rhs.rank
    }
  }

  private var rank: Int {
    switch self {
    case .null: 0
    case .integer, .unsigned, .real: 1
    case .text: 2
    }
  }

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
}

/// Arithmetic with the semantics of SQLite.
enum SQLArithmetic {
  static func evaluate(_ operation: QueryNode.Arithmetic, _ lhs: RowValue, _ rhs: RowValue) -> RowValue {
    if case .integer(let a) = lhs, case .integer(let b) = rhs {
      switch operation {
      case .add:
        let (sum, overflow) = a.addingReportingOverflow(b)
        return overflow ? RowValue(Double(a) + Double(b)) : .integer(sum)
      case .subtract:
        let (difference, overflow) = a.subtractingReportingOverflow(b)
        return overflow ? RowValue(Double(a) - Double(b)) : .integer(difference)
      case .remainder:
        return remainder(a, b).map { .integer($0) } ?? .null
      }
    }
    guard let a = real(lhs), let b = real(rhs) else { return .null }
    switch operation {
    case .add: return RowValue(a + b)
    case .subtract: return RowValue(a - b)
    case .remainder: return remainder(integer(lhs), integer(rhs)).map { RowValue(Double($0)) } ?? .null
    }
  }

  private static func remainder(_ lhs: Int64, _ rhs: Int64) -> Int64? {
    // `Int64.min % -1` would trap: the division overflows. Every remainder by -1 is 0.
    rhs == 0 ? nil : rhs == -1 ? 0 : lhs % rhs
  }

  private static func real(_ value: RowValue) -> Double? {
    switch value {
    case .integer(let value): Double(value)
    case .unsigned(let value): Double(value)
    case .real(let value): value
    case .null, .text: nil
    }
  }

  /// The value truncated to an integer, or the nearest `Int64` if it is out of range.
  private static func integer(_ value: RowValue) -> Int64 {
    switch value {
    case .integer(let value): value
    case .unsigned: .max
    case .real(let value): value >= 0x1p63 ? .max : value <= -0x1p63 ? .min : Int64(value)
    case .null, .text: 0
    }
  }
}

extension UnsafeRawBufferPointer {
  /// Whether both have the same bytes.
  @usableFromInline
  package func isSame(as other: UnsafeRawBufferPointer) -> Bool {
    guard count == other.count else { return false }
    guard count > 0, let lhs = baseAddress, let rhs = other.baseAddress else { return true }
    return memcmp(lhs, rhs, count) == 0
  }
}
