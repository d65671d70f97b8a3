import ArgumentParser
import Dflat
import Foundation
import SQLiteDflat

@main
struct LiveList: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "LiveList",
    abstract: "A list of players that follows what is stored, whoever stores it.",
    usage: """
      LiveList [<options of watch>]
      LiveList write [<options>]
      """,
    discussion: """
      While the list is shown, a thread and another process write. In a terminal, keys change what is shown and what is stored:

        up, down   select a player       a   add a player
        +          raise the selected    d   delete the selected
        f          next filter           s   next order
        q          quit

      Each update marks the lines that it has inserted (+), moved (↕) or changed (*). All others stay as they are.

      Without a terminal, or with --updates or --seconds, each update is printed as a line. At the end, the list that was \
      made from the differences is compared with what is stored. The exit code is 1 if they differ, or updates are missing.

      A second terminal can write to the same file, or watch it as well:

        LiveList write --file players.sqlite3
      """,
    subcommands: [Watch.self, Write.self], defaultSubcommand: Watch.self)
}

/// The file that is watched and written.
struct StoreOptions: ParsableArguments {
  @Option(help: ArgumentHelp("The store's file. It is made if it is not there.", valueName: "path"))
  var file = "players.sqlite3"

  @Option(help: ArgumentHelp("How long a writer rests after each change.", valueName: "milliseconds"))
  var every = 500

  func validate() throws {
    let folder = URL(fileURLWithPath: file).deletingLastPathComponent().path
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: folder, isDirectory: &isFolder), isFolder.boolValue else {
      throw ValidationError("There is no folder \(folder). Make it, or name a file in another one with --file.")
    }
    guard !FileManager.default.fileExists(atPath: file, isDirectory: &isFolder) || !isFolder.boolValue else {
      throw ValidationError("\(file) is a folder. Name a file in it, such as --file \(file)/players.sqlite3.")
    }
    guard every > 0 else {
      throw ValidationError("--every \(every) is no time between changes. Give it milliseconds, from 1 on.")
    }
  }

  func workspace(errorHandler: (@Sendable (any Error) -> Void)? = nil) -> SQLiteWorkspace {
    SQLiteWorkspace(filePath: file, fileProtectionLevel: .noProtection, errorHandler: errorHandler)
  }
}

struct Watch: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Show the list. This is what is done without a command; 'LiveList --help' tells of the keys.",
    usage: "LiveList [<options>]")

  @OptionGroup var store: StoreOptions

  @Option(help: ArgumentHelp("Which players to show first.", valueName: "filter"))
  var show = Filter.all

  @Option(help: ArgumentHelp("How to sort them first.", valueName: "order"))
  var sort = Order.points

  @Flag(inversion: .prefixedNo, help: "Whether another thread writes.")
  var thread = true

  @Flag(inversion: .prefixedNo, help: "Whether another process writes: this program, which starts itself.")
  var process = true

  @Option(
    help: ArgumentHelp("Print so many updates, and more until each writer was seen, and end.", valueName: "number"))
  var updates: Int?

  @Option(help: ArgumentHelp("Print updates for so long, and end.", valueName: "seconds"))
  var seconds: Double?

  func validate() throws {
    if let updates, updates < 1 {
      throw ValidationError("--updates \(updates) would print nothing. Give it a number from 1 on.")
    }
    if let seconds, !(seconds > 0 && seconds <= 86_400) {
      throw ValidationError("--seconds \(seconds) is no time to watch. Give it a number up to 86400, which is a day.")
    }
  }

  func run() async throws {
    let query = ListQuery(filter: show, order: sort)
    if updates == nil, seconds == nil, TerminalScreen.isAvailable {
      try await showScreen(of: query)
    } else {
      let workspace = store.workspace()
      let log = UpdateLog(workspace: workspace, query: query, updates: updates, seconds: seconds)
      let outcome = await result { try await log.run { try startWriters(in: workspace, report: printError) } }
      await workspace.shutdown()
      try outcome.get()
    }
  }

  private func showScreen(of query: ListQuery) async throws {
    // Standard error is the screen: what the store reports has its line there.
    let (errors, report) = AsyncStream.makeStream(of: String.self, bufferingPolicy: .bufferingNewest(1))
    let workspace = store.workspace { report.yield("The store reports: \($0)") }
    let writers = try startWriters(in: workspace) { report.yield("The other process reports: \($0)") }
    let terminal = try TerminalScreen()
    await ListScreen(terminal: terminal, scores: Scores(workspace: workspace, writer: "you"), query: query)
      .run(errors: errors)
    terminal.leave()
    let exitCode = await writers.end()
    if exitCode != 0 { printError("The other process has ended with the exit code \(exitCode).") }
    await workspace.shutdown()
  }

  private func startWriters(
    in workspace: SQLiteWorkspace, report: @escaping @Sendable (String) -> Void
  ) throws -> Writers {
    try Writers(
      in: workspace, file: store.file, thread: thread, process: process, every: store.every, report: report)
  }

  /// What `body` returns or throws, for something to be done before it is thrown on.
  private func result(of body: () async throws -> Void) async -> Result<Void, any Error> {
    do { return .success(try await body()) } catch { return .failure(error) }
  }
}

struct Write: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Change players at random, and print each change, until Ctrl-C: for a second terminal.",
    usage: "LiveList write [<options>]")

  @OptionGroup var store: StoreOptions

  @Option(help: ArgumentHelp("End after so many changes.", valueName: "number"))
  var changes: Int?

  /// How `Watch` starts it.
  @Flag(help: .hidden)
  var untilInputEnds = false

  func validate() throws {
    if let changes, changes < 1 {
      throw ValidationError("--changes \(changes) would write nothing. Give it a number from 1 on.")
    }
  }

  func run() async throws {
    let workspace = store.workspace()
    let writer = Writer(
      scores: Scores(workspace: workspace, writer: Writers.processName), pause: .milliseconds(store.every))
    let writing = Task { [changes] in await writer.run(changes: changes ?? .max, report: printLine) }
    if untilInputEnds {
      // A thread of its own, since it waits until then.
      Thread.detachNewThread {
        while !FileHandle.standardInput.availableData.isEmpty {}
        writing.cancel()
      }
    }
    await writing.value
    await workspace.shutdown()
  }
}
