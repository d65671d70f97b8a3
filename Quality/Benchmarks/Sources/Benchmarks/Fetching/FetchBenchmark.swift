import Dflat
import Foundation
import RawSQLite
import SQLiteDflat

/// Fetching documents through the store, beside the SQLite C API reading the same file and decoding by hand.
struct FetchBenchmark {
  private let folder: URL
  private let rounds: Int
  private let memory: MemoryPolicy
  private let reporter: Reporter
  private typealias RawFetch = (inout UnsafeMutablePointer<raw_doc>?) -> Int32
  private let count = 10_000
  /// A sixth of the documents: those of a larger priority.
  private let least: Int32 = 8_332
  private let byNumber = "fetch a sixth by a number without index"
  private let byString = "fetch a sixth by a string without index"
  private let counting = "count a sixth by a number without index"
  private let oneByOne = "fetch one by one by primary key"

  init(_ measurement: Measurement, _ memory: MemoryPolicy) {
    folder = measurement.folder
    rounds = measurement.rounds
    reporter = measurement.reporter
    self.memory = memory
  }

  func run() async throws {
    reporter.print("fetching from \(count) documents, beside SQLite's C API and GRDB; \(memory.label)")
    let path = folder.appending(path: "documents.sqlite3").path
    let documents = (0..<count).map { BenchDoc.sample($0, priority: Int32($0)) }
    let workspace = SQLiteWorkspace(filePath: path, fileProtectionLevel: .noProtection)
    guard await BenchDoc.insert(documents, into: workspace), let database = raw_docs_open(path) else {
      throw BenchmarkError(description: "the documents cannot be stored")
    }
    defer { raw_close(database) }
    let titles = documents.map(\.title)
    let titlesInC = titles.map { UnsafePointer(strdup($0)) }
    defer {
      for title in titlesInC { free(UnsafeMutablePointer(mutating: title)) }
    }
    let grdb = GRDBJobs(folder: folder)
    let pool = try grdb.makeDocuments(documents)
    var timings = Timings(.crud, memory)
    for _ in 0..<rounds {
      try scan(workspace, database, documents, &timings)
      try findEach(workspace, database, documents, titlesInC, &timings)
      try count(workspace, database, &timings)
      try grdb.fetch(from: pool, titles, above: least, &timings)
    }
    try pool.close()
    await workspace.shutdown()
    try reporter.add(timings.rowWithFloor(byNumber, to: "raw scan by number", reach: 1.4))
    try reporter.add(timings.rowWithFloor(byString, to: "raw scan by string", reach: 1.4))
    try reporter.add(timings.rowWithFloor(counting, to: "raw scan by number", reach: 1.1))
    try reporter.add(timings.rowWithFloor(oneByOne, to: "raw one by one", reach: 0.65, dependsOnSystemCalls: true))
  }

  private func scan(
    _ workspace: SQLiteWorkspace, _ database: UnsafeMutableRawPointer, _ documents: [BenchDoc],
    _ timings: inout Timings
  ) throws {
    let docs = workspace.fetch(for: BenchDoc.self)
    let scanByNumber: RawFetch = { raw_docs_scan(database, least, nil, &$0) }
    try expect(1667) { found in timings.measure("raw scan by number") { scanByNumber(&found) } }
    let larger = timings.measure(byNumber) { docs.where(BenchDoc.priority > least) }
    let scanByString: RawFetch = { raw_docs_scan(database, 0, "tag 3", &$0) }
    try expect(1667) { found in timings.measure("raw scan by string") { scanByString(&found) } }
    let tagged = timings.measure(byString) { docs.where(BenchDoc.tag == "tag 3") }
    try expect(1667) { found in try timings.measureFloor(of: byNumber, database) { scanByNumber(&found) } }
    // So that this floor is not measured right after the other.
    _ = docs.where(BenchDoc.tag == "tag 3")
    try expect(1667) { found in try timings.measureFloor(of: byString, database) { scanByString(&found) } }
    guard Array(larger) == documents.filter({ $0.priority > least }),
      Array(tagged) == documents.filter({ $0.tag == "tag 3" })
    else { throw BenchmarkError(description: "the scans did not find what was put in") }
  }

  private func findEach(
    _ workspace: SQLiteWorkspace, _ database: UnsafeMutableRawPointer, _ documents: [BenchDoc],
    _ titlesInC: [UnsafePointer<CChar>?], _ timings: inout Timings
  ) throws {
    let docs = workspace.fetch(for: BenchDoc.self)
    // While a connection of the store keeps a snapshot, SQLite asks the system for no lock in this process: the C API alone
    // does not have that. It is over after 10 ms.
    Thread.sleep(forTimeInterval: 0.05)
    let fetchEach: RawFetch = { raw_docs_by_title(database, titlesInC, Int32(titlesInC.count), &$0) }
    try expect(documents.count) { found in timings.measure("raw one by one") { fetchEach(&found) } }
    let titles = documents.map(\.title)
    let found = timings.measure(oneByOne) {
      var found: [BenchDoc] = []
      found.reserveCapacity(titles.count)
      for title in titles { found += docs.where(BenchDoc.title == title) }
      return found
    }
    try expect(documents.count) { found in try timings.measureFloor(of: oneByOne, database) { fetchEach(&found) } }
    guard found == documents else {
      throw BenchmarkError(description: "the primary keys did not find what was put in")
    }
  }

  private func count(
    _ workspace: SQLiteWorkspace, _ database: UnsafeMutableRawPointer, _ timings: inout Timings
  ) throws {
    let number = timings.measure(counting) {
      workspace.fetch(for: BenchDoc.self).count(where: BenchDoc.priority > least)
    }
    // The floor decodes priorities alone, as a count needs no more. The scan that the ratios are to decodes all.
    let floor = try timings.measureFloor(of: counting, database) { raw_docs_count(database, least) }
    guard number == 1667, floor == 1667 else {
      throw BenchmarkError(description: "the documents were counted wrongly")
    }
  }

  /// Has the C program fetch, and throws if it does not find so many documents.
  ///
  /// They are freed before anything else is timed, and not while it is.
  private func expect(_ count: Int, _ fetch: (inout UnsafeMutablePointer<raw_doc>?) throws -> Int32) throws {
    var found: UnsafeMutablePointer<raw_doc>?
    let number = try fetch(&found)
    raw_docs_free(found, max(number, 0))
    guard number == count else {
      throw BenchmarkError(description: "SQLite found \(number) documents, not \(count)")
    }
  }
}
