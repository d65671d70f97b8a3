import Dflat

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Remembers the process in which it was made, and tells whether the calling process is a forked child of that process.
package struct ForkDetector: Sendable {
  private let generation: Int

  package init() {
    _ = ForkDetector.registration
    generation = forkGeneration
  }

  /// Whether the calling process was forked from the one that made this value, and has not run another program since.
  package var isInChild: Bool { generation != forkGeneration }

  /// Checks that the calling process is not a forked child.
  ///
  /// - Throws: `ForkedProcessError` if it is.
  package func check() throws { if isInChild { throw ForkedProcessError() } }

  /// Registers the handler that counts forks, once for the process and its children. If the system has no memory for
  /// it, forks stay unnoticed.
  private static let registration: Void = { _ = pthread_atfork(nil, nil) { forkGeneration += 1 } }()
}

// Unsafe to the compiler: only the handler above changes it, in a child that has no other thread yet.
nonisolated(unsafe) private var forkGeneration = 0
