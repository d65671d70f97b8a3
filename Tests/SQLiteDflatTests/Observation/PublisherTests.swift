import EngineTestSupport
import Dispatch
import Golden_post
import SQLiteDflat
import Testing

@testable import Dflat

#if canImport(Combine)
  import Combine
#else
  import OpenCombineDispatch

  @testable import DflatPublishers
#endif

@Suite("Publishers of objects, results and queries")
struct PublisherTests {
  private let posts: PostStore
  private var workspace: SQLiteWorkspace { posts.workspace }

  init() throws { posts = try PostStore() }

  // MARK: What is published

  @Test("An object's publisher publishes each commit before its completion handler, and finishes after the deletion")
  func object() throws {
    posts.insert("a")
    let received = Collected<SubscribedObject<Post>>()
    let completions = Collected<Int>()
    let cancellable = workspace.publisher(for: try posts.post("a"))
      .sink(receiveCompletion: { _ in completions.append(received.count) }, receiveValue: { received.append($0) })
    for priority in 1...5 as ClosedRange<Int32> {
      posts.setPriority("a", priority)
      #expect(received.count == Int(priority))
    }
    #expect(completions.values.isEmpty)
    posts.delete("a")
    posts.insert("a")
    #expect(received.values == (1...5).map { .updated(Post(title: "a", priority: $0)) } + [.deleted])
    #expect(completions.values == [6])
    #expect(!posts.isObserved)
    cancellable.cancel()
  }

  @Test("The publisher of an object that is not stored any more publishes the deletion, and finishes")
  func deletedObject() throws {
    posts.insert("a")
    let post = try posts.post("a")
    posts.delete("a")
    let subscriber = DemandingSubscriber<SubscribedObject<Post>>()
    workspace.publisher(for: post).subscribe(subscriber)
    subscriber.request(.max(1))
    #expect(eventually { subscriber.completions.count == 1 })
    #expect(subscriber.received.values == [.deleted])
  }

