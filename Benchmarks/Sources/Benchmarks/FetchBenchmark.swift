import Dflat
import Foundation
import RawSQLite
import SQLiteDflat

/// Fetching documents through the store, beside the SQLite C API reading the same file and decoding by hand.
struct FetchBenchmark {
  let folder: URL
  let rounds: Int
  let memory: MemoryPolicy
  private let count = 10_000
  /// A sixth of the documents: those of a larger priority.
  private let least: Int32 = 8_332

  func run() async throws {
    print("fetching from \(count) documents, beside SQLite's C API and GRDB; \(memory.label)")
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
    var timings = Timings(memory)
    for _ in 0..<rounds {
      try scan(workspace, database, documents, &timings)
      try findEach(workspace, database, documents, titlesInC, &timings)
      count(workspace, &timings)
      try grdb.fetch(from: pool, titles, above: least, &timings)
    }
    try pool.close()
    await workspace.shutdown()
    timings.report("fetch a sixth by a number without index", to: "raw scan by number")
    timings.report("fetch a sixth by a string without index", to: "raw scan by string")
    timings.report("count a sixth by a number without index", to: "raw scan by number")
    timings.report("fetch one by one by primary key", to: "raw one by one")
  }

  private func scan(
    _ workspace: SQLiteWorkspace, _ database: UnsafeMutableRawPointer, _ documents: [BenchDoc],
    _ timings: inout Timings
  ) throws {
    let docs = workspace.fetch(for: BenchDoc.self)
    var found: UnsafeMutablePointer<raw_doc>?
    let byNumber = timings.measure("raw scan by number") { raw_docs_scan(database, least, nil, &found) }
    raw_docs_free(found, max(byNumber, 0))
    let larger = timings.measure("fetch a sixth by a number without index") { docs.where(BenchDoc.priority > least) }
    let byString = timings.measure("raw scan by string") { raw_docs_scan(database, 0, "tag 3", &found) }
    raw_docs_free(found, max(byString, 0))
    let tagged = timings.measure("fetch a sixth by a string without index") { docs.where(BenchDoc.tag == "tag 3") }
    guard byNumber == 1667, byString == 1667, Array(larger) == documents.filter({ $0.priority > least }),
      Array(tagged) == documents.filter({ $0.tag == "tag 3" })
    else { throw BenchmarkError(description: "the scans did not find what was put in") }
  }

  private func findEach(
    _ workspace: SQLiteWorkspace, _ database: UnsafeMutableRawPointer, _ documents: [BenchDoc],
    _ titlesInC: [UnsafePointer<CChar>?], _ timings: inout Timings
  ) throws {
    let docs = workspace.fetch(for: BenchDoc.self)
    var raw: UnsafeMutablePointer<raw_doc>?
    // While a connection of the store keeps a snapshot, SQLite asks the system for no lock in this process: the C API alone
    // does not have that. It is over after 10 ms.
    Thread.sleep(forTimeInterval: 0.05)
    let number = timings.measure("raw one by one") {
      raw_docs_by_title(database, titlesInC, Int32(titlesInC.count), &raw)
    }
    raw_docs_free(raw, max(number, 0))
    let titles = documents.map(\.title)
    let found = timings.measure("fetch one by one by primary key") {
      var found: [BenchDoc] = []
      found.reserveCapacity(titles.count)
      for title in titles { found += docs.where(BenchDoc.title == title) }
      return found
    }
    guard Int(number) == documents.count, found == documents else {
      throw BenchmarkError(description: "the primary keys did not find what was put in")
    }
  }

  private func count(_ workspace: SQLiteWorkspace, _ timings: inout Timings) {
    let number = timings.measure("count a sixth by a number without index") {
      workspace.fetch(for: BenchDoc.self).count(where: BenchDoc.priority > least)
    }
    precondition(number == 1667, "The documents were counted wrongly.")
  }
}
