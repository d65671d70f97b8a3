import Foundation

/// A test of the package, made long: what it tries, and how much of it a run takes.
///
/// The variables are those of `LongForm` in `Tests/TestSupport`. A run lasts about a minute, so that the forms take turns.
struct Form: Sendable {
  /// What it tries, in words.
  let title: String
  /// Which tests it is, as `--filter` takes them: alternatives without groups, since each has to find a test.
  let filter: String
  /// How much of them: variables without `DFLAT_`.
  let sizes: [String: Int]
  /// Whether all runs are alike, so that one is enough.
  var isExhaustive = false
  /// Whether it starts servers of PostgreSQL. It is left out where none is installed.
  var needsPostgres = false

  static let all: [Form] = [
    Form(
      title: "strict serializability: random transactions, fetches and subscriptions of four threads",
      filter: "HistoryTests/randomHistories", sizes: ["HISTORIES": 60]),
    Form(
      title: "serializability: two workspaces, and two and three processes with two each, on one file",
      filter: "SharedHistoryTests", sizes: ["SHARED_CALLS": 150]),
    Form(
      title: "no lost update and no lost insertion between workspaces and processes",
      filter: "LostUpdateTests", sizes: ["SHARED_UPDATES": 150]),
    Form(
      title: "nothing seen is unseen while other processes commit", filter: "MonotonicFetchTests",
      sizes: ["FOREIGN_INSERTS": 4000]),
    Form(
      title: "kill -9 at random times while transactions are written", filter: #"\.CrashTests/killedAtRandomTimes"#,
      sizes: ["CRASHES": 200]),
    Form(
      title: "kill -9 while large transactions change, delete, fetch and abort: the store is what a model says",
      filter: "LargeTransactionCrashTests", sizes: ["LARGE_CRASHES": 60]),
    Form(
      title: "kill -9 at random times while the dictionary is written",
      filter: "DictionaryCrashTests/killedAtRandomTimes", sizes: ["CRASHES": 200]),
    Form(
      title: "power lost at random calls: sectors written, torn, reordered or not written", filter: "PowerLossTests",
      sizes: ["POWER_LOSSES": 200]),
    Form(
      title: "each call of the file system fails in turn, once and for ever", filter: #"\.FaultTests/eachCall"#,
      sizes: ["FAULTS": 1_000_000], isExhaustive: true),
    Form(
      title: "each allocation of SQLite fails in turn, once and with all that follow", filter: "MemoryFaultTests",
      sizes: ["ALLOCATIONS": 1], isExhaustive: true),
    Form(title: "the disk is full, and has room again", filter: "FullDiskTests", sizes: [:]),
    Form(
      title: "commits fail, and the workspace is shut down, while threads do everything else",
      filter: "RandomFailureTests", sizes: [:]),
    Form(
      title: "standing queries deliver what a fetch gives, after every commit", filter: "StandingQueryModelTests",
      sizes: ["STANDING_COMMITS": 300]),
    Form(
      title: "subscribing and cancelling at any moment, beside writers", filter: "SubscriptionRaceTests", sizes: [:]),
    Form(
      title: "the dictionary beside a model, opened again and again", filter: "DictionaryModelTests",
      sizes: ["DICTIONARY_STEPS": 3000]),
    Form(
      title: "objects and queries beside a model, by every path, with indexes spoiled and corrupted",
      filter: #"\.ModelTests/randomHistory|QueuedModelTests|QueryPathTests|IndexCorruptionTests/random"#,
      sizes: ["CONDITIONS": 3000]),
    Form(
      title: "conditions on dates, amounts, folded texts and vectors: every path, and beside a version without indexes",
      filter:
        #"MappedConditionTests/random|MappedConditionTests/subscribers|VectorConditionTests/random|"#
        + #"\.ElementIndexTests/random|\.FoldedIndexTests/random|\.TwoVersionTests"#,
      sizes: ["CONDITIONS": 5000]),
    Form(
      title: "two schema versions on one file: objects read, stored anew and found by indexes that change",
      filter: "StoreProofTests/proof", sizes: ["STORE_PAIRS": 25], needsPostgres: true),
    Form(
      title: "rows whose bytes are made to do harm, and damaged ones", filter: "HostileRowTests|DamagedRowTests",
      sizes: [:]),
    Form(
      title: "a folder that a reader may not write to, while its owner writes", filter: "UnwritableFolderTests",
      sizes: ["FOLDER_STEPS": 200]),
    Form(
      title: "large transactions beside a model, with conflicts, aborts and fetches", filter: "LargeTransactionTests",
      sizes: [:]),
    Form(
      title: "closures, handlers and callbacks that block, wait for transactions, or shut the workspace down",
      filter: "BlockedClosureTests|BlockedCompletionTests|WaitingHandlerTests|CompletionOrderTests", sizes: [:]),
    Form(
      title: "random handlers that block, wait for each other and start transactions", filter: "BlockingHandlerTests",
      sizes: ["BLOCKING_HANDLERS": 1500]),
    Form(
      title: "PostgreSQL: histories, and connections that are cut and sessions that are ended at any moment",
      filter: "PostgresHistoryTests|PostgresFailureTests|LostCommitTests|PostgresLossTests|CommitSettlementTests",
      sizes: ["SHARED_UPDATES": 100, "SHARED_CALLS": 150], needsPostgres: true),
    Form(
      title: "PostgreSQL: chains, a bank and orders of two tenants: crashes, kills, cuts at any byte, limits",
      filter: "PostgresLedgerTests/crashes", sizes: ["LEDGER_TRANSACTIONS": 80], needsPostgres: true),
    Form(
      title: "PostgreSQL: chains, a bank and orders of four processes: failovers to a standby, also behind a pooler",
      filter: "PostgresLedgerTests/failovers", sizes: ["LEDGER_TRANSACTIONS": 60], needsPostgres: true),
    Form(
      title: "PostgreSQL: objects, queries, standing queries and the dictionary beside a model",
      filter: "PostgresModelTests|PostgresObservationTests|PostgresDictionaryTests",
      sizes: ["DICTIONARY_STEPS": 400, "STANDING_COMMITS": 200], needsPostgres: true),
    Form(
      title: "PostgreSQL: conditions on dates, amounts, folded texts and vectors, and beside a version without indexes",
      filter:
        "MappedFieldTests/random|MappedFieldTests/subscribers|PostgresVectorTests/random|"
        + "PostgresElementIndexTests/random|PostgresFoldedIndexTests/random|PostgresTwoVersionTests",
      sizes: ["CONDITIONS": 2000], needsPostgres: true),
    Form(
      title: "no lock is held each time that a suspension has begun, under load; nothing is lost or runs twice",
      filter: "SuspensionUnderLoadTests", sizes: ["SUSPENSIONS": 1000]),
    Form(
      title: "the first write of a type beside fetches; a store opened again and again",
      filter: "FirstWriteTests|ManyOpeningsTests", sizes: ["FIRST_WRITES": 200, "OPENINGS": 1000]),
  ]

  /// The folder of the programs of PostgreSQL, as the tests find it; nil if there are none.
  static let postgres: String? = {
    if let folder = ProcessInfo.processInfo.environment["POSTGRES_PROGRAMS"] { return folder }
    let folder = "/usr/lib/postgresql"
    let versions = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    let newest = versions.compactMap { Int($0) }.max().map { "\(folder)/\($0)/bin" }
    let folders = [newest, output("pg_config", "--bindir")].compactMap { $0 }
    return folders.first { FileManager.default.isExecutableFile(atPath: $0 + "/initdb") }
  }()
}
