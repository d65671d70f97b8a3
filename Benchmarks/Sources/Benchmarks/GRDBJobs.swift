import Dispatch
import Foundation
import GRDB

/// GRDB doing what the store is timed with, as an app would write it. A job is timed under the store's name for it, after
/// `Timings.grdb`, and each checks that it was done.
struct GRDBJobs {
  let folder: URL

  /// A pool, which uses a log and synchronizes as the store does.
  private func pool(_ name: String, full: Bool = false) throws -> DatabasePool {
    var configuration = Configuration()
    configuration.prepareDatabase { database in
      try database.execute(sql: full ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = NORMAL")
    }
    return try DatabasePool(path: folder.appending(path: name).path, configuration: configuration)
  }

  private func check(_ isDone: Bool) throws {
    if !isDone { throw BenchmarkError(description: "GRDB did not do what it was told to") }
  }

  private func makePosts(_ posts: [Post], in pool: DatabasePool) throws {
    try pool.write { database in
      for post in posts {
        var record = GRDBPost(post)
        try record.insert(database)
      }
    }
  }

  // MARK: The jobs of StoreBenchmark

  func insertAndFetch(_ posts: [Post], _ round: Int, _ timings: inout Timings) throws {
    let pool = try pool("grdb-\(round).sqlite3")
    try timings.measure(Timings.grdb + "insert, one transaction") {
      try pool.write(GRDBPost.createTable)
      try makePosts(posts, in: pool)
    }
    let fetched = try timings.measure(Timings.grdb + "fetch all") { try pool.read(GRDBPost.fetchAll) }
    try check(fetched.map(\.title) == posts.map(\.title))
    try pool.close()
  }

  // MARK: Those of FetchBenchmark

  func makeDocuments(_ documents: [BenchDoc]) throws -> DatabasePool {
    let pool = try pool("grdb-documents.sqlite3")
    try pool.write { database in
      try GRDBDoc.createTable(in: database)
      for document in documents {
        var record = GRDBDoc(document)
        try record.insert(database)
      }
    }
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

  // MARK: Those of WritingBenchmark

  func write(_ posts: [Post], _ round: Int, _ timings: inout Timings) throws {
    var pool = try pool("grdb-writing-\(round).sqlite3")
    try pool.write(GRDBPost.createTable)
    try makePosts(posts, in: pool)
    var stored = try pool.read(GRDBPost.fetchAll)
    try timings.measure(Timings.grdb + "update, one transaction") {
      try pool.write { database in
        for number in stored.indices {
          stored[number].priority = Int32(7 * number)
          try stored[number].update(database)
        }
      }
    }
    try updateEach(&stored, 1, pool, "update, a transaction each", &timings)
    try pool.close()
    pool = try self.pool("grdb-writing-\(round).sqlite3", full: true)
    try updateEach(&stored, 2, pool, "update, a transaction each, full", &timings)
    try timings.measure(Timings.grdb + "delete, one transaction") {
      try pool.write { database in
        for post in stored { try check(post.delete(database)) }
      }
    }
    try check(pool.read(GRDBPost.fetchCount) == 0)
    try pool.close()
  }

  private func updateEach(
    _ posts: inout [GRDBPost], _ step: Int, _ pool: DatabasePool, _ job: String, _ timings: inout Timings
  ) throws {
    try timings.measure(Timings.grdb + job) {
      for number in posts.indices {
        posts[number].priority = Int32(7 * number + step)
        let post = posts[number]
        try pool.write { try post.update($0) }
      }
    }
    try check(pool.read(GRDBPost.fetchAll).map(\.priority) == posts.map(\.priority))
  }

  func insertFromThreads(_ count: Int, _ round: Int, _ timings: inout Timings) throws {
    let pool = try pool("grdb-lines-\(round).sqlite3")
    let numbers = 0..<count
    let inserts: [@Sendable () throws -> Void] = [
      inserting(numbers.map { GRDBLine<GRDBLineTagA>($0) }, into: pool),
      inserting(numbers.map { GRDBLine<GRDBLineTagB>($0) }, into: pool),
      inserting(numbers.map { GRDBLine<GRDBLineTagC>($0) }, into: pool),
      inserting(numbers.map { GRDBLine<GRDBLineTagD>($0) }, into: pool),
    ]
    timings.measure(Timings.grdb + "four threads") {
      DispatchQueue.concurrentPerform(iterations: inserts.count) { thread in
        do {
          try inserts[thread]()
        } catch {
          print("GRDB cannot insert: \(error)")
        }
      }
    }
    for table in [GRDBLineTagA.table, GRDBLineTagB.table, GRDBLineTagC.table, GRDBLineTagD.table] {
      try check(pool.read { try Table(table).fetchCount($0) } == count)
    }
    try pool.close()
  }

  private func inserting<Tag: GRDBLineTag>(
    _ lines: [GRDBLine<Tag>], into pool: DatabasePool
  ) -> @Sendable () throws -> Void {
    {
      try pool.write { database in
        try GRDBLine<Tag>.createTable(in: database)
        for line in lines {
          var line = line
          try line.insert(database)
        }
      }
    }
  }
}
