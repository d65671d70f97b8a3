import EngineTestSupport
import Dflat
import Foundation
import Golden_post
import Testing

@testable import SQLiteDflat

@Suite("Nothing that a subscriber does harms another subscriber or a transaction")
struct HostileSubscriberTests {
  @Test("A callback may shut down the workspace: commits are stored, and no callback follows")
  func shutdownInACallback() throws {
    // The shutdown waits for the completion, and that for the callback, for a second.
    let posts = try PostStore(waitsForCallbacks: false)
    posts.insert("a")
    let workspace = posts.workspace
    let (told, ended) = (Collected<Int32>(), Gate())
    let subscriptions = [
      workspace.subscribe(object: try posts.post("a")) { change in
        if case .updated(let post) = change { told.append(post.priority) }
        workspace.shutdown()
        ended.open()
      },
      workspace.subscribe(fetchedResult: workspace.fetch(for: Post.self).all()) { _ in },
    ]
    posts.setPriority("a", 1)
    #expect(ended.wait())
    posts.store.perform([Post.self], completing: false) { _ in }
    #expect(told.values == [1])
    let other = posts.store.reopened()
    #expect(other.fetch(for: Post.self).where(Post.title == "a").first?.priority == 1)
    other.shutdown()
    for each in subscriptions { each.cancel() }
  }

  @Test("A row that is damaged while a result is observed is left out, and reported once, however often it is fetched")
  func damagedRow() throws {
    let posts = try PostStore()
    posts.insert("a", "b", "c", "d", priority: 1)
    let workspace = posts.workspace
    let observer = ResultObserver("the first two", in: workspace) {
      workspace.fetch(for: Post.self).where(Post.priority == 1, limit: .limit(2), orderBy: [Post.title.ascending])
    }
    try posts.store.damage("UPDATE post SET p = x'FFFFFFFF' WHERE __pk0 = 'b'")
    #expect(eventually { observer.posts.map(\.title) == ["a", "c"] && posts.store.errors.count > 0 })
    posts.store.errors.removeAll()
    // Each time, the next object has to be fetched.
    posts.setPriority("a", 2)
    #expect(observer.posts.map(\.title) == ["c", "d"])
    posts.setPriority("a", 1)
    posts.setPriority("c", 2)
    #expect(observer.posts.map(\.title) == ["a", "d"])
    #expect(posts.store.errors.values.isEmpty)
    observer.cancel()
  }

  @Test("While a transaction that writes through to the file goes on, subscribing waits for nothing")
  func unfinishedTransaction() throws {
    let posts = try PostStore()
    let workspace = posts.workspace
    posts.insert("a")
    // The log is in the file, so the transaction begins it anew; and it has no room for what it changes.
    let writer = try workspace.core.database.writer()
    try workspace.runAsWriter("PRAGMA wal_checkpoint(FULL)")
    try workspace.runAsWriter("PRAGMA cache_size = 10")
    let (isWritten, mayEnd) = (Gate(), Gate())
    let told = Collected<Int>()
    let subscriptions = Collected<any Workspace.Subscription>()
    // Of an order, so that it is fetched when it is subscribed to.
    let subscribe: @Sendable () -> Void = {
      let result = workspace.fetch(for: Post.self).all(orderBy: [Post.title.ascending])
      subscriptions.append(workspace.subscribe(fetchedResult: result) { told.append($0.count) })
    }
    let before = workspace.core.sequence.versionAndHeader.1
    let large = PendingTransaction([Post.self], in: workspace) { context in
      for number in 0..<2000 {
        let post = Post(title: "\(number)", tag: String(repeating: "x", count: 500))
        context.try(submit: PostChangeRequest.creationRequest(post))
      }
      subscribe()
      isWritten.open()
      mayEnd.wait()
    }
    #expect(isWritten.wait())
    // Without this, the test would show nothing.
    #expect(writer.connection.walIndexHeader.isSame(as: before) == false)
    // Or else it would be begun again and again, for a second.
    let reader = try #require(try workspace.core.database.acquireReader(.fetch, inTransaction: false))
    #expect(reader.isExact)
    workspace.core.database.release(reader, .fetch)
    subscribe()
    // The first subscriber is told what is committed, although the transaction goes on.
    #expect(eventually { told.values == [1] })
    mayEnd.open()
    #expect(large.outcome() == true)
    // What the transaction has fetched is not committed yet.
    #expect(told.values == [1, 2001, 2001])
    for each in subscriptions.values { each.cancel() }
  }

