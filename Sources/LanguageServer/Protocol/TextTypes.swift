/// A place in a document: a line, and code units of the agreed encoding from the line's first, both from 0.
package struct TextPosition: Codable, Hashable, Comparable, Sendable {
  package var line: Int
  package var character: Int

  package init(line: Int, character: Int) {
    self.line = line
    self.character = character
  }

  package static func < (lhs: TextPosition, rhs: TextPosition) -> Bool {
    (lhs.line, lhs.character) < (rhs.line, rhs.character)
  }
}

/// A run of text between two places. The second one is not in it.
package struct TextRange: Codable, Hashable, Sendable {
  package var start: TextPosition
  package var end: TextPosition

  package init(start: TextPosition, end: TextPosition) {
    self.start = start
    self.end = end
  }
}

/// A run of text in a file.
struct TextLocation: Codable, Hashable {
  var uri: String
  var range: TextRange
}

/// A text in place of a run of text.
struct TextEdit: Codable, Hashable {
  var range: TextRange
  var newText: String
}

/// Edits of several files.
struct WorkspaceEdit: Codable, Hashable {
  var changes: [String: [TextEdit]]
}

/// A file by its URI.
struct TextDocumentIdentifier: Codable { var uri: String }

/// What most requests name: a file and a place.
struct DocumentPositionParams: Codable {
  var textDocument: TextDocumentIdentifier
  var position: TextPosition
}

/// What requests about a whole file name.
struct DocumentParams: Codable { var textDocument: TextDocumentIdentifier }

/// What requests about a part of a file name.
struct DocumentRangeParams: Codable {
  var textDocument: TextDocumentIdentifier
  var range: TextRange
}

/// Text with its format.
struct MarkupContent: Codable, Hashable {
  var kind = "markdown"
  var value: String
}
