import EngineTestSupport
import Dflat
import Foundation
import Golden_post
import Observation
import Testing

@testable import SQLiteDflat

#if canImport(Combine)
  import Combine
#else
  import DflatPublishers
#endif

@Suite("Subscribers to a key are told its value, and then each change")
struct DictionarySubscriptionTests {
  private let store: TestStore
  private var dictionary: any WorkspaceDictionary { store.workspace.dictionary }

  init() throws { store = try TestStore() }

  @Test("A subscriber gets the initial value, then updates and removals on the setting thread, and none after cancel")
  func callback() {
    dictionary["k"] = 1
    let told = Collected<SubscribedDictionaryValue<Int>>()
    let threads = Collected<Bool>()
    let thread = Thread.current
    let subscription = dictionary.subscribe("k", of: Int.self) {
      told.append($0)
      threads.append(Thread.current === thread)
    }
    #expect(told.values == [.initial(1)])
    dictionary["k"] = 2
    dictionary["k"] = 2
    dictionary["other"] = 7
    dictionary["k", Int.self] = nil
    dictionary["k", Int.self] = nil
    dictionary["k"] = 3
    dictionary.removeAll()
    #expect(told.values == [.initial(1), .updated(2), .deleted, .updated(3), .deleted])
    #expect(threads.values.allSatisfy { $0 })
    subscription.cancel()
    dictionary["k"] = 4
    #expect(told.count == 5)
  }

  /// Has the subscription whose callback refers to it, as a screen of an app may.
  private final class Owner: Sendable {
    let subscription = Locked<(any WorkspaceSubscription)?>(nil)
    let told = Locked(0)
  }

  @Test("The other Unicode form of a text is told, and -0.0 after 0.0; a NaN is told once")
  func bits() {
    let texts = Collected<[UInt8]>()
    let numbers = Collected<UInt64>()
    dictionary["text"] = "é"
    dictionary["number"] = 0.0
    let subscriptions = [
      dictionary.subscribe("text", of: String.self) { change in
        if case .updated(let text) = change { texts.append(Array(text.utf8)) }
      },
      dictionary.subscribe("number", of: Double.self) { change in
        if case .updated(let number) = change { numbers.append(number.bitPattern) }
      },
    ]
    dictionary["text"] = "e\u{301}"
    dictionary["text"] = "e\u{301}"
    for number in [-0.0, .nan, .nan] { dictionary["number"] = number }
    #expect(texts.values == [Array("e\u{301}".utf8)])
    #expect(numbers.values == [(-0.0).bitPattern, Double.nan.bitPattern])
    for subscription in subscriptions { subscription.cancel() }
  }

  @Test(
    "A subscription that has ended releases its callback, even if the callback owns the subscription",
    arguments: [false, true])
  func callbackOwningItsSubscription(isShutDown: Bool) {
    weak var owner: Owner?
    do {
      let new = Owner()
      new.subscription.value = dictionary.subscribe("k", of: Int.self) { _ in new.told.change { $0 += 1 } }
      owner = new
    }
    dictionary["k"] = 1
    #expect(owner?.told.value == 2)
    if isShutDown { store.workspace.shutdown() } else { owner?.subscription.value?.cancel() }
    #expect(eventually { owner == nil })
  }

  @Test("A subscription ends with its last reference and with the workspace")
  func end() async { await checkEndOfDictionarySubscriptions(in: store.workspace) }

  @Test("A callback that cancels its own subscription is not called again, and is released")
  func cancellingCallback() {
    weak var owner: Owner?
    do {
      let new = Owner()
      new.subscription.value = dictionary.subscribe("k", of: Int.self) { _ in
        new.told.change { $0 += 1 }
        new.subscription.value?.cancel()
      }
      owner = new
      dictionary["k"] = 1
      dictionary["k"] = 2
      #expect(new.told.value == 2)
    }
    #expect(eventually { owner == nil })
  }

  @Test("A key without a value, or with one of another type, begins with nil, and the wrong type is reported once")
  func absent() {
    dictionary["string"] = "x"
    let told = Collected<SubscribedDictionaryValue<Int>>()
    let subscriptions = [
      dictionary.subscribe("none", of: Int.self) { told.append($0) },
      dictionary.subscribe("string", of: Int.self) { told.append($0) },
    ]
    #expect(told.values == [.initial(nil), .initial(nil)])
    #expect(store.errors.count == 1)
    dictionary["string"] = 5
    dictionary["string"] = "again"
    #expect(told.values == [.initial(nil), .initial(nil), .updated(5), .deleted])
    withExtendedLifetime(subscriptions) {}
  }