  @Test(
    "Subscribers get a transaction in time, even if it has more changes than are kept in memory",
    arguments: [true, false])
  func hugeTransaction(isNew: Bool) throws {
    let posts = try PostStore()
    let workspace = posts.workspace
    posts.insert("a")
    let text = String(repeating: "x", count: 1 << 20)
    let observer = ResultObserver("all but one", in: workspace) {
      workspace.fetch(for: Post.self).where(Post.title != "7", orderBy: [Post.title.descending])
    }
    let told = Collected<SubscribedObject<Post>>()
    let subscription = workspace.subscribe(object: try posts.post("a")) { told.append($0) }
    posts.store.perform([Post.self]) { context in
      for number in 0..<70 {
        let post = Post(title: "\(number)", tag: text)
        context.try(submit: isNew ? PostChangeRequest.creationRequest(post) : PostChangeRequest.upsertRequest(post))
      }
      guard let request = PostChangeRequest.changeRequest(Post(title: "a")) else { return }
      request.priority = 5
      context.try(submit: request)
    }
    // On a slow machine, to fetch 70 MB takes longer than the completion waits for subscribers.
    #expect(eventually { observer.posts.count == 70 && !told.values.isEmpty })
    observer.check("")
    #expect(told.values == [.updated(Post(title: "a", priority: 5))])
    observer.cancel()
    subscription.cancel()
  }

  @Test("NaN and NULL match what they match in a fetch, as constants and as values")
  func unknownValues() throws {
    let store = try TestStore()
    let workspace = store.workspace
    let queries: [QueryExpression<Bool, Thing>] = [
      Thing.ratio == .nan, Thing.ratio != .nan, Thing.ratio < .nan, !(Thing.ratio > .nan), Thing.ratio.in([.nan, 1]),
      Thing.ratio < 5, !(Thing.ratio < 5), Thing.ratio.isNull, Thing.ratio.isNotNull, Thing.ratio + 1 > 0,
      Thing.note.isNull, Thing.note == "a", Thing.note != "a", !(Thing.note == "a"), Thing.note.notIn(["a", "b"]),
      Thing.ratio < 5 || Thing.note == "a", Thing.ratio < 5 && Thing.note.isNull,
    ]
    let told = queries.map { _ in Locked<[Int64]>([]) }
    let subscriptions = zip(queries, told).map { query, told in
      workspace.subscribe(fetchedResult: workspace.fetch(for: Thing.self).where(query)) { told.value = $0.map(\.id) }
    }
    let ratios: [Double] = [.nan, 1, -.infinity, .infinity, -0.0, 7]
    for round in 0..<3 {
      store.perform([Thing.self]) { context in
        for number in ratios.indices {
          // Notes are unique: each round, "a" goes on to the next thing.
          let note = number == round ? "a" : number % 2 == 0 ? "\(number)" : nil
          let thing = Thing(id: Int64(number), ratio: ratios[(number + round) % ratios.count], note: note)
          context.try(submit: ThingChangeRequest.upsert(thing))
        }
      }
      for (number, query) in queries.enumerated() {
        #expect(told[number].value == workspace.fetch(for: Thing.self).where(query).map(\.id), "\(number)")
      }
    }
    for each in subscriptions { each.cancel() }
  }
}

#if compiler(>=6.2)
  @Suite("A result is subscribed to in its own workspace")
  struct ForeignResultTests {
    @Test("A result of another workspace, or made by hand, stops the program with a message", arguments: [false, true])
    func anotherWorkspace(isMadeByHand: Bool) async {
      // An exit test cannot take what differs along.
      let result =
        isMadeByHand
        ? await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
          let workspace = SQLiteWorkspace(filePath: "/nowhere/store", fileProtectionLevel: .noProtection)
          _ = workspace.subscribe(fetchedResult: FetchedResult([Post(title: "a")])) { _ in }
        }
        : await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
          let workspaces = (0..<2).map { _ in
            SQLiteWorkspace(filePath: "/nowhere/store", fileProtectionLevel: .noProtection)
          }
          _ = workspaces[0].subscribe(fetchedResult: workspaces[1].fetch(for: Post.self).all()) { _ in }
        }
      let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
      #expect(message.contains("was not fetched from this workspace"))
    }
  }
#endif
