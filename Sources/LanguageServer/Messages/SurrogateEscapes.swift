/// The escapes of UTF-16 surrogates in JSON, such as `\ud83d`.
///
/// A client whose strings are UTF-16 may send half of a character, which it writes as an escape. UTF-8 cannot represent
/// half of a character. So a decoder would refuse the whole message, and the server's text would differ from the
/// client's.
enum SurrogateEscapes {
  private static let backslash = UInt8(ascii: "\\")

  /// Returns JSON in which U+FFFD replaces each surrogate that is not part of a pair. U+FFFD has one UTF-16 code unit,
  /// like the surrogate, so that all positions stay the same.
  static func replacingUnpaired(in json: [UInt8]) -> [UInt8] {
    guard var index = json.firstIndex(of: backslash) else { return json }
    var result = json
    while index < json.count {
      guard json[index] == backslash else {
        index += 1
        continue
      }
      // Another escape is skipped with the character that it escapes, which may be a backslash.
      guard let unit = unit(at: index, in: json) else {
        index += 2
        continue
      }
      let next = self.unit(at: index + 6, in: json)
      if (0xD800...0xDBFF).contains(unit), let next, (0xDC00...0xDFFF).contains(next) {
        index += 12
        continue
      }
      if (0xD800...0xDFFF).contains(unit) { result.replaceSubrange(index + 2..<index + 6, with: "FFFD".utf8) }
      index += 6
    }
    return result
  }

  /// Returns the code unit of the escape at an offset: `\u` and four hexadecimal digits. Returns nil if there is no
  /// escape.
  private static func unit(at offset: Int, in json: [UInt8]) -> Int? {
    guard offset + 6 <= json.count, json[offset] == backslash, json[offset + 1] == UInt8(ascii: "u") else { return nil }
    var unit = 0
    for byte in json[offset + 2..<offset + 6] {
      guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue, byte < 0x80 else { return nil }
      unit = unit << 4 | digit
    }
    return unit
  }
}
