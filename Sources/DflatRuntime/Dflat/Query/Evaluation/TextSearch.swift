#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// The search in the bytes of texts.
///
/// The C library finds one byte of the part, the anchor, and the bytes around it are compared. A part that repeats
/// itself, such as `aaab`, could make that take the product of both lengths. So when comparing has cost more than
/// finding, the algorithm of Knuth, Morris and Pratt continues the search. Its time is the sum of the lengths.
enum TextSearch {
  /// Returns the offset of the byte of `part` that is expected to be the rarest in texts; 0 if `part` is empty.
  ///
  /// The first byte of a character is equal for most characters of a script, so it is not rare.
  static func anchor(of part: UnsafeRawBufferPointer) -> Int {
    var anchor = 0
    var lowest = Int.max
    // Only the first 64 bytes are looked at, to bound the time: if none of them is rare, mostly no later one is,
    // either.
    for (offset, byte) in part.prefix(64).enumerated() {
      let frequency = frequency(of: byte)
      if frequency < lowest { (anchor, lowest) = (offset, frequency) }
    }
    return anchor
  }

  private static func frequency(of byte: UInt8) -> Int {
    switch byte {
    case 0xC0...: 4
    case UInt8(ascii: " "), UInt8(ascii: "e"), UInt8(ascii: "t"), UInt8(ascii: "a"), UInt8(ascii: "o"),
      UInt8(ascii: "i"), UInt8(ascii: "n"), UInt8(ascii: "s"), UInt8(ascii: "r"):
      3
    case UInt8(ascii: "b")...UInt8(ascii: "z"): 2
    case 0x80..<0xC0: 1
    default: 0
    }
  }

  /// Returns whether `part` is somewhere in `text`.
  ///
  /// - Parameter anchor: the offset of the byte of `part` that is searched for first.
  static func contains(_ text: UnsafeRawBufferPointer, _ part: UnsafeRawBufferPointer, anchor: Int) -> Bool {
    if part.isEmpty { return true }
    guard text.count >= part.count, let start = text.baseAddress else { return false }
    let byte = Int32(part[anchor])
    // The anchor's offsets in the text, if the part fits around it.
    var offset = anchor
    let end = text.count - part.count + anchor
    var cost = 0
    while offset <= end {
      guard let found = memchr(start + offset, byte, end - offset + 1) else { return false }
      let first = UnsafeRawPointer(found) - start - anchor
      var matched = 0
      while matched < part.count, text[first + matched] == part[matched] { matched += 1 }
      if matched == part.count { return true }
      cost += matched
      if cost > 4 * first + 4_096 {
        return containsRepeating(UnsafeRawBufferPointer(rebasing: text[(first + 1)...]), part)
      }
      offset = first + anchor + 1
    }
    return false
  }

  // Not inlined for the benchmark row "fetch by a part of 100,000 texts": the search of each row ends before it is
  // needed.
  /// Returns whether `part`, which is not empty, is somewhere in `text`, by the algorithm of Knuth, Morris and Pratt.
  @inline(never)
  static func containsRepeating(_ text: UnsafeRawBufferPointer, _ part: UnsafeRawBufferPointer) -> Bool {
    // For each length of a prefix of the part, the length of its longest proper prefix that is also its suffix.
    var borders = [Int](repeating: 0, count: part.count + 1)
    var length = 0
    for index in 1..<max(1, part.count) {
      while length > 0, part[index] != part[length] { length = borders[length] }
      if part[index] == part[length] { length += 1 }
      borders[index + 1] = length
    }
    var matched = 0
    for byte in text {
      while matched > 0, byte != part[matched] { matched = borders[matched] }
      if byte == part[matched] { matched += 1 }
      if matched == part.count { return true }
    }
    return false
  }

  /// Returns the number of Unicode scalars: the number of bytes that begin one.
  static func scalarCount(of text: UnsafeRawBufferPointer) -> Int {
    var count = 0
    var offset = 0
    while offset + 8 <= text.count {
      // A byte within a scalar has its highest bit set, and the next one not.
      let word = text.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
      count += ((~word >> 7 | word >> 6) & 0x0101_0101_0101_0101).nonzeroBitCount
      offset += 8
    }
    for byte in text[offset...] where byte & 0xC0 != 0x80 { count += 1 }
    return count
  }
}
