extension RowValue {
  /// Whether the values are equal, which NULL is to nothing but NULL here.
  @inline(__always)
  package func isEqual(to other: RowValue) -> Bool {
    if case .text(let lhs) = self, case .text(let rhs) = other { return lhs.isSame(as: rhs) }
    return RowValue.order(self, other) == 0
  }

  /// A hash of the value. Equal values have equal hashes, whatever their types: 1 and 1.0, for example.
  ///
  /// - Parameter seed: a random number, the same for all hashes that are compared, so that nobody can choose values
  ///   that collide.
  @inline(__always)
  package func hash(seed: UInt64) -> UInt32 {
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
}
