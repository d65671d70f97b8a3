import FBSDiagnostics
import FBSParser

extension DocumentContext {
  /// Returns the edits that format the document as `dflatc format` does. Each is between two tokens, so that cursors
  /// stay where they are.
  ///
  /// - Parameter range: the range to format; nil for the whole document.
  /// - Throws: `RPCError` if the document has syntax errors. Like the command, this does not format it then.
  func formatting(within range: TextRange? = nil) throws -> [TextEdit] {
    let source = SourceFile(id: file, path: analysis.compilation.sources[file].path, bytes: text.bytes)
    let (tree, found) = Parser.parse(source)
    guard !found.contains(where: { $0.severity == .error && $0.code != .emptyFile }) else {
      throw RPCError.failed("a document with syntax errors is not laid out")
    }
    let formatted = SchemaFormatter.format(tree)
    let (other, _) = Parser.parse(SourceFile(id: file, path: source.path, bytes: formatted))
    // The formatter keeps all tokens. As a safeguard, the whole text is replaced if it does not.
    guard other.tokens.count == tree.tokens.count else {
      return [TextEdit(range: text.wholeRange, newText: String(decoding: formatted, as: UTF8.self))]
    }
    let limits = range.map { (text.offset(of: $0.start), text.offset(of: $0.end)) }
    var edits: [TextEdit] = []
    var (start, otherStart) = (0, 0)
    for (token, otherToken) in zip(tree.tokens, other.tokens) {
      // The last token is the end of the file, where the last gap ends.
      let (end, otherEnd) = (Int(token.start), Int(otherToken.start))
      let gap = text.bytes[start..<end]
      let otherGap = formatted[otherStart..<otherEnd]
      if gap != otherGap, limits.map({ start < $0.1 && end > $0.0 }) ?? true {
        edits.append(edit(of: gap, to: otherGap))
      }
      (start, otherStart) = (Int(token.end), Int(otherToken.end))
    }
    return edits
  }

  /// Returns the edit that turns one text between two tokens into another, without their common beginning and end.
  private func edit(of old: ArraySlice<UInt8>, to new: ArraySlice<UInt8>) -> TextEdit {
    var (old, new) = (old, new)
    // Only spaces are left out: an edit cannot begin within a line ending or a character.
    func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") }
    while let first = old.first, first == new.first, isBlank(first) {
      old.removeFirst()
      new.removeFirst()
    }
    while let last = old.last, last == new.last, isBlank(last) {
      old.removeLast()
      new.removeLast()
    }
    return TextEdit(
      range: text.range(old.startIndex, old.endIndex), newText: String(decoding: new, as: UTF8.self))
  }
}
