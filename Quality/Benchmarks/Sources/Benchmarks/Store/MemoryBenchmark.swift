import Dflat
import Foundation
import RawSQLite
import SQLiteDflat

/// How much memory stays in use while a large table is written, and while it is read page by page.
struct MemoryBenchmark {
  private let folder: URL
  private let reporter: Reporter
  private let count = 1_000_000
  private let batch = 1_000
  /// From here on the memory should not grow: SQLite's page cache is full.
  private let warm = 100_000

  init(_ measurement: Measurement) {
    folder = measurement.folder
    reporter = measurement.reporter
  }

  func run() async throws {
    reporter.print("memory: \(count) posts, written and read by \(batch)")
    let workspace = SQLiteWorkspace(
      filePath: folder.appending(path: "memory.sqlite3").path, fileProtectionLevel: .noProtection)
    var before: Int64 = 0
    for first in stride(from: 0, to: count, by: batch) {
      if first == warm { before = raw_resident_memory() }
      guard await insert(first..<first + batch, workspace) else {
        throw BenchmarkError(description: "the store did not store")
      }
    }
    try report("inserting \(count - warm)", since: before)

    var seen = 0
    var last: Post?
    repeat {
      if seen == warm { before = raw_resident_memory() }
      last = page(after: last, workspace, &seen)
    } while last != nil
    guard seen == count else { throw BenchmarkError(description: "the pages have \(seen) posts, not \(count)") }
    try report("reading \(count - warm) page by page", since: before)
    await workspace.shutdown()
  }

  private func insert(_ numbers: Range<Int>, _ workspace: SQLiteWorkspace) async -> Bool {
    await workspace.performChanges([Post.self]) { transaction in
      for number in numbers {
        let post = Post(title: "post number \(number)", tag: "tag \(number % 100)", priority: Int32(number))
        transaction.try(submit: PostChangeRequest.creationRequest(post))
      }
    }
  }

  /// Fetches a page and adds to `seen` how many posts it has. Returns the last of them.
  private func page(after last: Post?, _ workspace: SQLiteWorkspace, _ seen: inout Int) -> Post? {
    let page = workspace.fetch(for: Post.self)
      .all(limit: .limit(batch), orderBy: [Post.priority.ascending], after: last)
    seen += page.count
    return page.last
  }

  private func report(_ job: String, since before: Int64) throws {
    let after = raw_resident_memory()
    var row = ReportRow(.memory, "growth while \(job)", .mebibytes, [Double(after - before) / 1_048_576])
    row.reach = 1
    row.note = "\(ReportRow.Unit.mebibytes.text(Double(after) / 1_048_576)) resident"
    try reporter.add(row)
  }
}
