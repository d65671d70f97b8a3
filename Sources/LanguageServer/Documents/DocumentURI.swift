/// Converts paths to file URIs and back. Paths with any characters survive.
package enum DocumentURI {
  /// Returns the path of a `file:` URI, with an authority or without: RFC 8089 has `file:///path` and `file:/path`.
  /// Returns any other URI, such as `untitled:1`, unchanged.
  package static func path(_ uri: String) -> String {
    let scheme = "file:"
    guard uri.lowercased().hasPrefix(scheme + "/") else { return uri }
    var rest = uri.dropFirst(scheme.count)
    if rest.hasPrefix("//") {
      rest = rest.dropFirst(2)
      // The authority, such as `localhost`, stands before the next slash.
      if let slash = rest.firstIndex(of: "/") { rest = rest[slash...] }
    }
    return decode(rest)
  }

  /// Returns the `file:` URI of an absolute path, percent-encoded. Returns any other text, such as `untitled:1`,
  /// unchanged.
  package static func uri(_ path: String) -> String {
    guard path.hasPrefix("/") else { return path }
    var result = "file://"
    for byte in path.utf8 {
      if isPlain(byte) {
        result.unicodeScalars.append(Unicode.Scalar(byte))
      } else {
        let digits = String(byte, radix: 16, uppercase: true)
        result += "%" + (digits.count == 1 ? "0" : "") + digits
      }
    }
    return result
  }

  private static func decode(_ text: Substring) -> String {
    let bytes = Array(text.utf8)
    var result: [UInt8] = []
    var index = 0
    while index < bytes.count {
      if bytes[index] == UInt8(ascii: "%"), index + 2 < bytes.count,
        let high = Character(Unicode.Scalar(bytes[index + 1])).hexDigitValue,
        let low = Character(Unicode.Scalar(bytes[index + 2])).hexDigitValue
      {
        result.append(UInt8(high << 4 | low))
        index += 3
      } else {
        result.append(bytes[index])
        index += 1
      }
    }
    return String(decoding: result, as: UTF8.self)
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: "/-._~!$&'()*+,;=:@".utf8.contains(byte)
    }
  }
}
