import FBSDiagnostics
import FBSParser

extension FilterParser {
  struct Token {
    enum Kind { case name, quotedName, text, number, sign, end }

    let kind: Kind
    let text: String
    let range: SourceRange

    /// Whether the token is a reserved word. A field of that name has to be written in backticks.
    var isWord: Bool { kind == .name && FilterParser.words.contains(text.lowercased()) }
    /// The text in backticks, as a field's name is written.
    var quoted: String { "`\(text)`" }
  }

  /// Splits the text of a condition into tokens. The last token stands for the end of the text.
  static func tokens(of file: SourceFile) throws(FilterMistake) -> [Token] {
    let bytes = file.bytes
    var tokens: [Token] = []
    var index = 0
    func isWord(_ byte: UInt8) -> Bool {
      (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20) || byte == UInt8(ascii: "_")
    }
    func range(_ start: Int, _ end: Int) -> SourceRange { SourceRange(file: file.id, start: start, end: end) }
    func add(_ kind: Token.Kind, _ start: Int, _ text: String) {
      tokens.append(Token(kind: kind, text: text, range: range(start, index)))
    }
    while index < bytes.count {
      let start = index
      let byte = bytes[index]
      switch byte {
      case 0x20, 0x09, 0x0A, 0x0D:
        index += 1
      case UInt8(ascii: "'"), UInt8(ascii: "\""):
        // As in SQL, a quote within a text is doubled.
        var content: [UInt8] = []
        index += 1
        while index < bytes.count, bytes[index] != byte || (index + 1 < bytes.count && bytes[index + 1] == byte) {
          if bytes[index] == byte { index += 1 }
          content.append(bytes[index])
          index += 1
        }
        guard index < bytes.count else {
          throw FilterMistake(
            .malformedFilter, "this text has no closing quote", at: range(start, start + 1), advice: "close it")
        }
        index += 1
        add(.text, start, String(decoding: content, as: UTF8.self))
      case UInt8(ascii: "`"):
        // Backticks allow a field's name that is a reserved word, such as `and`. Names contain nothing to escape.
        index += 1
        while index < bytes.count, isWord(bytes[index]) { index += 1 }
        guard index < bytes.count, bytes[index] == byte, index > start + 1 else {
          throw FilterMistake(
            .malformedFilter, "a field's name is due between two backticks", at: range(start, index),
            advice: "close it", notes: ["a name is letters, digits and `_`"])
        }
        index += 1
        add(.quotedName, start, String(decoding: bytes[(start + 1)..<(index - 1)], as: UTF8.self))
      case _ where (0x30...0x39).contains(byte) || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "+"):
        index += 1
        while index < bytes.count,
          isWord(bytes[index]) || bytes[index] == UInt8(ascii: ".")
            || ((bytes[index] == UInt8(ascii: "-") || bytes[index] == UInt8(ascii: "+"))
              && bytes[index - 1] | 0x20 == UInt8(ascii: "e"))
        { index += 1 }
        add(.number, start, String(decoding: bytes[start..<index], as: UTF8.self))
      case _ where isWord(byte):
        while index < bytes.count, isWord(bytes[index]) { index += 1 }
        add(.name, start, String(decoding: bytes[start..<index], as: UTF8.self))
      default:
        let pair = String(decoding: bytes[start..<min(start + 2, bytes.count)], as: UTF8.self)
        let signs = ["==": "=", "!=": "!=", "<>": "!=", "<=": "<=", ">=": ">=", "&&": "and", "||": "or"]
        if let sign = signs[pair] {
          index += 2
          add(.sign, start, sign)
        } else if "=<>().,!".utf8.contains(byte) {
          index += 1
          add(.sign, start, byte == UInt8(ascii: "!") ? "not" : String(UnicodeScalar(byte)))
        } else {
          let text = String(String(decoding: bytes[start...], as: UTF8.self).prefix(1))
          throw FilterMistake(
            .malformedFilter, "`\(text)` has no meaning here", at: range(start, start + text.utf8.count),
            advice: "write texts in quotes")
        }
      }
    }
    add(.end, bytes.count, "")
    return tokens
  }
}
