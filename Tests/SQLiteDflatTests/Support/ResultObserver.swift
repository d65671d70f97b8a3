import EngineTestSupport
import Dflat
import Golden_post
import SQLiteDflat
import Testing

/// Keeps a copy of a result up to date from the differences that it is told, as a list view does, and checks each against the
/// result that comes with it.
final class ResultObserver: Sendable {
  private struct State {
    var posts: [Post]
    var updateCount = 0
    var subscription: (any Workspace.Subscription)?
  }

  private let state: Locked<State>
  let query: String
  private let fetch: @Sendable () -> FetchedResult<Post>

  /// - Parameter fetch: what is observed; it is fetched again to compare.
  init(
    _ query: String, in workspace: SQLiteWorkspace, _ fetch: @escaping @Sendable () -> FetchedResult<Post>,
    beforeSubscribing: () -> Void = {}
  ) {
    self.query = query
    self.fetch = fetch
    let result = fetch()
    let state = Locked(State(posts: Array(result)))
    self.state = state
    beforeSubscribing()
    let subscription = workspace.subscribe(fetchedResult: result) { result in
      state.change { state in
        state.updateCount += 1
        guard let difference = result.difference else {
          Issue.record("\(query): a result without a difference")
          return
        }
        #expect(!difference.isEmpty, "\(query)")
        let former = state.posts
        var moved: Set<Int> = []
        for move in difference.moves + difference.changes {
          #expect(former[move.from]._rowid == result[move.to]._rowid, "\(query)")
          moved.insert(move.to)
        }
        difference.apply(to: &state.posts) { result[$0] }
        #expect(state.posts == Array(result), "\(query)")
        // What the difference does not name is as it was: the same objects, which need not be compared.
        for (offset, post) in result.enumerated()
        where !moved.contains(offset) && !difference.insertions.contains(offset) {
          #expect(former.contains { $0._rowid == post._rowid && $0 == post }, "\(query)")
        }
      }
    }
    state.change { $0.subscription = subscription }
  }

  var updateCount: Int { state.value.updateCount }
  var posts: [Post] { state.value.posts }

  /// What a fetch finds now.
  var fetched: FetchedResult<Post> { fetch() }

  /// Checks that what was told last is what a fetch finds now.
  func check(_ comment: String, sourceLocation: SourceLocation = #_sourceLocation) {
    let fetched = Array(fetch())
    let known = posts
    #expect(known.map(\._rowid) == fetched.map(\._rowid), "\(comment): \(query)", sourceLocation: sourceLocation)
    #expect(known == fetched, "\(comment): \(query)", sourceLocation: sourceLocation)
  }

  func cancel() { state.value.subscription?.cancel() }
}
