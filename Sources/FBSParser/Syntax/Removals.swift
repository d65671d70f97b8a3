import FBSDiagnostics

// What a fix takes away so that what it leaves is well formed.

extension SyntaxTree {
  /// What to take away so that an entry of a list with commas is gone: its comma with it, and the parentheses if nothing is
  /// left in them. Nothing if comments are in the way.
  public func removal(of entry: TokenSpan) -> SourceRange? {
    guard entry.first > 0, entry.last + 2 < tokens.count else { return nil }
    let (previous, next) = (tokens[entry.first - 1], tokens[entry.last + 1])
    func range(_ start: UInt32, _ end: UInt32, sparing first: TokenIndex, _ second: TokenIndex) -> SourceRange? {
      guard isBlank(between: first), isBlank(between: second) else { return nil }
      return SourceRange(file: source.id, start: Int(start), end: Int(end))
    }
    if next.kind == .comma {
      // Up to what follows, unless that is on another line.
      let after = tokens[entry.last + 2]
      let isNear = source.bytes[Int(next.end)..<Int(after.start)].allSatisfy { $0 == UInt8(ascii: " ") }
      return range(
        tokens[entry.first].start, isNear ? after.start : next.end, sparing: entry.last, entry.last)
    }
    if previous.kind == .comma {
      return range(previous.start, tokens[entry.last].end, sparing: entry.first - 1, entry.first - 1)
    }
    guard previous.kind == .leftParenthesis, next.kind == .rightParenthesis, entry.first > 1 else { return nil }
    guard isBlank(between: entry.first - 2) else { return nil }
    return range(tokens[entry.first - 2].end, next.end, sparing: entry.first - 1, entry.last)
  }

  /// What to take away so that a default is gone, with its `=`. Nothing if comments are in the way.
  public func removal(ofDefault value: TokenSpan) -> SourceRange? {
    let sign = value.first - 1
    guard sign > 0, tokens[sign].kind == .equals, isBlank(between: sign), isBlank(between: sign - 1) else { return nil }
    return SourceRange(file: source.id, start: Int(tokens[sign - 1].end), end: Int(tokens[value.last].end))
  }

  /// Whether only blanks stand between a token and the next.
  private func isBlank(between token: TokenIndex) -> Bool {
    source.bytes[Int(tokens[token].end)..<Int(tokens[token + 1].start)].allSatisfy {
      [UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\n"), UInt8(ascii: "\r")].contains($0)
    }
  }
}
