import FBSDiagnostics

/// A word, number, string or sign of a text.
struct ProtoToken {
  enum Kind { case word, number, string, sign, end }

  let kind: Kind
  let text: String
  let range: SourceRange
  /// The comments before the token, a line each.
  var comments: [String]
  /// The comments behind the token before this one, which stand on the line of that token and end it.
  let commentsBehindPrevious: [String]
}

/// Cuts a file of Protocol Buffers into tokens, and assigns each comment to what it is about, as `protoc` does.
struct ProtoLexer {
  let source: SourceFile
  private var offset = 0
  /// The end of the last token, or 0.
  private(set) var end = 0
  /// The first string or comment that is not closed. What follows it is misread.
  private(set) var mistake: ProtoFile.Mistake?

  init(_ source: SourceFile) {
    self.source = source
    if source.bytes.starts(with: byteOrderMark) { offset = byteOrderMark.count }
  }

  private static func isWord(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: false
    }
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

  mutating func next() -> ProtoToken {
    let (comments, behind) = self.comments()
    let bytes = source.bytes
    let start = offset
    let kind: ProtoToken.Kind
    if start == bytes.count {
      kind = .end
    } else if Self.isWord(bytes[start]) {
      kind = Self.isDigit(bytes[start]) ? .number : .word
      while offset < bytes.count, Self.isWord(bytes[offset]) || bytes[offset] == UInt8(ascii: ".") { offset += 1 }
    } else if bytes[start] == UInt8(ascii: "."), start + 1 < bytes.count, Self.isDigit(bytes[start + 1]) {
      kind = .number
      repeat { offset += 1 } while offset < bytes.count && Self.isWord(bytes[offset])
    } else if bytes[start] == UInt8(ascii: "\"") || bytes[start] == UInt8(ascii: "'") {
      kind = .string
      offset += 1
      while offset < bytes.count, bytes[offset] != bytes[start], bytes[offset] != UInt8(ascii: "\n") {
        // A backslash hides a quote, and no line feed.
        let isEscape = bytes[offset] == UInt8(ascii: "\\") && offset + 1 < bytes.count
        offset += isEscape && bytes[offset + 1] != UInt8(ascii: "\n") ? 2 : 1
      }
      if offset < bytes.count, bytes[offset] == bytes[start] {
        offset += 1
      } else {
        noteUnclosed("no quote on its line closes this string", from: start)
      }
    } else {
      kind = .sign
      offset += 1
      // A character that is no sign of the language is one of UTF-8.
      while offset < bytes.count, bytes[offset] & 0xC0 == 0x80 { offset += 1 }
    }
    end = offset
    return ProtoToken(
      kind: kind, text: String(decoding: bytes[start..<offset], as: UTF8.self),
      range: SourceRange(file: source.id, start: start, end: offset), comments: comments,
      commentsBehindPrevious: behind)
  }

  private mutating func noteUnclosed(_ message: String, from start: Int) {
    let end = source.bytes[start...].firstIndex(of: UInt8(ascii: "\n")) ?? source.bytes.count
    let range = SourceRange(file: source.id, start: start, end: end)
    mistake = mistake ?? ProtoFile.Mistake(range: range, message: message)
  }

  /// Passes over blanks and comments.
  /// - Returns: the comments before the next token, and those behind the last one.
  private mutating func comments() -> (before: [String], behind: [String]) {
    let bytes = source.bytes
    var (before, behind): ([String], [String]) = ([], [])
    // At the start of a file there is no token that a comment could stand behind.
    var isOnLineOfToken = end > 0
    // Since the last comment. CR LF is one line break, and other blanks do not count.
    var lineBreaks = 0
    while offset < bytes.count {
      if bytes[offset] <= UInt8(ascii: " ") {
        if bytes[offset] == UInt8(ascii: "\n") {
          lineBreaks += 1
          if isOnLineOfToken {
            (behind, before, isOnLineOfToken) = (before, [], false)
          } else if lineBreaks > 1 {
            // An empty line parts a comment from what follows.
            before = []
          }
        }
        offset += 1
      } else if bytes[offset...].starts(with: "//".utf8) {
        let end = bytes[offset...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
        let text = String(decoding: bytes[(offset + 2)..<end], as: UTF8.self)
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).map(\.trimmedEnd)
        // The CR before the LF is no line.
        before += lines.count > 1 && lines.last?.isEmpty == true ? Array(lines.dropLast()) : lines
        offset = end
        lineBreaks = 0
      } else if bytes[offset...].starts(with: "/*".utf8) {
        var end = offset + 2
        while end + 1 < bytes.count, bytes[end] != UInt8(ascii: "*") || bytes[end + 1] != UInt8(ascii: "/") { end += 1 }
        if end + 1 >= bytes.count { noteUnclosed("no `*/` closes this comment", from: offset) }
        let text = String(decoding: bytes[min(offset + 2, bytes.count)..<min(end, bytes.count)], as: UTF8.self)
        before += text.split(whereSeparator: \.isNewline).map { line in
          line.drop { $0 == " " || $0 == "*" || $0 == "\t" }.trimmedEnd
        }.filter { !$0.isEmpty }.map { " " + $0 }
        offset = min(end + 2, bytes.count)
        lineBreaks = 0
      } else {
        break
      }
    }
    return offset == bytes.count && isOnLineOfToken ? ([], before) : (before, behind)
  }
}

extension Substring {
  /// The text without the blanks at its end.
  fileprivate var trimmedEnd: String {
    var text = self
    while let last = text.last, last.isWhitespace { text = text.dropLast() }
    return String(text)
  }
}
