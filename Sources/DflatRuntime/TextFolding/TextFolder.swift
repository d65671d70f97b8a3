/// The folding of texts by `TextFoldingTable`.
///
/// Each Unicode scalar is folded by itself, so the folding of a text is the foldings of its parts in a row. A prefix
/// or a part of a text is still one when both are folded. Bytes that are not UTF-8 stay as they are.
///
/// The type is usable from inline code, so that other modules inline `plainCount`, with which each evaluation begins.
@usableFromInline package enum TextFolder {
  /// The differences that a folding removes from a text.
  package enum Folding: Hashable, Sendable, BitwiseCopyable {
    /// Case: the full case folding of Unicode.
    case `case`
    /// Case, and the marks that a letter may bear, such as accents.
    case caseAndDiacritics
  }

  /// Returns the folding of a text.
  package static func fold(_ text: String, _ folding: Folding) -> String {
    var text = text
    let folded = text.withUTF8 { bytes -> String? in
      guard let folded = fold(UnsafeRawBufferPointer(bytes), folding) else { return nil }
      defer { folded.deallocate() }
      return String(decoding: folded, as: UTF8.self)
    }
    return folded ?? text
  }

  /// Returns the folding of a text in UTF-8.
  package static func fold(_ text: [UInt8], _ folding: Folding) -> [UInt8] {
    text.withUnsafeBytes { bytes in
      guard let folded = fold(bytes, folding) else { return text }
      defer { folded.deallocate() }
      return Array(folded)
    }
  }

  /// Returns the folding of `text` in new memory, which the caller deallocates; nil if folding does not change the
  /// text.
  package static func fold(_ text: UnsafeRawBufferPointer, _ folding: Folding) -> UnsafeMutableRawBufferPointer? {
    var input = plainCount(of: text)
    while input < text.count {
      let (length, entry) = entry(in: text, at: input, folding)
      if entry != TextFoldingTable.itself { return copy(text, unchanged: input, folding) }
      input += length
    }
    return nil
  }

  // Inlined for the benchmark rows "fetch by a part, without case and accents" and "fetch by a folded text, 1,000
  // times": each byte of a text passes here, and each one that is not ASCII through `entry` and `scalar`.
  /// Returns the number of first bytes that are known to be ASCII without capital letters, which no folding changes.
  ///
  /// The result is the length of the text if there is nothing else in it. Otherwise up to 7 more bytes may be such
  /// ASCII.
  @inlinable @inline(__always)
  package static func plainCount(of text: UnsafeRawBufferPointer) -> Int {
    var count = 0
    // Eight bytes at a time. Added to an ASCII byte, the first constant sets the highest bit from `A` on, the second
    // one after `Z`.
    while count + 8 <= text.count {
      let word = text.loadUnaligned(fromByteOffset: count, as: UInt64.self)
      let isUpper = (word &+ 0x3F3F_3F3F_3F3F_3F3F) & ~(word &+ 0x2525_2525_2525_2525)
      if (word | isUpper) & 0x8080_8080_8080_8080 != 0 { return count }
      count += 8
    }
    while count < text.count, text[count] < 0x80, !isUpper(text[count]) { count += 1 }
    return count
  }

  @inlinable @inline(__always)
  package static func isUpper(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "A") < 26 }

  /// Returns a folded copy of `text` in new memory.
  ///
  /// - Parameter unchanged: the number of first bytes that stay as they are.
  private static func copy(
    _ text: UnsafeRawBufferPointer, unchanged: Int, _ folding: Folding
  ) -> UnsafeMutableRawBufferPointer {
    // Most texts do not grow. A scalar grows to three times its bytes at most.
    var output = FoldedBytes(capacity: text.count + text.count / 8 + 16)
    output.append(UnsafeRawBufferPointer(rebasing: text[..<unchanged]))
    var input = unchanged
    while input < text.count {
      let (length, entry) = entry(in: text, at: input, folding)
      if entry == TextFoldingTable.itself {
        output.append(UnsafeRawBufferPointer(rebasing: text[input..<input + length]))
      } else {
        output.append(entry: Int(entry))
      }
      input += length
    }
    return output.finish()
  }

  /// Returns the length in bytes of the scalar, or damaged byte, at an offset, and the entry of the table that it is
  /// folded to.
  @inline(__always)
  private static func entry(
    in text: UnsafeRawBufferPointer, at offset: Int, _ folding: Folding
  ) -> (length: Int, entry: UInt16) {
    let byte = text[offset]
    if byte < 0x80 {
      return (1, isUpper(byte) ? entry(of: UInt32(byte), folding) : TextFoldingTable.itself)
    }
    guard let (length, scalar) = scalar(in: text, at: offset) else { return (1, TextFoldingTable.itself) }
    return (length, entry(of: scalar, folding))
  }

  /// Returns the scalar of several bytes at an offset; nil if the bytes are not UTF-8.
  @inline(__always)
  private static func scalar(in text: UnsafeRawBufferPointer, at offset: Int) -> (length: Int, scalar: UInt32)? {
    let first = text[offset]
    // The least scalar of each length: a smaller one has a shorter form, which is the only valid one.
    let (length, bits, least): (Int, UInt8, UInt32) =
      switch first {
      case 0xC2...0xDF: (2, 0x1F, 0x80)
      case 0xE0...0xEF: (3, 0x0F, 0x800)
      case 0xF0...0xF4: (4, 0x07, 0x1_0000)
      default: (0, 0, 0)
      }
    guard length > 0, offset + length <= text.count else { return nil }
    var scalar = UInt32(first & bits)
    for index in offset + 1..<offset + length {
      let byte = text[index]
      guard byte & 0xC0 == 0x80 else { return nil }
      scalar = scalar << 6 | UInt32(byte & 0x3F)
    }
    return scalar >= least ? (length, scalar) : nil
  }

  /// Returns the entry of a scalar in the table.
  private static func entry(of scalar: UInt32, _ folding: Folding) -> UInt16 {
    let page = Int(scalar >> TextFoldingTable.pageBits)
    let number: UInt64
    switch folding {
    case .case:
      guard page < TextFoldingTable.caseIndexCount else { return TextFoldingTable.itself }
      number = TextFoldingTable.caseIndex[page >> 3] >> (UInt64(page & 7) * 8) & 0xFF
    case .caseAndDiacritics:
      guard page < TextFoldingTable.caseAndDiacriticsIndexCount else { return TextFoldingTable.itself }
      number = TextFoldingTable.caseAndDiacriticsIndex[page >> 3] >> (UInt64(page & 7) * 8) & 0xFF
    }
    let index = Int(number) << TextFoldingTable.pageBits | Int(scalar) & (1 << TextFoldingTable.pageBits - 1)
    return UInt16(truncatingIfNeeded: TextFoldingTable.entries[index >> 2] >> (UInt64(index & 3) * 16))
  }
}

