import Dflat
import EngineTestSupport
import Foundation
import Golden_post
import PostgresDflat
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

@Suite("A child that is forked by the closure of a transaction on PostgreSQL")
struct ForkedTransactionTests {
  // A process of its own, which has no threads that hold locks while it forks.
  @Test("Its error handler is called before the call returns that has failed: no other thread can call it")
  func errors() async throws {
    await #expect(processExitsWith: .success) {
      let count = Locked(0)
      // There is no server: the closure does not need one.
      let workspace = PostgresWorkspace(
        connection: "host=/nonexistent dbname=none", errorHandler: { _ in count.change { $0 += 1 } })
      let status = Locked<Int32>(0)
      await workspace.performChanges([Post.self]) { _ in
        status.value = forkedChildReturns {
          let isEmpty = workspace.fetch(for: Post.self).all().isEmpty
          return isEmpty && count.value == 1 ? 16 : 17
        }
      }
      guard status.value == 16 else {
        print("the child has ended with \(status.value)")
        _exit(1)
      }
      await workspace.shutdown()
    }
  }
}
