/// The words of a comment that silences a finding, or that looks as if it should.
struct AllowMark {
  /// Whether the comment takes effect: `// dflatc:allow`, with or without blanks around the colon.
  let isRead: Bool
  /// The words after the mark: the rule and, in one piece, the reason.
  let words: [Substring]

  /// Reads a comment. Nil if it has no mark.
  /// - Parameter comment: The comment, from its first slash on.
  init?(_ comment: some Collection<UInt8>, kind: Comment.Kind) {
    var text = String(decoding: comment, as: UTF8.self)[...]
    if kind == .block { text = text.dropLast(2) }
    text = text.drop { $0 == "/" || $0 == "*" || $0.isWhitespace }
    guard let tool = Self.removePrefix("dflatc", from: &text) else { return nil }
    let sign = text.prefix { Self.signs.contains($0) || $0.isWhitespace }
    text = text.dropFirst(sign.count)
    guard let verb = Self.removePrefix("allow", from: &text) else { return nil }
    let isExact = tool == "dflatc" && verb == "allow" && sign.filter { !$0.isWhitespace } == ":"
    let isRead = isExact && kind == .line
    // Only the mark without blanks is a mark whatever follows: `dflatc: allows` begins a sentence.
    guard (isRead && sign == ":") || text.first.map({ !$0.isLetter }) != false else { return nil }
    if !isRead { text = text.drop { Self.signs.contains($0) || $0 == "(" } }
    self.isRead = isRead
    words = text.split(maxSplits: 1) { $0.isWhitespace || (!isRead && $0 == ")") }
  }

  /// The characters that people write between `dflatc` and `allow`.
  private static let signs: Set<Character> = [":", "-", "_", ".", "=", "@"]

  /// Removes a word, in capitals or not, and returns it as it was written. Nil if the text begins with something else.
  private static func removePrefix(_ word: String, from text: inout Substring) -> Substring? {
    let found = text.prefix(word.count)
    guard found.lowercased() == word else { return nil }
    text = text.dropFirst(word.count)
    return found
  }
}
