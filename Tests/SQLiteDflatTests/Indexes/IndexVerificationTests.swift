import EngineTestSupport
import CSQLite
import Dflat
import Foundation
import Golden_post
import Testing

@testable import SQLiteDflat

@Suite("An index without a mark is verified in the background")
struct IndexVerificationTests {
  private static let tables = ["f10", "f12", "f14", "f8"].map { "test__thing_v1_1__\($0)" }

  private static func thing(_ id: Int, big: Int? = nil) -> Thing {
    Thing(id: Int64(id), big: UInt64(big ?? id), ratio: Double(id), flag: id % 2 == 0, note: "note \(id)")
  }

  /// A file of things from which the marks have been removed, and in which `damage` was done.
  private func store(_ count: Int, _ damage: (TestStore) throws -> Void = { _ in }) throws -> TestStore {
    let store = try TestStore()
    store.perform([Thing.self]) { context in
      for id in 1...count { context.try(submit: ThingChangeRequest.creation(IndexVerificationTests.thing(id))) }
    }
    store.workspace.shutdown()
    for table in IndexVerificationTests.tables { try store.sql("DROP TRIGGER verified__\(table)") }
    try damage(store)
    return store
  }

  private func waitUntilMarked(_ store: TestStore, sourceLocation: SourceLocation = #_sourceLocation) throws {
    #expect(
      try eventually { try store.markedIndexes() == IndexVerificationTests.tables }, sourceLocation: sourceLocation)
    #expect(try store.wrongEntries() == 0, sourceLocation: sourceLocation)
    #expect(store.errors.values.isEmpty, "\(store.errors.values)", sourceLocation: sourceLocation)
  }

  // MARK: When

  @Test("A new index is marked and used as soon as its table is created")
  func newIndexesAreMarkedAtOnce() throws {
    let store = try TestStore()
    store.perform([Thing.self]) { $0.try(submit: ThingChangeRequest.creation(Thing(id: 1))) }
    #expect(try store.markedIndexes() == IndexVerificationTests.tables)
    #expect(try store.workspace.reliesOnIndexes(of: Thing._record))
  }

  @Test(
    "A table that others have put in place of a marked index is not relied on",
    arguments: ["INSERT INTO test__thing_v1_1__f8 SELECT rowid, 7 FROM test__thing_v1_1", ""])
  func remade(filling: String) throws {
    let store = try TestStore()
    store.perform([Thing.self]) { context in
      for id in 1...20 { context.try(submit: ThingChangeRequest.creation(IndexVerificationTests.thing(id))) }
    }
    let things = store.workspace.fetch(for: Thing.self)
    #expect(things.where(Thing.big == 7).map(\.id) == [7])
    // While readers have looked up the mark of the one before.
    try store.sql(
      """
      DROP TABLE test__thing_v1_1__f8;
      CREATE TABLE test__thing_v1_1__f8 (rowid INTEGER PRIMARY KEY, f8 INTEGER);
      CREATE INDEX index__test__thing_v1_1__f8 ON test__thing_v1_1__f8 (f8);
      \(filling)
      """)
    #expect(things.where(Thing.big == 7).map(\.id) == [7])
    #expect(things.count(where: Thing.big == 7) == 1)
    try waitUntilMarked(store)
  }

  @Test("A table that others have renamed, with its mark, does not keep the new one from being marked")
  func renamed() throws {
    let store = try store(20)
    let workspace = store.reopened()
    defer { workspace.shutdown() }
    let things = workspace.fetch(for: Thing.self)
    #expect(things.where(Thing.big == 7).map(\.id) == [7])
    try waitUntilMarked(store)
    try store.sql("ALTER TABLE test__thing_v1_1__f8 RENAME TO f8_of_things")
    #expect(things.where(Thing.big == 7).map(\.id) == [7])
    try waitUntilMarked(store)
  }

  @Test("A transaction of a type without unique indexes does not wait for their verification")
  func aTransactionOfATypeWithoutAUniqueIndexDoesNotWait() throws {
    let store = try TestStore()
    store.perform([Post.self]) { context in
      for number in 0..<1200 {
        context.try(submit: PostChangeRequest.creationRequest(Post(title: "\(number)", priority: Int32(number))))
      }
    }
    store.workspace.shutdown()
    try store.sql("DROP TRIGGER verified__post__f10; UPDATE post__f10 SET f10 = 3 WHERE rowid = 9")
    let workspace = store.reopened()
    defer { workspace.shutdown() }
    store.perform([Post.self], in: workspace) { context in
      context.try(submit: PostChangeRequest.creationRequest(Post(title: "new", priority: 8)))
      // Nothing has been verified yet: only what is done in the background does so.
      #expect((try? store.markedIndexes()) == [])
      #expect(workspace.fetch(for: Post.self).where(Post.priority == 8).map(\.title) == ["8", "new"])
    }
    #expect(try eventually { try store.markedIndexes() == ["post__f10"] })
    #expect(try store.sql("SELECT rowid FROM post__f10 WHERE f10 = 8 ORDER BY 1") == [["9"], ["1201"]])
    #expect(store.errors.values.isEmpty, "\(store.errors.values)")
  }

  // MARK: How

  @Test("Each transaction changes few entries, also where rows are long gone")
  func smallTransactions() throws {
    let store = try store(3000) { store in
      try store.sql(
        """
        DELETE FROM test__thing_v1_1 WHERE rowid BETWEEN 500 AND 2400 OR rowid > 2900;
        UPDATE test__thing_v1_1__f8 SET f8 = 1;
        DELETE FROM test__thing_v1_1__f10 WHERE rowid < 450
        """)
    }
    let workspace = store.reopened()
    defer { workspace.shutdown() }
    let writer = try workspace.core.database.writer()
    let commits = Collected<Int>()
    let before = Collected<Int32>()
    before.append(sqlite3_total_changes(writer.connection.handle))
    while try !writer.fillIndexes(Thing._record.indexes.indices, of: Thing._record) {
      let changes = sqlite3_total_changes(writer.connection.handle)
      commits.append(Int(changes - (before.values.last ?? 0)))
      before.append(changes)
    }
    #expect(commits.count >= 5 && commits.values.allSatisfy { $0 <= 4 * IndexVerifier.batch }, "\(commits.values)")
    try waitUntilMarked(store)
  }

  @Test("Verifying indexes that are right changes no row")
  func whatIsRightIsNotWritten() throws {
    let store = try store(1200)
    let workspace = store.reopened()
    defer { workspace.shutdown() }
    let writer = try workspace.core.database.writer()
    let before = sqlite3_total_changes(writer.connection.handle)
    while try !writer.fillIndexes(Thing._record.indexes.indices, of: Thing._record) {}
    #expect(sqlite3_total_changes(writer.connection.handle) == before)
    try waitUntilMarked(store)
  }

  @Test("Rows that change, come and go meanwhile have right entries")
  func writersMeanwhile() throws {
    let store = try store(2500) { store in
      try store.sql(
        """
        UPDATE test__thing_v1_1__f8 SET f8 = f8 + 1 WHERE rowid % 3 = 0;
        DELETE FROM test__thing_v1_1__f10 WHERE rowid % 5 = 0 AND rowid < 2500
        """)
    }
    let workspace = store.reopened()
    defer { workspace.shutdown() }
    var steps = 0
    var isDone = false
    while !isDone {
      let row = steps * 450
      store.perform([Thing.self], in: workspace) { context in
        // Rows that are verified, and rows that are not.
        for id in [row / 2 + 1, row + 10, 2400 - row / 3] where id % 7 != 0 {
          guard let request = ThingChangeRequest.change(Thing(id: Int64(id))) else { continue }
          request.thing = IndexVerificationTests.thing(id, big: 10_000 + steps)
          context.try(submit: request)
        }
        ThingChangeRequest.deletion(Thing(id: Int64(7 * (steps + 1)))).map { _ = context.try(submit: $0) }
        ThingChangeRequest.deletion(Thing(id: Int64(2401 - 7 * steps))).map { _ = context.try(submit: $0) }
        context.try(submit: ThingChangeRequest.creation(IndexVerificationTests.thing(3000 + steps)))
      }
      workspace.core.committer.acquireWriter(.transaction)
      defer { workspace.core.committer.releaseWriter() }
      isDone = try workspace.core.database.writer().fillIndexes(Thing._record.indexes.indices, of: Thing._record)
      steps += 1
    }
    try waitUntilMarked(store)
    #expect(workspace.fetch(for: Thing.self).where(Thing.big >= 10_000).count > 0)
  }

  @Test("A workspace that is shut down meanwhile leaves no mark, and the next one goes on")
  func interrupted() throws {
    let store = try store(3000) { try $0.sql("UPDATE test__thing_v1_1__f8 SET f8 = 1 WHERE rowid < 3000") }
    for _ in 0..<2 {
      let workspace = store.reopened()
      #expect(try !workspace.core.database.writer().fillIndexes(Thing._record.indexes.indices, of: Thing._record))
      workspace.shutdown()
      #expect(try store.markedIndexes() == [])
    }
    let workspace = store.reopened()
    defer { workspace.shutdown() }
    #expect(workspace.fetch(for: Thing.self).where(Thing.big == 2999).map(\.id) == [2999])
    try waitUntilMarked(store)
  }

  @Test("A workspace that is shut down while it repairs an index answers rightly when it is reopened")
  func aShutdownWaitsForOneStepAndNoMore() throws {
    for _ in 0..<10 {
      let store = try store(2000) { try $0.sql("DELETE FROM test__thing_v1_1__f10 WHERE rowid < 2000") }
      let workspace = store.reopened()
      #expect(workspace.fetch(for: Thing.self).where(Thing.ratio == 1000).map(\.id) == [1000])
      workspace.shutdown()
      let again = store.reopened()
      #expect(again.fetch(for: Thing.self).where(Thing.ratio == 1000).map(\.id) == [1000])
      again.shutdown()
      #expect(store.errors.values.isEmpty, "\(store.errors.values)")
    }
  }

  @Test("A table that another workspace drops and makes anew meanwhile is verified from its first row")
  func remadeMeanwhile() throws {
    let store = try store(1800)
    let workspace = store.reopened()
    defer { workspace.shutdown() }
    let writer = try workspace.core.database.writer()
    #expect(try !writer.fillIndexes(Thing._record.indexes.indices, of: Thing._record))
    // Looks complete, and has entries for the rows only that are not verified yet.
    try store.sql(
      """
      DROP TABLE test__thing_v1_1__f8;
      CREATE TABLE test__thing_v1_1__f8 (rowid INTEGER PRIMARY KEY, f8 INTEGER);
      CREATE INDEX index__test__thing_v1_1__f8 ON test__thing_v1_1__f8 (f8);
      INSERT INTO test__thing_v1_1__f8 SELECT rowid, rowid FROM test__thing_v1_1 WHERE rowid > 400
      """)
    while try !writer.fillIndexes(Thing._record.indexes.indices, of: Thing._record) {}
    try waitUntilMarked(store)
  }

  @Test("Two workspaces that verify an index at once, and write, leave it right")
  func twoWorkspaces() throws {
    let store = try store(3000) { store in
      try store.sql(
        """
        UPDATE test__thing_v1_1__f8 SET f8 = f8 + 1 WHERE rowid % 3 = 0;
        UPDATE test__thing_v1_1__f14 SET f14 = f14 || '?' WHERE rowid % 4 = 0;
        DELETE FROM test__thing_v1_1__f10 WHERE rowid % 5 = 0 AND rowid < 3000
        """)
    }
    let workspaces = [store.reopened(), store.reopened()]
    for number in 0..<40 {
      for (which, workspace) in workspaces.enumerated() {
        let things = workspace.fetch(for: Thing.self)
        let id = 40 * number + which + 5
        #expect(things.where(Thing.big == UInt64(id + 900)).map(\.id) == [Int64(id + 900)])
        store.perform([Thing.self], in: workspace) { context in
          guard let request = ThingChangeRequest.change(Thing(id: Int64(id))) else { return }
          request.thing = IndexVerificationTests.thing(id, big: 20_000 + id)
          context.try(submit: request)
        }
        #expect(things.where(Thing.big == UInt64(20_000 + id)).map(\.id) == [Int64(id)])
      }
    }
    try waitUntilMarked(store)
    for workspace in workspaces {
      #expect(try workspace.reliesOnIndexes(of: Thing._record))
      workspace.shutdown()
    }
  }

  // MARK: Entries that turn out wrong

  /// The marked index is wrong after all: a version of Dflat 0.6 without the index has changed rows, and stored none.
  @Test(
    "A wrong entry of a marked index misleads no fetch, and has the index verified again", arguments: [false, true])
  func aWrongEntry(inTransaction: Bool) throws {
    let store = try TestStore()
    store.perform([Thing.self]) { context in
      for id in 1...50 { context.try(submit: ThingChangeRequest.creation(IndexVerificationTests.thing(id))) }
    }
    try store.sql("UPDATE test__thing_v1_1__f8 SET f8 = 7 WHERE rowid IN (20, 30)")
    let things = store.workspace.fetch(for: Thing.self)
    func check() {
      #expect(things.where(Thing.big == 7).map(\.id) == [7])
      #expect(things.where(Thing.big < 9 && Thing.ratio > 3, limit: .limit(4)).map(\.id) == [4, 5, 6, 7])
      #expect(things.count(where: Thing.big == 7 && Thing.id % 2 == 1) == 1)
    }
    if inTransaction { store.perform([Thing.self]) { _ in check() } } else { check() }
    #expect(try eventually { try store.wrongEntries() == 0 && store.markedIndexes() == IndexVerificationTests.tables })
    check()
    #expect(things.all(limit: .limit(9), orderBy: [Thing.big.ascending]).map(\.id) == (1...9).map(Int64.init))
    #expect(try store.workspace.reliesOnIndexes(of: Thing._record))
    #expect(store.errors.values.isEmpty, "\(store.errors.values)")
  }
}
