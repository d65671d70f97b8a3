import FBSDiagnostics
import FBSParser

struct SelectionRangeParams: Decodable {
  var textDocument: TextDocumentIdentifier
  var positions: [TextPosition]
}

/// A range, and the larger one to which the selection expands next.
final class SelectionRange: Encodable {
  let range: TextRange
  let parent: SelectionRange?

  init(range: TextRange, parent: SelectionRange?) {
    self.range = range
    self.parent = parent
  }
}

extension DocumentContext {
  /// The largest number of positions in one request. An editor sends its cursors, and VS Code has no more by default.
  static let maximumSelectionCount = 10_000

  /// Returns the nested ranges around each position: the word, then the entry of each pair of brackets around it, then
  /// the document. The text is read once for all positions.
  ///
  /// - Throws: `RPCError` if there are more than `maximumSelectionCount` positions.
  func selectionRanges(at positions: [TextPosition]) throws -> [SelectionRange] {
    guard positions.count <= Self.maximumSelectionCount else {
      throw RPCError.invalidParams("a request has \(Self.maximumSelectionCount) positions at most")
    }
    let whole = SelectionRange(range: text.wholeRange, parent: nil)
    let tree = tree
    let entries = NestedEntries(tree)
    return positions.map { position in
      guard let token = token(at: text.offset(of: position)) else { return whole }
      return entries.spans(around: token).reduce(whole) { outer, span in
        let range = text.range(tree.range(of: span))
        return range == outer.range ? outer : SelectionRange(range: range, parent: outer)
      }
    }
  }
}

/// The entries of a text, with syntax errors or without: what stands between separators, at the top level and in each
/// pair of brackets.
private struct NestedEntries {
  private struct Entry {
    let first: TokenIndex
    var last: TokenIndex
    /// The entry that the brackets around this one belong to; nil at the top level.
    let parent: Int?
  }

  /// The largest number of entries around a token. Schemas need fewer; but a text with mistakes may open any number of
  /// brackets, and an answer is nested as deep.
  private static let maximumDepth = 64

  private var entries: ContiguousArray<Entry> = []
  /// The innermost entry of each token, but for the end of the file.
  private var innermost: ContiguousArray<Int> = []

  /// Reads all tokens once.
  init(_ tree: SyntaxTree) {
    /// The entries whose brackets are open.
    var open: [Int] = []
    /// The entry that goes on; nil where the next token begins one.
    var current: Int?
    let end = tree.tokens.count - 1
    for token in 0..<end {
      let kind = tree.tokens[token].kind
      if Self.isCloser(kind), let opened = open.popLast() { current = opened }
      let entry = current ?? entries.count
      if current == nil { entries.append(Entry(first: token, last: token, parent: open.last)) }
      entries[entry].last = token
      innermost.append(entry)
      switch kind {
      case .leftBrace, .leftParenthesis, .leftBracket:
        open.append(entry)
        current = nil
      case .rightBrace: current = open.isEmpty ? nil : entry
      case .semicolon, .comma: current = nil
      default: current = entry
      }
    }
    for entry in open { entries[entry].last = end - 1 }
  }

  private static func isCloser(_ kind: TokenKind) -> Bool {
    kind == .rightBrace || kind == .rightParenthesis || kind == .rightBracket
  }

  /// Returns the entries around a token, the outermost first, and then the token itself. Of too many entries, the
  /// outermost are left out.
  func spans(around token: TokenIndex) -> [TokenSpan] {
    var spans = [TokenSpan(token, token)]
    var next: Int? = innermost[token]
    while let index = next, spans.count <= Self.maximumDepth {
      spans.append(TokenSpan(entries[index].first, entries[index].last))
      next = entries[index].parent
    }
    return spans.reversed()
  }
}
