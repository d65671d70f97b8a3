import Dflat
import SQLiteDflat

/// The list in a terminal: keys change what it shows and what is stored, and the screen follows every commit.
///
/// All of it is on the main actor, so that a key and an update never change the list at the same time.
@MainActor
final class ListScreen {
  private let terminal: TerminalScreen
  private let scores: Scores
  private var query: ListQuery
  private var list = ListView()
  private var updateCount = 0
  private var latestUpdate = "none yet"
  private var message = ""
  private var watching: Task<Void, Never>?

  init(terminal: TerminalScreen, scores: Scores, query: ListQuery) {
    self.terminal = terminal
    self.scores = scores
    self.query = query
  }

  /// Shows the list until the key is pressed that quits, or the terminal is closed.
  ///
  /// - Parameter errors: what the store reports.
  func run(errors: AsyncStream<String>) async {
    let reporting = Task {
      for await error in errors { say(error) }
    }
    redraw()
    watch()
    for await key in terminal.readKeys() {
      if key == .character("q") { break }
      await press(key)
      draw()
    }
    watching?.cancel()
    reporting.cancel()
  }

  // MARK: Updates

  /// Fetches what is to be shown, and follows it from then on.
  private func watch() {
    watching?.cancel()
    let result = query.fetch(from: scores.workspace)
    list.show(Array(result))
    draw()
    // If the terminal is slow, it gets the latest state only, with the difference from what it has.
    let updates = scores.workspace.subscribe(fetchedResult: result)
    watching = Task {
      for await result in updates {
        // A key may have changed the query while this update waited for the main actor.
        if Task.isCancelled { return }
        show(result)
      }
    }
  }

  private func show(_ result: FetchedResult<Player>) {
    guard let difference = result.difference else { return }
    list.apply(difference) { result[$0] }
    updateCount += 1
    latestUpdate = difference.summary
    draw()
  }

  // MARK: Keys

  private func press(_ key: Key) async {
    switch key {
    case .up, .character("k"): list.moveSelection(by: -1)
    case .down, .character("j"): list.moveSelection(by: 1)
    case .character("f"):
      query.filter = query.filter.next
      watch()
    case .character("s"):
      query.order = query.order.next
      watch()
    case .character("a"):
      let name = Writer.newName()
      report(await scores.add(name, to: Team.allCases.randomElement() ?? .red, points: 30), "added \(name)")
    case .character("d"):
      guard let name = list.selection else { return }
      report(await scores.delete(name), "deleted \(name)")
    case .character("+"), .character("r"):
      guard let name = list.selection else { return }
      report(await scores.raise(name, by: 10), "raised \(name) by 10")
    case .redraw: redraw()
    case .character: break
    }
  }

  /// Says what a key has done. If it has failed, the store says why.
  private func report(_ isStored: Bool, _ change: String) {
    if isStored { say("You have \(change).") }
  }

  private func say(_ message: String) {
    self.message = message
    draw()
  }

  // MARK: Drawing

  private static let help = "↑↓ select   + raise   a add   d delete   f filter   s sort   q quit"

  /// Two lines above the list, and two below.
  private func redraw() {
    let size = terminal.size
    terminal.write(Escape.clearScreen)
    list.place(firstRow: 3, lines: max(1, size.rows - 4), columns: size.columns)
    draw()
  }

  private func draw() {
    let (rows, columns) = terminal.size
    func line(_ row: Int, _ text: String, _ style: String = "") -> String {
      Escape.cursor(row: row) + Escape.clearLine + style + text.prefix(columns) + Escape.plain
    }
    // In one call, so that nothing half drawn is seen.
    terminal.write(
      list.takeOutput()
        + line(1, "\(query.filter.title), by \(query.order.rawValue): \(list.players.count)", Escape.bold)
        + line(2, "update \(updateCount): \(latestUpdate)")
        + line(rows - 1, message)
        + line(rows, ListScreen.help, Escape.inverse))
  }
}
