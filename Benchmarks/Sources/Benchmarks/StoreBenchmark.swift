import Dflat
import FlatBuffersCore
import Foundation
import RawSQLite
import SQLiteDflat

/// Inserting and fetching posts through the store, beside the SQLite C API doing the same with the same bytes.
struct StoreBenchmark {
  let folder: URL
  let rounds: Int
  private let count = 10_000

  func run() async throws {
    print("store: \(count) posts, beside SQLite's C API and GRDB")
    let posts = (0..<count).map(post)
    let encoded = try posts.map(encode)
    var timings = Timings()
    for round in 0..<rounds {
      try raw(encoded, titles: posts.map(\.title), priorities: posts.map(\.priority), round: round, &timings)
      try await store(posts, round: round, &timings)
      try GRDBJobs(folder: folder).insertAndFetch(posts, round, &timings)
    }
    timings.report("insert, one transaction", to: "raw insert")
    timings.report("fetch all", to: "raw fetch")
  }

  private func post(_ number: Int) -> Post {
    Post(
      title: "post number \(number)", color: [.red, .green, .blue][number % 3], tag: "tag \(number % 100)",
      priority: Int32(number), content: .textContent(TextContent(text: "What post number \(number) says")))
  }

  private func encode(_ post: Post) throws -> [UInt8] {
    var builder = FlatBufferBuilder()
    let root = post.to(flatBufferBuilder: &builder)
    try builder.finish(root)
    return builder.withFinishedBytes { Array($0) }
  }

  private func store(_ posts: [Post], round: Int, _ timings: inout Timings) async throws {
    let workspace = SQLiteWorkspace(
      filePath: folder.appending(path: "store-\(round).sqlite3").path, fileProtectionLevel: .noProtection)
    let succeeded = await timings.measure("insert, one transaction") {
      await workspace.performChanges([Post.self]) { transaction in
        for post in posts {
          transaction.try(submit: PostChangeRequest.creationRequest(post))
        }
      }
    }
    let fetched = timings.measure("fetch all") { workspace.fetch(for: Post.self).all() }
    await workspace.shutdown()
    guard succeeded, Array(fetched) == posts else {
      throw BenchmarkError(description: "the store did not give back what was put in")
    }
  }

  private func raw(
    _ encoded: [[UInt8]], titles: [String], priorities: [Int32], round: Int, _ timings: inout Timings
  ) throws {
    let titles = titles.map { Array($0.utf8) }
    // The C side borrows these bytes: they are copied into memory that stays where it is until it is done.
    let titleBytes = titles.map { copy($0) }
    let rowBytes = encoded.map { copy($0) }
    defer {
      for bytes in titleBytes + rowBytes { bytes.deallocate() }
    }
    let rows = encoded.indices.map { index in
      raw_row(
        title: UnsafeRawPointer(titleBytes[index].baseAddress)?.assumingMemoryBound(to: CChar.self),
        title_length: Int32(titleBytes[index].count), priority: priorities[index],
        bytes: UnsafePointer(rowBytes[index].baseAddress), byte_count: Int32(rowBytes[index].count))
    }
    let path = folder.appending(path: "raw-\(round).sqlite3").path
    // The store opens the file and makes its tables when it is first used: so it is the same work that is timed here.
    let (database, code) = timings.measure("raw insert") {
      let database = raw_open(path)
      return (database, database.map { raw_insert($0, rows, Int32(rows.count)) } ?? -1)
    }
    guard let database else { throw BenchmarkError(description: "SQLite cannot open its file") }
    defer { raw_close(database) }
    var found: UnsafeMutablePointer<raw_post>?
    let count = timings.measure("raw fetch") { raw_fetch_all(database, &found) }
    raw_posts_free(found, max(count, 0))
    guard code == 0, count == encoded.count else {
      throw BenchmarkError(description: "SQLite did not give back what was put in (\(code), \(count))")
    }
  }

  private func copy(_ bytes: [UInt8]) -> UnsafeMutableBufferPointer<UInt8> {
    let copy = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: bytes.count)
    _ = copy.initialize(from: bytes)
    return copy
  }
}
