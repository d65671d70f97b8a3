import FBSDiagnostics

/// Finds the places of new comments that silence findings in a file without errors; see `AllowComments`.
package struct AllowCommentPlacement {
  private let tree: SyntaxTree
  private let entries: Entries
  private let lines: LineTable
  private let lineEnd: String

  /// Reads the entries of a file that was parsed without errors.
  package init(_ tree: SyntaxTree) {
    self.tree = tree
    entries = Entries(tree)
    lines = LineTable(tree.source.bytes)
    lineEnd = lines.firstLineEnd(in: tree.source.bytes).rawValue
  }

  /// Returns the edit that adds a comment which applies to a finding.
  ///
  /// The comment comes above the finding's line, unless it would then apply to another entry that begins the line. In
  /// that case, the finding's entry moves to a line of its own, below the comment.
  /// - Parameters:
  ///   - comment: the comment, without a line ending.
  ///   - offset: the offset at which the finding starts.
  package func edit(adding comment: String, at offset: Int) -> Diagnostic.Edit {
    let targets = entries.targets(at: offset)
    let entry = targets.first.map { Int(tree.tokens[$0].start) } ?? offset
    for line in [lineStart(at: offset), lineStart(at: entry)] where isAbove(line, targets) {
      return Diagnostic.Edit(range(line, line), indentation(line) + comment + lineEnd)
    }
    var start = entry
    while start > 0, isBlank(tree.source.bytes[start - 1]) { start -= 1 }
    let next = lineEnd + indentation(lineStart(at: entry))
    return Diagnostic.Edit(range(start, entry), next + comment + next)
  }

  /// Returns whether a comment at the start of a line applies to one of some entries.
  private func isAbove(_ start: Int, _ targets: [TokenIndex]) -> Bool {
    let token = firstToken(from: start)
    // A line may begin within a block comment.
    let isInComment = entries.comments(before: token).contains { comment in
      comment.range.lowerBound < start && start < comment.range.upperBound
    }
    return !isInComment && targets.contains(entries.target(ofCommentBefore: token))
  }

  /// Returns the first token that starts at or after an offset. The last token is the end of the file.
  private func firstToken(from offset: Int) -> TokenIndex {
    var (low, high) = (0, tree.tokens.count - 1)
    while low < high {
      let middle = (low + high) / 2
      if Int(tree.tokens[middle].start) < offset { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Returns the start of a line. That of the first line is behind a byte order mark, which counts only at the start of
  /// the text.
  private func lineStart(at offset: Int) -> Int { lines.starts[lines.line(of: offset)] }

  private func indentation(_ start: Int) -> String {
    String(decoding: tree.source.bytes[start...].prefix(while: isBlank), as: UTF8.self)
  }

  private func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }

  private func range(_ start: Int, _ end: Int) -> SourceRange {
    SourceRange(file: tree.source.id, start: start, end: end)
  }
}
