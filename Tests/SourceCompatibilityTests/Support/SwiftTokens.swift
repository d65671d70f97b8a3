/// The tokens of Swift code, without comments and white space, so that code is found however its lines are broken.
///
/// Operators are split into characters. Strings are one token.
struct SwiftTokens: Equatable {
  var tokens: [Substring] = []

  init(_ code: String) {
    var rest = code[...]
    while let first = rest.first {
      if first.isWhitespace {
        rest.removeFirst()
      } else if rest.hasPrefix("//") {
        rest = rest.drop { !$0.isNewline }
      } else {
        let token = SwiftTokens.token(at: rest)
        tokens.append(token)
        rest = rest[token.endIndex...]
      }
    }
  }

  private static func token(at code: Substring) -> Substring {
    if code.first == "\"" {
      var index = code.index(after: code.startIndex)
      while index < code.endIndex, code[index] != "\"" {
        let isEscape = code[index] == "\\"
        index = code.index(after: index)
        if isEscape, index < code.endIndex { index = code.index(after: index) }
      }
      return code[..<(index < code.endIndex ? code.index(after: index) : index)]
    }
    let word = code.prefix { $0.isLetter || $0.isNumber || $0 == "_" }
    return word.isEmpty ? code.prefix(1) : word
  }

  /// Whether `other` is a run of these tokens.
  func contains(_ other: SwiftTokens) -> Bool {
    guard !other.tokens.isEmpty, other.tokens.count <= tokens.count else { return false }
    return (0...tokens.count - other.tokens.count).contains { start in
      tokens[start..<start + other.tokens.count].elementsEqual(other.tokens)
    }
  }
}
