import Dflat
import Foundation
import RawSQLite
import SQLiteDflat

/// Fetching all posts through the store, beside the SQLite C API reading the same file and decoding by hand.
///
/// Each begins with a file that has just been opened and read from.
struct StoreBenchmark {
  private let folder: URL
  private let rounds: Int
  private let memory: MemoryPolicy
  private let reporter: Reporter
  private let count = 10_000
  /// How often each side fetches in a round: one fetch takes milliseconds, and the next one may take a tenth longer.
  private static let turns = 8

  init(_ measurement: Measurement, _ memory: MemoryPolicy) {
    folder = measurement.folder
    rounds = measurement.rounds
    reporter = measurement.reporter
    self.memory = memory
  }

  func run() async throws {
    reporter.print("store: \(count) posts, beside SQLite's C API and GRDB; \(memory.label)")
    let posts = (0..<count).map { Post.sample($0, priority: Int32($0)) }
    let path = folder.appending(path: "posts.sqlite3").path
    let workspace = SQLiteWorkspace(filePath: path, fileProtectionLevel: .noProtection)
    guard await Post.insert(posts, into: workspace) else {
      throw BenchmarkError(description: "the posts cannot be stored")
    }
    await workspace.shutdown()
    let grdb = GRDBJobs(folder: folder)
    try grdb.makePosts(posts)
    var timings = Timings(.crud, memory)
    for _ in 0..<rounds * Self.turns {
      try raw(posts, path, isFloor: false, &timings)
      try await store(posts, path, &timings)
      try raw(posts, path, isFloor: true, &timings)
      try grdb.fetchAll(posts, &timings)
    }
    try reporter.add(timings.rowWithFloor("fetch all", to: "raw fetch", reach: 1.4))
  }

  private func store(_ posts: [Post], _ path: String, _ timings: inout Timings) async throws {
    let workspace = SQLiteWorkspace(filePath: path, fileProtectionLevel: .noProtection)
    _ = workspace.fetch(for: Post.self).all(limit: .limit(1))
    let fetched = timings.measure("fetch all") { workspace.fetch(for: Post.self).all() }
    await workspace.shutdown()
    guard Array(fetched) == posts else {
      throw BenchmarkError(description: "the store did not give back what was put in")
    }
  }

  /// Has the C program fetch, after another side has: as what the store is compared with, or as the floor.
  private func raw(_ posts: [Post], _ path: String, isFloor: Bool, _ timings: inout Timings) throws {
    var table = raw_open(path, Post.table, 1, 0)
    defer { raw_close(table.database) }
    guard table.database != nil, raw_touch(&table) == 0 else {
      throw BenchmarkError(description: "SQLite cannot read the store's file")
    }
    var found: UnsafeMutablePointer<raw_post>?
    let fetch = { raw_fetch_all(table.database, &found) }
    let number =
      isFloor
      ? try timings.measureFloor(of: "fetch all", table.database, fetch) : timings.measure("raw fetch", fetch)
    defer { raw_posts_free(found, max(number, 0)) }
    let titles = UnsafeBufferPointer(start: found, count: Int(max(number, 0))).map { String(cString: $0.title) }
    guard titles == posts.map(\.title) else {
      throw BenchmarkError(description: "SQLite did not give back what was put in (\(number))")
    }
  }
}
