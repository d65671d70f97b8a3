import FBSDiagnostics

// The ranges that a fix deletes so that the remaining text is well formed.

extension SyntaxTree {
  /// Returns the range to delete so that a statement is gone: with its line and the comments on it, unless something
  /// else stands there.
  public func removal(ofStatement span: TokenSpan) -> SourceRange {
    let bytes = source.bytes
    let end = endOfLine(after: span.last)
    guard let start = startOfLine(before: span.first), let end, end == bytes.count || bytes[end].isLineBreak else {
      return SourceRange(file: source.id, start: Int(tokens[span.first].start), end: end ?? Int(tokens[span.last].end))
    }
    let isPair = end + 1 < bytes.count && bytes[end] == UInt8(ascii: "\r") && bytes[end + 1] == UInt8(ascii: "\n")
    return SourceRange(file: source.id, start: start, end: min(end + (isPair ? 2 : 1), bytes.count))
  }

  /// Returns the start of a token's line. Nil if more than blanks and comments stand before the token on it.
  private func startOfLine(before token: TokenIndex) -> Int? {
    let previous = token == 0 ? 0 : Int(tokens[token - 1].end)
    let trivia = Trivia(source.bytes, in: previous..<Int(tokens[token].start))
    var start = Int(tokens[token].start)
    var lineBreaks = trivia.lineBreaks
    for comment in trivia.comments.reversed() where lineBreaks == 0 {
      // This is the last line of a comment that begins on another one.
      guard !source.bytes[comment.range].contains(where: \.isLineBreak) else { return nil }
      start = comment.range.lowerBound
      lineBreaks = comment.lineBreaks
    }
    while start > previous, [UInt8(ascii: " "), UInt8(ascii: "\t")].contains(source.bytes[start - 1]) { start -= 1 }
    let isFirst = start == 0 || token == 0 && start == byteOrderMark.count && source.bytes.starts(with: byteOrderMark)
    return isFirst || source.bytes[start - 1].isLineBreak ? start : nil
  }

  /// Returns the end of the comments behind a token, or nil if there are none or something else follows on the line.
  private func endOfComments(after token: TokenIndex) -> Int? {
    guard endOfLine(after: token) != nil else { return nil }
    return ownComments(after: token).last?.range.upperBound
  }

  /// Returns the comments that begin on the line of a token, behind it.
  private func ownComments(after token: TokenIndex) -> ArraySlice<Comment> {
    Trivia(source.bytes, in: Int(tokens[token].end)..<Int(tokens[token + 1].start)).comments.prefix {
      $0.lineBreaks == 0
    }
  }

  /// Returns the end of a token's line, with the comments behind the token. Nil if another token follows on it.
  private func endOfLine(after token: TokenIndex) -> Int? {
    let next = tokens[token + 1]
    let trivia = Trivia(source.bytes, in: Int(tokens[token].end)..<Int(next.start))
    let own = ownComments(after: token)
    if own.count == trivia.comments.count, trivia.lineBreaks == 0, next.kind != .endOfFile { return nil }
    var end = own.last?.range.upperBound ?? Int(tokens[token].end)
    while end < source.bytes.count, !source.bytes[end].isLineBreak { end += 1 }
    return end
  }

  /// Returns the range to delete so that an entry of a list with commas is gone: its comma with it, and the parentheses
  /// if nothing is left in them. Nil if comments are in the way.
  public func removal(of entry: TokenSpan) -> SourceRange? {
    guard entry.first > 0, entry.last + 2 < tokens.count else { return nil }
    let (previous, next) = (tokens[entry.first - 1], tokens[entry.last + 1])
    func range(_ start: UInt32, _ end: UInt32, sparing first: TokenIndex, _ second: TokenIndex) -> SourceRange? {
      guard isBlank(between: first), isBlank(between: second) else { return nil }
      return SourceRange(file: source.id, start: Int(start), end: Int(end))
    }
    // An entry on a line of its own takes the comment behind it along.
    let isFirst = startOfLine(before: entry.first) != nil
    if next.kind == .comma {
      if isFirst, endOfComments(after: entry.last + 1) != nil, isBlank(between: entry.last) {
        return removal(ofStatement: TokenSpan(entry.first, entry.last + 1))
      }
      // Up to the next token, unless that is on another line.
      let after = tokens[entry.last + 2]
      let isNear = source.bytes[Int(next.end)..<Int(after.start)].allSatisfy { $0 == UInt8(ascii: " ") }
      return range(
        tokens[entry.first].start, isNear ? after.start : next.end, sparing: entry.last, entry.last)
    }
    if previous.kind == .comma {
      let end = isFirst ? endOfComments(after: entry.last).map { UInt32($0) } : nil
      return range(previous.start, end ?? tokens[entry.last].end, sparing: entry.first - 1, entry.first - 1)
    }
    // If a parenthesis follows, it would then open the list.
    guard previous.kind == .leftParenthesis, next.kind == .rightParenthesis, entry.first > 1,
      tokens[entry.last + 2].kind != .leftParenthesis
    else { return nil }
    guard isBlank(between: entry.first - 2) else { return nil }
    return range(tokens[entry.first - 2].end, next.end, sparing: entry.first - 1, entry.last)
  }

  /// Returns the range to delete so that a default is gone, with its `=`. Nil if comments are in the way.
  public func removal(ofDefault value: TokenSpan) -> SourceRange? {
    let sign = value.first - 1
    guard sign > 0, tokens[sign].kind == .equals, isBlank(between: sign), isBlank(between: sign - 1) else { return nil }
    return SourceRange(file: source.id, start: Int(tokens[sign - 1].end), end: Int(tokens[value.last].end))
  }

  /// Returns whether only blanks stand between a token and the next.
  private func isBlank(between token: TokenIndex) -> Bool {
    source.bytes[Int(tokens[token].end)..<Int(tokens[token + 1].start)].allSatisfy {
      [UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\n"), UInt8(ascii: "\r")].contains($0)
    }
  }
}
