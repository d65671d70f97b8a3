import Dflat
import Dispatch
import Foundation
import RawSQLite
import SQLiteDflat

/// Updating, deleting and inserting through the store, beside the SQLite C API doing the same with the same bytes.
struct WritingBenchmark {
  let folder: URL
  let rounds: Int
  private let count = 10_000

  func run() async throws {
    print("writing: \(count) posts, beside SQLite's C API and GRDB")
    let posts = (0..<count).map { post($0, priority: Int32($0)) }
    let raised = (0..<3).map { step in
      (0..<count).map { post($0, priority: Int32(7 * $0 + step)) }
    }
    let rawPosts = try RawRows(posts, title: \.title, priority: \.priority)
    let rawRaised = try raised.map { try RawRows($0, title: \.title, priority: \.priority) }
    let lines = (0..<count).map { LineA(title: "line number \($0)", tag: "tag \($0 % 100)", priority: Int32($0)) }
    let rawLines = try RawRows(lines, title: \.title, priority: \.priority)
    var timings = Timings()
    for round in 0..<rounds {
      try raw(rawPosts, rawRaised, round, &timings)
      try await store(posts, round, &timings)
      let path = folder.appending(path: "raw-lines-\(round).sqlite3").path
      try check(
        timings.measure("raw four threads") { raw_insert_from_threads(path, rawLines.rows, Int32(count), 4) })
      try await insertFromThreads(round, &timings)
      let grdb = GRDBJobs(folder: folder)
      try grdb.write(posts, round, &timings)
      try grdb.insertFromThreads(count, round, &timings)
    }
    for job in WritingBenchmark.jobs { timings.report(job, to: "raw \(job)") }
  }

  private static let jobs = [
    "update, one transaction", "update, a transaction each", "update, a transaction each, full",
    "delete, one transaction", "four threads",
  ]

  private func post(_ number: Int, priority: Int32) -> Post {
    Post(
      title: "post number \(number)", color: [.red, .green, .blue][number % 3], tag: "tag \(number % 100)",
      priority: priority, content: .textContent(TextContent(text: "What post number \(number) says")))
  }

  private func check(_ code: Int32) throws {
    if code != 0 { throw BenchmarkError(description: "SQLite cannot do its part (\(code))") }
  }

  // MARK: The C API

  private func raw(_ posts: RawRows, _ raised: [RawRows], _ round: Int, _ timings: inout Timings) throws {
    guard let database = raw_open(folder.appending(path: "raw-writing-\(round).sqlite3").path) else {
      throw BenchmarkError(description: "SQLite cannot open its file")
    }
    defer { raw_close(database) }
    let count = Int32(count)
    try check(raw_insert(database, posts.rows, count))
    try check(timings.measure("raw update, one transaction") { raw_update(database, raised[0].rows, count, 1) })
    try check(timings.measure("raw update, a transaction each") { raw_update(database, raised[1].rows, count, 0) })
    try check(raw_set_full(database))
    try check(
      timings.measure("raw update, a transaction each, full") { raw_update(database, raised[2].rows, count, 0) })
    try check(timings.measure("raw delete, one transaction") { raw_delete(database, count) })
  }

  // MARK: The store

