/// The conversion of values into order keys: numbers of 64 bits that are ordered as the values are, as far as 64 bits
/// can tell.
///
/// If one key is smaller than another, so is its value. Equal values have equal keys. Values with equal keys have to
/// be compared.
///
/// The key of NULL is 0, which no number or text has. Large integers are rounded to a `Double`. All bounds of a tree
/// may begin with one prefix, such as `https://`: the key of a text has the 8 bytes after that prefix. Values of bytes
/// come after all texts, and all have the largest key: few queries have ranges of them.
struct OrderKeys {
  /// The common prefix of all texts for which keys were made, cut to `maximumPrefixCount` bytes; nil until there is a
  /// text.
  private var prefix: ContiguousArray<UInt8>?

  /// The largest length of the prefix. All keys change when it is shortened, which can happen once for each byte.
  private static let maximumPrefixCount = 64
  /// The smallest key of a text. The keys of numbers are below it.
  private static let firstTextKey: UInt64 = 1 << 63

  /// Shortens the prefix to the part that it shares with `value`, if that is a text.
  ///
  /// - Returns: true if all keys have to be computed anew.
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
    case .bytes: .max
    }
  }

  private func key(of value: Double) -> UInt64 {
    // Adding 0 turns -0 into 0. The bits of positive numbers are ordered as the numbers are, those of negative ones
    // in reverse.
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
      // Before all texts with the prefix, or after them.
      return RowValue.order(.text(start), .text(prefix)) < 0 ? Self.firstTextKey : .max
    }
  }

  /// Returns the first 8 bytes as a number that is ordered as they are.
  private static func number(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
    if bytes.count >= 8 { return UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)) }
    if bytes.isEmpty { return 0 }
    var number: UInt64 = 0
    for byte in bytes { number = number << 8 | UInt64(byte) }
    return number << UInt64(64 - 8 * bytes.count)
  }
}
