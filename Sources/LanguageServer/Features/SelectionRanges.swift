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
  /// Returns the nested ranges around each position: the word, then for each pair of brackets around it the contents
  /// and the entry, then the document.
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

  /// Returns the ranges around an offset, outermost first: entries, and contents of brackets.
  private func ranges(around offset: Int) -> [(Int, Int)] {
    let tree = tree
    guard let token = token(at: offset) else { return [] }
    // For each pair of brackets that is open before the token, the first token of the current entry.
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
    // A range that does not lie within the one before is left out.
    var nested: [(Int, Int)] = []
    for range in found where nested.last.map({ $0.0 <= range.0 && range.1 <= $0.1 }) ?? true { nested.append(range) }
    return nested
  }
}

extension SyntaxTree {
  /// Returns whether the statement that begins with a token has a body in braces.
  fileprivate func hasBody(from first: TokenIndex) -> Bool {
    for token in tokens[first...] {
      if token.kind == .leftBrace { return true }
      if token.kind == .semicolon { return false }
    }
    return false
  }
}
