import FBSDiagnostics

/// The text between a string's quotes, and its meaning.
enum StringLiteral {
  struct Flaw {
    let code: DiagnosticCode
    let message: String
    let start: Int
    let end: Int
    let advice: String
    /// Whether the flaw is a backslash that a second one would mend, by making both the escape `\\`.
    var isStrayBackslash = false
  }

  /// Returns the bytes that a literal's content means, or where it goes wrong first. `content` keeps its place in the file.
  static func decode(_ content: ArraySlice<UInt8>, allowsInvalidUTF8: Bool) -> (bytes: [UInt8], flaw: Flaw?) {
    var result: [UInt8] = []
    result.reserveCapacity(content.count)
    var index = content.startIndex
    /// A `\uD800`-like escape that still needs its other half, and where it stands.
    var high: (unit: UInt32, start: Int)?
    while index < content.endIndex {
      let byte = content[index]
      if byte != UInt8(ascii: "\\") || !isUnicodeEscape(content, index) {
        if let high { return (result, unpaired(high.start, high.start + 6)) }
      }
      guard byte == UInt8(ascii: "\\") else {
        result.append(byte)
        index += 1
        continue
      }
      let escape = index + 1 < content.endIndex ? content[index + 1] : 0
      if let plain = simpleEscape(escape) {
        result.append(plain)
        index += 2
        continue
      }
      let length = escape == UInt8(ascii: "x") ? 2 : escape == UInt8(ascii: "u") ? 4 : 0
      guard length > 0 else {
        let end = min(index + 2, content.endIndex)
        return (
          result,
          Flaw(
            code: .malformedEscape, message: "strings have no escape `\(text(content[index..<end]))`", start: index,
            end: end, advice: "a backslash is written `\\\\`", isStrayBackslash: true)
        )
      }
      guard let value = hexadecimal(content, at: index + 2, digits: length) else {
        let end = min(index + 2 + length, content.endIndex)
        return (
          result,
          Flaw(
            code: .malformedEscape,
            message: "`\\\(text(content[(index + 1)...(index + 1)]))` needs \(length) hexadecimal digits",
            start: index, end: end, advice: length == 2 ? "such as `\\x0A`" : "such as `\\u00E9`")
        )
      }
      if length == 2 {
        result.append(UInt8(value))
      } else if let first = high {
        guard (0xDC00...0xDFFF).contains(value) else { return (result, unpaired(first.start, first.start + 6)) }
        high = nil
        append(0x10000 + (first.unit - 0xD800) << 10 + (value - 0xDC00), to: &result)
      } else if (0xD800...0xDBFF).contains(value) {
        high = (value, index)
      } else if (0xDC00...0xDFFF).contains(value) {
        return (result, unpaired(index, index + 6))
      } else {
        append(value, to: &result)
      }
      index += 2 + length
    }
    if let high { return (result, unpaired(high.start, high.start + 6)) }
    guard allowsInvalidUTF8 || isValidUTF8(result) else {
      return (
        result,
        Flaw(
          code: .malformedUnicode, message: "this string is not valid UTF-8", start: content.startIndex,
          end: content.endIndex, advice: "write characters as they are, or as `\\uXXXX`")
      )
    }
    return (result, nil)
  }

  private static func simpleEscape(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "n"): 0x0A
    case UInt8(ascii: "t"): 0x09
    case UInt8(ascii: "r"): 0x0D
    case UInt8(ascii: "b"): 0x08
    case UInt8(ascii: "f"): 0x0C
    case UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "\\"), UInt8(ascii: "/"): byte
    default: nil
    }
  }

  private static func isUnicodeEscape(_ content: ArraySlice<UInt8>, _ index: Int) -> Bool {
    index + 1 < content.endIndex && content[index + 1] == UInt8(ascii: "u")
  }

  private static func hexadecimal(_ content: ArraySlice<UInt8>, at start: Int, digits: Int) -> UInt32? {
    guard start + digits <= content.endIndex else { return nil }
    var value: UInt32 = 0
    for byte in content[start..<(start + digits)] {
      guard byte.isHexadecimalDigit else { return nil }
      value = value << 4 + UInt32(byte.isDigit ? byte - UInt8(ascii: "0") : (byte | 0x20) - UInt8(ascii: "a") + 10)
    }
    return value
  }

  private static func append(_ scalar: UInt32, to bytes: inout [UInt8]) {
    // Surrogates never come here, so every value is a scalar.
    if let scalar = UnicodeScalar(scalar) { bytes.append(contentsOf: UTF8.encode(scalar) ?? .init()) }
  }

  private static func isValidUTF8(_ bytes: [UInt8]) -> Bool {
    // Decoding repairs what is malformed, and so changes it.
    bytes.allSatisfy { $0 < 0x80 } || String(decoding: bytes, as: UTF8.self).utf8.elementsEqual(bytes)
  }

  private static func text(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }

  private static func unpaired(_ start: Int, _ end: Int) -> Flaw {
    Flaw(
      code: .malformedUnicode, message: "half of a surrogate pair is no character", start: start, end: end,
      advice: "write both halves, or the character itself")
  }
}

extension Parser {
  /// Returns the bytes that a string means whose content stands between two quotes. Nil if it is malformed.
  public static func stringBytes(of content: ArraySlice<UInt8>, allowsInvalidUTF8: Bool) -> [UInt8]? {
    let (bytes, flaw) = StringLiteral.decode(content, allowsInvalidUTF8: allowsInvalidUTF8)
    return flaw == nil ? bytes : nil
  }
}
