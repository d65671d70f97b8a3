import Dflat
import Dispatch
import Foundation
import GRDB
import RawSQLite
import SQLiteDflat

/// How many documents a second are found by primary key, and how many objects inserted, by the number of threads.
///
/// The work is the same for any number of threads: each does its part of it.
struct ThreadsBenchmark {
  private let folder: URL
  private let rounds: Int
  private let reporter: Reporter
  private let count = 10_000
  private static let sides = [("dflat", ""), ("SQLite's C API", "raw "), ("GRDB", Timings.grdb)]

  init(_ measurement: Measurement) {
    folder = measurement.folder
    rounds = min(measurement.rounds, 3)
    reporter = measurement.reporter
  }

  func run() async throws {
    reporter.print("throughput by the number of threads, in objects a second")
    try await read()
    try await insert()
  }

  private func report(_ job: String, _ plot: Plot, threads: Int, objects: Int, _ timings: Timings) throws {
    var line = "  \(threads) \(threads == 1 ? "thread" : "threads"), \(job):"
    for (name, label) in Self.sides {
      let rate = Double(objects) / timings.median(label + job)
      try reporter.add(plot, name, [(Double(threads), rate)])
      line += " \(name) \(Int(rate)),"
    }
    reporter.print(String(line.dropLast()))
  }

  // MARK: Reading

  private func read() async throws {
    let path = folder.appending(path: "threads-documents.sqlite3").path
    let documents = (0..<count).map { BenchDoc.sample($0, priority: Int32($0)) }
    let workspace = SQLiteWorkspace(filePath: path, fileProtectionLevel: .noProtection)
    guard await BenchDoc.insert(documents, into: workspace) else {
      throw BenchmarkError(description: "the documents cannot be stored")
    }
    let pool = try DatabasePool.benchmarked(path: path + "-grdb")
    try GRDBDoc.insert(documents.map { GRDBDoc($0) }, into: pool)
    let titles = documents.map(\.title)
    let job = "fetch by primary key"
    for threads in [1, 2, 4, 8] {
      var timings = Timings(.threads)
      let readers = try (0..<threads).map { number in
        try RawReader(path: path, titles: part(number, of: threads, titles))
      }
      for _ in 0..<rounds {
        let byC = timings.measure("raw " + job) { onThreads(threads) { readers[$0].read() } }
        let byStore = timings.measure(job) {
          onThreads(threads) { number in
            part(number, of: threads, titles).reduce(0) { sum, title in
              sum + workspace.fetch(for: BenchDoc.self).where(BenchDoc.title == title).count
            }
          }
        }
        let byGRDB = timings.measure(Timings.grdb + job) {
          onThreads(threads) { number in
            part(number, of: threads, titles).reduce(0) { sum, title in
              // A failure finds nothing, which is noticed below.
              sum + ((try? pool.read { try GRDBDoc.fetchOne($0, key: ["title": title]) }) == nil ? 0 : 1)
            }
          }
        }
        guard [byC, byStore, byGRDB] == [count, count, count] else {
          throw BenchmarkError(description: "\([byC, byStore, byGRDB]) documents were found, not \(count) each")
        }
      }
      try report(job, .readThreads, threads: threads, objects: count, timings)
    }
    try pool.close()
    await workspace.shutdown()
  }

  private func part(_ number: Int, of threads: Int, _ titles: [String]) -> ArraySlice<String> {
    titles[titles.count * number / threads..<titles.count * (number + 1) / threads]
  }

  /// Calls `body` on so many threads, with the number of each. Returns the sum.
  private func onThreads(_ threads: Int, _ body: @escaping (Int) -> Int) -> Int {
    var sums = [Int](repeating: 0, count: threads)
    // Each thread writes its own element, and all have returned before this does.
    sums.withUnsafeMutableBufferPointer { sums in
      let sums = sums
      performOnThreads(threads) { sums[$0] = body($0) }
    }
    return sums.reduce(0, +)
  }

  /// A connection of the C API, and what is found through it.
  private final class RawReader {
    private let database: UnsafeMutableRawPointer
    private let titles: [UnsafePointer<CChar>?]

    init(path: String, titles: some Sequence<String>) throws {
      guard let database = raw_docs_open(path) else {
        throw BenchmarkError(description: "SQLite cannot open the store's file")
      }
      self.database = database
      self.titles = titles.map { UnsafePointer(strdup($0)) }
    }

    deinit {
      raw_close(database)
      for title in titles { free(UnsafeMutablePointer(mutating: title)) }
    }

    func read() -> Int {
      var found: UnsafeMutablePointer<raw_doc>?
      let number = raw_docs_by_title(database, titles, Int32(titles.count), &found)
      raw_docs_free(found, max(number, 0))
      return Int(number)
    }
  }

  // MARK: Inserting

  private func insert() async throws {
    let job = "insert, a type for each thread"
    for threads in [1, 2, 4] {
      var timings = Timings(.threads)
      let benchmark = try LineInsertion(folder: folder, threads: threads, count: count)
      for round in 0..<rounds { try await benchmark.run(job, round, &timings) }
      try report(job, .insertThreads, threads: threads, objects: threads * count, timings)
    }
  }
}
