import FBSDiagnostics

/// The unit in which a client counts positions on a line.
package enum PositionEncoding: String, Sendable {
  case utf8 = "utf-8"
  case utf16 = "utf-16"
}

/// A text with its lines, and positions in it as clients count them.
package struct DocumentText: Sendable {
  package private(set) var bytes: [UInt8]
  private var lines: LineTable
  private let encoding: PositionEncoding

  package init(_ bytes: [UInt8], _ encoding: PositionEncoding) {
    self.bytes = bytes
    self.encoding = encoding
    lines = LineTable(bytes)
  }

  /// Returns the offset of a line's first byte. A byte order mark belongs to the first line, since it is a character of
  /// the text.
  private func start(ofLine line: Int) -> Int { line == 0 ? 0 : lines.starts[line] }

  /// Returns the offset of a position in bytes. A position after the end of a line means the end of that line, and a
  /// position after the last line means the end of the text.
  package func offset(of position: TextPosition) -> Int {
    guard position.line >= 0 else { return 0 }
    guard position.line < lines.starts.count else { return bytes.count }
    let start = start(ofLine: position.line)
    let end = max(start, lines.range(ofLine: position.line, in: bytes).upperBound)
    guard position.character > 0 else { return start }
    if encoding == .utf8 {
      var offset = position.character < end - start ? start + position.character : end
      // A position within a character means its start.
      while offset > start, offset < bytes.count, bytes[offset] & 0xC0 == 0x80 { offset -= 1 }
      return offset
    }
    var units = 0
    var offset = start
    while offset < end {
      let width = Self.units(bytes[offset])
      if units + width > position.character { break }
      units += width
      offset += 1
      while offset < end, bytes[offset] & 0xC0 == 0x80 { offset += 1 }
    }
    return offset
  }

  /// Returns the position of an offset in bytes.
  package func position(of offset: Int) -> TextPosition {
    let offset = min(max(0, offset), bytes.count)
    let line = lines.line(of: offset)
    let start = start(ofLine: line)
    let prefix = bytes[start..<offset]
    let character = encoding == .utf8 ? prefix.count : prefix.reduce(0) { $0 + Self.units($1) }
    return TextPosition(line: line, character: character)
  }

  package func range(_ start: Int, _ end: Int) -> TextRange {
    TextRange(start: position(of: start), end: position(of: end))
  }

  package func range(_ range: SourceRange) -> TextRange { self.range(range.start, range.end) }

  /// Returns the range of a line's bytes, without its line ending.
  package func lineRange(_ line: Int) -> Range<Int> {
    guard lines.starts.indices.contains(line) else { return bytes.count..<bytes.count }
    let start = start(ofLine: line)
    return start..<max(start, lines.range(ofLine: line, in: bytes).upperBound)
  }

  /// The range of the whole text.
  package var wholeRange: TextRange { range(0, bytes.count) }

  /// Replaces a range of the text, or the whole text if `range` is nil. A range that ends before it starts is empty.
  package mutating func replace(_ range: TextRange?, with text: String) {
    guard let range else {
      self = DocumentText(Array(text.utf8), encoding)
      return
    }
    let start = offset(of: range.start)
    let old = start..<max(start, offset(of: range.end))
    bytes.replaceSubrange(old, with: text.utf8)
    lines.update(afterReplacing: old, in: bytes)
  }

  /// Returns the number of UTF-16 code units that begin with a byte of UTF-8: 0 for continuation bytes.
  private static func units(_ byte: UInt8) -> Int { byte & 0xC0 == 0x80 ? 0 : byte >= 0xF0 ? 2 : 1 }
}
