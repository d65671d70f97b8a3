import EngineTestSupport
import Dflat
@testable import DflatEngine
import Dispatch
import Foundation
import Golden_post
import Testing

@testable import SQLiteDflat

@Suite("An index that is missing or behind is filled in the background")
struct IndexTests {
  private func create(_ numbers: Range<Int>, in store: TestStore) {
    store.perform([Post.self]) { context in
      for number in numbers {
        context.try(submit: PostChangeRequest.creationRequest(Post(title: "\(number)", priority: Int32(number))))
      }
    }
  }

  /// Waits until the query, which is the number of missing or wrong entries, gives 0.
  private func waitUntilFilled(_ store: TestStore, _ sql: String) {
    // Until the index's table is there, the query fails.
    #expect(eventually { (try? store.sql(sql)) == [["0"]] }, "The index is still not filled.")
  }

  private let difference =
    "SELECT count(*) FROM (SELECT rowid FROM post EXCEPT SELECT rowid FROM post__f10)"

  @Test(
    "An index that is missing or behind is filled after a fetch",
    arguments: ["DROP TABLE post__f10", "DELETE FROM post__f10 WHERE rowid > 700"])
  func afterAFetch(damage: String) throws {
    let store = try TestStore()
    create(0..<2000, in: store)
    try store.sql(damage)
    #expect(store.workspace.fetch(for: Post.self).where(Post.priority >= 1990).count == 10)
    waitUntilFilled(store, difference)
    #expect(try store.sql("SELECT count(*) FROM post__f10 WHERE f10 <> rowid - 1") == [["0"]])
    #expect(store.workspace.fetch(for: Post.self).where(Post.priority >= 1990).count == 10)
    #expect(store.errors.values.isEmpty)
  }

  @Test("A write to an incomplete index updates the entries that exist and adds none for new rows")
  func aWriterKeepsAnIndexBehindRightAndLeavesTheGap() throws {
    let store = try TestStore()
    create(0..<2000, in: store)
    try store.sql("DELETE FROM post__f10 WHERE rowid > 1000")
    store.perform([Post.self]) { context in
      context.try(submit: PostChangeRequest.creationRequest(Post(title: "new", priority: -1)))
      for title in ["10", "1500"] {
        let request = PostChangeRequest.changeRequest(Post(title: title))
        request?.priority = -1
        request.map { _ = context.try(submit: $0) }
      }
      PostChangeRequest.deletionRequest(Post(title: "20")).map { _ = context.try(submit: $0) }
      // Had the new row an entry, the index would look complete here.
      #expect(store.workspace.fetch(for: Post.self).where(Post.priority >= 1500).count == 499)
    }
    waitUntilFilled(store, difference)
    #expect(store.workspace.fetch(for: Post.self).where(Post.priority == -1).map(\.title) == ["10", "1500", "new"])
    #expect(try store.sql("SELECT count(*) FROM post__f10") == [["2000"]])
    #expect(store.errors.values.isEmpty)
  }

  @Test("A unique index with duplicate values is reported once, and fetches still return every row")
  func aUniqueIndexThatIsViolatedIsReportedOnceAndNothingIsLost() throws {
    let store = try TestStore()
    store.perform([Thing.self]) { context in
      for id in 0..<1200 { context.try(submit: ThingChangeRequest.creation(Thing(id: Int64(id), note: "\(id)"))) }
    }
    // As an earlier schema without the index could have left it: two things of one note.
    store.workspace.shutdown()
    let hex = try store.sql("SELECT hex(p) FROM test__thing_v1_1 WHERE __pk0 = 7")[0][0] ?? ""
    try store.sql("DROP TABLE test__thing_v1_1__f14; UPDATE test__thing_v1_1 SET p = x'\(hex)' WHERE __pk0 = 1100")
    let workspace = store.reopened()
    defer { workspace.shutdown() }
    let things = workspace.fetch(for: Thing.self)
    #expect(things.where(Thing.note == "7").count == 2)
    // It is told before the transaction commits that empties the index, and marks the others.
    #expect(try eventually { try store.errors.count > 0 && store.markedIndexes().count == 3 })
    for _ in 0..<3 {
      #expect(things.where(Thing.note == "7").count == 2)
      store.perform([Thing.self], in: workspace) { context in
        let request = ThingChangeRequest.change(Thing(id: 3))
        request.map { $0.thing = Thing(id: 3, big: $0.thing.big + 1, note: "3") }
        request.map { _ = context.try(submit: $0) }
      }
    }
    #expect(things.all().count == 1200)
    // Nor is anything committed because a fetch misses the index.
    let version = workspace.core.sequence.version
    for _ in 0..<5 {
      #expect(things.where(Thing.note == "7").count == 2)
      usleep(2000)
    }
    workspace.core.catchUp.stop()
    #expect(workspace.core.sequence.version == version)
    #expect(store.errors.count == 1)
    #expect((store.errors.values.first as? SQLiteError)?.purpose == "Filling a unique index")
  }

