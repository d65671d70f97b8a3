import Dflat
import Foundation
import ServiceLifecycle

/// A list of posts as server-sent events: first all of it, then each change.
///
/// Each event changes the client's list by one element: `insert` and `update` have `{"offset": 0, "post": {...}}`, `remove` has
/// `{"offset": 0}`; `ready` follows the posts that were there at first. Clients of equal lists share one result, which a commit
/// changes once, by whichever process it is made.
struct PostEvents {
  private let posts: FetchedResult<Post>
  private let workspace: any Workspace

  init(of posts: FetchedResult<Post>, in workspace: any Workspace) {
    self.posts = posts
    self.workspace = workspace
  }

  private struct Event: Encodable {
    let offset: Int
    var post: PostContent?
  }

  /// Sends events until the task is cancelled, the client has gone, the server is asked to stop, or the workspace is shut down. A
  /// server stops when its requests have ended, which a stream would not do by itself.
  func send(_ send: (String) async throws -> Void) async throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    func event(_ name: String, _ offset: Int, _ post: Post? = nil) throws -> String {
      let data = try encoder.encode(Event(offset: offset, post: post.map(PostContent.init)))
      return "event: \(name)\ndata: \(String(decoding: data, as: UTF8.self))\n\n"
    }
    var first = ""
    for (offset, post) in posts.enumerated() { first += try event("insert", offset, post) }
    try await send(first + "event: ready\ndata: {}\n\n")

    for await posts in workspace.subscribe(fetchedResult: posts).cancelOnGracefulShutdown() {
      guard let difference = posts.difference else { continue }
      var events = ""
      // First what leaves, from the end, then what comes, from the start.
      let leaving = difference.removals + difference.moves.map(\.from)
      for offset in leaving.sorted(by: >) { events += try event("remove", offset) }
      let arriving = difference.insertions + difference.moves.map(\.to)
      for offset in arriving.sorted() { events += try event("insert", offset, posts[offset]) }
      for change in difference.changes { events += try event("update", change.to, posts[change.to]) }
      if !events.isEmpty { try await send(events) }
    }
  }
}
