import FBSSchema

/// Prepares text of a schema for HTML, whatever characters the text has.
enum HTMLText {
  /// Returns the text with its markup escaped. It is fit for content and for values of attributes in quotes.
  static func escaped(_ text: String) -> String {
    guard text.utf8.contains(where: { "&<>\"'".utf8.contains($0) || $0 < 0x20 }) else { return text }
    var output = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": output += "&amp;"
      case "<": output += "&lt;"
      case ">": output += "&gt;"
      case "\"": output += "&quot;"
      case "'": output += "&#39;"
      case "\n", "\t": output.unicodeScalars.append(scalar)
      case _ where scalar.value < 0x20: output += "\u{FFFD}"
      default: output.unicodeScalars.append(scalar)
      }
    }
    return output
  }

  /// Returns the lines of a doc comment as paragraphs. An empty line ends a paragraph.
  static func paragraphs(_ lines: [String]) -> String {
    guard !lines.isEmpty else { return "" }
    let trimmed = lines.map { line in escaped(String(line.drop { $0 == " " })) }
    return trimmed.split(separator: "").map { "<p>\($0.joined(separator: "\n"))</p>\n" }.joined()
  }

  /// Returns the fragment of a link to a type, the part after `#`. Names are letters, digits, underscores and points.
  static func anchor(_ name: QualifiedName) -> String { escaped(name.description) }

  /// Returns the fragment of a link to a field, value or method of the type or service that has the fragment `anchor`.
  /// No name has a colon.
  static func anchor(_ member: String, within anchor: String) -> String { "\(anchor):\(escaped(member))" }

  /// Returns the text of a doc comment as one line.
  static func line(_ lines: [String]) -> String {
    lines.joined(separator: " ").split(separator: " ").joined(separator: " ")
  }

  /// Returns the text as a JSON literal that may occur in a script element: nothing in the literal ends the element.
  static func scriptLiteral(_ text: String) -> String {
    var output = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": output += "\\\""
      case "\\": output += "\\\\"
      case _ where scalar.value < 0x20 || scalar == "<" || scalar == "\u{2028}" || scalar == "\u{2029}":
        let digits = String(scalar.value, radix: 16)
        output += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: output.unicodeScalars.append(scalar)
      }
    }
    return output + "\""
  }

  /// Returns a file's name percent-encoded for a link.
  static func address(_ name: String) -> String {
    var output = ""
    for byte in name.utf8 {
      switch byte {
      case UInt8(ascii: "/"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
        UInt8(ascii: "A")...UInt8(ascii: "Z"):
        output.unicodeScalars.append(UnicodeScalar(byte))
      default: output += (byte < 16 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
      }
    }
    return output
  }
}
