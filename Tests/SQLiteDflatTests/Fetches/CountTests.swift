import Dflat
import EngineTestSupport
import Foundation
import Golden_post
import Testing

@testable import SQLiteDflat

@Suite("count, exists and first read no more than they need")
struct CountTests {
  private func storeOfPosts(_ count: Int) throws -> TestStore {
    let store = try TestStore()
    store.perform([Post.self]) { context in
      for number in 0..<count {
        context.try(submit: PostChangeRequest.creationRequest(Post(title: "\(number)", priority: Int32(number))))
      }
    }
    return store
  }

  @Test("Nothing is found, and no error reported, where there is no file or no table")
  func nothingIsStored() throws {
    let store = try TestStore()
    for _ in 0..<2 {
      let posts = store.workspace.fetch(for: Post.self)
      #expect(posts.count() == 0 && posts.count(where: Post.color == .red) == 0)
      #expect(!posts.exists() && !posts.exists(where: Post.title == "a"))
      #expect(posts.first() == nil && posts.first(where: Post.priority == 1) == nil)
      // Now with a file that lacks the table.
      store.perform([Thing.self]) { $0.try(submit: ThingChangeRequest.upsert(Thing(id: 1))) }
    }
    #expect(store.errors.values.isEmpty)
  }

  @Test("A count that an index or a key answers reads no row")
  func whatAnIndexAnswersReadsNoRow() throws {
    let store = try storeOfPosts(100)
    // No row could be read.
    try store.damage("UPDATE post SET p = x'00'")
    let posts = store.workspace.fetch(for: Post.self)
    #expect(posts.count() == 100)
    #expect(posts.count(where: Post.title > "5") == 54)
    #expect(posts.count(where: Post.priority >= 10 && Post.title != "20") == 89)
    #expect(posts.count(where: Post.priority != 3) == 99)
    #expect(posts.exists() && posts.exists(where: Post.priority == 3) && !posts.exists(where: Post.priority == 100))
    #expect(store.errors.values.isEmpty)
    // Where the bytes are asked, they cannot answer, and each is reported.
    #expect(posts.count(where: Post.color == .red) == 0)
    #expect(store.errors.count == 100)
  }

  @Test("exists and first stop at the first row")
  func exists_stopsAtTheFirstRow() throws {
    let store = try storeOfPosts(50)
    try store.damage("UPDATE post SET p = x'00' WHERE rowid > 10")
    let posts = store.workspace.fetch(for: Post.self)
    #expect(posts.exists(where: Post.color == .red))
    #expect(posts.exists(where: Post.tag.isNull && Post.priority > 5))
    #expect(posts.first()?.title == "0")
    #expect(
      posts.first(where: Post.priority > 3 && Post.color == .red, orderBy: [Post.priority.ascending])?.title == "4")
    // A row beyond those would have been reported.
    #expect(store.errors.values.isEmpty)
    #expect(posts.count(where: Post.color == .red) == 10)
    #expect(store.errors.count == 40)
  }

  @Test("first skips a row that cannot be read")
  func firstSkipsARowThatCannotBeRead() throws {
    let store = try storeOfPosts(3)
    try store.damage("UPDATE post SET p = x'00' WHERE rowid = 1")
    #expect(store.workspace.fetch(for: Post.self).first()?.title == "1")
    #expect(!store.errors.values.isEmpty)
  }
}

@Suite("Throwing fetches throw what else the error handler gets")
struct ThrowingFetchTests {
  @Test("Throwing fetches return what the other fetches return")
  func whatIsThere() throws {
    let store = try TestStore()
    let posts = store.workspace.fetch(for: Post.self).throwing
    #expect(try posts.all().isEmpty)
    store.perform([Post.self]) { context in
      for title in ["b", "a"] { context.try(submit: PostChangeRequest.creationRequest(Post(title: title))) }
    }
    let order = [Post.title.ascending]
    #expect(try posts.all(orderBy: order).map(\.title) == ["a", "b"])
    #expect(try posts.where(Post.title > "a").map(\.title) == ["b"])
    #expect(try posts.first(orderBy: order)?.title == "a")
    #expect(try posts.first(where: Post.title > "a")?.title == "b")
    #expect(try posts.count() == 2 && posts.count(where: Post.title == "a") == 1)
    #expect(try posts.exists() && !posts.exists(where: Post.title == "c"))
    let first = try posts.first(orderBy: order)
    #expect(try posts.all(orderBy: order, after: first).map(\.title) == ["b"])
    #expect(try posts.where(Post.title != "b", orderBy: order, after: first).isEmpty)
    #expect(store.errors.values.isEmpty)
  }

  @Test("In a file that is no database each of them throws the error, and the handler is not told")
  func aFileThatIsNoDatabase() throws {
    let store = try TestStore { path in
      try Data(String(repeating: "This is no database. ", count: 100).utf8).write(to: URL(fileURLWithPath: path))
    }
    let posts = store.workspace.fetch(for: Post.self).throwing
    func code(_ fetch: () throws(StoreError) -> Void) -> Int32? {
      do throws(StoreError) {
        try fetch()
      } catch {
        if case .failed(let reason as SQLiteError) = error { return reason.code }
      }
      return nil
    }
    #expect(code { () throws(StoreError) in _ = try posts.all() } == 26)
    #expect(code { () throws(StoreError) in _ = try posts.count(where: Post.title == "a") } == 26)
    #expect(code { () throws(StoreError) in _ = try posts.exists() } == 26)
    #expect(code { () throws(StoreError) in _ = try posts.first() } == 26)
    // A caller that gets the error need not be told by the handler as well.
    #expect(store.errors.values.isEmpty)
    #expect(store.workspace.fetch(for: Post.self).count() == 0)
    #expect(store.errors.values.map { ($0 as? SQLiteError)?.code } == [26])
  }

  @Test("After a shutdown, throwing count, exists and first throw an error that says so")
  func afterAShutdown() throws {
    let store = try TestStore()
    store.perform([Post.self]) { $0.try(submit: PostChangeRequest.creationRequest(Post(title: "a"))) }
    store.workspace.shutdown()
    let posts = store.workspace.fetch(for: Post.self)
    do throws(StoreError) {
      _ = try posts.throwing.all()
      Issue.record("a fetch after the shutdown")
    } catch {
      guard case .shutDown = error else {
        Issue.record("\(error)")
        return
      }
    }
    #expect(posts.all().isEmpty && posts.count() == 0)
    #expect(store.errors.values.isEmpty)
  }

  @Test("A damaged row is reported to the handler, and the others are returned")
  func aDamagedRowGoesToTheHandlerAndTheOthersCome() throws {
    let store = try TestStore()
    store.perform([Post.self]) { context in
      for title in ["a", "b"] { context.try(submit: PostChangeRequest.creationRequest(Post(title: title))) }
    }
    try store.damage("UPDATE post SET p = NULL WHERE __pk0 = 'a'")
    #expect(try store.workspace.fetch(for: Post.self).throwing.all().map(\.title) == ["b"])
    #expect(store.errors.count == 1)
  }
}
