import ArgumentParser

@main
struct Notes: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "Notes",
    abstract: "Notes in one file.",
    discussion: """
      EXAMPLES
        Notes add "Buy milk" --tag home --due 2026-12-24
        Notes add "Send the report" --tag work --priority high
        Notes list --tag home
        Notes list --title Buy --due-before 2027-01-01
        Notes done 1
        Notes set --sort due --show-done
        Notes live

      `live` shows the list until Ctrl-C, and follows what other processes store: try it in a second terminal.
      """,
    subcommands: [Add.self, List.self, Live.self, Done.self, Remove.self, Set.self], defaultSubcommand: List.self)
}

struct Add: AsyncParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Store a note, and print its number.")

  @OptionGroup var store: StoreOptions

  @Argument(help: "What the note is about.")
  var title: String

  @Option(help: "The note itself.")
  var text: String?

  @Option(help: "A word to find it by.")
  var tag: String?

  @Option(help: ArgumentHelp("The day until which it is to be done.", valueName: "yyyy-mm-dd"))
  var due: Day?

  @Option(help: "normal, high or low.")
  var priority = Priority.normal

  func run() async throws {
    try await store.use { notes in
      let number = try await notes.add { number, created in
        Note(
          number: number, title: title, text: text, created: created, tag: tag, priority: priority, due: due?.text)
      }
      print("Note \(number)")
    }
  }
}

struct List: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Print notes. This is what is done without a command.")

  @OptionGroup var store: StoreOptions
  @OptionGroup var filter: NoteFilter

  func run() async throws {
    try await store.use { notes in
      print(NoteTable(try filter.fetch(from: notes)), terminator: "")
    }
  }
}

struct Done: AsyncParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Mark a note as done.")

  @OptionGroup var store: StoreOptions

  @Argument(help: "The number of the note.")
  var number: Int64

  func run() async throws {
    try await store.use { notes in
      try await notes.change(number) { $0.isDone = true }
    }
  }
}

struct Remove: AsyncParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Delete a note.")

  @OptionGroup var store: StoreOptions

  @Argument(help: "The number of the note.")
  var number: Int64

  func run() async throws {
    try await store.use { notes in try await notes.remove(number) }
  }
}

struct Set: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Change how lists are shown from now on, and print the settings.")

  @OptionGroup var store: StoreOptions

  @Option(help: "number, title or due.")
  var sort: Sorting?

  @Flag(inversion: .prefixedNo, help: "Whether notes that are done are shown.")
  var showDone: Bool?

  func run() async throws {
    try await store.use { notes in
      if let sort { notes.settings.sorting = sort }
      if let showDone { notes.settings.showsDone = showDone }
      print("sort: \(notes.settings.sorting.rawValue), show done: \(notes.settings.showsDone ? "yes" : "no")")
    }
  }
}
