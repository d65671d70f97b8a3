import Dflat
import Golden_post
import SQLiteDflat

#if !canImport(Combine)
  import DflatPublishers
#endif

/// What an app of Dflat 0.6 does with subscriptions. It is compiled, and not run.
final class PostWatcher {
  private var subscription: Workspace.Subscription?
  private var other: WorkspaceSubscription?

  func watch(_ post: Post, _ result: FetchedResult<Post>, in workspace: Workspace) {
    subscription = workspace.subscribe(
      object: post,
      changeHandler: { change in
        PostWatcher.show(change)
      })
    other = workspace.subscribe(
      fetchedResult: result,
      changeHandler: { result in
        print(result.count)
      })
  }

  static func show(_ change: SubscribedObject<Post>) {
    switch change {
    case .updated(let post): print(post.title)
    case .deleted: print("deleted")
    }
  }

  func stop() {
    subscription?.cancel()
    other?.cancel()
  }

  func follow(_ post: Post, _ result: FetchedResult<Post>, in workspace: Workspace) async {
    for await post in workspace.subscribe(object: post) { print(post.title) }
    for await post in workspace.subscribe(object: post, bufferingPolicy: .unbounded) { print(post.title) }
    for await result in workspace.subscribe(fetchedResult: result) { print(result.count) }
    for await result in workspace.subscribe(fetchedResult: result, bufferingPolicy: .unbounded) { print(result.count) }
  }

  func publish(_ post: Post, _ result: FetchedResult<Post>, in workspace: Workspace) {
    let ofPost: AtomPublisher<Post> = workspace.publisher(for: post)
    let ofResult: FetchedResultPublisher<Post> = workspace.publisher(for: result)
    let builder: QueryPublisherBuilder<Post> = workspace.publisher(for: Post.self)
    let ofQuery: QueryPublisher<Post> = builder.where(
      Post.priority > 1, limit: .limit(2), orderBy: [Post.priority.ascending])
    let ofAll = builder.all(limit: .noLimit, orderBy: [])
    print(ofPost, ofResult, ofQuery, ofAll)
  }
}
