/// A comment, and its distance from the token or comment before it.
struct Comment {
  enum Kind {
    /// `// text`
    case line
    /// `/// text`: part of the schema.
    case documentation
    /// `/* text */`
    case block
  }

  let kind: Kind
  /// The comment's bytes, without the line break at its end.
  let range: Range<Int>
  /// The number of line breaks between the comment and the comment or token before it.
  let lineBreaks: Int
}

/// The comments and line breaks between two tokens.
struct Trivia {
  var comments: [Comment] = []
  /// The number of line breaks between the last comment, or else the token before, and the token.
  var lineBreaks = 0

  /// Reads `range`, which holds only blanks and comments.
  init(_ bytes: [UInt8], in range: Range<Int>) {
    var index = range.lowerBound
    while index < range.upperBound {
      let start = index
      let byte = bytes[index]
      let next = index + 1 < range.upperBound ? bytes[index + 1] : 0
      index += 1
      switch byte {
      case UInt8(ascii: "\r"):
        lineBreaks += 1
        if next == UInt8(ascii: "\n") { index += 1 }
      case UInt8(ascii: "\n"):
        lineBreaks += 1
      case UInt8(ascii: "/") where next == UInt8(ascii: "/"):
        while index < range.upperBound, !bytes[index].isLineBreak { index += 1 }
        let isDocumentation = index - start >= 3 && bytes[start + 2] == UInt8(ascii: "/")
        add(isDocumentation ? .documentation : .line, start..<index)
      case UInt8(ascii: "/") where next == UInt8(ascii: "*"):
        index += 1
        while index < range.upperBound {
          index += 1
          if bytes[index - 1] == UInt8(ascii: "*"), index < range.upperBound, bytes[index] == UInt8(ascii: "/") {
            index += 1
            break
          }
        }
        add(.block, start..<index)
      default:
        break
      }
    }
  }

  private mutating func add(_ kind: Comment.Kind, _ range: Range<Int>) {
    comments.append(Comment(kind: kind, range: range, lineBreaks: lineBreaks))
    lineBreaks = 0
  }
}

extension UInt8 {
  var isLineBreak: Bool { self == UInt8(ascii: "\n") || self == UInt8(ascii: "\r") }
}