  @Test("A unique index that is missing is built before it has to refuse a duplicate")
  func aUniqueIndexBehindStillRefusesADuplicate() throws {
    let store = try TestStore()
    store.perform([Thing.self]) { context in
      for id in 0..<50 { context.try(submit: ThingChangeRequest.creation(Thing(id: Int64(id), note: "\(id)"))) }
    }
    store.workspace.shutdown()
    try store.sql("DROP TABLE test__thing_v1_1__f14")
    let workspace = store.reopened()
    defer { workspace.shutdown() }
    store.perform([Thing.self], in: workspace) { context in
      #expect(throws: TransactionError.objectAlreadyExists) {
        try context.submit(ThingChangeRequest.creation(Thing(id: 100, note: "49")))
      }
    }
    #expect(try store.sql("SELECT count(*) FROM test__thing_v1_1__f14") == [["50"]])
  }

  /// When another process stores a thing, and leaves the index behind.
  enum ForeignWrite: CaseIterable {
    case beforeTheTransaction
    case afterTheSubmission
  }

  @Test("A unique index that another process leaves behind still refuses a duplicate", arguments: ForeignWrite.allCases)
  func leftBehindMeanwhile(write: ForeignWrite) throws {
    let store = try TestStore()
    let other = store.reopened()
    store.perform([Thing.self]) { $0.try(submit: ThingChangeRequest.creation(Thing(id: 1, note: "first"))) }
    let leaveBehind = {
      store.perform([Thing.self], in: other) {
        $0.try(submit: ThingChangeRequest.creation(Thing(id: 2, note: "taken")))
      }
      do { try store.sql("DELETE FROM test__thing_v1_1__f14") } catch { Issue.record(error) }
    }
    if write == .beforeTheTransaction { leaveBehind() }
    store.perform([Thing.self], completing: write == .beforeTheTransaction) { context in
      let request = ThingChangeRequest.creation(Thing(id: 3, note: "taken"))
      if write == .afterTheSubmission {
        context.try(submit: request)
        leaveBehind()
      } else {
        #expect(throws: TransactionError.objectAlreadyExists) { try context.submit(request) }
      }
    }
    if write == .afterTheSubmission {
      let isTold = eventually {
        store.errors.values.contains { if case SubmissionError.taken? = $0 as? SubmissionError { true } else { false } }
      }
      #expect(isTold, "\(store.errors.values)")
    }
    #expect(store.workspace.fetch(for: Thing.self).all().map(\.id) == [1, 2])
    other.shutdown()
  }

  @Test("An index that the schema has made unique is built anew as a unique one")
  func anIndexThatHasBecomeUniqueIsBuiltAnew() throws {
    let store = try TestStore()
    store.perform([Thing.self]) { $0.try(submit: ThingChangeRequest.creation(Thing(id: 1, note: "a"))) }
    store.workspace.shutdown()
    try store.sql(
      """
      DROP INDEX index__test__thing_v1_1__f14;
      CREATE INDEX index__test__thing_v1_1__f14 ON test__thing_v1_1__f14 (f14)
      """)
    let workspace = store.reopened()
    defer { workspace.shutdown() }
    store.perform([Thing.self], in: workspace) { context in
      #expect(throws: TransactionError.objectAlreadyExists) {
        try context.submit(ThingChangeRequest.creation(Thing(id: 2, note: "a")))
      }
    }
    #expect(try store.sql("SELECT \"unique\" FROM pragma_index_list('test__thing_v1_1__f14')") == [["1"]])
  }
}
