import Dflat
import EngineTestSupport
import Golden_post
import SQLiteDflat
import Testing

@Suite("Objects and results are asynchronous sequences")
struct StreamTests {
  private func insert(_ store: TestStore, _ title: String) async {
    await store.workspace.performChanges([Post.self]) { context in
      context.try(submit: PostChangeRequest.creationRequest(Post(title: title)))
    }
  }

  private func setPriority(_ store: TestStore, _ priority: Int32) async {
    await store.workspace.performChanges([Post.self]) { context in
      guard let request = PostChangeRequest.changeRequest(Post(title: "a")) else { return }
      request.priority = priority
      context.try(submit: request)
    }
  }

  @Test("An object's sequence has its later states, and ends when it is deleted")
  func object() async throws {
    let store = try TestStore()
    await insert(store, "a")
    let post = try #require(store.workspace.fetch(for: Post.self).all().first)
    let stream = store.workspace.subscribe(object: post, bufferingPolicy: .unbounded)
    for priority in 1...3 as ClosedRange<Int32> { await setPriority(store, priority) }
    await store.workspace.performChanges([Post.self]) { context in
      guard let request = PostChangeRequest.deletionRequest(Post(title: "a")) else { return }
      context.try(submit: request)
    }
    var priorities: [Int32] = []
    for await post in stream { priorities.append(post.priority) }
    #expect(priorities == [1, 2, 3])
  }

  @Test("A sequence that starts with the current state gives it first, though nothing has changed")
  func startingWithCurrent() async throws {
    let store = try TestStore()
    await insert(store, "a")
    let fetched = store.workspace.fetch(for: Post.self).all()
    let post = try #require(fetched.first)
    var results = store.workspace.subscribe(fetchedResult: fetched, startingWithCurrent: true).makeAsyncIterator()
    var objects = store.workspace.subscribe(object: post, startingWithCurrent: true).makeAsyncIterator()
    #expect(await results.next()?.map(\.title) == ["a"])
    #expect(await objects.next() === post)
    await setPriority(store, 7)
    await insert(store, "b")
    #expect(await results.next()?.map(\.title) == ["a", "b"])
    #expect(await objects.next()?.priority == 7)
    var later = store.workspace.subscribe(fetchedResult: fetched, startingWithCurrent: false).makeAsyncIterator()
    // What it was given is out of date.
    #expect(await later.next()?.count == 2)
    await store.workspace.shutdown()
    #expect(await results.next() == nil)
    #expect(await objects.next() == nil)
  }

  @MainActor
  @Test("A task that is cancelled gets nothing more of a sequence that starts with the current state")
  func cancellation() async throws {
    let store = try TestStore()
    await insert(store, "a")
    let workspace = store.workspace
    let taken = Collected<Int>()
    let task = Task {
      let fetched = workspace.fetch(for: Post.self).all()
      for await posts in workspace.subscribe(fetchedResult: fetched, startingWithCurrent: true) {
        taken.append(posts.count)
      }
    }
    #expect(try await eventuallyOnMainActor { taken.values == [1] })
    task.cancel()
    await task.value
    await insert(store, "b")
    #expect(taken.values == [1])
  }

  @Test(
    "Without a policy, a task that comes late gets the latest state, with the difference from the one it took before")
  func newest() async throws {
    let store = try TestStore()
    await insert(store, "a")
    var results = store.workspace.subscribe(fetchedResult: store.workspace.fetch(for: Post.self).all())
      .makeAsyncIterator()
    for title in ["b", "c", "d"] { await insert(store, title) }
    let first = try #require(await results.next())
    #expect(first.map(\.title) == ["a", "b", "c", "d"] && first.difference?.insertions == [1, 2, 3])
    await insert(store, "e")
    #expect(await results.next()?.difference?.insertions == [4])
  }

  @Test("With .bufferingOldest, the difference of a later state covers the dropped ones")
  func oldest() async throws {
    let store = try TestStore()
    let stream = store.workspace.subscribe(
      fetchedResult: store.workspace.fetch(for: Post.self).all(), bufferingPolicy: .bufferingOldest(1))
    var results = stream.makeAsyncIterator()
    for title in ["a", "b", "c"] { await insert(store, title) }
    #expect(await results.next()?.difference?.insertions == [0])
    await insert(store, "d")
    #expect(await results.next()?.difference?.insertions == [1, 2, 3])
  }

  @Test("A sequence ends when its task is cancelled, and when the workspace is shut down")
  func ending() async throws {
    let store = try TestStore()
    await insert(store, "a")
    let workspace = store.workspace
    let tasks = (0..<2).map { _ in
      Task { () -> Int in
        var count = 0
        for await _ in workspace.subscribe(fetchedResult: workspace.fetch(for: Post.self).all()) { count += 1 }
        return count
      }
    }
    tasks[0].cancel()
    #expect(await tasks[0].value == 0)
    await workspace.shutdown()
    #expect(await tasks[1].value == 0)
  }
}
