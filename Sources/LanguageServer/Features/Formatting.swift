import FBSDiagnostics
import FBSParser

/// The parameters of `textDocument/onTypeFormatting`: the typed character, and the position after it.
struct TypedCharacterParams: Decodable {
  var textDocument: TextDocumentIdentifier
  var position: TextPosition
  var ch: String
}

extension LanguageServerSession {
  /// Returns a document that is to be formatted. Like the command, the server leaves vendored and excluded files alone: the
  /// result for them is null, as for a document that cannot be read.
  ///
  /// - Parameter isTyping: whether a typed character asks for it. A person who types is shown no errors.
  /// - Throws: `RPCError` if the configuration cannot be used: which files it leaves alone is unknown then. The command
  ///   formats no file, either.
  mutating func formatted(_ uri: String, isTyping: Bool = false) throws -> DocumentContext? {
    let path = document(at: uri)?.path ?? DocumentURI.path(uri)
    if let mistake = configuration(for: path).mistake {
      guard isTyping else { throw RPCError.failed(mistake) }
      return nil
    }
    return try isExcluded(path) ? nil : context(uri)
  }
}

extension DocumentContext {
  /// Returns the edits that format the document as `dflatc format` does. Each edit is between two tokens, so that
  /// cursors stay where they are.
  ///
  /// - Parameter range: the range to format; nil for the whole document.
  /// - Throws: `RPCError` if the document has syntax errors. `dflatc format` refuses such a document as well.
  func formatting(within range: TextRange? = nil) throws -> [TextEdit] {
    guard let layout = layout() else { throw RPCError.failed("a document with syntax errors is not laid out") }
    // The formatter keeps all tokens. As a safeguard, the whole text is replaced if it does not.
    guard layout.keepsTokens else {
      return [TextEdit(range: text.wholeRange, newText: String(decoding: layout.formatted, as: UTF8.self))]
    }
    let limits = range.map { (text.offset(of: $0.start), text.offset(of: $0.end)) }
    return edits(layout) { start, end in limits.map { start < $0.1 && end > $0.0 } ?? true }
  }

  /// Returns the edits that format what a typed character has ended: the lines of the definition before a `}`, or the
  /// line of the last token before a `;` or a new line. They are those edits of `formatting(within:)` that are before
  /// the cursor.
  ///
  /// - Parameters:
  ///   - position: the position after the character.
  ///   - character: the character.
  /// - Returns: nothing if the character is part of a comment or a string, or the document has syntax errors: most
  ///   texts that are being typed have some.
  func formatting(afterTyping character: String, at position: TextPosition) -> [TextEdit] {
    guard let layout = layout(), layout.keepsTokens else { return [] }
    let tokens = layout.tree.tokens
    let offset = text.offset(of: position)
    guard let last = tokens.lastIndex(where: { Int($0.end) <= offset && $0.kind != .endOfFile }) else { return [] }
    var first = last
    switch (character, tokens[last].kind) {
    case (";", .semicolon) where Int(tokens[last].end) == offset: break
    case ("}", .rightBrace) where Int(tokens[last].end) == offset: first = layout.tree.opener(of: last)
    case ("\n", _): break
    default: return []
    }
    let start = text.lineRange(text.position(of: Int(tokens[first].start)).line).lowerBound
    return edits(layout) { _, end in start <= end && end <= Int(tokens[last].start) }
  }

  /// The text before and after formatting, with the tokens of both.
  private struct Layout {
    let tree: SyntaxTree
    let formatted: [UInt8]
    let formattedTree: SyntaxTree

    var keepsTokens: Bool { formattedTree.tokens.count == tree.tokens.count }
  }

  /// Returns the document's text before and after formatting; nil if it has syntax errors.
  private func layout() -> Layout? {
    let source = SourceFile(id: file, path: analysis.compilation.sources[file].path, bytes: text.bytes)
    let (tree, found) = Parser.parse(source)
    guard !found.contains(where: { $0.severity == .error && $0.code != .emptyFile }) else { return nil }
    let formatted = SchemaFormatter.format(tree)
    let formattedTree = Parser.parse(SourceFile(id: file, path: source.path, bytes: formatted)).tree
    return Layout(tree: tree, formatted: formatted, formattedTree: formattedTree)
  }

  /// Returns the edits of the gaps between tokens that a condition on their start and end selects.
  private func edits(_ layout: Layout, where isWanted: (Int, Int) -> Bool) -> [TextEdit] {
    var edits: [TextEdit] = []
    var (start, otherStart) = (0, 0)
    for (token, otherToken) in zip(layout.tree.tokens, layout.formattedTree.tokens) {
      // The last token is the end of the file, where the last gap ends.
      let (end, otherEnd) = (Int(token.start), Int(otherToken.start))
      let gap = text.bytes[start..<end]
      let otherGap = layout.formatted[otherStart..<otherEnd]
      if gap != otherGap, isWanted(start, end) { edits.append(edit(of: gap, to: otherGap)) }
      (start, otherStart) = (Int(token.end), Int(otherToken.end))
    }
    return edits
  }

  /// Returns the edit that replaces one text between two tokens by another, without their common beginning and end.
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

extension SyntaxTree {
  /// Returns the opening brace that a closing one matches; the closing one itself if there is none.
  fileprivate func opener(of closer: TokenIndex) -> TokenIndex {
    var depth = 0
    for index in stride(from: closer, through: 0, by: -1) {
      switch tokens[index].kind {
      case .rightBrace: depth += 1
      case .leftBrace: depth -= 1
      default: break
      }
      if depth == 0 { return index }
    }
    return closer
  }
}
