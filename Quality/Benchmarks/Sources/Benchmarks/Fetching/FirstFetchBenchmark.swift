import Dflat
import Foundation
import GRDB
import RawSQLite
import SQLiteDflat

/// The first fetch in a process, by a field without index, beside the SQLite C API and GRDB.
///
/// What a process does for the first time costs more: pages of code, metadata of types and statements are not there yet.
/// An app that has just been launched pays for it. So each fetch is made in a process of its own, which opens a file that
/// was closed. The sides do a different part of the work when they open the file, so a second row includes that.
struct FirstFetchBenchmark {
  private let folder: URL
  private let rounds: Int
  private let memory: MemoryPolicy
  private let reporter: Reporter

  /// One fetch of a process that has done nothing else.
  struct Fetch {
    enum Side: String, CaseIterable {
      case raw, store, grdb

      /// Stands before the names of the jobs that it does.
      var label: String {
        switch self {
        case .raw: "raw "
        case .store: ""
        case .grdb: Timings.grdb
        }
      }
    }

    let side: Side
    let path: String
  }

  private static let count = 10_000
  /// A sixth of the documents: those of a larger priority.
  fileprivate static let least: Int32 = 8_332
  fileprivate static var documents: [BenchDoc] { (0..<count).map { BenchDoc.sample($0, priority: Int32($0)) } }
  private static let fetch = "fetch a sixth by a number without index, first in a process"
  private static let openAndFetch = "open the file and fetch a sixth, first in a process"

  init(_ measurement: Measurement, _ memory: MemoryPolicy) {
    folder = measurement.folder
    rounds = measurement.rounds
    reporter = measurement.reporter
    self.memory = memory
  }

  // MARK: The process that prints the rows

  func run() async throws {
    let path = folder.appending(path: "first-fetch.sqlite3").path
    let workspace = SQLiteWorkspace(filePath: path, fileProtectionLevel: .noProtection)
    guard await BenchDoc.insert(Self.documents, into: workspace) else {
      throw BenchmarkError(description: "the documents cannot be stored")
    }
    await workspace.shutdown()
    let grdbPath = folder.appending(path: "first-fetch-grdb.sqlite3").path
    let pool = try DatabasePool.benchmarked(path: grdbPath)
    try GRDBDoc.insert(Self.documents.map { GRDBDoc($0) }, into: pool)
    try pool.closeWithEmptyLog()
    var timings = Timings(.crud, memory)
    // So short a job is often disturbed: more rounds.
    for _ in 0..<rounds * 3 {
      for side in Fetch.Side.allCases {
        try measure(Fetch(side: side, path: side == .grdb ? grdbPath : path), &timings)
      }
    }
    try reporter.add(timings.row(Self.fetch, to: "raw \(Self.fetch)", called: "raw", reach: 1.5))
    try reporter.add(timings.row(Self.openAndFetch, to: "raw \(Self.openAndFetch)", called: "raw"))
  }

  private func measure(_ fetch: Fetch, _ timings: inout Timings) throws {
    let output = try output(
      of: Benchmarks.program,
      ["--first-fetch", fetch.side.rawValue, "--file", fetch.path, "--" + memory.option])
    let nanoseconds = output.split(whereSeparator: \.isWhitespace).compactMap { Int64($0) }
    guard nanoseconds.count == 2 else {
      throw BenchmarkError(description: "the first fetch (\(fetch.side.rawValue)) printed: \(output)")
    }
    timings.record(fetch.side.label + Self.fetch, .nanoseconds(nanoseconds[1]))
    timings.record(fetch.side.label + Self.openAndFetch, .nanoseconds(nanoseconds[0] + nanoseconds[1]))
  }
}

// MARK: The process that fetches

extension FirstFetchBenchmark.Fetch {
  /// Opens the file and fetches. Prints the nanoseconds that opening and fetching took.
  func run() async throws {
    switch side {
    case .raw: try raw()
    case .store: try await store()
    case .grdb: try grdb()
    }
  }

  private func store() async throws {
    let start = ContinuousClock.now
    let workspace = SQLiteWorkspace(filePath: path, fileProtectionLevel: .noProtection)
    let opened = ContinuousClock.now
    let larger = workspace.fetch(for: BenchDoc.self).where(BenchDoc.priority > FirstFetchBenchmark.least)
    report(start, opened, .now)
    try check(Array(larger) == FirstFetchBenchmark.documents.filter { $0.priority > FirstFetchBenchmark.least })
    await workspace.shutdown()
  }

  private func raw() throws {
    let start = ContinuousClock.now
    let database = raw_docs_open(path)
    defer { raw_close(database) }
    let opened = ContinuousClock.now
    var found: UnsafeMutablePointer<raw_doc>?
    let number = raw_docs_scan(database, FirstFetchBenchmark.least, nil, &found)
    report(start, opened, .now)
    raw_docs_free(found, max(number, 0))
    try check(number == 1667)
  }

  private func grdb() throws {
    let start = ContinuousClock.now
    let pool = try DatabasePool.benchmarked(path: path)
    let opened = ContinuousClock.now
    let larger = try pool.read { database in
      try GRDBDoc.filter(Column("priority") > FirstFetchBenchmark.least).fetchAll(database)
    }
    report(start, opened, .now)
    try check(larger.count == 1667)
    try pool.close()
  }

  private func check(_ isDone: Bool) throws {
    if !isDone { throw BenchmarkError(description: "the first fetch did not find what was put in") }
  }

  private func report(
    _ start: ContinuousClock.Instant, _ opened: ContinuousClock.Instant, _ fetched: ContinuousClock.Instant
  ) {
    print(nanoseconds(opened - start), nanoseconds(fetched - opened))
  }

  private func nanoseconds(_ duration: Duration) -> Int64 {
    let (seconds, attoseconds) = duration.components
    return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
  }
}
