import Dflat
import Foundation
import GRDB
import RawSQLite
import SQLiteDflat

/// How many documents a second are inserted, fetched, updated and deleted, by how many there are.
struct SizesBenchmark {
  private let folder: URL
  private let rounds: Int
  private let reporter: Reporter
  private static let sizes = [100, 1_000, 10_000, 100_000]
  private static let jobs: [(job: WritingTask<BenchDoc>.Job, plot: Plot)] = [
    (.insert, .insert), (.update, .update), (.delete, .delete),
  ]

  init(_ measurement: Measurement) {
    folder = measurement.folder
    rounds = min(measurement.rounds, 3)
    reporter = measurement.reporter
  }

  func run() async throws {
    reporter.print("throughput by the number of documents, in documents a second")
    for size in Self.sizes { try await measure(size) }
  }

  private func measure(_ size: Int) async throws {
    let tasks = try Self.jobs.enumerated().map { step, job in
      try WritingTask<BenchDoc>(job.job, step: Int32(step), count: size)
    }
    var timings = Timings(.crud)
    // Small files take so little that more rounds are needed.
    for round in 0..<rounds * (size < 10_000 ? 5 : 1) {
      let path = { (side: String) in folder.appending(path: "size-\(size)-\(round)-\(side).sqlite3").path }
      let raw = RawSide<BenchDoc>(path: path("raw"), count: size)
      let store = StoreSide<BenchDoc>(path: path("store"))
      let grdb = GRDBSide<GRDBDoc>(path: path("grdb"), inserting: tasks[0].objects)
      for task in tasks {
        try await timings.measure(task, by: raw)
        try await timings.measure(task, by: store)
        try await timings.measure(task, by: grdb)
        guard task.job == .insert else { continue }
        try fetchByC(size, path("raw"), &timings)
        try await fetchByStore(size, path("store"), &timings)
        try fetchByGRDB(size, path("grdb"), &timings)
      }
      for side in ["raw", "store", "grdb"] { try FileManager.default.removeItem(atPath: path(side)) }
    }
    for (task, plot) in zip(tasks, Self.jobs.map(\.plot)) { try report(task.name, plot, size, timings) }
    try report(Self.fetching, .fetch, size, timings)
  }

  private static let fetching = "fetch all"

  private func report(_ job: String, _ plot: Plot, _ size: Int, _ timings: Timings) throws {
    var line = "  \(size) documents, \(job):"
    for (name, label) in [("dflat", ""), ("SQLite's C API", "raw "), ("GRDB", Timings.grdb)] {
      let rate = Double(size) / timings.median(label + job)
      try reporter.add(plot, name, [(Double(size), rate)])
      line += " \(name) \(Int(rate)),"
    }
    reporter.print(String(line.dropLast()))
  }

  // MARK: Fetching from a file that has just been opened and read from

  private func fetchByC(_ size: Int, _ path: String, _ timings: inout Timings) throws {
    let database = raw_docs_open(path)
    defer { raw_close(database) }
    guard raw_docs_count(database, .min) == size else { throw BenchmarkError(description: "SQLite lost documents") }
    var found: UnsafeMutablePointer<raw_doc>?
    let number = timings.measure("raw " + Self.fetching) { raw_docs_scan(database, .min, nil, &found) }
    raw_docs_free(found, max(number, 0))
    try expect(Int(number), size)
  }

  private func fetchByStore(_ size: Int, _ path: String, _ timings: inout Timings) async throws {
    let workspace = SQLiteWorkspace(filePath: path, fileProtectionLevel: .noProtection)
    try expect(workspace.fetch(for: BenchDoc.self).count(where: BenchDoc.priority >= 0), size)
    let found = timings.measure(Self.fetching) { workspace.fetch(for: BenchDoc.self).all() }
    try expect(found.count, size)
    await workspace.shutdown()
  }

  private func fetchByGRDB(_ size: Int, _ path: String, _ timings: inout Timings) throws {
    let pool = try DatabasePool.benchmarked(path: path)
    try expect(pool.read(GRDBDoc.fetchCount), size)
    let found = try timings.measure(Timings.grdb + Self.fetching) { try pool.read(GRDBDoc.fetchAll) }
    try expect(found.count, size)
    try pool.close()
  }

  private func expect(_ found: Int, _ size: Int) throws {
    if found != size { throw BenchmarkError(description: "\(found) documents were found, not \(size)") }
  }
}
