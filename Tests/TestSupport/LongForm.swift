import Foundation

/// A test that could go on for ever: how much of it is done, and from which seed on.
///
/// `make test` does the sample of each. A variable, such as `DFLAT_CRASHES=1000`, sets how much is done instead, and
/// `DFLAT_SEED` where it begins; `make -C Quality soak` sets both for one run after the other, and adds up what they record.
package struct LongForm: Sendable {
  /// The name of the variable, without `DFLAT_`.
  package let name: String
  /// How much `make test` does.
  package let sample: Int

  private init(_ name: String, sample: Int) {
    self.name = name
    self.sample = sample
  }

  /// How much is to be done.
  package var size: Int { Self.setting(name) ?? sample }

  /// Processes that are killed while they write.
  package static let crashes = LongForm("CRASHES", sample: 6)
  /// Processes that are killed while they run large transactions.
  package static let largeCrashes = LongForm("LARGE_CRASHES", sample: 4)
  /// Random transactions whose handlers block, of each seed.
  package static let blockingHandlers = LongForm("BLOCKING_HANDLERS", sample: 150)
  /// Losses of power while a store writes, with each level of durability.
  package static let powerLosses = LongForm("POWER_LOSSES", sample: 10)
  /// Calls of the file system that are made to fail in turn, of each kind.
  package static let faults = LongForm("FAULTS", sample: 12)
  /// The first of SQLite's allocations that is made to fail, up to the last. 0 is a sample of them.
  package static let allocations = LongForm("ALLOCATIONS", sample: 0)
  /// Histories of transactions in one workspace.
  package static let histories = LongForm("HISTORIES", sample: 6)
  /// Transactions and fetches of each thread in histories of several workspaces and processes.
  package static let sharedCalls = LongForm("SHARED_CALLS", sample: 40)
  /// Updates of counters that each thread gets stored, beside other workspaces and processes.
  package static let sharedUpdates = LongForm("SHARED_UPDATES", sample: 30)
  /// Commits of another process that fetches are checked against.
  package static let foreignInserts = LongForm("FOREIGN_INSERTS", sample: 400)
  /// Transactions that each worker of a ledger on PostgreSQL gets stored, while its server crashes.
  package static let ledgerTransactions = LongForm("LEDGER_TRANSACTIONS", sample: 12)
  /// Commits of each history that standing queries follow.
  package static let standingCommits = LongForm("STANDING_COMMITS", sample: 60)
  /// Calls that each thread makes on the dictionary, in each round.
  package static let dictionarySteps = LongForm("DICTIONARY_STEPS", sample: 150)
  /// New files that are written first beside fetches.
  package static let firstWrites = LongForm("FIRST_WRITES", sample: 40)
  /// Steps of the owner of a read-only folder.
  package static let folderSteps = LongForm("FOLDER_STEPS", sample: 12)
  /// Suspensions of one store under load.
  package static let suspensions = LongForm("SUSPENSIONS", sample: 300)
  /// Openings of one store.
  package static let openings = LongForm("OPENINGS", sample: 100)
  /// Edits of open documents, after each of which the language server is compared with the commands.
  package static let editorEdits = LongForm("EDITOR_EDITS", sample: 1_600)
  /// Pairs of schemas that `check` is proved on.
  package static let pairs = LongForm("PAIRS", sample: 400)
  /// Pairs of schemas of several files.
  package static let historyPairs = LongForm("HISTORY_PAIRS", sample: 200)
  /// Pairs of schemas whose apps store objects in one file.
  package static let storePairs = LongForm("STORE_PAIRS", sample: 10)

  /// The first seed: DFLAT_SEED, or that of every run of `make test`.
  package static var seed: Int { setting("SEED") ?? 1 }

  /// So many seeds in a row, for a test with an argument.
  package static func seeds(_ count: Int) -> Range<Int> { seed..<seed + count }

  /// The seeds of a test that makes random conditions and compares what several ways of answering them find.
  ///
  /// `make test` takes the seeds from 1 on, so that each run makes the same conditions. DFLAT_CONDITIONS asks for so many
  /// conditions of each test, from DFLAT_SEED on. A failure prints its seed: DFLAT_SEED with it and DFLAT_CONDITIONS=1 repeat it.
  ///
  /// - Parameters:
  ///   - count: how many conditions the test makes from one seed.
  ///   - sample: how many seeds `make test` takes, and how many ranges there are at most.
  /// - Returns: Ranges that may be tried side by side; the seeds of one range are tried one after the other.
  package static func seeds(ofConditions count: Int, sample: Int) -> [Range<Int>] {
    let seeds = setting("CONDITIONS").map { max(1, ($0 + count - 1) / count) } ?? sample
    let length = (seeds + sample - 1) / sample
    let end = seed + seeds
    return stride(from: seed, to: end, by: length).map { $0..<min($0 + length, end) }
  }

  /// Notes, for who adds it up, that something was tried: a line in the file that DFLAT_COUNTS names.
  package static func record(_ count: Int, _ what: String) {
    guard let path = ProcessInfo.processInfo.environment["DFLAT_COUNTS"] else { return }
    let file = open(path, O_WRONLY | O_APPEND | O_CREAT, 0o600)
    guard file >= 0 else { return }
    defer { close(file) }
    // One call, so that lines of tests side by side stay whole.
    let line = Array("\(count) \(what)\n".utf8)
    let written = write(file, line, line.count)
    precondition(written == line.count, "\(path) cannot be written")
  }

  private static func setting(_ name: String) -> Int? {
    ProcessInfo.processInfo.environment["DFLAT_" + name].flatMap { Int($0) }
  }
}
