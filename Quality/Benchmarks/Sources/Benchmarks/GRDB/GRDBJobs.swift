import Foundation
import GRDB

/// GRDB fetching what the store is timed with, as an app would write it. A job is timed under the store's name for it, after
/// `Timings.grdb`, and each checks that it was done.
struct GRDBJobs {
  let folder: URL

  private func check(_ isDone: Bool) throws {
    if !isDone { throw BenchmarkError(description: "GRDB did not do what it was told to") }
  }

  // MARK: The jobs of StoreBenchmark

  private var posts: String { folder.appending(path: "grdb-posts.sqlite3").path }

  func makePosts(_ posts: [Post]) throws {
    let pool = try DatabasePool.benchmarked(path: self.posts)
    try GRDBPost.insert(posts.map { GRDBPost($0) }, into: pool)
    try pool.close()
  }

  func fetchAll(_ posts: [Post], _ timings: inout Timings) throws {
    let pool = try DatabasePool.benchmarked(path: self.posts)
    _ = try pool.read { try GRDBPost.fetchOne($0) }
    let fetched = try timings.measure(Timings.grdb + "fetch all") { try pool.read(GRDBPost.fetchAll) }
    try check(fetched.map(\.title) == posts.map(\.title))
    try pool.close()
  }

  // MARK: That of IndexFetchBenchmark

  func fetchByIndex(_ job: String, above least: Int32, _ expected: [Post], _ timings: inout Timings) throws {
    let pool = try DatabasePool.benchmarked(path: posts)
    _ = try pool.read { try GRDBPost.fetchOne($0) }
    let fetched = try timings.measure(Timings.grdb + job) {
      try pool.read { try GRDBPost.filter(Column("priority") > least).fetchAll($0) }
    }
    try check(fetched.map(\.title) == expected.map(\.title))
    try pool.close()
  }

  // MARK: Those of FetchBenchmark

  func makeDocuments(_ documents: [BenchDoc]) throws -> DatabasePool {
    let pool = try DatabasePool.benchmarked(path: folder.appending(path: "grdb-documents.sqlite3").path)
    try GRDBDoc.insert(documents.map { GRDBDoc($0) }, into: pool)
    return pool
  }

  func fetch(from pool: DatabasePool, _ titles: [String], above least: Int32, _ timings: inout Timings) throws {
    let larger = GRDBDoc.filter(Column("priority") > least)
    let byNumber = try timings.measure(Timings.grdb + "fetch a sixth by a number without index") {
      try pool.read { try larger.fetchAll($0) }
    }
    let byString = try timings.measure(Timings.grdb + "fetch a sixth by a string without index") {
      try pool.read { try GRDBDoc.filter(Column("tag") == "tag 3").fetchAll($0) }
    }
    let count = try timings.measure(Timings.grdb + "count a sixth by a number without index") {
      try pool.read { try larger.fetchCount($0) }
    }
    let found = try timings.measure(Timings.grdb + "fetch one by one by primary key") {
      var found: [GRDBDoc] = []
      for title in titles {
        if let document = try pool.read({ try GRDBDoc.fetchOne($0, key: ["title": title]) }) { found.append(document) }
      }
      return found
    }
    try check(byNumber.count == 1667 && byString.count == 1667 && count == 1667 && found.map(\.title) == titles)
  }
}
