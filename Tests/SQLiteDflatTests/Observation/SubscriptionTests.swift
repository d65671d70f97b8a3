import EngineTestSupport
import Dflat
import Dispatch
import Golden_post
import Testing

@testable import SQLiteDflat

@Suite("Subscribers to objects and results are told each commit")
struct SubscriptionTests {
  private let posts: PostStore
  private var store: TestStore { posts.store }
  private var workspace: SQLiteWorkspace { posts.workspace }

  init() throws { posts = try PostStore() }

  @Test("An object's subscriber gets each change before its completion handler, and then that it was deleted")
  func object() throws {
    posts.insert("a")
    let told = Collected<SubscribedObject<Post>>()
    let subscription = workspace.subscribe(object: try posts.post("a")) { told.append($0) }
    for priority in 1...5 as ClosedRange<Int32> {
      posts.setPriority("a", priority)
      #expect(told.count == Int(priority))
    }
    posts.delete("a")
    posts.insert("a")
    posts.setPriority("a", 9)
    #expect(told.values == (1...5).map { .updated(Post(title: "a", priority: $0)) } + [.deleted])
    subscription.cancel()
  }

  @Test("An object's subscriber is told each of many transactions that are committed together")
  func queuedChanges() throws {
    posts.insert("a")
    let told = Collected<SubscribedObject<Post>>()
    let subscription = workspace.subscribe(object: try posts.post("a")) { told.append($0) }
    let transactions = (1...100).map { number in
      PendingTransaction([Post.self], in: workspace) { context in
        guard let request = PostChangeRequest.changeRequest(Post(title: "a")) else { return }
        request.priority = Int32(number)
        context.try(submit: request)
      }
    }
    for each in transactions { #expect(each.outcome() == true) }
    #expect(told.values == (1...100).map { .updated(Post(title: "a", priority: $0)) })
    subscription.cancel()
  }

  @Test("A result that is out of date is brought up to date, although a later one of its query was subscribed to first")
  func outOfDateBesideACurrentOne() throws {
    posts.insert("a", "b")
    func fetch() -> FetchedResult<Post> { workspace.fetch(for: Post.self).where(Post.priority > 0) }
    let old = fetch()
    posts.setPriority("a", 1)
    let first = workspace.subscribe(fetchedResult: fetch()) { _ in }
    let told = Collected<[String]>()
    let second = workspace.subscribe(fetchedResult: old) { told.append($0.map(\.title)) }
    #expect(eventually { told.values == [["a"]] })
    first.cancel()
    second.cancel()
  }

  @Test("A subscriber whose object or result is out of date is brought up to date at once")
  func outOfDate() throws {
    posts.insert("a", "b")
    let (a, b) = (try posts.post("a"), try posts.post("b"))
    let result = workspace.fetch(for: Post.self).where(Post.priority > 0)
    posts.setPriority("a", 1)
    posts.delete("b")
    let told = Collected<SubscribedObject<Post>>()
    let results = Collected<[String]>()
    let subscriptions: [any Workspace.Subscription] = [
      workspace.subscribe(object: a) { told.append($0) }, workspace.subscribe(object: b) { told.append($0) },
      workspace.subscribe(fetchedResult: result) { results.append($0.map(\.title)) },
    ]
    #expect(eventually { told.count == 2 && results.count == 1 })
    // Each has a callback of its own, and any of them may be the first to be called.
    #expect(told.values.contains(.updated(Post(title: "a", priority: 1))) && told.values.contains(.deleted))
    #expect(results.values == [["a"]])
    for each in subscriptions { each.cancel() }
  }

  @Test("A result that is up to date is not told again")
  func upToDate() throws {
    posts.insert("a")
    let results = Collected<FetchedResult<Post>>()
    let subscriptions = [[], [Post.priority.descending]].map { orderBy in
      workspace.subscribe(fetchedResult: workspace.fetch(for: Post.self).all(orderBy: orderBy)) { results.append($0) }
    }
    posts.insert("b")
    #expect(results.values.map { $0.map(\.title) } == [["a", "b"], ["a", "b"]])
    for each in subscriptions { each.cancel() }
  }

  @Test("A subscription that is cancelled or has no reference is not called")
  func cancelling() throws {
    posts.insert("a")
    let told = Collected<SubscribedObject<Post>>()
    let subscription = workspace.subscribe(object: try posts.post("a")) { told.append($0) }
    subscription.cancel()
    subscription.cancel()
    _ = workspace.subscribe(object: try posts.post("a")) { told.append($0) }
    posts.setPriority("a", 1)
    #expect(told.values.isEmpty)
    #expect(!workspace.core.sequence.hasListener)
  }

  enum End: CaseIterable {
    case cancelled, deleted, shutDown
  }

  /// Has the subscription whose callback refers to it, as a screen of an app may.
  private final class Owner: Sendable {
    let subscriptions = Locked<[any Workspace.Subscription]>([])
    let told = Locked(0)
  }

  @Test(
    "A subscription that has ended releases its callback, even if the callback owns the subscription",
    arguments: End.allCases)
  func callbackOwningItsSubscription(end: End) throws {
    posts.insert("a")
    weak var owner: Owner?
    do {
      let new = Owner()
      let object = try posts.post("a")
      var subscriptions = [workspace.subscribe(object: object) { _ in new.told.change { $0 += 1 } }]
      if end != .deleted {
        subscriptions.append(
          workspace.subscribe(fetchedResult: workspace.fetch(for: Post.self).all()) { _ in new.told.change { $0 += 1 } }
        )
      }
      new.subscriptions.value = subscriptions
      owner = new
    }
    posts.setPriority("a", 1)
    #expect(owner?.told.value == (end == .deleted ? 1 : 2))
    switch end {
    case .cancelled: for each in owner?.subscriptions.value ?? [] { each.cancel() }
    case .deleted: posts.delete("a")
    case .shutDown: workspace.shutdown()
    }
    // The thread that has called a callback lets go of it a moment later.
    #expect(eventually { owner == nil })
  }

  @Test("A callback may cancel its own subscription, others, and subscribe")
  func changesFromACallback() throws {
    posts.insert("a", "b")
    let subscriptions = Locked<[any Workspace.Subscription]>([])
    let told = Collected<String>()
    let workspace = workspace
    let (a, b) = (try posts.post("a"), try posts.post("b"))
    let first = workspace.subscribe(object: a) { _ in
      told.append("a")
      for each in subscriptions.value { each.cancel() }
      let another = workspace.subscribe(object: b) { _ in told.append("another") }
      subscriptions.value = [another]
    }
    let second = workspace.subscribe(object: b) { _ in told.append("b") }
    subscriptions.value = [first, second]
    posts.setPriority("a", 1)
    posts.setPriority("a", 2)
    posts.setPriority("b", 1)
    #expect(told.values == ["a", "another"])
    subscriptions.value = []
  }

  @Test("A callback may wait for a transaction")
  func waitingInACallback() throws {
    posts.insert("a", "b")
    let told = Collected<Int32>()
    let store = store
    let subscription = workspace.subscribe(object: try posts.post("a")) { change in
      guard case .updated(let post) = change else { return }
      store.perform([Post.self]) { context in
        guard let request = PostChangeRequest.changeRequest(Post(title: "b")) else { return }
        request.priority = post.priority
        context.try(submit: request)
      }
      told.append(post.priority)
    }
    posts.setPriority("a", 7)
    #expect(eventually { told.values == [7] })
    #expect(try posts.post("b").priority == 7)
    subscription.cancel()
  }

  @Test("A callback that blocks keeps neither writers nor other subscribers waiting, and gets the latest updates then")
  func blockedCallback() throws {
    // Completions wait a second for the callback that blocks.
    let posts = try PostStore(waitsForCallbacks: false)
    let workspace = posts.workspace
    posts.insert("a")
    let gate = Gate()
    let slow = Collected<Int32>()
    let quick = Collected<Int32>()
    let begun = Gate()
    let subscriptions = [
      workspace.subscribe(object: try posts.post("a")) { change in
        begun.open()
        gate.wait()
        if case .updated(let post) = change { slow.append(post.priority) }
      },
      workspace.subscribe(object: try posts.post("a")) { change in
        if case .updated(let post) = change { quick.append(post.priority) }
      },
    ]
    for priority in 1...3 as ClosedRange<Int32> { posts.setPriority("a", priority) }
    #expect(begun.wait() && eventually { quick.values == [1, 2, 3] } && slow.values.isEmpty)
    gate.open()
    #expect(eventually { slow.values == [1, 2, 3] })
    for each in subscriptions { each.cancel() }
  }

  @Test("A subscription that is made after a shutdown is never called")
  func afterShutdown() throws {
    posts.insert("a")
    let post = try posts.post("a")
    let result = workspace.fetch(for: Post.self).all()
    workspace.shutdown()
    let subscriptions: [any Workspace.Subscription] = [
      workspace.subscribe(object: post) { _ in Issue.record("told") },
      workspace.subscribe(fetchedResult: result) { _ in Issue.record("told") },
      workspace.subscribe(fetchedResult: workspace.fetch(for: Post.self).all()) { _ in Issue.record("told") },
    ]
    for each in subscriptions { each.cancel() }
  }

  @Test("A subscriber gets commits of another workspace, although its own workspace does nothing")
  func otherWorkspace() throws {
    posts.insert("a", "b")
    let other = store.reopened()
    let told = Collected<SubscribedObject<Post>>()
    let observer = ResultObserver("all", in: workspace, { [workspace] in workspace.fetch(for: Post.self).all() })
    let subscriptions = [
      workspace.subscribe(object: try posts.post("a")) { told.append($0) },
      workspace.subscribe(object: try posts.post("b")) { told.append($0) },
    ]
    store.perform([Post.self], in: other) { context in
      guard let request = PostChangeRequest.changeRequest(Post(title: "a")),
        let deletion = PostChangeRequest.deletionRequest(Post(title: "b"))
      else { return }
      request.priority = 3
      context.try(submit: request)
      context.try(submit: deletion)
    }
    #expect(eventually { told.count == 2 && observer.posts.count == 1 })
    #expect(told.values.contains(.updated(Post(title: "a", priority: 3))) && told.values.contains(.deleted))
    observer.check("")
    for each in subscriptions { each.cancel() }
    observer.cancel()
    other.shutdown()
  }

  @Test("A subscriber is told when another workspace makes the file")
  func otherWorkspaceMakesTheFile() throws {
    let observer = ResultObserver("all", in: workspace, { [workspace] in workspace.fetch(for: Post.self).all() })
    let other = store.reopened()
    store.perform([Post.self], in: other) { context in
      context.try(submit: PostChangeRequest.creationRequest(Post(title: "a")))
    }
    #expect(eventually { observer.posts.map(\.title) == ["a"] })
    observer.cancel()
    other.shutdown()
  }
}
