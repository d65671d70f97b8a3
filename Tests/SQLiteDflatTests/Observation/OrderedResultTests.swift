import Dflat
import EngineTestSupport
import Foundation
import Golden_post
import SQLiteDflat
import TestSupport
import Testing

@Suite("Ordered results stay right when a transaction changes most of them")
struct OrderedResultTests {
  /// What a transaction makes of the priority of each of `count` posts.
  private enum Exchange: CaseIterable {
    /// All members of a result leave it.
    case reversal
    /// Few members of a result leave it.
    case rotation
    /// All members stay, and some move within their result.
    case swaps
    /// All members stay, with equal keys.
    case otherColors
    case random

    func priority(after priority: Int32, of count: Int32, _ generator: inout SeededGenerator) -> Int32 {
      switch self {
      case .reversal: count - 1 - priority
      case .rotation: (priority + 3) % count
      case .swaps: priority ^ 1
      case .otherColors: priority
      case .random: Int32.random(in: 0..<count, using: &generator)
      }
    }
  }

  private static let count: Int32 = 400

  private func insertPosts(into store: TestStore) {
    store.perform([Post.self]) { context in
      for number in 0..<Self.count {
        context.try(submit: PostChangeRequest.creationRequest(Post(title: "\(number)", priority: number)))
      }
    }
  }

  /// Results that overlap: ascending and descending ones, by two keys, with a limit that cuts them or not, and pages.
  private func observers(of workspace: SQLiteWorkspace) -> [ResultObserver] {
    let orders: [(name: String, keys: [OrderBy<Post>])] = [
      ("up", [Post.priority.ascending]), ("down", [Post.priority.descending]),
      ("by color", [Post.color.ascending, Post.priority.descending]), ("by rest", [(Post.priority % 7).ascending]),
    ]
    var observers: [ResultObserver] = []
    for (name, keys) in orders {
      for start in stride(from: Int32(0), to: 300, by: 20) {
        let query = Post.priority >= start && Post.priority < start + 100
        for limit in [Limit.noLimit, .limit(60), .limit(100)] {
          observers.append(
            ResultObserver("\(name) from \(start), \(limit)", in: workspace) {
              workspace.fetch(for: Post.self).where(query, limit: limit, orderBy: keys)
            })
        }
      }
      let pages = workspace.fetch(for: Post.self)
      guard let first = pages.all(limit: .limit(50), orderBy: keys).last else { continue }
      observers.append(
        ResultObserver("\(name) after \(first.title)", in: workspace) { pages.all(orderBy: keys, after: first) })
    }
    return observers
  }

  @Test("Ordered results are what a fetch finds, and their differences lead there", arguments: LongForm.seeds(2))
  func manyEdits(seed: Int) throws {
    let store = try TestStore()
    insertPosts(into: store)
    var generator = SeededGenerator(seed: UInt64(seed))
    let observers = observers(of: store.workspace)
    for exchange in Exchange.allCases + [.reversal] {
      let share = [10, 50, 100, 100][Int.random(in: 0..<4, using: &generator)]
      store.perform([Post.self]) { context in
        for post in store.workspace.fetch(for: Post.self).all()
        where Int.random(in: 0..<100, using: &generator) < share {
          guard let request = PostChangeRequest.changeRequest(post) else { continue }
          request.priority = exchange.priority(after: post.priority, of: Self.count, &generator)
          request.color = post.color == .red ? .green : .red
          context.try(submit: request)
        }
      }
      for observer in observers { observer.check("seed \(seed), \(exchange), \(share) %") }
      // A few, which are looked up one by one in what the many have left.
      store.perform([Post.self]) { context in
        for post in store.workspace.fetch(for: Post.self).all().prefix(400).filter({ $0._rowid % 97 == 0 }) {
          guard let request = PostChangeRequest.changeRequest(post) else { continue }
          request.priority = Int32.random(in: 0..<Self.count, using: &generator)
          context.try(submit: request)
        }
      }
      for observer in observers { observer.check("seed \(seed), a few after \(exchange)") }
    }
    #expect(observers.allSatisfy { $0.updateCount > 0 })
  }

  @Test("Results are in order after half of the objects were deleted and others have come, with one update each")
  func deletions() throws {
    let store = try TestStore()
    insertPosts(into: store)
    let observers = observers(of: store.workspace)
    store.perform([Post.self]) { context in
      for post in store.workspace.fetch(for: Post.self).all() {
        if post.priority % 2 == 0, let request = PostChangeRequest.deletionRequest(post) {
          context.try(submit: request)
        }
      }
      for number in 0..<Self.count {
        let post = Post(title: "new \(number)", priority: number)
        context.try(submit: PostChangeRequest.creationRequest(post))
      }
    }
    for observer in observers {
      observer.check("half deleted")
      #expect(observer.updateCount == 1, "\(observer.query)")
    }
  }
}
