import FBSDiagnostics
import FBSParser

struct SelectionRangeParams: Decodable {
  var textDocument: TextDocumentIdentifier
  var positions: [TextPosition]
}

/// A range, and the one around it that is selected next.
final class SelectionRange: Encodable {
  let range: TextRange
  let parent: SelectionRange?

  init(range: TextRange, parent: SelectionRange?) {
    self.range = range
    self.parent = parent
  }
}

extension DocumentContext {
  /// For each place: the word, what stands in each pair of brackets around it, with what it belongs to, and the document.
  func selectionRanges(at positions: [TextPosition]) -> [SelectionRange] {
    positions.map { position in
      var selected = SelectionRange(range: text.wholeRange, parent: nil)
      for (start, end) in ranges(around: text.offset(of: position)) {
        let range = text.range(start, end)
        if range != selected.range { selected = SelectionRange(range: range, parent: selected) }
      }
      return selected
    }
  }

  /// From the outermost inwards: entries, and what brackets hold.
  private func ranges(around offset: Int) -> [(Int, Int)] {
    let tree = tree
    guard let token = token(at: offset) else { return [] }
    // The first token of the entry in each pair of brackets that is open before the token.
    var entries: [(first: TokenIndex, opener: TokenIndex?)] = [(0, nil)]
    for index in 0..<token {
      switch tree.tokens[index].kind {
      case .leftBrace, .leftParenthesis, .leftBracket: entries.append((index + 1, index))
      case .rightBrace, .rightParenthesis, .rightBracket:
        if entries.count > 1 { entries.removeLast() }
        if tree.tokens[index].kind == .rightBrace, index + 1 <= token { entries[entries.count - 1].first = index + 1 }
      case .semicolon, .comma: entries[entries.count - 1].first = index + 1
      default: break
      }
    }
    var found: [(Int, Int)] = []
    for entry in entries {
      let first = min(entry.first, token)
      let isDefinition = entry.opener == nil
      let last = max(token, tree.endOfEntry(from: first, hasBody: isDefinition && tree.hasBody(from: first)))
      found.append((Int(tree.tokens[first].start), Int(tree.tokens[last].end)))
    }
    found.append((Int(tree.tokens[token].start), Int(tree.tokens[token].end)))
    // Each holds the next one, or that is left out.
    var nested: [(Int, Int)] = []
    for range in found where nested.last.map({ $0.0 <= range.0 && range.1 <= $0.1 }) ?? true { nested.append(range) }
    return nested
  }
}

extension SyntaxTree {
  /// Whether the statement that begins with a token has a body in braces.
  fileprivate func hasBody(from first: TokenIndex) -> Bool {
    for token in tokens[first...] {
      if token.kind == .leftBrace { return true }
      if token.kind == .semicolon { return false }
    }
    return false
  }
}
