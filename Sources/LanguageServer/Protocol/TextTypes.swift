/// A position in a document: a line, and the number of code units, in the agreed encoding, from the line's start. Both
/// count from 0.
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

/// A range of text between two positions. The second one is exclusive.
package struct TextRange: Codable, Hashable, Sendable {
  package var start: TextPosition
  package var end: TextPosition

  package init(start: TextPosition, end: TextPosition) {
    self.start = start
    self.end = end
  }
}

/// A range of text in a file.
struct TextLocation: Codable, Hashable {
  var uri: String
  var range: TextRange
}

/// The replacement of a range by a text.
struct TextEdit: Codable, Hashable {
  var range: TextRange
  var newText: String
}

/// The edits of several files, by URI.
struct WorkspaceEdit: Codable, Hashable {
  var changes: [String: [TextEdit]]
}

/// A file by its URI.
struct TextDocumentIdentifier: Codable { var uri: String }

/// The parameters of most requests: a file and a position.
struct DocumentPositionParams: Codable {
  var textDocument: TextDocumentIdentifier
  var position: TextPosition
}

/// The parameters of requests about a whole file.
struct DocumentParams: Codable { var textDocument: TextDocumentIdentifier }

/// The parameters of requests about a part of a file.
struct DocumentRangeParams: Codable {
  var textDocument: TextDocumentIdentifier
  var range: TextRange
}

/// Text with its format.
struct MarkupContent: Codable, Hashable {
  var kind = "markdown"
  var value: String
}
