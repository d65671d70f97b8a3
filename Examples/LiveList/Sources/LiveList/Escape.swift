/// Control sequences of terminals: https://invisible-island.net/xterm/ctlseqs/ctlseqs.html
enum Escape {
  /// Keeps what is on the screen, and starts with an empty one, without a cursor; lines are not wrapped.
  static let enter: StaticString = "\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l"
  /// Undoes `enter` and the scroll region.
  static let leave: StaticString = "\u{1B}[r\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l"

  static let clearScreen = "\u{1B}[2J"
  static let clearLine = "\u{1B}[2K"
  /// Deletes the cursor's line: those below it in the scroll region move up.
  static let deleteLine = "\u{1B}[M"
  /// Inserts an empty line at the cursor: its line, and those below it in the scroll region, move down.
  static let insertLine = "\u{1B}[L"

  static let bold = "\u{1B}[1m"
  static let inverse = "\u{1B}[7m"
  static let plain = "\u{1B}[m"

  static func colour(_ number: Int) -> String { "\u{1B}[\(number)m" }

  /// Puts the cursor at the start of a row, counted from 1.
  static func cursor(row: Int) -> String { "\u{1B}[\(row);1H" }

  /// Lets lines be inserted and deleted between these rows alone.
  static func scrollRegion(_ rows: ClosedRange<Int>) -> String { "\u{1B}[\(rows.lowerBound);\(rows.upperBound)r" }
}
