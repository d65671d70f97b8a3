import Dflat
import Foundation
import RawSQLite
import SQLiteDflat

/// How much memory stays in use while a large table is written, and while it is read page by page.
struct MemoryBenchmark {
  let folder: URL
  private let count = 1_000_000
  private let batch = 1_000
  /// From here on the memory should not grow: SQLite's page cache is full.
  private let warm = 100_000

  func run() async throws {
    print("memory: \(count) posts, written and read by \(batch)")
    let workspace = SQLiteWorkspace(
      filePath: folder.appending(path: "memory.sqlite3").path, fileProtectionLevel: .noProtection)
    var before: Int64 = 0
    for first in stride(from: 0, to: count, by: batch) {
      if first == warm { before = raw_resident_memory() }
      guard await insert(first..<first + batch, workspace) else {
        throw BenchmarkError(description: "the store did not store")
      }
    }
    report("inserting \(count - warm)", since: before)

    var seen = 0
    var last: Post?
    repeat {
      if seen == warm { before = raw_resident_memory() }
      last = page(after: last, workspace, &seen)
    } while last != nil
    guard seen == count else { throw BenchmarkError(description: "the pages have \(seen) posts, not \(count)") }
    report("reading \(count - warm) page by page", since: before)
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

  private func report(_ job: String, since before: Int64) {
    let after = raw_resident_memory()
    print("  \(job): resident memory \(mebibytes(after)) MiB, grown by \(mebibytes(after - before)) MiB")
  }

  private func mebibytes(_ bytes: Int64) -> String { String(format: "%.1f", Double(bytes) / 1_048_576) }
}