  @Test("Each of many transactions that are committed together is published")
  func queuedChanges() throws {
    posts.insert("a")
    let received = Collected<SubscribedObject<Post>>()
    let cancellable = workspace.publisher(for: try posts.post("a")).sink { received.append($0) }
    let transactions = (1...100).map { number in
      PendingTransaction([Post.self], in: workspace) { context in
        guard let request = PostChangeRequest.changeRequest(Post(title: "a")) else { return }
        request.priority = Int32(number)
        context.try(submit: request)
      }
    }
    for each in transactions { #expect(each.outcome() == true) }
    #expect(received.values == (1...100).map { .updated(Post(title: "a", priority: $0)) })
    cancellable.cancel()
  }

  @Test("A result's publisher publishes later states only, also what came before it was subscribed to")
  func result() throws {
    posts.insert("a")
    let publisher = workspace.publisher(for: workspace.fetch(for: Post.self).all())
    posts.insert("b")
    let received = Collected<FetchedResult<Post>>()
    let cancellable = publisher.sink { received.append($0) }
    #expect(eventually { received.count == 1 })
    posts.insert("c")
    #expect(received.values.map { $0.map(\.title) } == [["a", "b"], ["a", "b", "c"]])
    #expect(received.values.map { $0.difference?.insertions } == [[1], [2]])
    cancellable.cancel()
  }

  @Test("A query's publisher publishes the present result at once, and then later states")
  func query() {
    posts.insert("a", "b", "c", priority: 1)
    let received = Collected<FetchedResult<Post>>()
    let all = Collected<[String]>()
    let publisher = workspace.publisher(for: Post.self)
    let cancellables = [
      publisher.where(Post.priority > 0, limit: .limit(2), orderBy: [Post.title.descending])
        .sink { received.append($0) },
      publisher.all(limit: .limit(2)).map { $0.map(\.title) }.sink { all.append($0) },
    ]
    #expect(received.values.map { $0.map(\.title) } == [["c", "b"]])
    posts.setPriority("c", 0)
    #expect(received.values.map { $0.map(\.title) } == [["c", "b"], ["b", "a"]])
    #expect(received.values.map { $0.difference?.removals } == [nil, [0]])
    posts.delete("a")
    #expect(received.values.last.map { $0.map(\.title) } == ["b"])
    #expect(all.values == [["a", "b"], ["b", "c"]] || all.values == [["a", "b"], ["a", "b"], ["b", "c"]])
    for each in cancellables { each.cancel() }
  }

  @Test("Each subscriber of one publisher has a subscription of its own")
  func severalSubscribers() {
    posts.insert("a")
    let publisher = workspace.publisher(for: Post.self).all()
    let (first, second) = (Collected<[String]>(), Collected<[String]>())
    let cancellable = publisher.sink { first.append($0.map(\.title)) }
    posts.insert("b")
    let other = publisher.sink { second.append($0.map(\.title)) }
    cancellable.cancel()
    posts.insert("c")
    #expect(first.values == [["a"], ["a", "b"]])
    #expect(second.values == [["a", "b"], ["a", "b", "c"]])
    other.cancel()
  }

  @Test("A publisher of a workspace that has been shut down publishes an empty result, and no more")
  func afterShutdown() throws {
    posts.insert("a")
    let (post, result) = (try posts.post("a"), workspace.fetch(for: Post.self).all())
    workspace.shutdown()
    let received = Collected<Int>()
    let cancellables = [
      workspace.publisher(for: post).sink { _ in Issue.record("published") },
      workspace.publisher(for: result).sink { _ in Issue.record("published") },
      workspace.publisher(for: Post.self).all().sink { received.append($0.count) },
    ]
    #expect(received.values == [0])
    for each in cancellables { each.cancel() }
  }

  @Test("subscribe(on:) has the query fetched on the scheduler")
  func subscribingOnAScheduler() {
    posts.insert("a")
    let queue = DispatchQueue(label: "fetches")
    queue.setSpecific(key: PublisherTests.isFetchQueue, value: true)
    #if canImport(Combine)
      let scheduler = queue
    #else
      let scheduler = queue.ocombine
    #endif
    let received = Collected<[String]>()
    let queues = Collected<Bool>()
    let cancellable = workspace.publisher(for: Post.self).all().subscribe(on: scheduler).sink {
      queues.append(DispatchQueue.getSpecific(key: PublisherTests.isFetchQueue) ?? false)
      received.append($0.map(\.title))
    }
    #expect(eventually { received.count == 1 })
    // Once the queue is idle, the workspace has been subscribed to.
    queue.sync {}
    posts.insert("b")
    #expect(received.values == [["a"], ["a", "b"]])
    #expect(queues.values == [true, false])
    cancellable.cancel()
  }

  private static let isFetchQueue = DispatchSpecificKey<Bool>()

  // MARK: Demand

  @Test("Nothing is subscribed to, and nothing fetched, before a value is demanded")
  func laziness() {
    let subscriber = DemandingSubscriber<FetchedResult<Post>>()
    workspace.publisher(for: Post.self).all().subscribe(subscriber)
    #expect(!posts.isObserved)
    posts.insert("a")
    subscriber.request(.max(1))
    #expect(posts.isObserved)
    #expect(subscriber.received.values.map { $0.map(\.title) } == [["a"]])
    subscriber.cancel()
  }

  @Test("While a subscriber demands nothing, the latest result waits, with the difference from the last received")
  func latestWaits() {
    posts.insert("a")
    let subscriber = DemandingSubscriber<FetchedResult<Post>>()
    workspace.publisher(for: Post.self).all().subscribe(subscriber)
    subscriber.request(.max(1))
    for title in ["b", "c", "d"] { posts.insert(title) }
    posts.delete("a")
    #expect(subscriber.received.count == 1)
    subscriber.request(.max(1))
    #expect(subscriber.received.values.map { $0.map(\.title) } == [["a"], ["b", "c", "d"]])
    let difference = subscriber.received.values.last?.difference
    #expect(difference?.insertions == [0, 1, 2] && difference?.removals == [0])
    subscriber.request(.max(2))
    posts.insert("e")
    #expect(subscriber.received.values.last?.difference?.insertions == [3])
    subscriber.cancel()
  }

  @Test("A result that has become again what the subscriber has is not published, and leaves the demand as it is")
  func noDifference() {
    posts.insert("a")
    let subscriber = DemandingSubscriber<FetchedResult<Post>>()
    workspace.publisher(for: workspace.fetch(for: Post.self).all()).subscribe(subscriber)
    subscriber.request(.max(1))
    posts.setPriority("a", 1)
    posts.setPriority("a", 2)
    posts.setPriority("a", 1)
    subscriber.request(.max(1))
    #expect(subscriber.received.count == 1)
    posts.setPriority("a", 3)
    #expect(subscriber.received.values.map { $0.map(\.priority) } == [[1], [3]])
    subscriber.cancel()
  }

  @Test("The values that a subscriber demands when it receives one, returned or requested, are received")
  func demandWhileReceiving() throws {
    posts.insert("a")
    for isReturned in [true, false] {
      let subscriber = DemandingSubscriber<SubscribedObject<Post>> { subscriber, _ in
        if isReturned { return .max(1) }
        subscriber.request(.max(1))
        return .none
      }
      workspace.publisher(for: try posts.post("a")).subscribe(subscriber)
      subscriber.request(.max(1))
      for priority in 1...3 as ClosedRange<Int32> { posts.setPriority("a", isReturned ? priority : -priority) }
      #expect(subscriber.received.count == 3)
      subscriber.cancel()
    }
  }

  @Test("One thread at a time calls a subscriber, whatever threads demand and commit, and each difference fits")
  func concurrency() {
    let titles = Locked<[String]>([])
    let subscriber = DemandingSubscriber<FetchedResult<Post>> { _, result in
      titles.change { titles in
        if let difference = result.difference {
          difference.apply(to: &titles) { result[$0].title }
        } else {
          titles = result.map(\.title)
        }
        #expect(titles == result.map(\.title))
      }
      return .none
    }
    workspace.publisher(for: Post.self).all().subscribe(subscriber)
    let posts = posts
    let threads = BackgroundThreads(4) { number in
      for round in 0..<50 {
        if number == 0 { posts.insert("\(round)") } else { subscriber.request(.max(1)) }
        if number == 0, round.isMultiple(of: 3) { posts.delete("\(round)") }
      }
    }
    #expect(threads.end())
    subscriber.request(.unlimited)
    #expect(eventually { titles.value == workspace.fetch(for: Post.self).all().map(\.title) })
    #expect(subscriber.mostCallsAtATime == 1)
    #expect(subscriber.received.values.dropFirst().allSatisfy { $0.difference != nil })
    subscriber.cancel()
  }

  @Test("Updates that are demanded and come while the subscriber is busy wait, and come one after another")
  func busySubscriber() {
    posts.insert("a")
    let (begun, gate) = (Gate(), Gate())
    let subscriber = DemandingSubscriber<FetchedResult<Post>> { _, result in
      if result.count == 2 {
        begun.open()
        gate.wait()
      }
      return .none
    }
    workspace.publisher(for: Post.self).all().subscribe(subscriber)
    subscriber.request(.max(1))
    posts.insert("b")
    let thread = BackgroundThreads { _ in subscriber.request(.unlimited) }
    #expect(begun.wait())
    for title in ["c", "d", "e"] { posts.insert(title) }
    #expect(subscriber.received.count == 2)
    gate.open()
    #expect(thread.end())
    #expect(subscriber.received.values.map(\.count) == [1, 2, 3, 4, 5])
    #expect(subscriber.received.values.map { $0.difference?.insertions } == [nil, [1], [2], [3], [4]])
    subscriber.cancel()
  }

  // MARK: Cancelling

  @Test("After cancel, or once the cancellable is released, nothing is published, and nothing is subscribed to")
  func cancelling() throws {
    posts.insert("a")
    let received = Collected<SubscribedObject<Post>>()
    let publisher = workspace.publisher(for: try posts.post("a"))
    let cancellable = publisher.sink { received.append($0) }
    var other: AnyCancellable? = publisher.sink { received.append($0) }
    #expect(posts.isObserved && other != nil)
    cancellable.cancel()
    other = nil
    #expect(!posts.isObserved)
    posts.setPriority("a", 1)
    #expect(received.values.isEmpty)
  }

  @Test("A subscriber that cancels while it receives, or before it demands, receives nothing more")
  func cancellingWhileReceiving() throws {
    posts.insert("a")
    let object = DemandingSubscriber<SubscribedObject<Post>> { subscriber, _ in
      subscriber.cancel()
      return .unlimited
    }
    workspace.publisher(for: try posts.post("a")).subscribe(object)
    object.request(.unlimited)
    // The first result is received before the workspace is subscribed to.
    let query = DemandingSubscriber<FetchedResult<Post>> { subscriber, _ in
      subscriber.cancel()
      return .unlimited
    }
    workspace.publisher(for: Post.self).all().subscribe(query)
    query.request(.unlimited)
    let late = DemandingSubscriber<FetchedResult<Post>>()
    workspace.publisher(for: Post.self).all().subscribe(late)
    late.cancel()
    late.request(.unlimited)
    for priority in 1...3 as ClosedRange<Int32> { posts.setPriority("a", priority) }
    #expect(object.received.count == 1 && query.received.count == 1 && late.received.count == 0)
    #expect(!posts.isObserved)
  }

  @Test("A subscription to the workspace that comes back after the cancel is cancelled")
  func cancellingWhileSubscribing() {
    final class WorkspaceSubscriptionStub: WorkspaceSubscription {
      let isCancelled = Locked(false)
      func cancel() { isCancelled.value = true }
    }
    let made = WorkspaceSubscriptionStub()
    let subscription = PublisherSubscription(DemandingSubscriber<SubscribedObject<Post>>()) { subscription in
      // As another thread may do meanwhile.
      subscription.cancel()
      return made
    }
    subscription.request(.unlimited)
    #expect(made.isCancelled.value)
  }

  @Test("Updates that were dropped or received are released while no lock is held")
  func releasingUpdates() {
    final class Update: PublishedUpdate, Sendable {
      let isLast = false
      private let whenReleased: @Sendable () -> Void

      init(_ whenReleased: @escaping @Sendable () -> Void) { self.whenReleased = whenReleased }

      deinit { whenReleased() }

      func following(_ former: Update) -> Update? { self }
    }
    let subscriber = DemandingSubscriber<Update> { subscriber, _ in
      subscriber.received.removeAll()
      return .none
    }
    let subscription = PublisherSubscription(subscriber) { _ in nil }
    let count = Locked(0)
    // On a thread, which a lock that is held would keep for ever.
    let thread = BackgroundThreads { _ in
      func post() {
        subscription.post(
          Update {
            if !subscription.isEnded { count.change { $0 += 1 } }
          })
      }
      post()
      // Drops the first one.
      post()
      for _ in 0..<2 { subscription.request(.max(1)) }
      // Takes the place of the second one.
      post()
    }
    #expect(thread.end())
    #expect(count.value == 2)
    subscription.cancel()
  }

  @Test("A deletion that is cancelled while it is received is not followed by the end")
  func cancellingAtTheEnd() throws {
    posts.insert("a")
    let subscriber = DemandingSubscriber<SubscribedObject<Post>> { subscriber, _ in
      subscriber.cancel()
      return .none
    }
    workspace.publisher(for: try posts.post("a")).subscribe(subscriber)
    subscriber.request(.unlimited)
    posts.delete("a")
    #expect(subscriber.received.values == [.deleted] && subscriber.completions.values.isEmpty)
  }

  @Test("A subscription that nobody refers to is cancelled")
  func forgetting() throws {
    posts.insert("a")
    let subscriber = DemandingSubscriber<SubscribedObject<Post>>()
    workspace.publisher(for: try posts.post("a")).subscribe(subscriber)
    subscriber.request(.unlimited)
    #expect(posts.isObserved)
    subscriber.forgetSubscription()
    #expect(!posts.isObserved)
    posts.setPriority("a", 1)
    #expect(subscriber.received.values.isEmpty)
  }

  @Test("A subscriber is released when it has cancelled, and when its publisher has finished")
  func releasing() throws {
    posts.insert("a")
    let publisher = workspace.publisher(for: try posts.post("a"))
    weak var cancelled: DemandingSubscriber<SubscribedObject<Post>>?
    weak var finished: DemandingSubscriber<SubscribedObject<Post>>?
    do {
      let subscribers = (0..<2).map { _ in DemandingSubscriber<SubscribedObject<Post>>() }
      (cancelled, finished) = (subscribers[0], subscribers[1])
      for subscriber in subscribers {
        publisher.subscribe(subscriber)
        subscriber.request(.unlimited)
      }
      posts.setPriority("a", 1)
      subscribers[0].cancel()
      posts.delete("a")
      #expect(subscribers.map(\.received.count) == [1, 2])
    }
    #expect(eventually { cancelled == nil && finished == nil })
  }
}
