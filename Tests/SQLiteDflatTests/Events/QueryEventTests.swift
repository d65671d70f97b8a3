import Dflat
import DflatEngine
import EngineTestSupport
import Golden_post
import Testing

@testable import SQLiteDflat

@Suite("Handlers are told of each query")
struct QueryEventTests {
  /// A store with 10 posts of the priorities 0 to 9, each even one with a tag.
  private func store() throws -> TestStore {
    let store = try TestStore()
    store.perform([Post.self]) { context in
      for number in 0..<10 {
        let post = Post(title: "\(number)", tag: number % 2 == 0 ? "even" : nil, priority: Int32(number))
        context.try(submit: PostChangeRequest.creationRequest(post))
      }
    }
    return store
  }

  @Test("The event of a query has its plan, its rows read and returned, and where it was made")
  func plans() throws {
    let store = try store()
    let workspace = store.workspace
    let events = Collected<QueryEvent>()
    let subscription = workspace.onQuery { events.append($0) }
    _ = workspace.fetch(for: Post.self).where(Post.title == "3")
    _ = workspace.fetch(for: Post.self).where(Post.priority > 5 && Post.tag == "even")
    _ = workspace.fetch(for: Post.self).where(Post.tag == "even", orderBy: [Post.tag.ascending])
    _ = workspace.fetch(for: Post.self).count(where: Post.priority > 5)
    _ = workspace.fetch(for: Post.self).all(limit: .limit(2), orderBy: [Post.priority.descending])
    store.perform([Post.self]) { _ in _ = workspace.fetch(for: Post.self).first() }
    #expect(eventually { events.values.count == 6 })
    let values = events.values
    #expect(
      values.map(\.plan.access) == [
        .key, .index(["priority"]), .scan, .index(["priority"]), .index(["priority"]), .scan,
      ])
    #expect(values.map(\.rowsRead) == [1, 4, 10, 0, 2, 1])
    #expect(values.map(\.rowsReturned) == [1, 2, 5, 4, 2, 1])
    #expect(values.map { $0.plan.filter != nil } == [false, true, true, false, false, false])
    #expect(values.map(\.plan.sortsRows) == [false, false, true, false, false, false])
    #expect(values.map(\.isInTransaction) == [false, false, false, false, false, true])
    #expect(values.allSatisfy { $0.type == "Post" && $0.error == nil && $0.duration > .zero && $0.skippedCount == 0 })
    #expect(values.allSatisfy { $0.statement.hasPrefix("SELECT ") && !$0.statement.contains("even") })
    subscription.cancel()
    _ = workspace.fetch(for: Post.self).all()
    #expect(!workspace.core.tellsOfQueries.isSet)
    #expect(events.values.count == 6)
  }

  @Test("The event of a query that fails has the error")
  func failures() throws {
    let store = try store()
    let events = Collected<QueryEvent>()
    let subscription = store.workspace.onQuery { events.append($0) }
    store.workspace.shutdown()
    #expect(throws: StoreError.self) { try store.workspace.fetch(for: Post.self).throwing.all() }
    #expect(throws: StoreError.self) { try store.workspace.fetch(for: Post.self).throwing.count() }
    #expect(eventually { events.values.count == 2 })
    for event in events.values {
      guard case .shutDown? = event.error else { Issue.record("\(event)"); continue }
      #expect(event.rowsReturned == 0)
    }
    subscription.cancel()
  }

  @Test("A handler that fetches and changes objects is not told of its own queries and transactions")
  func handlersThatFetch() async throws {
    let store = try store()
    let workspace = store.workspace
    let (queries, transactions) = (Collected<QueryEvent>(), Collected<TransactionEvent>())
    let done = Collected<Int>()
    let first = workspace.onQuery { event in
      queries.append(event)
      done.append(workspace.fetch(for: Post.self).count())
      workspace.performChanges([Post.self]) { context in
        let post = workspace.fetch(for: Post.self).first()
        context.try(submit: PostChangeRequest.upsertRequest(Post(title: "log", tag: post?.tag)))
      } completionHandler: { _ in
        done.append(workspace.fetch(for: Post.self).count())
      }
      Task {
        done.append(try await workspace.fetch(for: Post.self).async.count())
        await workspace.performChanges([Post.self]) { _ in _ = workspace.fetch(for: Post.self).count() }
        done.append(1)
      }
    }
    let second = workspace.onTransaction { transactions.append($0) }
    _ = workspace.fetch(for: Post.self).all()
    #expect(await onThread { eventually { done.values.count == 4 } })
    // A query of its own comes after all that the handler might have told of.
    _ = workspace.fetch(for: Post.self).where(Post.title == "log")
    #expect(await onThread { eventually { done.values.count == 8 } })
    #expect(queries.values.map(\.plan.access) == [.scan, .key])
    #expect(transactions.values.isEmpty)
    first.cancel()
    second.cancel()
  }

  @Test("Slow handlers delay no query: events that are too many for them are left out, and counted")
  func slowHandlers() throws {
    let store = try store()
    let gate = Gate()
    let skipped = Collected<Int>()
    let subscription = store.workspace.onQuery {
      gate.wait()
      skipped.append($0.skippedCount)
    }
    let count = 1 + EventFeed<QueryEvent>.limit + 10
    for number in 0..<count {
      _ = store.workspace.fetch(for: Post.self).where(Post.title == "3")
      // The first one is with the handler, and waits no more.
      if number == 0 { #expect(eventually { !store.workspace.core.events.queries.isAnyWaiting }) }
    }
    gate.open()
    #expect(eventually { skipped.values.count == count - 10 })
    #expect(skipped.values.reduce(0, +) == 10)
    #expect(skipped.values.prefix(2) == [0, 10])
    subscription.cancel()
  }

  @Test("A subscription that was released or cancelled is told of no later query")
  func releasedSubscriptions() throws {
    let store = try store()
    let calls = Collected<String>()
    let kept = store.workspace.onQuery { _ in calls.append("kept") }
    do {
      let released = store.workspace.onQuery { _ in calls.append("released") }
      withExtendedLifetime(released) {}
    }
    _ = store.workspace.fetch(for: Post.self).all()
    #expect(eventually { calls.values == ["kept"] })
    #expect(store.workspace.core.tellsOfQueries.isSet)
    kept.cancel()
    kept.cancel()
    #expect(!store.workspace.core.tellsOfQueries.isSet)
  }

  @Test("A handler whose subscription is cancelled while another handler runs is not called with the same event")
  func cancellingHandlers() throws {
    let store = try store()
    let calls = Collected<String>()
    let other = Locked<(any WorkspaceSubscription)?>(nil)
    let first = store.workspace.onQuery { _ in
      calls.append("first")
      other.value?.cancel()
    }
    other.value = store.workspace.onQuery { _ in calls.append("other") }
    for _ in 0..<2 { _ = store.workspace.fetch(for: Post.self).all() }
    #expect(eventually { calls.values.count >= 2 })
    #expect(calls.values == ["first", "first"])
    first.cancel()
  }
}
