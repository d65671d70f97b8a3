extension RowValue {
  /// Returns whether the values are equal. Here NULL equals NULL, and nothing else.
  package func isEqual(to other: RowValue) -> Bool {
    if case .text(let lhs) = self, case .text(let rhs) = other { return lhs.isSame(as: rhs) }
    return RowValue.order(self, other) == 0
  }

  /// Returns a hash of the value. Equal values have equal hashes, whatever their types: 1 and 1.0, for example.
  ///
  /// - Parameter seed: a random number, equal for all hashes that are compared, so that nobody can choose values that
  ///   collide.
  package func hash(seed: UInt64) -> UInt32 {
    switch self {
    case .null: 0
    case .integer(let value): Self.hash(UInt64(bitPattern: value), seed)
    case .unsigned(let value): Self.hash(value, seed)
    case .wide(let value): Self.hash(value.bits, seed)
    case .real(let value):
      // A real number that is the value of an integer is hashed as that integer.
      if let integer = Int64(exactly: value) {
        Self.hash(UInt64(bitPattern: integer), seed)
      } else if let unsigned = UInt64(exactly: value) {
        Self.hash(unsigned, seed)
      } else if let wide = WideInteger(exactly: value) {
        Self.hash(wide.bits, seed)
      } else {
        Self.hash(value.bitPattern, seed)
      }
    case .text(let bytes), .bytes(let bytes): Self.hash(bytes, seed)
    }
  }

  /// Folds the two halves of a product together: each bit of the number changes half of the bits of the hash.
  private static func hash(_ number: UInt64, _ seed: UInt64) -> UInt32 {
    let product = (number ^ seed).multipliedFullWidth(by: 0x9e37_79b9_7f4a_7c15)
    let folded = product.high ^ product.low
    return UInt32(truncatingIfNeeded: folded ^ folded >> 32)
  }

  /// Multiplies words of 8 bytes by a number that depends on the seed, so that nobody can choose texts that collide.
  private static func hash(_ bytes: UnsafeRawBufferPointer, _ seed: UInt64) -> UInt32 {
    let factor = (seed &* 0x9e37_79b9_7f4a_7c15) | 1
    var hash = seed ^ UInt64(bytes.count)
    func add(_ word: UInt64) {
      let product = (hash ^ word).multipliedFullWidth(by: factor)
      hash = product.high ^ product.low
    }
    var offset = 0
    while offset + 8 <= bytes.count {
      add(bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
      offset += 8
    }
    if offset < bytes.count {
      var word: UInt64 = 0
      if bytes.count >= 8 {
        // The last 8 bytes, some of which were added before.
        word = bytes.loadUnaligned(fromByteOffset: bytes.count - 8, as: UInt64.self)
      } else {
        for byte in bytes { word = word << 8 | UInt64(byte) }
      }
      add(word)
    }
    return UInt32(truncatingIfNeeded: hash ^ hash >> 32)
  }
}