/// Growing memory for the folding of one text.
private struct FoldedBytes: ~Copyable {
  private var memory: UnsafeMutableRawBufferPointer
  private var count = 0

  init(capacity: Int) {
    memory = .allocate(byteCount: capacity, alignment: 1)
  }

  mutating func append(_ bytes: UnsafeRawBufferPointer) {
    reserve(bytes.count)
    for offset in 0..<bytes.count { memory[count + offset] = bytes[offset] }
    count += bytes.count
  }

  /// Appends the text of an entry of the table.
  mutating func append(entry: Int) {
    reserve(8)
    // An entry is the offset (upper bits) and the length (lower 3 bits) of a text in the pool.
    for index in entry >> 3..<entry >> 3 + entry & 7 {
      memory[count] = UInt8(truncatingIfNeeded: TextFoldingTable.pool[index >> 3] >> (UInt64(index & 7) * 8))
      count += 1
    }
  }

  private mutating func reserve(_ more: Int) {
    if memory.count - count >= more { return }
    let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: 2 * memory.count + more, alignment: 1)
    larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: memory[..<count]))
    memory.deallocate()
    memory = larger
  }

  /// Returns the memory, which the caller deallocates. Its end may be cut off: to deallocate needs only its start.
  consuming func finish() -> UnsafeMutableRawBufferPointer {
    UnsafeMutableRawBufferPointer(rebasing: memory[..<count])
  }
}
