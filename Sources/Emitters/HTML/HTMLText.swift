import FBSSchema

/// Text of a schema as HTML shows it, whatever characters it has.
enum HTMLText {
  /// The text, of which nothing is taken for markup: fit for content and for values of attributes in double quotes.
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

  /// The lines of a doc comment as paragraphs: an empty line ends one.
  static func paragraphs(_ lines: [String]) -> String {
    guard !lines.isEmpty else { return "" }
    let trimmed = lines.map { line in escaped(String(line.drop { $0 == " " })) }
    return trimmed.split(separator: "").map { "<p>\($0.joined(separator: "\n"))</p>\n" }.joined()
  }

  /// The part of a link to a type behind `#`. Names are letters, digits, underscores and points.
  static func anchor(_ name: QualifiedName) -> String { escaped(name.description) }

  /// The part of a link to a field, value or method behind `#`. No type has a colon in its name.
  static func anchor(_ member: String, of type: QualifiedName) -> String { escaped("\(type):\(member)") }

  /// The text of a doc comment in one line.
  static func line(_ lines: [String]) -> String {
    lines.joined(separator: " ").split(separator: " ").joined(separator: " ")
  }

  /// The text as a literal of JSON that may stand in a script: nothing in it ends the script.
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

  /// A file's name as part of a link.
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
