import EngineTestSupport
import Dflat
import Foundation
import Golden_post
import Observation
import SQLiteDflat
import Testing

@MainActor
@Suite("Live results")
struct LiveResultTests {
  private let posts: PostStore
  private var workspace: SQLiteWorkspace { posts.workspace }

  init() throws { posts = try PostStore() }

  /// What a view would show: it is evaluated again whenever what it has read changes. It must not own that: what is read keeps
  /// the view until it changes.
  private func show<Value>(_ shown: Collected<Value>, _ view: @escaping @MainActor () -> Value) {
    let value = withObservationTracking(view) {
      // The property changes after this call, which the main actor makes.
      Task { @MainActor in self.show(shown, view) }
    }
    shown.append(value)
  }

  @Test("A client of the Observation framework sees the result loaded, and then each change")
  func observation() async throws {
    posts.insert("b", "a", priority: 1)
    let live = LiveResult(
      Post.self, in: workspace, where: Post.priority > 0, limit: .limit(2), orderBy: [Post.title.ascending])
    #expect(live.isLoading && live.elements.isEmpty)
    let titles = Collected<[String]>()
    let loading = Collected<Bool>()
    show(titles) { [weak live] in live?.elements.map(\.title) ?? [] }
    show(loading) { [weak live] in live?.isLoading ?? false }
    #expect(try await eventuallyOnMainActor { titles.count == 2 && loading.count == 2 })
    #expect(live.elements.difference == nil)
    posts.insert("0", priority: 1)
    #expect(try await eventuallyOnMainActor { titles.count == 3 })
    #expect(live.elements.difference?.insertions == [0] && live.elements.difference?.removals == [1])
    posts.delete("0")
    #expect(try await eventuallyOnMainActor { titles.count == 4 })
    #expect(titles.values == [[], ["a", "b"], ["0", "a"], ["a", "b"]])
    #expect(loading.values == [true, false])
    #expect(live.lastError == nil)
  }

  @Test("While the main actor is busy, only the latest result waits, with the difference from the one shown before")
  func busyMainActor() async throws {
    let live = LiveResult(Post.self, in: workspace)
    #expect(try await eventuallyOnMainActor { !live.isLoading })
    let updates = Collected<[Int]>()
    show(updates) { [weak live] in live?.elements.difference?.insertions ?? [] }
    // The test has the main actor until it awaits something. One result may be on its way to it by then, and one waits.
    for number in 0..<50 { posts.insert("\(number)") }
    #expect(live.elements.isEmpty)
    #expect(try await eventuallyOnMainActor { live.count == 50 })
    #expect(try await eventuallyOnMainActor { updates.values.joined().count == 50 })
    #expect(updates.values.joined().elementsEqual(0..<50))
    #expect(updates.count <= 3)
  }

  @Test("No commit is missed, whenever it comes, and results come in order")
  func order() async throws {
    let posts = posts
    let writer = BackgroundThreads { _ in for number in 0..<100 { posts.insert("\(number)") } }
    let live = LiveResult(Post.self, in: workspace)
    let counts = Collected<Int>()
    show(counts) { [weak live] in live?.count ?? 0 }
    #expect(try await eventuallyOnMainActor { counts.values.last == 100 })
    #expect(counts.values == counts.values.sorted())
    #expect(live.elements.map(\.title) == (0..<100).map { "\($0)" })
    #expect(await onThread { writer.end() })
  }

  @Test("A LiveResult is a collection on the main actor")
  func collection() async throws {
    posts.insert("a", "b", "c")
    let live = LiveResult(Post.self, in: workspace)
    // What follows asks for elements by their places.
    try #require(try await eventuallyOnMainActor { !live.isLoading && live.count == 3 })
    #if compiler(>=6.2)
      #expect(live.count == 3 && live[1].title == "b" && live.last?.title == "c")
      #expect(live.map(\.title) == ["a", "b", "c"] && live.reversed().map(\.title) == ["c", "b", "a"])
      #expect(live[1...].map(\.title) == ["b", "c"] && live.indices == 0..<3)
    #endif
  }

  @Test("After cancel, nothing changes, also if a result waits for the main actor")
  func cancelling() async throws {
    posts.insert("a")
    let (live, other) = (LiveResult(Post.self, in: workspace), LiveResult(Post.self, in: workspace))
    #expect(try await eventuallyOnMainActor { !live.isLoading && !other.isLoading })
    posts.insert("b")
    live.cancel()
    #expect(try await eventuallyOnMainActor { other.elements.count == 2 })
    posts.insert("c")
    #expect(try await eventuallyOnMainActor { other.elements.count == 3 })
    #expect(live.elements.count == 1)
    other.cancel()
    #expect(try await eventuallyOnMainActor { !posts.isObserved })
  }

  @Test("A LiveResult that is cancelled while it loads stays empty")
  func cancellingWhileLoading() async throws {
    posts.insert("a")
    let live = LiveResult(Post.self, in: workspace)
    live.cancel()
    #expect(!live.isLoading)
    let other = LiveResult(Post.self, in: workspace)
    #expect(try await eventuallyOnMainActor { !other.isLoading })
    other.cancel()
    #expect(try await eventuallyOnMainActor { !posts.isObserved })
    #expect(live.elements.isEmpty)
  }

  @Test("A LiveResult that is released, loaded or not, leaves no subscription")
  func releasing() async throws {
    weak var released: LiveResult<Post>?
    do {
      let live = LiveResult(Post.self, in: workspace)
      #expect(try await eventuallyOnMainActor { !live.isLoading })
      #expect(posts.isObserved)
      released = live
    }
    #expect(released == nil)
    weak var early: LiveResult<Post>?
    do {
      let live = LiveResult(Post.self, in: workspace)
      early = live
    }
    #expect(early == nil)
    #expect(try await eventuallyOnMainActor { !posts.isObserved })
  }

  @Test("When the first fetch fails, the error is there, and goes when a result comes")
  func failure() async throws {
    let store = try TestStore { path in
      try Data("This is no database.".utf8).write(to: URL(fileURLWithPath: path))
    }
    let live = LiveResult(Post.self, in: store.workspace)
    #expect(try await eventuallyOnMainActor { !live.isLoading })
    #expect(live.elements.isEmpty)
    guard case StoreError.failed? = live.lastError else {
      Issue.record("\(String(describing: live.lastError))")
      return
    }
    try FileManager.default.removeItem(atPath: store.path)
    await store.workspace.performChanges([Post.self]) { context in
      context.try(submit: PostChangeRequest.creationRequest(Post(title: "a")))
    }
    #expect(try await eventuallyOnMainActor { live.elements.count == 1 })
    #expect(live.lastError == nil)
  }

  @Test("After a shutdown, the elements stay; a new one is empty, and says why")
  func shutdown() async throws {
    posts.insert("a")
    let live = LiveResult(Post.self, in: workspace)
    #expect(try await eventuallyOnMainActor { !live.isLoading })
    await workspace.shutdown()
    let late = LiveResult(Post.self, in: workspace)
    #expect(try await eventuallyOnMainActor { !late.isLoading })
    #expect(live.elements.count == 1 && live.lastError == nil)
    #expect(late.elements.isEmpty)
    guard case StoreError.shutDown? = late.lastError else {
      Issue.record("\(String(describing: late.lastError))")
      return
    }
  }
}
