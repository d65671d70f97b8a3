import Dflat
import Foundation
import RawSQLite
import SQLiteDflat

/// Fetching posts by an index, beside the SQLite C API reading the same index and decoding by hand.
///
/// The store compares each row that the index leads to with the condition, since what was written beside the index may have
/// left a wrong entry. The C program does not: what that check costs is in the ratio.
struct IndexFetchBenchmark {
  private let folder: URL
  private let rounds: Int
  private let memory: MemoryPolicy
  private let reporter: Reporter
  private let count = 10_000
  /// How often each side fetches in a round: one fetch takes half a millisecond, and the next one may take a tenth longer.
  private static let turns = 8
  /// A sixth of the posts: those of a larger priority.
  private let least: Int32 = 8_332
  private let job = "fetch a sixth by an index"

  init(_ measurement: Measurement, _ memory: MemoryPolicy) {
    folder = measurement.folder
    rounds = measurement.rounds
    reporter = measurement.reporter
    self.memory = memory
  }

  func run() async throws {
    let posts = (0..<count).map { Post.sample($0, priority: Int32($0)) }
    let path = folder.appending(path: "indexed.sqlite3").path
    let workspace = SQLiteWorkspace(filePath: path, fileProtectionLevel: .noProtection)
    guard await Post.insert(posts, into: workspace) else {
      throw BenchmarkError(description: "the posts cannot be stored")
    }
    let table = raw_open(path, Post.table, 1, 0)
    defer { raw_close(table.database) }
    guard table.database != nil else { throw BenchmarkError(description: "SQLite cannot read the store's file") }
    let expected = posts.filter { $0.priority > least }
    try await fill(table.database, expected.count, workspace)
    let grdb = GRDBJobs(folder: folder)
    try grdb.makePosts(posts)
    var timings = Timings(.crud, memory)
    for _ in 0..<rounds * Self.turns {
      try raw(table.database, expected) { timings.measure("raw by the index", $0) }
      let fetched = timings.measure(job) { workspace.fetch(for: Post.self).where(Post.priority > least) }
      guard Array(fetched) == expected else {
        throw BenchmarkError(description: "the index did not find what was put in")
      }
      try raw(table.database, expected) { try timings.measureFloor(of: job, table.database, $0) }
      try grdb.fetchByIndex(job, above: least, expected, &timings)
    }
    await workspace.shutdown()
    try reporter.add(timings.rowWithFloor(job, to: "raw by the index", reach: 1.4))
  }

  /// Has the store fill its index, which the first query by it begins.
  private func fill(_ database: UnsafeMutableRawPointer?, _ count: Int, _ workspace: SQLiteWorkspace) async throws {
    for _ in 0..<1_000 {
      _ = workspace.fetch(for: Post.self).where(Post.priority > least)
      var found: UnsafeMutablePointer<raw_post>?
      let number = raw_fetch_by_index(database, least, &found)
      raw_posts_free(found, max(number, 0))
      if number == count { return }
      try await Task.sleep(for: .milliseconds(10))
    }
    throw BenchmarkError(description: "the index was not filled within ten seconds")
  }

  /// Has the C program fetch as `timed` times it.
  private func raw(
    _ database: UnsafeMutableRawPointer?, _ expected: [Post], timed: (() -> Int32) throws -> Int32
  ) throws {
    var found: UnsafeMutablePointer<raw_post>?
    let number = try timed { raw_fetch_by_index(database, least, &found) }
    defer { raw_posts_free(found, max(number, 0)) }
    let titles = UnsafeBufferPointer(start: found, count: Int(max(number, 0))).map { String(cString: $0.title) }
    guard titles == expected.map(\.title) else {
      throw BenchmarkError(description: "SQLite did not find by the index what was put in (\(number))")
    }
  }
}
