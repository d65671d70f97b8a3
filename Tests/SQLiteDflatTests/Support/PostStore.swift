import Dflat
import Golden_post
import Testing

@testable import SQLiteDflat

/// A store with posts that a test changes by their titles, one transaction after another.
struct PostStore: Sendable {
  let store: TestStore
  var workspace: SQLiteWorkspace { store.workspace }

  init(waitsForCallbacks: Bool = true) throws { store = try TestStore(waitsForCallbacks: waitsForCallbacks) }

  /// Whether anything in the workspace is subscribed to.
  var isObserved: Bool { workspace.core.sequence.hasListener }

  func insert(_ titles: String..., priority: Int32 = 0) {
    store.perform([Post.self]) { context in
      for title in titles {
        context.try(submit: PostChangeRequest.creationRequest(Post(title: title, priority: priority)))
      }
    }
  }

  func setPriority(_ title: String, _ priority: Int32) {
    store.perform([Post.self]) { context in
      guard let request = PostChangeRequest.changeRequest(Post(title: title)) else { return }
      request.priority = priority
      context.try(submit: request)
    }
  }

  func delete(_ title: String) {
    store.perform([Post.self]) { context in
      guard let request = PostChangeRequest.deletionRequest(Post(title: title)) else { return }
      context.try(submit: request)
    }
  }

  func post(_ title: String) throws -> Post {
    try #require(workspace.fetch(for: Post.self).where(Post.title == title).first)
  }
}
