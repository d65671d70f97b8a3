import Dflat
import EngineTestSupport
import Golden_post
import SQLiteDflat
import Testing

@Suite("Subscribers are told of the transactions that end during a shutdown")
struct SubscribersAtShutdownTests {
  /// Shuts a workspace down while a transaction deletes the post "a".
  ///
  /// - Parameter meanwhile: called after the shutdown has begun and before the post is deleted.
  private func shutDown(_ workspace: SQLiteWorkspace, meanwhile: () -> Void = {}) {
    let mayGoOn = Gate()
    let deletion = PendingTransaction([Post.self], in: workspace) { transaction in
      mayGoOn.wait()
      guard let request = PostChangeRequest.deletionRequest(Post(title: "a")) else { return }
      transaction.try(submit: request)
    }
    #expect(deletion.starts())
    let isShutDown = Gate()
    workspace.shutdown { isShutDown.open() }
    meanwhile()
    mayGoOn.open()
    #expect(deletion.outcome() == true)
    #expect(isShutDown.wait())
  }

  @Test("A result with a limit, from which an object is deleted, gets the object that follows")
  func limitedResult() throws {
    let store = try TestStore()
    let told = Collected<[String]>()
    // The result is empty, so that its commit version is not known.
    let firstTwo = store.workspace.fetch(for: Post.self).all(limit: .limit(2), orderBy: [Post.title.ascending])
    let subscription = store.workspace.subscribe(fetchedResult: firstTwo) { told.append($0.map(\.title)) }
    store.perform([Post.self]) { transaction in
      for title in ["a", "b", "c"] { transaction.try(submit: PostChangeRequest.creationRequest(Post(title: title))) }
    }
    shutDown(store.workspace)
    #expect(told.values == [["a", "b"], ["b", "c"]])
    #expect(store.errors.values.isEmpty, "\(store.errors.values)")
    subscription.cancel()
  }

  @Test("An object that is subscribed to after the shutdown has begun is not told as deleted while it is stored")
  func lateObject() throws {
    let store = try TestStore()
    let workspace = store.workspace
    store.perform([Post.self]) { transaction in
      for title in ["a", "b"] { transaction.try(submit: PostChangeRequest.creationRequest(Post(title: title))) }
    }
    let told = Collected<Int32?>()
    let late = Locked<(any WorkspaceSubscription)?>(nil)
    shutDown(workspace) {
      // Without a row of its own, it is looked up by its key.
      late.value = workspace.subscribe(object: Post(title: "b", priority: 7)) { change in
        switch change {
        case .updated(let post): told.append(post.priority)
        case .deleted: told.append(nil)
        }
      }
    }
    #expect(!told.values.contains(nil))
    late.value?.cancel()
  }

  @Test("A key that another workspace sets after the shutdown has begun is told with its value")
  func foreignKey() throws {
    let store = try TestStore()
    let workspace = store.workspace
    store.perform([Post.self]) { $0.try(submit: PostChangeRequest.creationRequest(Post(title: "a"))) }
    workspace.dictionary["key"] = 1
    #expect(workspace.dictionary.synchronize())
    let told = Collected<Int?>()
    let subscription = workspace.dictionary.subscribe("key", of: Int.self) { told.append($0.value) }
    let other = store.reopened()
    shutDown(workspace) {
      other.dictionary["key"] = 2
      #expect(other.dictionary.synchronize())
      #expect(eventually { told.count == 2 })
    }
    #expect(told.values == [1, 2])
    subscription.cancel()
    other.shutdown()
  }
}