  private func store(_ posts: [Post], _ round: Int, _ timings: inout Timings) async throws {
    let path = folder.appending(path: "writing-\(round).sqlite3").path
    let workspace = SQLiteWorkspace(filePath: path, fileProtectionLevel: .noProtection)
    await workspace.performChanges([Post.self]) { transaction in
      for post in posts { transaction.try(submit: PostChangeRequest.creationRequest(post)) }
    }
    let stored = workspace.fetch(for: Post.self).all()
    _ = await timings.measure("update, one transaction") {
      await workspace.performChanges([Post.self]) { transaction in
        for (number, post) in stored.enumerated() {
          guard let request = PostChangeRequest.changeRequest(post) else { continue }
          request.priority = Int32(7 * number)
          transaction.try(submit: request)
        }
      }
    }
    timings.measure("update, a transaction each") { updateEach(stored, 1, workspace) }
    try await expect(1, in: workspace)
    await workspace.shutdown()

    let full = SQLiteWorkspace(filePath: path, fileProtectionLevel: .noProtection, synchronous: .full)
    _ = full.fetch(for: Post.self).all(limit: .limit(1))
    timings.measure("update, a transaction each, full") { updateEach(stored, 2, full) }
    try await expect(2, in: full)
    let all = full.fetch(for: Post.self).all()
    _ = await timings.measure("delete, one transaction") {
      await full.performChanges([Post.self]) { transaction in
        for post in all {
          guard let request = PostChangeRequest.deletionRequest(post) else { continue }
          transaction.try(submit: request)
        }
      }
    }
    guard full.fetch(for: Post.self).all().isEmpty else {
      throw BenchmarkError(description: "the store did not delete what it was told to")
    }
    await full.shutdown()
  }

  private func updateEach(_ posts: FetchedResult<Post>, _ step: Int, _ workspace: SQLiteWorkspace) {
    let done = DispatchGroup()
    for (number, post) in posts.enumerated() {
      done.enter()
      workspace.performChanges([Post.self]) { transaction in
        guard let request = PostChangeRequest.changeRequest(post) else { return }
        request.priority = Int32(7 * number + step)
        transaction.try(submit: request)
      } completionHandler: { _ in
        done.leave()
      }
    }
    done.wait()
  }

  private func expect(_ step: Int, in workspace: SQLiteWorkspace) async throws {
    let priorities = workspace.fetch(for: Post.self).all().map(\.priority)
    guard priorities == (0..<count).map({ Int32(7 * $0 + step) }) else {
      throw BenchmarkError(description: "the store did not update what it was told to")
    }
  }

  private func insertFromThreads(_ round: Int, _ timings: inout Timings) async throws {
    let workspace = SQLiteWorkspace(
      filePath: folder.appending(path: "lines-\(round).sqlite3").path, fileProtectionLevel: .noProtection)
    let count = count
    let objects = (0..<count).map { number in
      (title: "line number \(number)", tag: "tag \(number % 100)", priority: Int32(number))
    }
    let a = objects.map { LineA(title: $0.title, tag: $0.tag, priority: $0.priority) }
    let b = objects.map { LineB(title: $0.title, tag: $0.tag, priority: $0.priority) }
    let c = objects.map { LineC(title: $0.title, tag: $0.tag, priority: $0.priority) }
    let d = objects.map { LineD(title: $0.title, tag: $0.tag, priority: $0.priority) }
    let done = DispatchGroup()
    timings.measure("four threads") {
      DispatchQueue.concurrentPerform(iterations: 4) { thread in
        done.enter()
        let completion: @Sendable (Bool) -> Void = { _ in done.leave() }
        switch thread {
        case 0:
          workspace.performChanges([LineA.self]) { transaction in
            for line in a { transaction.try(submit: LineAChangeRequest.creationRequest(line)) }
          } completionHandler: {
            completion($0)
          }
        case 1:
          workspace.performChanges([LineB.self]) { transaction in
            for line in b { transaction.try(submit: LineBChangeRequest.creationRequest(line)) }
          } completionHandler: {
            completion($0)
          }
        case 2:
          workspace.performChanges([LineC.self]) { transaction in
            for line in c { transaction.try(submit: LineCChangeRequest.creationRequest(line)) }
          } completionHandler: {
            completion($0)
          }
        default:
          workspace.performChanges([LineD.self]) { transaction in
            for line in d { transaction.try(submit: LineDChangeRequest.creationRequest(line)) }
          } completionHandler: {
            completion($0)
          }
        }
      }
      done.wait()
    }
    guard workspace.fetch(for: LineD.self).all().count == count else {
      throw BenchmarkError(description: "the store did not keep what was inserted")
    }
    await workspace.shutdown()
  }
}
