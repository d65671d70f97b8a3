import ArgumentParser
import Dflat

/// In which order lists are shown.
enum Sorting: String, Codable, CaseIterable, ExpressibleByArgument {
  case number, title, due

  var keys: [OrderBy<Note>] {
    switch self {
    case .number: [Note.number.ascending]
    case .title: [Note.title.ascending, Note.number.ascending]
    // Notes without a day come last.
    case .due: [Note.due.isNull.ascending, Note.due.ascending, Note.number.ascending]
    }
  }
}

/// What the user has chosen, in the dictionary of the file.
struct Settings {
  private let dictionary: any WorkspaceDictionary

  init(_ workspace: some Workspace) {
    dictionary = workspace.dictionary
  }

  var sorting: Sorting {
    get { dictionary["sorting", Sorting.self] ?? .number }
    nonmutating set { dictionary["sorting"] = newValue }
  }

  var showsDone: Bool {
    get { dictionary["shows done", default: false] }
    nonmutating set { dictionary["shows done"] = newValue }
  }
}
