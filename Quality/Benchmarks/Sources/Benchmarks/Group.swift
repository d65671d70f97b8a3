import ArgumentParser
import Foundation

/// How much is measured.
enum Extent {
  case full
  /// What tells within two minutes whether something has become slower.
  case quick
}

/// What a run measures with.
struct Measurement {
  /// For the files that are made meanwhile.
  let folder: URL
  let extent: Extent
  let rounds: Int
  /// The path of dflatc.
  let compiler: String
  /// The only memory policy to measure; nil when all are.
  let memory: MemoryPolicy?
  /// The file in which the group `matching` draws its figures.
  let svg: String?
  let reporter: Reporter

  /// Whether GRDB does what is written and observed, too. It takes most of the time, and tells nothing of what has become slower here.
  var isBesideGRDB: Bool { extent == .full }
}

/// What is measured together, and can be asked for alone.
enum Group: String, CaseIterable, ExpressibleByArgument {
  case store, fetch, writing, observing, dictionary, matching, memory, scaling, postgres, latency
  case wire, compiler, convert, check, lsp, generated, package
  case badInput = "bad-input"

  var abstract: String {
    switch self {
    case .store: "fetching all objects, beside SQLite's C API and GRDB"
    case .fetch: "fetching by fields and keys, beside SQLite's C API and GRDB"
    case .writing: "inserting, updating and deleting, on one thread and four, beside SQLite's C API and GRDB"
    case .observing: "telling subscribers what changed, beside asking SQLite's C API and GRDB again"
    case .dictionary: "keys and values, beside SQLite's C API, a Swift dictionary with a lock, and UserDefaults"
    case .matching: "finding the standing queries that match a row, by their number"
    case .memory: "memory in use while a million objects are written and read"
    case .scaling: "throughput by the number of objects, and by the number of threads"
    case .postgres: "the store on PostgreSQL, beside libpq from C"
    case .latency: "how long writers wait on PostgreSQL while an index of a large table is built, or others write much"
    case .wire: "the wire format, beside FlatBuffers' C++ library"
    case .compiler: "dflatc compile, beside flatc"
    case .convert: "dflatc convert of 50 MB of JSON, beside flatc -b"
    case .check: "dflatc check, beside flatc --conform"
    case .lsp: "dflatc lsp, from a key stroke to its diagnostics"
    case .generated: "lines of generated Swift, and the Swift compiler's time for them"
    case .package: "the first release build of a package with the plug-in, from sources and from the bundle"
    case .badInput: "time and memory of dflatc for inputs that are no schemas"
    }
  }

  /// Whether a quick run measures it.
  var isQuick: Bool {
    switch self {
    case .store, .fetch, .writing, .observing, .dictionary, .matching, .wire, .compiler, .check, .lsp: true
    case .memory, .scaling, .postgres, .latency, .convert, .generated, .package, .badInput: false
    }
  }

  /// Whether it is measured only where it is asked for: the release build of a package from sources alone takes six minutes, and the
  /// report is to be made within half an hour.
  var isOnlyByName: Bool { self == .package }

  /// Whether it runs `dflatc`.
  var usesCompiler: Bool {
    switch self {
    case .compiler, .convert, .check, .lsp, .generated, .package, .badInput: true
    case .store, .fetch, .writing, .observing, .dictionary, .matching, .memory, .scaling, .postgres, .latency, .wire:
      false
    }
  }

  func run(_ measurement: Measurement) async throws {
    switch self {
    case .store: try await StoreGroup.store.run(measurement)
    case .fetch: try await StoreGroup.fetch.run(measurement)
    case .writing: try await StoreGroup.writing.run(measurement)
    case .observing: try await ObservingBenchmark(measurement).run()
    case .dictionary: try await DictionaryBenchmark(measurement).run()
    case .matching: try MatchingBenchmark(measurement).run()
    case .memory: try await MemoryBenchmark(measurement).run()
    case .scaling:
      try await SizesBenchmark(measurement).run()
      try await ThreadsBenchmark(measurement).run()
    case .postgres: try await PostgresBenchmark(measurement).run()
    case .latency: try await PostgresLatencyBenchmark(measurement).run()
    case .wire: try WireFormatBenchmark(measurement).run()
    case .compiler: try CompilerBenchmark(measurement).run()
    case .convert: try ConvertBenchmark(measurement).run()
    case .check:
      try EvolutionBenchmark(measurement).run()
      try RepositoryBenchmark(measurement).run()
    case .lsp: try EditorBenchmark(measurement).run()
    case .generated: try GeneratedCodeBenchmark(measurement).run()
    case .package: try PackageBenchmark(measurement).run()
    case .badInput: try BadInputBenchmark(measurement).run()
    }
  }
}
