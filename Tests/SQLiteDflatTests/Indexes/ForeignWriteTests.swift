import Dflat
import EngineTestSupport
import Foundation
import Testing

@testable import SQLiteDflat

/// Dflat 0.6 with the same schema writes to a file whose indexes are marked, and leaves entries wrong.
@Suite("A mark does not count after another program has written to the type")
struct ForeignWriteTests {
  private static let tables = ["f10", "f12", "f14", "f8"].map { "test__thing_v1_1__\($0)" }

  /// A store of things with these notes, whose ids and rows are 1, 2, ..., and whose indexes are marked.
  private func store(_ notes: String...) throws -> TestStore {
    let store = try TestStore()
    store.perform([Thing.self]) { context in
      for (index, note) in notes.enumerated() {
        context.try(submit: ThingChangeRequest.creation(Thing(id: Int64(index + 1), big: UInt64(index), note: note)))
      }
    }
    #expect(try store.workspace.reliesOnIndexes(of: Thing._record))
    return store
  }

  private func waitUntilTrusted(_ store: TestStore, sourceLocation: SourceLocation = #_sourceLocation) throws {
    #expect(
      try eventually { try store.workspace.reliesOnIndexes(of: Thing._record) }, sourceLocation: sourceLocation)
    #expect(try store.wrongEntries() == 0, sourceLocation: sourceLocation)
    #expect(store.errors.values.isEmpty, "\(store.errors.values)", sourceLocation: sourceLocation)
  }

  /// The ids of the things with a note.
  private func ids(_ note: String, in store: TestStore) -> [Int64] {
    store.workspace.fetch(for: Thing.self).where(Thing.note == note).map(\.id)
  }

  // MARK: What Dflat 0.6 does

  @Test("A process that was open before the index was built updates a row, and no entry")
  func openBeforeTheIndexWasBuilt() throws {
    let store = try TestStore()
    let old = try OldStore(store.path, isIndexed: false)
    for id in 1...20 { try old.insert(Thing(id: Int64(id), big: UInt64(id), note: "\(id)"), indexing: false) }
    #expect(ids("7", in: store) == [7])
    try waitUntilTrusted(store)
    // Twice: it goes on after the indexes were verified again.
    for change in ["new", "newer"] {
      try old.update(7, to: Thing(id: 7, big: 100, note: change), indexing: false)
      try old.update(8, to: Thing(id: 8, big: 100, note: "8"), indexing: false)
      #expect(ids(change, in: store) == [7])
      #expect(ids("7", in: store) == [])
      let things = store.workspace.fetch(for: Thing.self)
      #expect(things.where(Thing.big == 100).map(\.id) == [7, 8])
      #expect(things.all(limit: .limit(2), orderBy: [Thing.big.descending]).map(\.id) == [7, 8])
      #expect(things.count(where: Thing.big < 9) == 6)
      try waitUntilTrusted(store)
      #expect(ids(change, in: store) == [7])
      #expect(things.where(Thing.big == 100).map(\.id) == [7, 8])
    }
  }

  @Test("If Dflat 0.6 gives a row the unique value of another one, both are found, and reported")
  func aUniqueValueOfAnother() throws {
    let store = try store("a", "b", "c")
    try OldStore(store.path).update(1, to: Thing(id: 1, note: "b"), indexing: true)
    #expect(try store.sql("SELECT rowid FROM test__thing_v1_1__f14 WHERE f14 = 'b'") == [["1"]])
    for _ in 0..<3 {
      #expect(ids("b", in: store) == [1, 2])
      #expect(store.workspace.fetch(for: Thing.self).count(where: Thing.note == "b") == 2)
      #expect(eventually { store.errors.count == 1 })
    }
    #expect((store.errors.values.first as? SQLiteError)?.purpose == "Filling a unique index")
  }

  @Test("If Dflat 0.6 replaces an object by a change of key, the unique values of the replaced one are free")
  func anEntryThatStays() throws {
    let store = try store("a", "b", "c")
    try OldStore(store.path).update(1, to: Thing(id: 2, note: "d"), indexing: true)
    #expect(try store.sql("SELECT rowid FROM test__thing_v1_1__f14 WHERE f14 = 'b'") == [["2"]])
    store.perform([Thing.self]) { context in
      #expect(throws: TransactionError.objectAlreadyExists) {
        try context.submit(ThingChangeRequest.creation(Thing(id: 9, note: "d")))
      }
      context.try(submit: ThingChangeRequest.creation(Thing(id: 4, note: "b")))
    }
    #expect(ids("b", in: store) == [4])
    #expect(ids("d", in: store) == [2])
    try waitUntilTrusted(store)
    #expect(ids("b", in: store) == [4])
  }

  @Test("Dflat 0.6 keeps the index entry of a text when another Unicode form is stored, and queries are right")
  func canonicalEquivalence() throws {
    let store = try store("\u{E9}", "b")
    let other = "e\u{301}"
    try OldStore(store.path).update(1, to: Thing(id: 1, note: other), indexing: true)
    #expect(ids(other, in: store) == [1])
    #expect(ids("\u{E9}", in: store) == [])
    store.perform([Thing.self]) { context in
      #expect(throws: TransactionError.objectAlreadyExists) {
        try context.submit(ThingChangeRequest.creation(Thing(id: 9, note: other)))
      }
      context.try(submit: ThingChangeRequest.creation(Thing(id: 3, note: "\u{E9}")))
    }
    #expect(ids(other, in: store) == [1])
    #expect(ids("\u{E9}", in: store) == [3])
    try waitUntilTrusted(store)
  }

  // MARK: What is noticed

  @Test("A deletion and a new row by a version without the indexes are noticed")
  func deletionsAndNewRows() throws {
    let store = try store("a", "b", "c")
    try store.sql("DELETE FROM test__thing_v1_1 WHERE rowid = 2")
    #expect(try !store.workspace.reliesOnIndexes(of: Thing._record))
    #expect(store.workspace.fetch(for: Thing.self).count(where: Thing.big >= 0) == 2)
    try waitUntilTrusted(store)
    let old = try OldStore(store.path, isIndexed: false)
    try old.insert(Thing(id: 4, big: 50, note: "d"), indexing: false)
    #expect(ids("d", in: store) == [4])
    try waitUntilTrusted(store)
  }

  @Test("The workspace's own writes, and those of another workspace, leave the marks as they are")
  func ownWrites() throws {
    let store = try store("a", "b", "c")
    let other = store.reopened()
    defer { other.shutdown() }
    for round in 0..<3 {
      for workspace in [store.workspace, other] {
        store.perform([Thing.self], in: workspace) { context in
          let first = Int64(100 * round + (workspace === other ? 50 : 10))
          for id in first..<first + 40 {
            context.try(submit: ThingChangeRequest.creation(Thing(id: id, note: "\(id)")))
          }
          for id in first..<first + 30 {
            guard let request = ThingChangeRequest.change(Thing(id: id)) else { continue }
            request.thing = Thing(id: id, big: UInt64(id), note: "changed \(id)")
            context.try(submit: request)
          }
          for id in first..<first + 9 { ThingChangeRequest.deletion(Thing(id: id)).map { _ = context.try(submit: $0) } }
        }
        for workspace in [store.workspace, other] { #expect(try workspace.reliesOnIndexes(of: Thing._record)) }
      }
    }
    #expect(try store.sql("SELECT * FROM \"dflat-foreign-writes\"") == [["test__thing_v1_1", "0"]])
    #expect(try store.wrongEntries() == 0)
  }

  @Test(
    "Where writes could not be noticed, the indexes are verified once, and trusted from then on",
    arguments: [
      "DROP TABLE \"dflat-foreign-writes\"", "DELETE FROM \"dflat-foreign-writes\"",
      "ALTER TABLE \"dflat-foreign-writes\" RENAME TO other", "DROP TRIGGER written__test__thing_v1_1__insert",
      "DROP TRIGGER written__test__thing_v1_1__update", "DROP TRIGGER written__test__thing_v1_1__delete",
    ])
  func unnoticed(sql: String) throws {
    let store = try store("a", "b", "c")
    // As an earlier version of this runtime leaves a file, or somebody who has tampered with it.
    store.workspace.shutdown()
    try store.damage(sql + "; UPDATE test__thing_v1_1__f14 SET f14 = 'x' WHERE rowid = 2")
    let workspace = store.reopened()
    defer { workspace.shutdown() }
    let things = workspace.fetch(for: Thing.self)
    #expect(try !workspace.reliesOnIndexes(of: Thing._record))
    #expect(things.where(Thing.note == "b").map(\.id) == [2])
    #expect(try eventually { try workspace.reliesOnIndexes(of: Thing._record) })
    #expect(try store.markedIndexes() == ForeignWriteTests.tables && store.wrongEntries() == 0)
    // And others are noticed.
    try OldStore(store.path, isIndexed: false).update(3, to: Thing(id: 3, note: "new"), indexing: false)
    #expect(things.where(Thing.note == "new").map(\.id) == [3])
    #expect(store.errors.values.isEmpty, "\(store.errors.values)")
  }

  @Test("A transaction of another process that is rolled back leaves the index trusted")
  func aForeignTransactionThatIsRolledBackIsNone() throws {
    let store = try store("a", "b", "c")
    try store.sql("BEGIN IMMEDIATE; DELETE FROM test__thing_v1_1; ROLLBACK")
    #expect(try store.workspace.reliesOnIndexes(of: Thing._record))
    #expect(ids("b", in: store) == [2])
  }

  // MARK: While the indexes are verified

  /// A store of 1,800 things, beside whose indexes somebody has written, and another workspace in it.
  private func largeStore() throws -> (store: TestStore, old: OldStore) {
    let store = try TestStore()
    store.perform([Thing.self]) { context in
      for id in 1...1800 { context.try(submit: ThingChangeRequest.creation(Thing(id: Int64(id), note: "\(id)"))) }
    }
    let old = try OldStore(store.path, isIndexed: false)
    try old.update(900, to: Thing(id: 900, note: "first"), indexing: false)
    return (store, old)
  }

  /// Takes a step of the background job.
  private func step(_ workspace: SQLiteWorkspace) throws -> Bool {
    workspace.core.committer.acquireWriter(.transaction)
    defer { workspace.core.committer.releaseWriter() }
    return try workspace.core.database.writer().fillIndexes(Thing._record.indexes.indices, of: Thing._record)
  }

  @Test(
    "A write to rows that were verified already is noticed, also if another workspace has begun to verify since",
    arguments: [false, true])
  func writtenMeanwhile(hasOther: Bool) throws {
    let (store, old) = try largeStore()
    let other = store.reopened()
    defer { other.shutdown() }
    #expect(try !step(store.workspace))
    try old.update(100, to: Thing(id: 100, big: 5, note: "second"), indexing: false)
    // Clears the flag.
    if hasOther { #expect(try !step(other)) }
    while try !step(store.workspace) {}
    try waitUntilTrusted(store)
    #expect(ids("first", in: store) == [900])
    #expect(ids("second", in: store) == [100])
    #expect(ids("100", in: store) == [])
  }

  @Test("After a write of another program, a transaction has all rows of its types verified anew")
  func preparedMeanwhile() throws {
    let (store, old) = try largeStore()
    #expect(try !step(store.workspace))
    try old.update(100, to: Thing(id: 100, big: 5, note: "second"), indexing: false)
    let core = store.workspace.core
    core.committer.acquireWriter(.transaction)
    let writer = try core.database.writer()
    try writer.begin()
    // Clears the flag, and completes the unique index.
    _ = try writer.preparedRows(of: Thing._record)
    try writer.commit(publishing: .transactions([]))
    core.committer.releaseWriter()
    while try !step(store.workspace) {}
    try waitUntilTrusted(store)
    #expect(ids("second", in: store) == [100])
    #expect(store.workspace.fetch(for: Thing.self).where(Thing.big == 5).map(\.id) == [100])
  }

  @Test("Where somebody writes all the time, a transaction completes the unique index in one step")
  func disturbed() throws {
    let (store, old) = try largeStore()
    let writer = try store.workspace.core.database.writer()
    var count = 0
    while !writer.indexProgress.isDisturbed(Thing._record), count < 20 {
      #expect(try !step(store.workspace))
      try old.update(100, to: Thing(id: 100, big: UInt64(count), note: "100"), indexing: false)
      count += 1
    }
    #expect(count < 20)
    let commits = try CommitHook(store.workspace)
    store.perform([Thing.self]) { context in
      #expect(throws: TransactionError.objectAlreadyExists) {
        try context.submit(ThingChangeRequest.creation(Thing(id: 5000, note: "first")))
      }
      #expect(commits.count == 1)
    }
    #expect(!writer.indexProgress.isDisturbed(Thing._record))
    withExtendedLifetime(commits) { store.workspace.shutdown() }
    #expect(store.errors.values.isEmpty, "\(store.errors.values)")
  }
}
