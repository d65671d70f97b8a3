import ArgumentParser
import Dflat
import Foundation

struct Live: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Show notes until Ctrl-C, and follow what is stored, by this process or another.")

  @OptionGroup var store: StoreOptions
  @OptionGroup var filter: NoteFilter

  @Option(help: ArgumentHelp("End after so many updates.", valueName: "number"))
  var updates: Int?

  func validate() throws {
    if let updates, updates < 1 {
      throw ValidationError("--updates \(updates) would show nothing. Give it a number from 1 on.")
    }
  }

  func run() async throws {
    try await store.use { notes in
      let result = try filter.fetch(from: notes)
      show(result, title: "now")
      var count = 0
      // Each result is that of a commit, with the difference from the one before it.
      for await result in notes.workspace.subscribe(fetchedResult: result) {
        count += 1
        show(result, title: "update \(count): \(result.difference?.summary ?? "")")
        if count == updates { break }
      }
    }
  }

  /// On a terminal, in place of what was shown before.
  private func show(_ notes: FetchedResult<Note>, title: String) {
    let clear = isatty(STDOUT_FILENO) == 1 ? "\u{1B}[2J\u{1B}[H" : ""
    print("\(clear)\(title)\n\(NoteTable(notes))", terminator: "")
    // A program that reads this wants it now.
    fflush(nil)
  }
}

extension ResultDifference {
  /// What is different, in words.
  fileprivate var summary: String {
    "\(insertions.count) inserted, \(removals.count) removed, \(moves.count) moved, \(changes.count) changed"
  }
}