  @Test("A new subscriber gets a value that is only on disk as its initial value")
  func fromDisk() {
    dictionary["k"] = Profile()
    dictionary["post"] = Post(title: "a")
    dictionary.synchronize()
    let other = store.reopened()
    let profiles = Collected<SubscribedDictionaryValue<Profile>>()
    let posts = Collected<SubscribedDictionaryValue<Post>>()
    let subscriptions = [
      other.dictionary.subscribe("k", of: Profile.self) { profiles.append($0) },
      other.dictionary.subscribe("post", of: Post.self) { posts.append($0) },
    ]
    other.dictionary["k"] = Profile(name: "b")
    other.dictionary["post"] = Post(title: "b")
    #expect(profiles.values == [.initial(Profile()), .updated(Profile(name: "b"))])
    #expect(posts.values == [.initial(Post(title: "a")), .updated(Post(title: "b"))])
    withExtendedLifetime(subscriptions) {}
    other.shutdown()
  }

  @Test("A subscription that nobody refers to is cancelled")
  func released() {
    let told = Collected<SubscribedDictionaryValue<Int>>()
    do {
      let subscription = dictionary.subscribe("k", of: Int.self) { told.append($0) }
      withExtendedLifetime(subscription) { dictionary["k"] = 1 }
    }
    dictionary["k"] = 2
    #expect(told.values == [.initial(nil), .updated(1)])
    #expect(!store.workspace.core.dictionary.cache.hasSubscribers)
  }

  @Test("A handler may set its own key, subscribe and cancel; its own updates come after the call")
  func fromInside() {
    let dictionary = dictionary
    let told = Collected<SubscribedDictionaryValue<Int>>()
    let inner = Collected<any WorkspaceSubscription>()
    let subscription = dictionary.subscribe("k", of: Int.self) { value in
      told.append(value)
      if let number = value.value, number < 5 {
        dictionary["k"] = number + 1
        inner.append(dictionary.subscribe("k", of: Int.self) { _ in })
        inner.values.last?.cancel()
      }
    }
    dictionary["k"] = 1
    #expect(told.values == [.initial(nil)] + (1...5).map { .updated($0) })
    subscription.cancel()
  }

  @Test("Subscribers get every change in the order in which the key has changed, whatever threads set it")
  func order() {
    let dictionary = dictionary
    let told = Collected<Int>()
    let subscription = dictionary.subscribe("k", of: Int.self) { if let value = $0.value { told.append(value) } }
    let setters = BackgroundThreads(4) { thread in
      for number in 0..<500 { dictionary["k"] = thread * 1000 + number }
    }
    #expect(setters.end())
    // A thread leaves its value to another one that is in the handler.
    let cache = store.workspace.core.dictionary.cache
    #expect(eventually { told.values.last == dictionary["k", Int.self] && cache.hasSubscribers })
    for thread in 0..<4 {
      let own = told.values.filter { $0 / 1000 == thread }
      #expect(own == own.sorted())
    }
    subscription.cancel()
  }

  @Test("For a handler that takes long, the latest 1,024 values wait")
  func slowHandler() {
    let dictionary = dictionary
    let (isBlocked, goesOn) = (Gate(), Gate())
    let told = Collected<Int>()
    let subscription = dictionary.subscribe("k", of: Int.self) { change in
      guard let value = change.value else { return }
      told.append(value)
      isBlocked.open()
      goesOn.wait()
    }
    let thread = BackgroundThreads(1) { _ in dictionary["k"] = 0 }
    #expect(isBlocked.wait())
    // The other thread is in the handler, so this one only leaves its values to it.
    for number in 1...5000 { dictionary["k"] = number }
    goesOn.open()
    #expect(thread.end())
    #expect(told.values == [0] + (5000 - 1023...5000))
    subscription.cancel()
  }

  @Test("Subscribing and cancelling may race with setting")
  func race() {
    let dictionary = dictionary
    let isOver = Locked(false)
    let setters = BackgroundThreads(2) { thread in
      var number = 0
      while !isOver.value {
        number += 1
        dictionary["k \(number % 3)"] = number
        if number % 50 == 0 { dictionary.removeAll() }
      }
    }
    let subscribers = BackgroundThreads(3) { thread in
      for _ in 0..<700 {
        let first = Locked<SubscribedDictionaryValue<Int>?>(nil)
        let subscription = dictionary.subscribe("k \(thread)", of: Int.self) { value in
          first.change { if $0 == nil { $0 = value } }
        }
        guard case .initial? = first.value else {
          Issue.record("The initial value does not come first.")
          return
        }
        subscription.cancel()
      }
    }
    #expect(subscribers.end())
    isOver.value = true
    #expect(setters.end())
    #expect(!store.workspace.core.dictionary.cache.hasSubscribers)
  }

