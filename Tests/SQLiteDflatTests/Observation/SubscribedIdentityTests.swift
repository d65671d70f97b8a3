import EngineTestSupport
import Dflat
import Golden_post
import Testing

@testable import SQLiteDflat

@Suite("A subscription follows its object, and no other")
struct SubscribedIdentityTests {
  private let posts: PostStore
  private var workspace: SQLiteWorkspace { posts.workspace }

  init() throws { posts = try PostStore() }

  private func rename(_ title: String, to other: String) {
    posts.store.perform([Post.self]) { context in
      guard let request = PostChangeRequest.changeRequest(Post(title: title)) else { return }
      request.title = other
      context.try(submit: request)
    }
  }

  @Test("Results whose conditions or orders name two Unicode forms of one text are two results")
  func unicodeForms() throws {
    let store = try TestStore()
    let forms = ["é", "e\u{301}"]
    store.perform([Post.self]) { transaction in
      for form in forms { transaction.try(submit: PostChangeRequest.creationRequest(Post(title: form))) }
    }
    let posts = store.workspace.fetch(for: Post.self)
    let found = forms.map { _ in Collected<[[UInt8]]>() }
    let ordered = forms.map { _ in Collected<[[UInt8]]>() }
    var subscriptions: [any Workspace.Subscription] = []
    for (index, form) in forms.enumerated() {
      let texts = [form, forms[1 - index]]
      subscriptions.append(
        store.workspace.subscribe(fetchedResult: posts.where(Post.title == form)) { result in
          found[index].append(result.map { Array($0.title.utf8) })
        })
      subscriptions.append(
        store.workspace.subscribe(fetchedResult: posts.all(orderBy: [texts.lastIndex(of: Post.title)])) { result in
          ordered[index].append(result.map { Array($0.title.utf8) })
        })
    }
    store.perform([Post.self]) { transaction in
      for post in posts.all() {
        guard let request = PostChangeRequest.changeRequest(post) else { continue }
        request.priority += 1
        transaction.try(submit: request)
      }
    }
    let bytes = forms.map { Array($0.utf8) }
    #expect(found.map(\.values) == [[[bytes[0]]], [[bytes[1]]]])
    #expect(ordered.map(\.values) == [[bytes], [[bytes[1], bytes[0]]]])
    for subscription in subscriptions { subscription.cancel() }
  }

  @Test("A subscriber to an object whose primary key was changed before gets its present state and later changes")
  func changedKey() throws {
    posts.insert("a")
    let post = try posts.post("a")
    rename("a", to: "b")
    let told = Collected<SubscribedObject<Post>>()
    let subscription = workspace.subscribe(object: post) { told.append($0) }
    #expect(eventually { told.values == [.updated(Post(title: "b"))] })
    rename("b", to: "c")
    posts.insert("a")
    posts.setPriority("a", 1)
    #expect(told.values == [.updated(Post(title: "b")), .updated(Post(title: "c"))])
    subscription.cancel()
  }

  @Test("A later object with the key of a deleted one is another object, also for who subscribes only then")
  func laterObjectWithTheSameKey() throws {
    posts.insert("a")
    let post = try posts.post("a")
    posts.delete("a")
    posts.insert("a", priority: 3)
    let told = Collected<SubscribedObject<Post>>()
    let subscription = workspace.subscribe(object: post) { told.append($0) }
    posts.setPriority("a", 4)
    #expect(eventually { told.values == [.deleted] })
    subscription.cancel()
  }

  @Test("An object that was not fetched, or fetched from another workspace, is identified by its key")
  func objectsOfOthers() throws {
    posts.insert("a")
    let other = posts.store.reopened()
    let fetched = try #require(other.fetch(for: Post.self).where(Post.title == "a").first)
    let told = Collected<SubscribedObject<Post>>()
    let subscriptions = [
      workspace.subscribe(object: fetched) { told.append($0) },
      workspace.subscribe(object: Post(title: "a")) { told.append($0) },
    ]
    posts.setPriority("a", 2)
    #expect(told.values == [.updated(Post(title: "a", priority: 2)), .updated(Post(title: "a", priority: 2))])
    for each in subscriptions { each.cancel() }
    other.shutdown()
  }

  @Test("An object of a transaction that was aborted is told as deleted")
  func abortedObject() throws {
    posts.insert("b")
    let inserted = Locked<Post?>(nil)
    posts.store.perform([Post.self], completing: false) { context in
      if case .inserted(let post) = context.try(submit: PostChangeRequest.creationRequest(Post(title: "a"))) {
        inserted.value = post
      }
      context.abort()
    }
    posts.insert("c")
    let told = Collected<SubscribedObject<Post>>()
    let subscription = workspace.subscribe(object: try #require(inserted.value)) { told.append($0) }
    #expect(eventually { told.values == [.deleted] })
    subscription.cancel()
  }

  @Test("An object whose row cannot be looked up is not told as deleted, and its next change is told")
  func failedLookUp() async throws {
    posts.insert("a")
    posts.insert("b")
    let told = Collected<SubscribedObject<Post>>()
    let others = Collected<SubscribedObject<Post>>()
    try await workspace.suspend(within: .seconds(patience))
    // Objects that were not fetched are looked up by their keys.
    let subscription = workspace.subscribe(object: Post(title: "a")) { told.append($0) }
    let cancelled = workspace.subscribe(object: Post(title: "b")) { others.append($0) }
    let stream = workspace.subscribe(object: Post(title: "b"), bufferingPolicy: .unbounded)
    workspace.resume()
    cancelled.cancel()
    #expect(told.values.isEmpty)
    posts.setPriority("a", 2)
    #expect(eventually { told.values == [.updated(Post(title: "a", priority: 2))] })
    // From now on, it is followed like any other.
    rename("a", to: "c")
    rename("b", to: "d")
    #expect(eventually { told.values.last == .updated(Post(title: "c", priority: 2)) })
    var iterator = stream.makeAsyncIterator()
    #expect(await iterator.next()?.title == "d")
    #expect(others.values.isEmpty)
    subscription.cancel()
  }

  @Test("An object that is not there once its row can be looked up is told as deleted")
  func missingObject() throws {
    posts.insert("a")
    let told = Collected<SubscribedObject<Post>>()
    try workspace.suspend(within: .seconds(patience))
    let subscription = workspace.subscribe(object: Post(title: "none")) { told.append($0) }
    #expect(told.values.isEmpty)
    workspace.resume()
    posts.insert("b")
    #expect(eventually { told.values == [.deleted] })
    subscription.cancel()
  }
}
