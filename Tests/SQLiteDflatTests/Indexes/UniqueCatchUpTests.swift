import EngineTestSupport
import CSQLite
import Dflat
import Dispatch
import Foundation
import Golden_post
import Testing

@testable import SQLiteDflat

/// A unique index that is behind could not refuse a duplicate. A transaction completes it before its own first write, in
/// the small steps of the background job.
@Suite("A unique index that is behind is completed in small transactions before the first write")
struct UniqueCatchUpTests {
  /// A file whose schema had no unique index when `count` things were stored.
  private func storeOfThings(_ count: Int) throws -> TestStore {
    let store = try TestStore()
    store.perform([Thing.self]) { context in
      for id in 0..<count { context.try(submit: ThingChangeRequest.creation(Thing(id: Int64(id), note: "\(id)"))) }
    }
    store.workspace.shutdown()
    try store.sql("DROP TABLE test__thing_v1_1__f14; VACUUM")
    return store
  }

  /// How many rows of the index each commit adds, as the connection tells.
  private final class Steps {
    var rows = 0
    var commits: [Int] = []

    func watch(_ handle: OpaquePointer) {
      let context = Unmanaged.passUnretained(self).toOpaque()
      sqlite3_update_hook(
        handle,
        { context, operation, _, table, _ in
          guard let context, let table, operation == SQLITE_INSERT else { return }
          guard String(cString: table) == "test__thing_v1_1__f14" else { return }
          Unmanaged<Steps>.fromOpaque(context).takeUnretainedValue().rows += 1
        }, context)
      sqlite3_commit_hook(
        handle,
        { context in
          guard let context else { return 0 }
          let steps = Unmanaged<Steps>.fromOpaque(context).takeUnretainedValue()
          steps.commits.append(steps.rows)
          steps.rows = 0
          return 0
        }, context)
    }

    func end(_ handle: OpaquePointer) {
      sqlite3_update_hook(handle, nil, nil)
      sqlite3_commit_hook(handle, nil, nil)
    }
  }

  @Test("Whichever of the transaction's types is written first", arguments: [false, true])
  func inSmallTransactions(otherFirst: Bool) throws {
    let store = try storeOfThings(1700)
    let workspace = store.reopened()
    defer { workspace.shutdown() }
    let handle = try workspace.core.database.writer().connection.handle
    let steps = Steps()
    steps.watch(handle)
    store.perform([Post.self, Thing.self], in: workspace) { context in
      // Nothing has been written yet.
      #expect(steps.commits.isEmpty)
      if otherFirst { context.try(submit: PostChangeRequest.creationRequest(Post(title: "a"))) }
      #expect(throws: TransactionError.objectAlreadyExists) {
        try context.submit(ThingChangeRequest.creation(Thing(id: 10_000, note: "1699")))
      }
      context.try(submit: ThingChangeRequest.creation(Thing(id: 10_001, note: "new")))
    }
    steps.end(handle)
    // Those of the index, and the transaction's own.
    let added = steps.commits.filter { $0 > 0 }
    #expect(added.last == 1 && added.dropLast().reduce(0, +) == 1700, "\(steps.commits)")
    #expect(added.count > 3 && added.allSatisfy { $0 < 1000 }, "\(steps.commits)")
    #expect(try store.sql("SELECT count(*) FROM test__thing_v1_1__f14") == [["1701"]])
    #expect(workspace.fetch(for: Thing.self).where(Thing.note == "new").count == 1)
    #expect(store.errors.values.isEmpty)
  }

  @Test("Transactions that wait while a unique index is completed are all committed, and the index lacks no row")
  func transactionsThatQueueUpAreStillCommittedTogether() throws {
    let store = try storeOfThings(1200)
    let workspace = store.reopened()
    defer { workspace.shutdown() }
    let outcomes = Collected<Bool>()
    let done = DispatchGroup()
    let gate = DispatchSemaphore(value: 0)
    // Transactions of posts are pending when the first thing is written.
    workspace.performChanges([Post.self, Thing.self]) { _ in gate.wait() }
    for number in 0..<40 {
      done.enter()
      workspace.performChanges([[Post.self], [Thing.self], [Post.self, Thing.self]][number % 3]) { context in
        if number % 3 != 1 { context.try(submit: PostChangeRequest.creationRequest(Post(title: "\(number)"))) }
        if number % 3 != 0, number > 10 {
          context.try(submit: ThingChangeRequest.creation(Thing(id: Int64(5000 + number), note: "n\(number)")))
        }
      } completionHandler: {
        outcomes.append($0)
        done.leave()
      }
    }
    gate.signal()
    #expect(done.wait(timeout: .now() + patience) == .success)
    #expect(outcomes.values == Array(repeating: true, count: 40))
    #expect(workspace.fetch(for: Post.self).count() == 27)
    let missing = "SELECT count(*) FROM test__thing_v1_1 WHERE rowid NOT IN (SELECT rowid FROM test__thing_v1_1__f14)"
    #expect(try store.sql(missing) == [["0"]])
    #expect(store.errors.values.isEmpty)
  }

  @Test("Entries that were filled before the disk was full stay")
  func whatWasFilledBeforeADiskWasFullStays() throws {
    let store = try storeOfThings(3000)
    let workspace = store.reopened()
    defer { workspace.shutdown() }
    let connection = try workspace.core.database.writer().connection
    let pages = try #require(try connection.run("PRAGMA page_count", for: "Testing").flatMap { Int($0) })
    try connection.run("PRAGMA max_page_count = \(pages + 12)", for: "Testing")
    store.perform([Thing.self], in: workspace, completing: false) { context in
      #expect(throws: TransactionError.diskFull) {
        try context.submit(ThingChangeRequest.creation(Thing(id: 10_000, note: "new")))
      }
    }
    #expect(store.errors.values.contains { ($0 as? SQLiteError)?.code == SQLITE_FULL })
    let filled = try store.sql("SELECT count(*) FROM test__thing_v1_1__f14")[0][0].flatMap { Int($0) }
    #expect(filled.map { $0 > 0 && $0 < 3000 } == true, "\(filled ?? -1)")
    #expect(workspace.fetch(for: Thing.self).where(Thing.note == "2999").count == 1)
    try connection.run("PRAGMA max_page_count = 1000000", for: "Testing")
    store.perform([Thing.self], in: workspace) { context in
      context.try(submit: ThingChangeRequest.creation(Thing(id: 10_000, note: "new")))
    }
    #expect(try store.sql("SELECT count(*) FROM test__thing_v1_1__f14") == [["3001"]])
  }

  @Test("A transaction that submits nothing does not build a unique index")
  func aTransactionThatSubmitsNothingFillsNothing() throws {
    let store = try storeOfThings(10)
    let workspace = store.reopened()
    defer { workspace.shutdown() }
    store.perform([Thing.self], in: workspace) { _ in _ = workspace.fetch(for: Thing.self).count() }
    #expect(try store.sql("SELECT count(*) FROM sqlite_master WHERE name = 'test__thing_v1_1__f14'") == [["0"]])
  }
}
