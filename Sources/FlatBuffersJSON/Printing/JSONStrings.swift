/// Writes JSON strings.
enum JSONStrings {
  /// Appends a string in quotes.
  /// - Returns: false if the string is not UTF-8, and `allowsInvalidUTF8` is not set.
  static func append(_ string: ArraySlice<UInt8>, to text: inout [UInt8], _ options: JSONOptions) -> Bool {
    text.append(UInt8(ascii: "\""))
    var index = string.startIndex
    while index < string.endIndex {
      let byte = string[index]
      if let escape = escape(of: byte) {
        text += [UInt8(ascii: "\\"), escape]
        index += 1
      } else if (0x20...0x7E).contains(byte) {
        text.append(byte)
        index += 1
      } else if let (scalar, length) = decode(string[index...]) {
        if options.hasNaturalUTF8, byte >= 0x80 || !options.isStrict {
          text += string[index..<index + length]
        } else {
          appendUnicode(scalar, to: &text)
        }
        index += length
      } else {
        guard !options.isPortable else {
          text += "\u{FFFD}".utf8
          index += 1
          continue
        }
        guard options.allowsInvalidUTF8 else { return false }
        text += [UInt8(ascii: "\\"), UInt8(ascii: "x")]
        appendHexadecimal(UInt32(byte), digits: 2, to: &text)
        index += 1
      }
    }
    text.append(UInt8(ascii: "\""))
    return true
  }

  private static func escape(of byte: UInt8) -> UInt8? {
    switch byte {
    case 0x0A: UInt8(ascii: "n")
    case 0x09: UInt8(ascii: "t")
    case 0x0D: UInt8(ascii: "r")
    case 0x08: UInt8(ascii: "b")
    case 0x0C: UInt8(ascii: "f")
    case UInt8(ascii: "\""), UInt8(ascii: "\\"): byte
    default: nil
    }
  }

  /// Returns the scalar at the start of bytes, and its length in bytes; nil if the bytes are not UTF-8.
  private static func decode(_ bytes: ArraySlice<UInt8>) -> (scalar: UInt32, length: Int)? {
    guard let first = bytes.first else { return nil }
    let length =
      switch first {
      case 0..<0x80: 1
      case 0xC0..<0xE0: 2
      case 0xE0..<0xF0: 3
      case 0xF0..<0xF8: 4
      default: 0
      }
    guard length > 0, bytes.count >= length else { return nil }
    if length == 1 { return (UInt32(first), 1) }
    var scalar = UInt32(first) & (0x7F >> UInt32(length))
    for byte in bytes.dropFirst().prefix(length - 1) {
      guard byte & 0xC0 == 0x80 else { return nil }
      scalar = scalar << 6 | UInt32(byte & 0x3F)
    }
    // Neither overlong, nor half of a surrogate pair, nor beyond the last scalar.
    let least: UInt32 = length == 2 ? 0x80 : length == 3 ? 0x800 : 0x10000
    guard scalar >= least, Unicode.Scalar(scalar) != nil else { return nil }
    return (scalar, length)
  }

  private static func appendUnicode(_ scalar: UInt32, to text: inout [UInt8]) {
    let units = scalar > 0xFFFF ? [0xD800 + (scalar - 0x10000) >> 10, 0xDC00 + (scalar - 0x10000) & 0x3FF] : [scalar]
    for unit in units {
      text += [UInt8(ascii: "\\"), UInt8(ascii: "u")]
      appendHexadecimal(unit, digits: 4, to: &text)
    }
  }

  private static func appendHexadecimal(_ number: UInt32, digits: Int, to text: inout [UInt8]) {
    let characters = Array("0123456789ABCDEF".utf8)
    for place in (0..<digits).reversed() { text.append(characters[Int(number >> UInt32(4 * place)) & 15]) }
  }
}
