/// A line of a source file, with marks under it.
struct ExcerptLine {
  /// A range to underline, and what to say about it.
  struct Mark {
    let range: SourceRange
    let text: String
    let isPrimary: Bool
  }

  /// A mark by the columns that it takes on the screen.
  private struct PlacedMark {
    let start: Int
    let end: Int
    let text: [Substring]
    let isPrimary: Bool
  }

  /// Lines of more bytes are cut around the first primary mark.
  static let maximumBytes = 240

  /// The line's number, from 1.
  let number: Int
  /// The texts of the marks outside the part that is shown.
  private(set) var elsewhere: [String] = []
  private var text = ""
  private var marks: [PlacedMark] = []

  init(number: Int, marks: [Mark], bytes: [UInt8], range: Range<Int>) {
    self.number = number
    let anchor = marks.first { $0.isPrimary } ?? marks[0]
    let window = Self.window(around: anchor.range, in: range, bytes)
    var cells: [(start: Int, column: Int)] = []
    var column = 0
    if window.lowerBound > range.lowerBound {
      text = "..."
      column = 3
    }
    var offset = window.lowerBound
    for character in Self.decode(bytes[window]) {
      cells.append((offset, column))
      offset += character.utf8.count
      switch character {
      case "\t":
        text += String(repeating: " ", count: DisplayWidth.tab)
        column += DisplayWidth.tab
      default:
        let isControl = character.unicodeScalars.contains(where: \.controlsTerminal)
        text.append(isControl ? "\u{FFFD}" : character)
        column += isControl ? 1 : DisplayWidth.of(character)
      }
    }
    cells.append((window.upperBound, column))
    if window.upperBound < range.upperBound { text += "..." }
    for mark in marks {
      let isVisible = mark.range.start >= window.lowerBound && mark.range.start <= window.upperBound
      if !isVisible && !mark.isPrimary {
        if !mark.text.isEmpty { elsewhere.append("\(mark.text) (further along line \(number))") }
        continue
      }
      let start = Self.column(of: mark.range.start, in: cells)
      let end = Self.column(of: min(mark.range.end, range.upperBound), in: cells)
      self.marks.append(
        PlacedMark(
          start: start, end: max(end, start + 1),
          text: mark.text.isEmpty
            ? []
            : mark.text.withVisibleControls()
              .split(omittingEmptySubsequences: false, whereSeparator: { $0 == "\n" || $0 == "\r\n" }),
          isPrimary: mark.isPrimary))
    }
  }

  /// Returns the part of a line that is shown: the whole line, or of a line longer than `maximumBytes` about that many
  /// bytes, a third of them before `mark`. The end of a long mark may be cut off. No character is split.
  private static func window(around mark: SourceRange, in range: Range<Int>, _ bytes: [UInt8]) -> Range<Int> {
    guard range.count > maximumBytes else { return range }
    var lower = max(range.lowerBound, min(mark.start, range.upperBound) - maximumBytes / 3)
    var upper = min(range.upperBound, lower + maximumBytes)
    while lower > range.lowerBound, bytes[lower] & 0xC0 == 0x80 { lower -= 1 }
    while upper < range.upperBound, bytes[upper] & 0xC0 == 0x80 { upper += 1 }
    return lower..<upper
  }

  /// Returns the text of some bytes. If they are not valid UTF-8, every byte is a character, so that columns stay
  /// right.
  private static func decode(_ bytes: ArraySlice<UInt8>) -> String {
    let text = String(decoding: bytes, as: UTF8.self)
    if text.utf8.elementsEqual(bytes) { return text }
    return String(decoding: bytes.map { $0 < 0x80 ? $0 : UInt8(ascii: "?") }, as: UTF8.self)
  }

  private static func column(of offset: Int, in cells: [(start: Int, column: Int)]) -> Int {
    var low = 0
    var high = cells.count
    while high - low > 1 {
      let middle = (low + high) / 2
      if cells[middle].start <= offset { low = middle } else { high = middle }
    }
    return cells[low].column
  }

  /// Returns the line itself, then the rows under it: marks and labels.
  func rows(_ renderer: DiagnosticRenderer, _ tint: DiagnosticRenderer.Style) -> [String] {
    let sorted = marks.sorted { ($0.start, $0.isPrimary ? 0 : 1) < ($1.start, $1.isPrimary ? 0 : 1) }
    var output = [text]
    var underline = Row()
    for mark in sorted where !mark.isPrimary {
      underline.put(String(repeating: "-", count: mark.end - mark.start), at: mark.start, .frame)
    }
    for mark in sorted where mark.isPrimary {
      underline.put(String(repeating: "^", count: mark.end - mark.start), at: mark.start, tint)
    }
    var waiting = sorted.filter { !$0.text.isEmpty }
    // The rightmost mark has its text on the same row, unless another mark's line would run through it.
    var trailing: [(column: Int, text: Substring, style: DiagnosticRenderer.Style)] = []
    if let last = waiting.last, last.end >= (sorted.map(\.end).max() ?? 0) {
      waiting.removeLast()
      let style = last.isPrimary ? tint : .frame
      underline.put(String(last.text[0]), at: last.end + 1, style)
      trailing = last.text.dropFirst().map { (last.end + 1, $0, style) }
    }
    output.append(underline.text(renderer))
    for line in trailing {
      var row = Row()
      for mark in waiting { row.put("|", at: mark.start, mark.isPrimary ? tint : .frame) }
      row.put(String(line.text), at: line.column, line.style)
      output.append(row.text(renderer))
    }
    if !waiting.isEmpty && trailing.isEmpty {
      var row = Row()
      for mark in waiting { row.put("|", at: mark.start, mark.isPrimary ? tint : .frame) }
      output.append(row.text(renderer))
    }
    while let mark = waiting.popLast() {
      for line in mark.text {
        var row = Row()
        for other in waiting { row.put("|", at: other.start, other.isPrimary ? tint : .frame) }
        row.put(String(line), at: mark.start, mark.isPrimary ? tint : .frame)
        output.append(row.text(renderer))
      }
    }
    return output
  }

  /// A row that is filled in any order.
  private struct Row {
    private var cells: [(character: Character, style: DiagnosticRenderer.Style?)] = []

    mutating func put(_ text: String, at column: Int, _ style: DiagnosticRenderer.Style) {
      var column = column
      for character in text {
        while cells.count <= column { cells.append((" ", nil)) }
        cells[column] = (character, style)
        column += 1
      }
    }

    func text(_ renderer: DiagnosticRenderer) -> String {
      var output = ""
      var run = ""
      var style: DiagnosticRenderer.Style?
      for cell in cells {
        if cell.style != style {
          output += style.map { renderer.paint(run, $0) } ?? run
          run = ""
          style = cell.style
        }
        run.append(cell.character)
      }
      return output + (style.map { renderer.paint(run, $0) } ?? run)
    }
  }
}
