#if compiler(>=6.3) && os(Linux) && DEBUG
  import EngineTestSupport
  import Testing

  @testable import DflatEngine

  /// In processes of their own, which the order stops.
  @Suite("A debug build stops a thread that takes two locks against their order")
  struct LockOrderTests {
    @Test("Locks may be taken in their order, and each again after it was released")
    func inOrder() async {
      await #expect(processExitsWith: .success) {
        let ranks: [LockRank] = [.scheduler, .completions, .committer, .database, .sequence, .dictionary]
        let locks = ranks.map { Guarded(0, rank: $0) }
        func takeAll(from first: Int) {
          guard first < locks.count else { return }
          locks[first].withLock { _ in takeAll(from: first + 1) }
          locks[first].withLock { _ in takeAll(from: first + 1) }
        }
        takeAll(from: 0)
        // A lock that is not held forbids none before it.
        for lock in locks.reversed() { lock.withLock { $0 += 1 } }
      }
    }

    @Test("A lock must not be taken under one that comes later")
    func againstTheOrder() async {
      await #expect(processExitsWith: .failure) {
        let (committer, sequence) = (
          Guarded(0, rank: .committer), Guarded(0, rank: .sequence)
        )
        sequence.withLock { _ in committer.withLock { _ in } }
      }
    }

    @Test("Two locks of one rank must not be taken at once")
    func oneRank() async {
      await #expect(processExitsWith: .failure) {
        let (first, second) = (Guarded(0, rank: .database), Guarded(0, rank: .database))
        first.withLock { _ in second.withLock { _ in } }
      }
    }

    @Test("A thread may take any lock, whatever locks another thread holds")
    func otherThreads() async {
      await #expect(processExitsWith: .success) {
        let (committer, sequence) = (
          Guarded(0, rank: .committer), Guarded(0, rank: .sequence)
        )
        let (isHeld, isDone) = (Gate(), Gate())
        let holder = BackgroundThreads { _ in
          sequence.withLock { _ in
            isHeld.open()
            isDone.wait()
          }
        }
        isHeld.wait()
        committer.withLock { $0 += 1 }
        isDone.open()
        #expect(holder.end())
      }
    }
  }
#endif
