/// A comment, and how it stands to what is before it.
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
  /// Its bytes, without what ends its line.
  let range: Range<Int>
  /// How many line breaks stand between it and the comment or token before it.
  let lineBreaks: Int
}

/// What stands between two tokens.
struct Trivia {
  var comments: [Comment] = []
  /// How many line breaks stand between the last comment, or else the token before, and the token.
  var lineBreaks = 0

  /// What stands in `range`, which holds blanks and comments alone.
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
