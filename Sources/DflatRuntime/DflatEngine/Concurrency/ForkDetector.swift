import Dflat

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Notes in which process it was made, and tells whether this one was forked from that.
package struct ForkDetector: Sendable {
  private let generation: Int

  package init() {
    _ = ForkDetector.registration
    generation = forkGeneration
  }

  /// Whether the calling process is a child of the one that has made the value, and has run no other program since.
  package var isInChild: Bool { generation != forkGeneration }

  /// - Throws: `ForkedProcessError` if this is a forked child.
  package func check() throws { if isInChild { throw ForkedProcessError() } }

  /// Once for the process and its children. Where there is no memory for it, forks are not noticed.
  private static let registration: Void = { _ = pthread_atfork(nil, nil) { forkGeneration += 1 } }()
}

// Unsafe to the compiler: only the function above changes it, in a child that has no other thread yet.
nonisolated(unsafe) private var forkGeneration = 0
