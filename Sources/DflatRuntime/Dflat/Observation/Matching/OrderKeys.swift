/// Makes order keys of values: numbers of 64 bits that are ordered as the values are, as far as so few bits can tell. If one
/// key is smaller than another, so is its value, and equal values have equal keys. Values with equal keys have to be
/// compared.
///
/// The key of NULL is 0, which no number or text has. Large integers are rounded to a `Double`. Of a text, 8 bytes count:
/// those behind the prefix that all bounds of a tree have in common, such as `https://`.
struct OrderKeys {
  /// What all texts begin with for which the keys were made, but no more than `maximumPrefixCount` bytes of it; nil until
  /// there is one.
  private var prefix: ContiguousArray<UInt8>?

  /// The prefix can be shortened as often as it has bytes, and all keys change when it is.
  private static let maximumPrefixCount = 64
  /// Below are the keys of numbers.
  private static let firstTextKey: UInt64 = 1 << 63

  /// Shortens the prefix to what `value` has in common with it, if it is a text.
  ///
  /// - Returns: whether all keys have to be made anew.
  mutating func include(_ value: RowValue) -> Bool {
    guard case .text(let bytes) = value else { return false }
    guard let prefix else {
      self.prefix = ContiguousArray(bytes.prefix(Self.maximumPrefixCount))
      return false
    }
    let common = zip(prefix, bytes).prefix { $0 == $1 }.count
    if common == prefix.count { return false }
    self.prefix = ContiguousArray(prefix.prefix(common))
    return true
  }

  func key(of value: RowValue) -> UInt64 {
    switch value {
    case .null: 0
    case .integer(let value): key(of: Double(value))
    case .unsigned(let value): key(of: Double(value))
    case .wide(let value): key(of: value.double)
    case .real(let value): key(of: value)
    case .text(let bytes): key(of: bytes)
    }
  }

  private func key(of value: Double) -> UInt64 {
    // Adding 0 makes 0 of -0. The bits of positive numbers are ordered as the numbers are, those of negative ones in
    // reverse.
    let bits = (value + 0).bitPattern
    return (bits >> 63 == 0 ? bits | 1 << 63 : ~bits) >> 1
  }

  private func key(of bytes: UnsafeRawBufferPointer) -> UInt64 {
    guard let prefix else { return Self.firstTextKey }
    return prefix.withUnsafeBytes { prefix in
      let start = UnsafeRawBufferPointer(rebasing: bytes.prefix(prefix.count))
      if start.isSame(as: prefix) {
        return Self.firstTextKey | Self.number(UnsafeRawBufferPointer(rebasing: bytes.dropFirst(prefix.count))) >> 1
      }
      // Before all texts with the prefix, or behind them.
      return RowValue.order(.text(start), .text(prefix)) < 0 ? Self.firstTextKey : .max
    }
  }

  /// The first 8 bytes as a number that is ordered as they are.
  private static func number(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
    if bytes.count >= 8 { return UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)) }
    if bytes.isEmpty { return 0 }
    var number: UInt64 = 0
    for byte in bytes { number = number << 8 | UInt64(byte) }
    return number << UInt64(64 - 8 * bytes.count)
  }
}
