import FBSDiagnostics

// The edits that add an entry, such as a field to a table. Every comment stays with the entry that it is about.

extension SyntaxTree {
  /// Returns the edit that adds an entry before another one: above the comments that stand above that one, whatever
  /// empty lines stand between them.
  ///
  /// - Parameters:
  ///   - text: the new entry.
  ///   - offset: the start of the other entry.
  /// - Returns: nil if no token starts at the offset.
  package func addition(of text: String, beforeEntryAt offset: Int) -> Diagnostic.Edit? {
    guard let first = token(startingAt: offset) else { return nil }
    let trivia = trivia(before: first)
    let isOnOneLine = trivia.lineBreaks == 0 && trivia.comments.allSatisfy { $0.lineBreaks == 0 }
    // On lines of their own, comments are about what follows. At the end of a line, they are about what stands there.
    let own = isOnOneLine ? trivia.comments[...] : trivia.comments.drop { $0.lineBreaks == 0 }
    guard let comment = own.first, !isOnOneLine else {
      return insertion(text + " ", at: own.first?.range.lowerBound ?? offset)
    }
    let start = comment.range.lowerBound
    var lineStart = start
    while lineStart > 0, isBlank(source.bytes[lineStart - 1]) { lineStart -= 1 }
    let indentation = String(decoding: source.bytes[lineStart..<start], as: UTF8.self)
    return insertion(text + lineEnd + indentation, at: start)
  }

  /// Returns the edit that adds an entry after another one that a semicolon ends: on a line of its own, below the
  /// comments at the end of that one's last line.
  ///
  /// - Parameters:
  ///   - text: the new entry, with its indentation.
  ///   - offset: the start of the other entry.
  /// - Returns: nil if no token starts at the offset, or no semicolon follows.
  package func addition(of text: String, afterEntryAt offset: Int) -> Diagnostic.Edit? {
    guard let first = token(startingAt: offset),
      let last = tokens[first...].firstIndex(where: { $0.kind == .semicolon })
    else { return nil }
    let comment = trivia(before: last + 1).comments.prefix { $0.lineBreaks == 0 }.last
    return insertion(lineEnd + text, at: comment?.range.upperBound ?? Int(tokens[last].end))
  }

  private func token(startingAt offset: Int) -> TokenIndex? {
    var (low, high) = (0, tokens.count - 1)
    while low < high {
      let middle = (low + high) / 2
      if Int(tokens[middle].start) < offset { low = middle + 1 } else { high = middle }
    }
    return Int(tokens[low].start) == offset && tokens[low].kind != .endOfFile ? low : nil
  }

  private func trivia(before token: TokenIndex) -> Trivia {
    let start = token == 0 ? 0 : Int(tokens[token - 1].end)
    return Trivia(source.bytes, in: start..<Int(tokens[token].start))
  }

  private func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }

  private var lineEnd: String { LineEnd.first(in: source.bytes).rawValue }

  private func insertion(_ text: String, at offset: Int) -> Diagnostic.Edit {
    Diagnostic.Edit(SourceRange(file: source.id, start: offset, end: offset), text)
  }
}
