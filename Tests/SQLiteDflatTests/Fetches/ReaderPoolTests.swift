import EngineTestSupport
import Dflat
import Dispatch
import Foundation
import Golden_post
import Testing

@testable import SQLiteDflat

@Suite("An idle reader keeps its read transaction until a commit")
struct ReaderPoolTests {
  private func setPriority(_ priority: Int32, _ context: any TransactionContext) {
    context.try(submit: PostChangeRequest.upsertRequest(Post(title: "a", priority: priority)))
  }

  private func priority(_ workspace: SQLiteWorkspace) -> Int32 {
    workspace.fetch(for: Post.self).where(Post.title == "a").first?.priority ?? -1
  }

  @Test("A fetch reuses the read transaction of the fetch before it")
  func aFetchUsesTheReadTransactionOfTheFetchBefore() throws {
    let store = try TestStore()
    store.perform([Post.self]) { setPriority(1, $0) }
    let core = store.workspace.core
    // The commit version is looked up when a read transaction begins: so it tells one from the next.
    func readVersion() throws -> UInt64 {
      let reader = try #require(try core.database.acquireReader(.fetch, inTransaction: false))
      defer { core.database.release(reader, .fetch) }
      #expect(reader.isInTransaction)
      return reader.commitVersion
    }
    // A machine that is busy may take longer than the 10 ms that an idle reader keeps it, but not every time.
    let isKept = try (0..<1000).contains { _ in
      #expect(priority(store.workspace) == 1)
      let before = try readVersion()
      core.sequence.forgetChanges()
      return try readVersion() == before
    }
    #expect(isKept)
  }

  @Test("A commit shows at once, on every thread", arguments: [false, true])
  func ownCommits(throughAnother: Bool) throws {
    let store = try TestStore()
    store.perform([Post.self]) { setPriority(0, $0) }
    // The same file by another name.
    let link = store.folder + "/link.sqlite3"
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: store.path)
    let other = SQLiteWorkspace(
      filePath: link, fileProtectionLevel: .noProtection, errorHandler: { store.errors.append($0) })
    defer { other.shutdown() }
    let writing = throughAnother ? other : store.workspace
    let newest = Newest()
    let group = DispatchGroup()
    for _ in 0..<4 {
      group.enter()
      Thread.detachNewThread {
        while newest.value < 300 {
          // What has been committed, or seen by anybody, before a fetch begins, the fetch must see.
          let least = newest.value
          let seen = priority(store.workspace)
          if seen < least { Issue.record("\(seen) was seen after \(least)") }
          newest.raise(to: seen)
        }
        group.leave()
      }
    }
    for number in 1...300 {
      store.perform([Post.self], in: writing) { setPriority(Int32(number), $0) }
      newest.raise(to: Int32(number))
      #expect(priority(store.workspace) == Int32(number))
    }
    #expect(group.wait(timeout: .now() + patience) == .success)
    #expect(store.errors.values.isEmpty)
  }

  @Test("A shutdown has the file for itself once the last reader is given back, whoever still refers to that")
  func shutdownAfterTheLastReader() throws {
    let store = try TestStore()
    store.perform([Post.self]) { setPriority(1, $0) }
    let core = store.workspace.core
    let reader = try #require(try core.database.acquireReader(.snapshot, inTransaction: false))
    let shutdown = BackgroundThreads { _ in store.workspace.shutdown(flags: .truncate) }
    #expect(eventually { core.database.isShutDown })
    core.database.release(reader, .snapshot)
    #expect(shutdown.end())
    // To leave the log, SQLite must be the only one that has the file open.
    #expect(store.errors.values.isEmpty, "\(store.errors.values)")
    #expect(!FileManager.default.fileExists(atPath: store.path + "-wal"))
    withExtendedLifetime(reader) {}
  }

  @Test("A fetch finds a row that another connection has just committed")
  func whatAnotherConnectionCommitsShowsAtOnce() throws {
    let store = try TestStore()
    store.perform([Post.self]) { setPriority(1, $0) }
    // Not through a workspace: the store is told nothing of this.
    for _ in 0..<20 {
      let count = store.workspace.fetch(for: Post.self).count()
      try store.sql("INSERT INTO post (__pk0, p) SELECT __pk0 || rowid, p FROM post ORDER BY rowid DESC LIMIT 1")
      #expect(store.workspace.fetch(for: Post.self).count() == count + 1)
    }
  }

  @Test("The log is reset while there are fetches")
  func theLogDoesNotGrowWhileThereAreFetches() throws {
    let store = try TestStore()
    let text = String(repeating: "x", count: 20_000)
    for number in 0..<1200 {
      store.perform([Post.self]) { context in
        context.try(
          submit: PostChangeRequest.upsertRequest(Post(title: "a", tag: text, priority: Int32(number))))
      }
      #expect(priority(store.workspace) == Int32(number))
    }
    let size = try FileManager.default.attributesOfItem(atPath: store.path + "-wal")[.size] as? Int
    // 1,000 pages are what SQLite lets it grow to; without a reset there would be more than 6,000.
    #expect(try #require(size) < 8_000_000)
  }

  @Test("A commit ends the read transactions of idle readers")
  func aCommitEndsTheReadTransactionsOfIdleReaders() throws {
    let store = try TestStore()
    store.perform([Post.self]) { setPriority(1, $0) }
    let database = store.workspace.core.database
    // A read transaction that idles is ended soon in any case, but not before the next line every time.
    let isKept = (0..<1000).contains { _ in
      #expect(priority(store.workspace) == 1)
      return database.idleReadingCount == 1
    }
    #expect(isKept)
    for number in 2...21 as ClosedRange<Int32> {
      store.perform([Post.self]) { setPriority(number, $0) }
      #expect(database.idleReadingCount == 0)
      #expect(priority(store.workspace) == number)
    }
  }

  @Test("An idle reader does not keep a checkpoint waiting for long")
  func anIdleReaderHoldsNothing() throws {
    let store = try TestStore()
    store.perform([Post.self]) { setPriority(1, $0) }
    for _ in 0..<20 {
      #expect(priority(store.workspace) == 1)
      // Waits for those who read, and says whether it had to give up.
      #expect(try store.sql("PRAGMA wal_checkpoint(TRUNCATE)").first?.first == "0")
    }
    let size = try FileManager.default.attributesOfItem(atPath: store.path + "-wal")[.size] as? Int
    #expect(size == 0)
  }

  /// The largest number that anybody has seen.
  private final class Newest: @unchecked Sendable {
    // Unchecked because the number is guarded by the lock.
    private let lock = NSLock()
    private var number: Int32 = 0

    var value: Int32 {
      lock.lock()
      defer { lock.unlock() }
      return number
    }

    func raise(to other: Int32) {
      lock.lock()
      defer { lock.unlock() }
      number = max(number, other)
    }
  }
}
