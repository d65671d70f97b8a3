/// A document as a client keeps it: in UTF-16, by whose code units the protocol counts. It is written without the server's
/// `DocumentText`, which it checks.
struct ClientText {
  private(set) var units: [UInt16]

  init(_ text: String) { units = Array(text.utf16) }

  var string: String { String(decoding: units, as: UTF16.self) }
  var bytes: [UInt8] { Array(string.utf8) }

  private static let lineFeed = UInt16(10)
  private static let carriageReturn = UInt16(13)

  /// The ranges of the lines, without what ends them.
  private var lines: [Range<Int>] {
    var lines: [Range<Int>] = []
    var start = 0
    var index = 0
    while index < units.count {
      defer { index += 1 }
      guard units[index] == Self.lineFeed || units[index] == Self.carriageReturn else { continue }
      lines.append(start..<index)
      if units[index] == Self.carriageReturn, index + 1 < units.count, units[index + 1] == Self.lineFeed { index += 1 }
      start = index + 1
    }
    return lines + [start..<units.count]
  }

  var lineCount: Int { lines.count }

  /// Returns the index of a position. One outside of the text means the nearest one in it, and one within a pair of
  /// surrogates its start.
  private func index(line: Int, character: Int) -> Int {
    guard line >= 0 else { return 0 }
    let lines = lines
    guard line < lines.count else { return units.count }
    let range = lines[line]
    let index = range.lowerBound + min(max(0, character), range.count)
    let isWithinPair =
      index > 0 && index < units.count && UTF16.isTrailSurrogate(units[index])
      && UTF16.isLeadSurrogate(units[index - 1])
    return isWithinPair ? index - 1 : index
  }

  /// Replaces a range by code units, of which halves of pairs become U+FFFD.
  mutating func replace(
    from start: (line: Int, character: Int), to end: (line: Int, character: Int), with text: [UInt16]
  ) {
    let first = index(line: start.line, character: start.character)
    let last = max(first, index(line: end.line, character: end.character))
    units.replaceSubrange(first..<last, with: Array(String(decoding: text, as: UTF16.self).utf16))
  }

  /// Returns the line and the column of an offset in `bytes`.
  static func position(of offset: Int, in bytes: [UInt8]) -> (line: Int, character: Int) {
    let text = ClientText(String(decoding: bytes[..<offset], as: UTF8.self))
    // A line feed after the offset belongs to the carriage return before it.
    let lines = text.lines
    let isWithinLineEnd = offset > 0 && offset < bytes.count && bytes[offset - 1] == 13 && bytes[offset] == 10
    let line = lines.count - (isWithinLineEnd ? 2 : 1)
    return (line, text.units.count - lines[line].lowerBound)
  }
}
