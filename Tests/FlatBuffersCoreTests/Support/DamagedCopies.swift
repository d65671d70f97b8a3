import TestSupport

/// Returns `count` copies of `bytes`, each with one or two random changes.
func damagedCopies(of bytes: [UInt8], count: Int, using random: inout SeededGenerator) -> [[UInt8]] {
  (0..<count).map { _ in
    var copy = bytes
    for _ in 0..<Int.random(in: 1...2, using: &random) {
      let position = Int.random(in: 0..<copy.count, using: &random)
      switch Int.random(in: 0..<5, using: &random) {
      case 0, 1:
        copy[position] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      case 2:
        copy[position] = UInt8.random(in: 0...255, using: &random)
      case 3:
        // Values that are likely to break checks of lengths and offsets: extremes, and offsets to the buffer's ends.
        let values: [Int64] = [
          0, 1, 4, -1, -4, Int64(Int32.max), Int64(Int32.max) - 3, -Int64(Int32.max), Int64(Int32.min),
          Int64(copy.count), Int64(copy.count - position & ~3), Int64(position & ~3), -Int64(copy.count), 0x4000_0000,
        ]
        let value = UInt32(truncatingIfNeeded: values.randomElement(using: &random) ?? 0)
        for byte in 0..<4 where position & ~3 + byte < copy.count {
          copy[position & ~3 + byte] = UInt8(truncatingIfNeeded: value >> (8 * UInt32(byte)))
        }
      default:
        let value = UInt16(
          truncatingIfNeeded: [0, 1, 2, 3, 4, 0xFFFF, 0xFFFE, 0x8000].randomElement(using: &random) ?? 0)
        for byte in 0..<2 where position & ~1 + byte < copy.count {
          copy[position & ~1 + byte] = UInt8(truncatingIfNeeded: value >> (8 * UInt16(byte)))
        }
      }
    }
    return copy
  }
}
