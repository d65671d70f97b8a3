import Dflat

/// A list on the screen. It is changed as a list view is: lines are deleted, inserted and painted as a difference says, and
/// all others stay as they are, moved by the terminal.
struct ListView {
  /// The players, in the order of the list.
  private(set) var players: [Player] = []
  /// The name of the selected player. The selection stays with a player who moves.
  private(set) var selection: String?
  /// The offset of the player in the first line.
  private var top = 0
  /// The lines of the window.
  private var lines: [Line] = []
  private var columns = 0
  /// The row of the screen that the first line is in, counted from 1.
  private var firstRow = 1
  /// What has to be written to the terminal.
  private var output = ""

  private struct Line {
    /// Whether the line has to be painted.
    var isStale = true
    var mark: Mark?
  }

  /// What the latest update has done to a line.
  private enum Mark: String {
    case inserted = "+"
    case moved = "↕"
    case changed = "*"
  }

  // MARK: Updates

  /// Shows another list.
  mutating func show(_ players: [Player]) {
    self.players = players
    top = 0
    repaint()
    keepSelection(near: 0)
  }

  /// Shows the next state of the same list.
  ///
  /// - Parameter player: the player at an offset of the new list.
  mutating func apply(_ difference: ResultDifference, player: (_ offset: Int) -> Player) {
    let selected = selectedOffset ?? 0
    for line in lines.indices where lines[line].mark != nil { lines[line] = Line() }
    let leaving = difference.removals + difference.moves.map(\.from)
    for offset in leaving.sorted(by: >) { deleteLine(at: offset) }
    let arriving = difference.insertions.map { ($0, Mark.inserted) } + difference.moves.map { ($0.to, Mark.moved) }
    for (offset, mark) in arriving.sorted(by: { $0.0 < $1.0 }) { insertLine(at: offset, mark) }
    for change in difference.changes { paintLine(at: change.to, .changed) }
    difference.apply(to: &players, player)
    keepSelection(near: selected)
    scroll(to: min(top, max(0, players.count - lines.count)))
  }

  private mutating func deleteLine(at offset: Int) {
    // If it is above the window, all lines move up.
    let line = max(offset - top, 0)
    guard line < lines.count else { return }
    output += "\(Escape.cursor(row: firstRow + line))\(Escape.deleteLine)"
    lines.remove(at: line)
    lines.append(Line())
  }

  private mutating func insertLine(at offset: Int, _ mark: Mark) {
    let line = max(offset - top, 0)
    guard line < lines.count else { return }
    output += "\(Escape.cursor(row: firstRow + line))\(Escape.insertLine)"
    lines.removeLast()
    // If it is above the window, the line is that of another player, who was there before.
    lines.insert(Line(mark: offset < top ? nil : mark), at: line)
  }

  private mutating func paintLine(at offset: Int, _ mark: Mark? = nil) {
    guard lines.indices.contains(offset - top) else { return }
    lines[offset - top] = Line(mark: mark ?? lines[offset - top].mark)
  }

  // MARK: Selection

  /// The offset of the selected player; nil if the list is empty.
  var selectedOffset: Int? { players.firstIndex { $0.name == selection } }

  /// Selects the player so many lines below, or above if it is negative.
  mutating func moveSelection(by distance: Int) {
    guard let selected = selectedOffset else { return }
    let offset = min(max(selected + distance, 0), players.count - 1)
    selection = players[offset].name
    paintLine(at: selected)
    paintLine(at: offset)
    if offset < top { scroll(to: offset) }
    if offset >= top + lines.count { scroll(to: offset - lines.count + 1) }
  }

  /// Selects another player if the selected one is gone.
  private mutating func keepSelection(near offset: Int) {
    guard selectedOffset == nil else { return }
    let offset = min(offset, players.count - 1)
    selection = offset < 0 ? nil : players[offset].name
    paintLine(at: offset)
  }

  // MARK: The window

  /// Gives the list another place on the screen, which is empty.
  mutating func place(firstRow: Int, lines count: Int, columns: Int) {
    self.firstRow = firstRow
    self.columns = columns
    lines = Array(repeating: Line(), count: count)
    // Lines are inserted and deleted between these rows alone.
    output += Escape.scrollRegion(firstRow...firstRow + count - 1)
    scroll(to: min(top, max(0, players.count - count)))
  }

  private mutating func scroll(to offset: Int) {
    guard offset != top else { return }
    top = offset
    repaint()
  }

  private mutating func repaint() {
    for line in lines.indices { lines[line] = Line() }
  }

  /// What brings the screen up to date: only lines that are not yet right are painted.
  mutating func takeOutput() -> String {
    defer { output = "" }
    for line in lines.indices where lines[line].isStale {
      output += Escape.cursor(row: firstRow + line) + Escape.clearLine
      if top + line < players.count { output += text(of: players[top + line], lines[line].mark) }
      lines[line].isStale = false
    }
    return output
  }

  private func text(of player: Player, _ mark: Mark?) -> String {
    let text = [
      mark?.rawValue ?? " ", player.name.padded(to: 12), "\(player.team)".padded(to: 6),
      "\(player.points)".padded(to: 5, atEnd: false), (player.writer ?? "").padded(to: 8),
      String(repeating: "▪", count: min(max(Int(player.points) / 4, 0), 100)),
    ].joined(separator: " ")
    let colour = [Team.red: 31, .green: 32, .blue: 36][player.team] ?? 39
    let selected = player.name == selection ? Escape.inverse : ""
    return "\(Escape.colour(colour))\(selected)\(text.prefix(columns))\(Escape.plain)"
  }
}

extension String {
  /// The text with spaces behind it, or before it, so that it is at least so wide.
  fileprivate func padded(to width: Int, atEnd: Bool = true) -> String {
    let spaces = String(repeating: " ", count: max(width - count, 0))
    return atEnd ? self + spaces : spaces + self
  }
}
