extension Diagnostic {
  /// A change of the text that mends a mistake, for programs that can make it: what `advice` says, as edits.
  public struct Fix: Hashable, Sendable {
    /// What it does, in a few words, such as "Insert `;`".
    public let title: String
    /// The changes, which belong together. No two of them overlap, and all are in one file.
    public let edits: [Edit]

    /// A fix.
    public init(_ title: String, _ edits: [Edit]) {
      self.title = title
      self.edits = edits
    }
  }

  /// A text in place of a run of bytes.
  public struct Edit: Hashable, Sendable {
    /// What to take away. If it is empty, the text is inserted there.
    public let range: SourceRange
    /// What to put there. May be empty.
    public let replacement: String

    /// An edit.
    public init(_ range: SourceRange, _ replacement: String) {
      self.range = range
      self.replacement = replacement
    }
  }
}

extension Diagnostic.Fix {
  /// Puts `text` after `range`.
  public static func insert(_ text: String, after range: SourceRange, title: String? = nil) -> Diagnostic.Fix {
    let place = SourceRange(file: range.file, start: range.end, end: range.end)
    return Diagnostic.Fix(title ?? "Insert `\(text)`", [Diagnostic.Edit(place, text)])
  }

  /// Puts `text` in place of `range`.
  public static func replace(_ range: SourceRange, with text: String) -> Diagnostic.Fix {
    Diagnostic.Fix("Replace with `\(text)`", [Diagnostic.Edit(range, text)])
  }

  /// Takes `range` away, which is called `name` in the title.
  public static func remove(_ name: String, at range: SourceRange) -> Diagnostic.Fix {
    Diagnostic.Fix("Remove `\(name)`", [Diagnostic.Edit(range, "")])
  }
}

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
