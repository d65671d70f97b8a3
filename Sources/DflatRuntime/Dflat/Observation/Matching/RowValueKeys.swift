extension RowValue {
  /// A number that is ordered as the value, as far as 64 bits can tell: if one key is smaller than the other, so is its
  /// value, and equal values have equal keys. Values with equal keys have to be compared.
  ///
  /// NULL has 0, and no number or text has it. Large integers are rounded to a `Double`; of a text, the first bytes count.
  var orderKey: UInt64 {
    switch self {
    case .null: 0
    case .integer(let value): Self.orderKey(Double(value))
    case .unsigned(let value): Self.orderKey(Double(value))
    case .real(let value): Self.orderKey(value)
    case .text(let bytes): 1 << 63 | Self.prefix(of: bytes) >> 1
    }
  }

  /// Below 2^63, where the texts begin.
  @inline(__always)
  private static func orderKey(_ value: Double) -> UInt64 {
    // Adding 0 makes 0 of -0. The bits of positive numbers are ordered as the numbers are, those of negative ones in
    // reverse.
    let bits = (value + 0).bitPattern
    return (bits >> 63 == 0 ? bits | 1 << 63 : ~bits) >> 1
  }

  /// The first 8 bytes as a number that is ordered as they are.
  @inline(__always)
  private static func prefix(of bytes: UnsafeRawBufferPointer) -> UInt64 {
    if bytes.count >= 8 { return UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)) }
    var prefix: UInt64 = 0
    for byte in bytes { prefix = prefix << 8 | UInt64(byte) }
    return bytes.isEmpty ? 0 : prefix << UInt64(64 - 8 * bytes.count)
  }

  /// A hash of the value. Equal values have equal hashes, whatever their types: 1 and 1.0, for example.
  ///
  /// - Parameter seed: a random number, the same for all hashes that are compared, so that nobody can choose values
  ///   that collide.
  @inline(__always)
  func hash(seed: UInt64) -> UInt32 {
    switch self {
    case .null: 0
    case .integer(let value): Self.hash(UInt64(bitPattern: value), seed)
    case .unsigned(let value): Self.hash(value, seed)
    case .real(let value):
      // An integer if it is the value of one.
      if let integer = Int64(exactly: value) {
        Self.hash(UInt64(bitPattern: integer), seed)
      } else if let unsigned = UInt64(exactly: value) {
        Self.hash(unsigned, seed)
      } else {
        Self.hash(value.bitPattern, seed)
      }
    case .text(let bytes): Self.hash(bytes, seed)
    }
  }

  /// The two halves of a product, folded together: each bit of the number changes half of the bits of the hash.
  @inline(__always)
  private static func hash(_ number: UInt64, _ seed: UInt64) -> UInt32 {
    let product = (number ^ seed).multipliedFullWidth(by: 0x9e37_79b9_7f4a_7c15)
    let folded = product.high ^ product.low
    return UInt32(truncatingIfNeeded: folded ^ folded >> 32)
  }

  private static func hash(_ bytes: UnsafeRawBufferPointer, _ seed: UInt64) -> UInt32 {
    var hasher = Hasher()
    hasher.combine(seed)
    hasher.combine(bytes: bytes)
    return UInt32(truncatingIfNeeded: hasher.finalize())
  }

  /// Whether the values are equal, which NULL is to nothing but NULL here.
  @inline(__always)
  func isEqual(to other: RowValue) -> Bool {
    if case .text(let lhs) = self, case .text(let rhs) = other { return lhs.isSame(as: rhs) }
    return RowValue.order(self, other) == 0
  }
}