  @Test("A publisher publishes the initial value and each change to each of its subscribers")
  func publisher() {
    dictionary["k"] = "a"
    let publisher = dictionary.publisher("k", of: String.self)
    let (first, second) = (
      Collected<SubscribedDictionaryValue<String>>(), Collected<SubscribedDictionaryValue<String>>()
    )
    let cancellables = [publisher.sink { first.append($0) }, publisher.sink { second.append($0) }]
    dictionary["k"] = "b"
    cancellables[1].cancel()
    dictionary["k", String.self] = nil
    #expect(first.values == [.initial("a"), .updated("b"), .deleted])
    #expect(second.values == [.initial("a"), .updated("b")])
    let codable = Collected<SubscribedDictionaryValue<Profile>>()
    let other = dictionary.publisher("p", of: Profile.self).sink { codable.append($0) }
    dictionary["p"] = Profile()
    #expect(codable.values == [.initial(nil), .updated(Profile())])
    withExtendedLifetime((cancellables, other)) {}
  }

  @Test("A stream has the initial value and each later one, and ends when the workspace is shut down")
  func stream() async throws {
    dictionary["k"] = 1
    let stream = dictionary.subscribe("k", of: Int.self, bufferingPolicy: .unbounded)
    let latest = dictionary.subscribe("k", of: Int.self)
    dictionary["k"] = 2
    dictionary["k", Int.self] = nil
    let workspace = store.workspace
    await workspace.shutdown()
    var told: [SubscribedDictionaryValue<Int>] = []
    for await value in stream { told.append(value) }
    #expect(told == [.initial(1), .updated(2), .deleted])
    told = []
    for await value in latest { told.append(value) }
    #expect(told == [.deleted])
    for await _ in dictionary.subscribe("k", of: Profile.self) {}
  }

  @Test("A subscriber to a key gets the value that another workspace commits")
  func otherWorkspace() {
    dictionary["k"] = 1
    dictionary["same"] = 1
    dictionary.synchronize()
    let told = Collected<SubscribedDictionaryValue<Int>>()
    let same = Collected<SubscribedDictionaryValue<Int>>()
    let subscriptions = [
      dictionary.subscribe("k", of: Int.self) { told.append($0) },
      dictionary.subscribe("same", of: Int.self) { same.append($0) },
    ]
    let other = store.reopened()
    other.dictionary["k"] = 2
    other.dictionary.synchronize()
    #expect(eventually { told.values == [.initial(1), .updated(2)] })
    store.perform([Post.self], in: other) { $0.dictionary["k"] = nil }
    #expect(eventually { told.values == [.initial(1), .updated(2), .deleted] })
    #expect(same.values == [.initial(1)])
    other.shutdown()
    withExtendedLifetime(subscriptions) {}
  }

  @Test("The Observation framework's clients see a value, set it, and see what others set")
  @MainActor
  func live() async throws {
    guard #available(macOS 14, iOS 17, tvOS 17, watchOS 10, *) else { return }
    dictionary["k"] = 1
    let live = LiveDictionaryValue("k", of: Int.self, in: dictionary)
    let profile = LiveDictionaryValue("p", of: Profile.self, in: dictionary)
    let post = LiveDictionaryValue("post", of: Post.self, in: dictionary)
    #expect(live.value == 1 && profile.value == nil && post.value == nil)
    let changes = Collected<Void>()
    func track() {
      withObservationTracking {
        _ = live.value
      } onChange: {
        changes.append(())
      }
    }
    track()
    live.value = 2
    #expect(changes.count == 1 && dictionary["k"] == 2)
    track()
    let dictionary = dictionary
    await onThread { dictionary["k"] = 3 }
    #expect(try await eventuallyOnMainActor { live.value == 3 })
    #expect(changes.count == 2)
    profile.value = Profile()
    post.value = Post(title: "a")
    #expect(dictionary["p"] == Profile() && dictionary["post"] == Post(title: "a"))
    live.cancel()
    dictionary["k"] = 4
    #expect(live.value == 3)
  }
}
