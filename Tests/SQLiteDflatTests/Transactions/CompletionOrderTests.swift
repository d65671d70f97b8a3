import EngineTestSupport
import Dflat
import Golden_post
import Testing

@testable import SQLiteDflat

@Suite("Completion handlers are called in the order in which the transactions are settled")
struct CompletionOrderTests {
  @Test("Transactions that are committed together complete in the order of their calls")
  func committedTogether() throws {
    let store = try TestStore()
    let completed = Collected<Int>()
    let transactions = store.workspace.whileCommitsWait {
      let transactions = (0..<200).map { number in
        PendingTransaction([Post.self], in: store.workspace) { _ in
          completed.append(number)
        } _: { context in
          context.try(submit: PostChangeRequest.creationRequest(Post(title: "\(number)")))
        }
      }
      #expect(eventually { store.workspace.core.committer.withState { $0.numbers.last(of: Post._record) } == 200 })
      return transactions
    }
    for each in transactions { #expect(each.outcome() == true) }
    #expect(eventually { completed.count == 200 })
    // Where a handler takes longer than a millisecond, as it may on a slow machine, the next one may overtake it.
    let order = completed.values
    let swaps = zip(order, order.dropFirst()).count { $0 > $1 }
    #expect(swaps < 50, "\(order)")
  }

  @Test("A transaction that submits nothing completes after earlier ones of its type that are pending")
  func withoutChanges() throws {
    let store = try TestStore()
    let workspace = store.workspace
    let (pending, empty) = workspace.whileCommitsWait {
      let pending = PendingTransaction([Post.self], in: workspace) { context in
        context.try(submit: PostChangeRequest.creationRequest(Post(title: "a")))
      }
      let empty = PendingTransaction([Post.self, Thing.self], in: workspace) { _ in }
      // It begins when the one before it has ended, and waits for nothing: what is settled earlier completes earlier.
      let later = PendingTransaction([Thing.self], in: workspace) { _ in }
      #expect(later.starts())
      let free = PendingTransaction([RegisterType.all[0].type], in: workspace) { _ in }
      #expect(free.outcome() == true)
      #expect(!pending.hasCompleted && !empty.hasCompleted && !later.hasCompleted)
      return (pending, empty)
    }
    #expect(pending.outcome() == true && empty.outcome() == true)
  }
}
