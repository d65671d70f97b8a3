import EngineTestSupport
import Dflat
import Foundation
import Golden_post
import Testing

@testable import SQLiteDflat

@Suite("The write-ahead log is cut back while the workspace is open")
struct LogSizeTests {
  /// In bytes: what the log may keep, twice the 4 MB after which SQLite begins to copy it into the database.
  private static let limit = 8 << 20

  private func logSize(_ store: TestStore) throws -> Int { try size(of: store.path + "-wal") }

  private func size(of path: String) throws -> Int {
    // Where there is no log, it has no size.
    guard FileManager.default.fileExists(atPath: path) else { return 0 }
    return try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0
  }

  private func change(_ store: TestStore, _ number: Int) {
    store.perform([Thing.self]) { $0.try(submit: ThingChangeRequest.upsert(Thing(id: 1, big: UInt64(number)))) }
  }

  /// Runs small transactions until the log is cut, with a pause between for what is done in the background.
  private func expectCut(_ store: TestStore, sourceLocation: SourceLocation = #_sourceLocation) throws {
    for number in 0..<200 {
      change(store, number)
      let isCut = try eventually(within: 0.25) { try logSize(store) < LogSizeTests.limit }
      if isCut { return }
    }
    let size = try logSize(store)
    #expect(size < LogSizeTests.limit, "\(size) bytes", sourceLocation: sourceLocation)
  }

  @Test("A long log is put into the file when the thread that has committed releases the writer")
  func afterALoneTransaction() throws {
    let store = try TestStore()
    let workspace = store.workspace
    let before = try workspace.whileCommitsWait { () throws -> Int in
      try workspace.core.database.writer().checkpoints.limit = 1
      return try size(of: store.path)
    }
    // Nothing follows the transaction, so that the thread of its closure commits it.
    change(store, 1)
    // The writer is free when that thread has released it.
    let after = try workspace.whileCommitsWait { () throws -> Int in try size(of: store.path) }
    #expect(after > before, "The tables are in the log alone.")
  }

  @Test("The log shrinks after a transaction of 20 MB")
  func afterALargeTransaction() throws {
    let store = try TestStore()
    change(store, 1000)
    let tag = String(repeating: "x", count: 20_000)
    store.perform([Post.self]) { context in
      for number in 0..<1000 {
        context.try(submit: PostChangeRequest.creationRequest(Post(title: "\(number)", tag: tag)))
      }
    }
    #expect(store.workspace.fetch(for: Post.self).count() == 1000)
    try expectCut(store)
    // It does so each time.
    let otherTag = String(repeating: "y", count: 20_000)
    store.perform([Post.self]) { context in
      for number in 0..<1000 {
        context.try(submit: PostChangeRequest.upsertRequest(Post(title: "\(number)", tag: otherTag)))
      }
    }
    try expectCut(store)
    #expect(store.workspace.fetch(for: Post.self).where(Post.tag == otherTag).count == 1000)
    #expect(store.errors.values.isEmpty, "\(store.errors.values)")
  }

  @Test("The log shrinks after a snapshot that was open during many commits")
  func afterALongSnapshot() throws {
    let store = try TestStore()
    let workspace = store.workspace
    change(store, 1000)
    let (inside, gate) = (Gate(), Gate())
    let holder = BackgroundThreads { _ in
      workspace.fetchWithinASnapshot {
        let before = workspace.fetch(for: Thing.self).first()
        inside.open()
        gate.wait()
        #expect(workspace.fetch(for: Thing.self).first() == before)
        #expect(workspace.fetch(for: Post.self).count() == 0)
      }
    }
    #expect(inside.wait())
    // Else the snapshot has held nothing back, and the test shows nothing.
    #expect(try writeManyTransactions(store) > LogSizeTests.limit)
    gate.open()
    #expect(holder.end())
    try expectCut(store)
    #expect(workspace.fetch(for: Post.self).count() == 100)
    #expect(store.errors.values.isEmpty, "\(store.errors.values)")
  }

  /// Returns how large the log is afterwards.
  private func writeManyTransactions(_ store: TestStore, in workspace: SQLiteWorkspace? = nil) throws -> Int {
    for first in stride(from: 0, to: 1000, by: 5) {
      // All bytes change, or else only some pages would be written.
      let tag = String(repeating: first / 100 % 2 == 0 ? "x" : "y", count: 20_000)
      store.perform([Post.self], in: workspace) { context in
        for number in first..<first + 5 {
          context.try(submit: PostChangeRequest.upsertRequest(Post(title: "\(number % 100)", tag: tag)))
        }
      }
    }
    return try logSize(store)
  }

  @Test("The log is bounded while there are always threads that fetch", arguments: [false, true])
  func besideFetches(withAnotherWriter hasOtherWriter: Bool) throws {
    let store = try TestStore()
    let workspace = store.workspace
    change(store, 1000)
    _ = try writeManyTransactions(store)
    let isOver = Locked(false)
    // Each begins to read before another one ends.
    let readers = BackgroundThreads(3) { _ in
      while !isOver.value { _ = workspace.fetch(for: Thing.self).where(Thing.note == "none").count }
    }
    let other = hasOtherWriter ? store.reopened() : nil
    let writer = BackgroundThreads(other == nil ? 0 : 1) { _ in
      for number in 0..<200 {
        let tag = String(repeating: number % 2 == 0 ? "x" : "y", count: 100_000)
        store.perform([Post.self], in: other) { context in
          context.try(submit: PostChangeRequest.upsertRequest(Post(title: "of the other", tag: tag)))
        }
      }
    }
    // 20 MB each time. It is begun anew after 16 MB, when readers let it: late, where the machine keeps one of them waiting.
    for _ in 0..<2 { _ = try writeManyTransactions(store) }
    let isBounded = try (0..<20).contains { _ in try writeManyTransactions(store) < 40 << 20 }
    #expect(isBounded)
    #expect(writer.end())
    isOver.value = true
    #expect(readers.end())
    other?.shutdown()
    #expect(store.errors.values.isEmpty, "\(store.errors.values)")
  }
}
