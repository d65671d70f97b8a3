import Dflat
import EngineTestSupport
import Golden_post
import Testing

@testable import SQLiteDflat

/// Deletions are carried out with those that follow them: nothing must see that.
@Suite("An object that a transaction deletes is gone for the rest of the transaction")
struct DeletionTests {
  private func filled() throws -> (TestStore, [Post], [Thing]) {
    let store = try TestStore()
    store.perform([Post.self, Thing.self]) { context in
      for number in 0..<6 {
        context.try(submit: PostChangeRequest.creationRequest(Post(title: "\(number)", priority: Int32(number))))
        context.try(submit: ThingChangeRequest.creation(Thing(id: Int64(number), name: "n", note: "note \(number)")))
      }
    }
    return (
      store, Array(store.workspace.fetch(for: Post.self).all()), Array(store.workspace.fetch(for: Thing.self).all())
    )
  }

  private func delete(_ posts: some Sequence<Post>, _ context: any TransactionContext) {
    for post in posts {
      if let request = PostChangeRequest.deletionRequest(post) { context.try(submit: request) }
    }
  }

  private func titles(_ store: TestStore) -> [String] { store.workspace.fetch(for: Post.self).all().map(\.title) }

  @Test("A key of a deleted object can be taken by another object in the same transaction")
  func itsKeyCanBeTakenByAnother() throws {
    let (store, posts, things) = try filled()
    store.perform([Post.self, Thing.self]) { context in
      delete(posts[0...1], context)
      let request = PostChangeRequest.changeRequest(posts[4])
      request?.title = "1"
      if let request { context.try(submit: request) }
      let deletion = ThingChangeRequest.deletion(things[0])
      if let deletion { context.try(submit: deletion) }
      let change = ThingChangeRequest.change(things[5])
      change?.thing = Thing(id: 0, name: "n", note: "note 0")
      if let change { context.try(submit: change) }
    }
    #expect(titles(store) == ["2", "3", "1", "5"])
    #expect(store.workspace.fetch(for: Thing.self).where(Thing.note == "note 0").map(\._rowid) == [things[5]._rowid])
  }

  @Test("An upsert of a deleted object inserts a new row")
  func itIsStoredAnewByAnUpsert() throws {
    let (store, posts, _) = try filled()
    store.perform([Post.self]) { context in
      delete(posts[2...3], context)
      guard case .inserted(let post)? = context.try(submit: PostChangeRequest.upsertRequest(Post(title: "3"))) else {
        Issue.record("a post that was deleted is taken for stored")
        return
      }
      #expect(post._rowid > posts[5]._rowid)
    }
    #expect(titles(store) == ["0", "1", "4", "5", "3"])
  }

  @Test("Queries, counts and indexes do not find objects that the transaction has deleted")
  func queriesCountsAndIndexesDoNotFindIt() throws {
    let (store, posts, _) = try filled()
    store.perform([Post.self]) { context in
      delete(posts[1...2], context)
      let all = store.workspace.fetch(for: Post.self)
      #expect(all.count() == 4 && all.where(Post.priority < 3).map(\.title) == ["0"])
      delete(posts[3...3], context)
      #expect(all.where(Post.title == "3").isEmpty)
      delete(posts[4...5], context)
    }
    #expect(titles(store) == ["0"])
    #expect(try store.sql("SELECT rowid FROM post__f10") == [["\(posts[0]._rowid)"]])
  }

  @Test("An abort keeps the objects that the transaction has deleted")
  func anAbortBringsItBack() throws {
    let (store, posts, _) = try filled()
    store.perform([Post.self], completing: false) { context in
      delete(posts, context)
      context.abort()
    }
    #expect(titles(store) == posts.map(\.title))
    store.perform([Post.self]) { delete(posts.reversed(), $0) }
    #expect(titles(store).isEmpty)
  }

  /// After some errors SQLite rolls everything back: what is applied then would be committed alone.
  @Test("A deletion is not committed after SQLite has rolled the transaction back")
  func nothingIsDeletedAfterSQLiteHasRolledTheTransactionBack() throws {
    let (store, posts, _) = try filled()
    for rows in [1...1, 1...2] {
      store.perform([Post.self], completing: false) { context in
        delete(posts[rows], context)
        // It has the writer from now on, since it fetches what it has written; and deletes once more.
        #expect(titles(store).count == posts.count - rows.count)
        delete(posts[4...4], context)
        do {
          try store.workspace.core.database.writer().connection.run("ROLLBACK", for: "Testing")
        } catch { Issue.record(error) }
      }
      #expect(titles(store) == posts.map(\.title))
    }
    #expect(eventually { store.errors.count > 0 })
  }

  @Test("A transaction can delete more objects than one statement deletes", arguments: [255, 256, 257, 700])
  func moreThanAreDeletedAtOnce(count: Int) throws {
    let store = try TestStore()
    store.perform([Post.self]) { context in
      for number in 0..<count + 2 { context.try(submit: PostChangeRequest.creationRequest(Post(title: "\(number)"))) }
    }
    let posts = store.workspace.fetch(for: Post.self).all()
    store.perform([Post.self]) { delete(posts.dropFirst().dropLast(), $0) }
    #expect(titles(store) == ["0", "\(count + 1)"])
    #expect(try store.sql("SELECT count(*) FROM post__f10") == [["2"]])
  }
}
