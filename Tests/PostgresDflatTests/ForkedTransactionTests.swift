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
  /// Swift does not let `fork` be called by its name.
  private static func fork() -> Int32? {
    guard let symbol = dlsym(UnsafeMutableRawPointer(bitPattern: 0), "fork") else { return nil }
    // The function takes nothing and returns a process identifier.
    return unsafeBitCast(symbol, to: (@convention(c) () -> Int32).self)()
  }

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
        guard let child = ForkedTransactionTests.fork() else { return }
        if child == 0 {
          // One that hangs is ended.
          alarm(30)
          let isEmpty = workspace.fetch(for: Post.self).all().isEmpty
          _exit(isEmpty && count.value == 1 ? 16 : 17)
        }
        status.change { _ = waitpid(child, &$0, 0) }
      }
      guard status.value == 16 << 8 else {
        print("the child has ended with \(status.value)")
        _exit(1)
      }
      await workspace.shutdown()
    }
  }
}
