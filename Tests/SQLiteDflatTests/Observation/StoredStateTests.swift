import Dflat
import EngineTestSupport
import Golden_post
import Golden_scalars
import SQLiteDflat
import Testing

#if canImport(Combine)
  import Combine
#else
  import DflatPublishers
#endif

@Suite("Subscribers are told of what is stored as other bytes, and of nothing else")
struct StoredStateTests {
  private let store: TestStore
  private var workspace: SQLiteWorkspace { store.workspace }

  init() throws {
    store = try TestStore()
    store.perform([Post.self]) { context in
      context.try(submit: PostChangeRequest.creationRequest(Post(title: "a", tag: "\u{e9}")))
    }
  }

  private func setTag(_ tag: String, in other: SQLiteWorkspace? = nil) {
    store.perform([Post.self], in: other) { context in
      guard let request = PostChangeRequest.changeRequest(Post(title: "a")) else { return }
      request.tag = tag
      context.try(submit: request)
    }
  }

  private func insert(ratio: Float) throws -> Sample {
    store.perform([Sample.self]) { context in
      context.try(
        submit: SampleChangeRequest.creationRequest(Sample(sensorId: 1, level: .HIGH, ratio: ratio, name: "a")))
    }
    return try #require(workspace.fetch(for: Sample.self).all().first)
  }

  @Test("A text of another Unicode form is told, whichever workspace has stored it")
  func unicodeForms() throws {
    let posts = workspace.fetch(for: Post.self).all()
    let post = try #require(posts.first)
    let objects = Collected<[UInt8]>()
    let results = Collected<[UInt8]>()
    let subscriptions: [any Workspace.Subscription] = [
      workspace.subscribe(object: post) { update in
        if case .updated(let post) = update { objects.append(Array((post.tag ?? "").utf8)) }
      },
      workspace.subscribe(fetchedResult: posts) { posts in results.append(Array((posts.first?.tag ?? "").utf8)) },
    ]
    let forms = ["e\u{301}", "\u{e9}"].map { Array($0.utf8) }
    setTag("e\u{301}")
    #expect(eventually { objects.values == [forms[0]] && results.values == [forms[0]] }, "\(objects.values)")
    let other = store.reopened()
    setTag("\u{e9}", in: other)
    #expect(eventually { objects.values == forms && results.values == forms }, "\(objects.values), \(results.values)")
    for each in subscriptions { each.cancel() }
    other.shutdown()
    #expect(store.errors.values.isEmpty, "\(store.errors.values)")
  }

  @Test("A zero of the other sign is told")
  func zeros() throws {
    let sample = try insert(ratio: 0)
    let told = Collected<FloatingPointSign>()
    let subscription = workspace.subscribe(object: sample) { update in
      if case .updated(let sample) = update { told.append(sample.ratio.sign) }
    }
    store.perform([Sample.self]) { context in
      guard let request = SampleChangeRequest.changeRequest(sample) else { return }
      request.ratio = -0.0
      context.try(submit: request)
    }
    #expect(eventually { told.values == [.minus] })
    subscription.cancel()
  }

  @Test("An object with a NaN is told once it has changed, and not after each commit of others")
  func nan() throws {
    let sample = try insert(ratio: .nan)
    let objects = Collected<String>()
    let results = Collected<String>()
    let posts = Collected<Int>()
    let subscriptions: [any Workspace.Subscription] = [
      workspace.subscribe(object: sample) { update in
        if case .updated(let sample) = update { objects.append(sample.name) }
      },
      workspace.subscribe(fetchedResult: workspace.fetch(for: Sample.self).all()) { samples in
        results.append(samples.map(\.name).joined())
      },
      workspace.subscribe(fetchedResult: workspace.fetch(for: Post.self).all()) { posts.append($0.count) },
    ]
    let other = store.reopened()
    // After each commit, all subscribed objects and results are read again.
    for number in 2...4 {
      store.perform([Post.self], in: other) { context in
        context.try(submit: PostChangeRequest.creationRequest(Post(title: "\(number)")))
      }
      #expect(eventually { posts.values.last == number })
    }
    store.perform([Sample.self], in: other) { context in
      guard let sample = other.fetch(for: Sample.self).first(),
        let request = SampleChangeRequest.changeRequest(sample)
      else { return }
      request.name = "b"
      context.try(submit: request)
    }
    #expect(eventually { objects.values.last == "b" && results.values.last == "b" })
    #expect(objects.values == ["b"] && results.values == ["b"], "\(objects.values), \(results.values)")
    for each in subscriptions { each.cancel() }
    other.shutdown()
    #expect(store.errors.values.isEmpty, "\(store.errors.values)")
  }

  @Test("A publisher whose updates were dropped publishes a result that differs by a Unicode form alone")
  func publisher() {
    let subscriber = DemandingSubscriber<FetchedResult<Post>>()
    workspace.publisher(for: Post.self).all().subscribe(subscriber)
    subscriber.request(.max(1))
    setTag("x")
    setTag("e\u{301}")
    subscriber.request(.max(1))
    #expect(subscriber.received.values.map { $0.first?.tag?.utf8.count } == [2, 3])
    subscriber.cancel()
  }
}
