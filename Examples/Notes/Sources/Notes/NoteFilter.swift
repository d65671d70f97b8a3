import ArgumentParser
import Dflat

/// Which notes are shown.
struct NoteFilter: ParsableArguments {
  @Option(help: "Notes with this tag.")
  var tag: String?

  @Option(help: ArgumentHelp("Notes whose title begins so.", valueName: "prefix"))
  var title: String?

  @Option(
    help: ArgumentHelp("Notes with this in their title or text, whatever its case and accents.", valueName: "part"))
  var search: String?

  @Option(help: ArgumentHelp("Notes that are to be done before this day.", valueName: "yyyy-mm-dd"))
  var dueBefore: Day?

  /// Fetches the notes. The result can be subscribed to.
  func fetch(from store: NoteStore) throws -> FetchedResult<Note> {
    let order = store.settings.sorting.keys
    let notes = store.workspace.fetch(for: Note.self).throwing
    return try predicate(showsDone: store.settings.showsDone).map { try notes.where($0, orderBy: order) }
      ?? notes.all(orderBy: order)
  }

  /// The condition that the notes must satisfy; nil if all notes are wanted. Indexes answer the conditions on tags, days and beginnings of titles.
  private func predicate(showsDone: Bool) -> QueryExpression<Bool, Note>? {
    var conditions: [QueryExpression<Bool, Note>] = []
    if let tag { conditions.append(Note.tag == tag) }
    if let title { conditions.append(Note.title.hasPrefix(title)) }
    if let search { conditions.append(Note.title.folded.contains(search) || Note.text.folded.contains(search)) }
    if let dueBefore { conditions.append(Note.due < dueBefore.text) }
    if !showsDone { conditions.append(Note.isDone == false) }
    return conditions.first.map { first in conditions.dropFirst().reduce(first) { $0 && $1 } }
  }
}

/// A day, such as 2026-12-24.
struct Day: ExpressibleByArgument, Sendable {
  let text: String

  init?(argument: String) {
    let parts = argument.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.map(\.count) == [4, 2, 2], parts.allSatisfy({ $0.allSatisfy { ("0"..."9").contains($0) } }),
      let month = Int(parts[1]), let day = Int(parts[2]), (1...12).contains(month), (1...31).contains(day)
    else { return nil }
    text = argument
  }
}

extension Priority: ExpressibleByArgument {
  /// Reads a priority as it is written in the terminal; nil if it is none.
  public init?(argument: String) {
    switch argument {
    case "normal": self = .normal
    case "high": self = .high
    case "low": self = .low
    default: return nil
    }
  }
}
