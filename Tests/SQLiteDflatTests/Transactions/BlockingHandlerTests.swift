#if compiler(>=6.3) && os(Linux)
  import Dispatch
  import EngineTestSupport
  import Foundation
  import SQLiteDflat
  import TestSupport
  import Testing

  @Suite("Handlers, callbacks and error handlers that block at random keep every promise to others")
  struct BlockingHandlerTests {
    /// Each run is in a process of its own, whose threads no other test needs.
    @Test("Without a target queue, handlers can wait for each other's transactions", arguments: LongForm.seeds(3))
    func ownQueues(seed: Int) async { await run(seed, .none) }

    @Test(
      "On a target queue, handlers can block and start transactions, and run in their order",
      arguments: LongForm.seeds(2))
    func targetQueue(seed: Int) async { await run(seed, seed % 2 == 0 ? .serial : .concurrent) }

    private func run(_ seed: Int, _ queue: BlockingHandlers.Queue) async {
      let count = LongForm.blockingHandlers.size
      await #expect(processExitsWith: .success) {
        [seed = seed as Int, count = count as Int, queue = queue as BlockingHandlers.Queue] in
        let problems = await onThread { BlockingHandlers.run(seed: seed, count: count, queue: queue) }
        for problem in problems { Issue.record("DFLAT_SEED=\(seed), \(queue): \(problem)") }
        // Nothing waits for threads that hang.
        if !problems.isEmpty { _exit(1) }
      }
      LongForm.record(count, "transactions beside handlers that block")
    }
  }
#endif
