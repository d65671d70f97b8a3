#if compiler(>=6.3) && os(Linux)
  import EngineTestSupport
  import Dflat
  import Foundation
  import Golden_post
  import SQLiteDflat
  import Testing

  @Suite("Completion handlers that block keep nobody else waiting")
  struct BlockedCompletionTests {
    private static let count = 300

    private static func create(_ title: String, _ context: any TransactionContext) {
      context.try(submit: PostChangeRequest.creationRequest(Post(title: title)))
    }

    /// In a process of its own, whose threads no other test needs.
    @Test("Other transactions complete while 300 handlers block", arguments: [false, true])
    func manyBlockedHandlers(areQueued: Bool) async {
      await #expect(processExitsWith: .success) { [areQueued = areQueued as Bool] in
        try await onThread { Result { try BlockedCompletionTests.run(areQueued: areQueued) } }.get()
      }
    }

    /// - Parameter areQueued: whether they queue up first, so that many are committed together.
    private static func run(areQueued: Bool) throws {
      let store = try TestStore()
      let workspace = store.workspace
      let (release, start) = (Gate(), Gate())
      let entered = Locked(0)
      if !areQueued { start.open() }
      let first = PendingTransaction([Post.self], in: workspace) { _ in start.wait() }
      let blocked = (0..<count).map { number in
        PendingTransaction([Post.self], in: workspace) { _ in
          entered.change { $0 += 1 }
          release.wait()
        } _: {
          create("blocked \(number)", $0)
        }
      }
      start.open()
      #expect(first.outcome() == true)
      // All are called, though none returns; and all that can be told of is stored.
      let areCalled = eventually { entered.value == count }
      #expect(areCalled, "\(entered.value) of \(count) handlers are called")
      #expect(!areCalled || blocked.allSatisfy { $0.outcome() == true })
      for number in 0..<20 {
        let sameType = PendingTransaction([Post.self], in: workspace) { create("later \(number)", $0) }
        #expect(sameType.outcome(within: 300) == true)
        let otherType = PendingTransaction([Thing.self], in: workspace) { context in
          context.try(submit: ThingChangeRequest.creation(Thing(id: Int64(number))))
        }
        #expect(otherType.outcome(within: 300) == true)
        // It would be useless to go on.
        guard sameType.hasCompleted, otherType.hasCompleted else { break }
      }
      #expect(workspace.fetch(for: Post.self).count() == count + 20)
      #expect(workspace.fetch(for: Thing.self).count() == 20)
      release.open()
      workspace.shutdown()
      #expect(store.errors.values.isEmpty, "\(store.errors.values)")
    }
  }
#endif
