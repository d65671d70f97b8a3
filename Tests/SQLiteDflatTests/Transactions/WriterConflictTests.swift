import Dflat
import EngineTestSupport
import Golden_post
import Testing

@testable import SQLiteDflat

/// A transaction that has the writer leaves it to SQLite to find a key that is taken.
@Suite("A key that is taken is refused where a transaction has the writer")
struct WriterConflictTests {
  @Test("A submission with a primary key that is taken stores nothing, and the other object stays")
  func primaryKey() throws {
    let store = try TestStore()
    store.perform([Post.self]) { context in
      context.try(submit: PostChangeRequest.creationRequest(Post(title: "stored", priority: 1)))
    }
    store.perform([Post.self]) { context in
      context.try(submit: PostChangeRequest.creationRequest(Post(title: "own", priority: 2)))
      #expect(store.workspace.fetch(for: Post.self).count() == 2)
      for title in ["stored", "own"] {
        #expect(throws: TransactionError.objectAlreadyExists) {
          try context.submit(PostChangeRequest.creationRequest(Post(title: title, priority: 9)))
        }
      }
      context.try(submit: PostChangeRequest.creationRequest(Post(title: "later", priority: 3)))
    }
    #expect(store.workspace.fetch(for: Post.self).all().map(\.title) == ["stored", "own", "later"])
    #expect(store.workspace.fetch(for: Post.self).all().map(\.priority) == [1, 2, 3])
  }

  @Test("A submission with a unique value that is taken stores neither a row nor an index entry")
  func uniqueValue() throws {
    let store = try TestStore()
    store.perform([Thing.self]) { $0.try(submit: ThingChangeRequest.creation(Thing(id: 1, note: "stored"))) }
    store.perform([Thing.self]) { context in
      context.try(submit: ThingChangeRequest.creation(Thing(id: 2, note: "own")))
      #expect(store.workspace.fetch(for: Thing.self).count() == 2)
      for note in ["stored", "own"] {
        #expect(throws: TransactionError.objectAlreadyExists) {
          try context.submit(ThingChangeRequest.creation(Thing(id: 3, big: 44, note: note)))
        }
      }
      let change = ThingChangeRequest.change(Thing(id: 2))
      change?.thing = Thing(id: 20, big: 44, note: "stored")
      if let change { #expect(throws: TransactionError.objectAlreadyExists) { try context.submit(change) } }
      context.try(submit: ThingChangeRequest.creation(Thing(id: 4)))
    }
    #expect(store.workspace.fetch(for: Thing.self).all().map(\.id) == [1, 2, 4])
    for key in ["f8", "f10", "f12", "f14"] {
      #expect(try store.sql("SELECT count(*) FROM test__thing_v1_1__\(key)") == [["3"]])
    }
    #expect(try store.sql("SELECT count(*) FROM test__thing_v1_1__f8 WHERE f8 = 44") == [["0"]])
  }
}
