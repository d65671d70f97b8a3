import Dflat
import Dispatch
import EngineTestSupport
import Foundation
import Golden_post
import SQLiteDflat
import Testing

@Suite("Writers beside a backup")
struct BackupPauseTests {
  /// The transactions of a thread that begins one as soon as the last has completed.
  private final class Writer: Sendable {
    private struct State {
      var count = 0
      /// When the transaction that runs now has begun.
      var begun = DispatchTime.now()
      /// In seconds.
      var longest = 0.0
    }

    private let state = Locked(State())
    private let isOver = Gate()

    var count: Int { state.value.count }

    /// The longest time that a transaction has taken since the last call, also of one that is still running.
    func takeLongest() -> Double {
      state.change { state in
        defer { state.longest = 0 }
        return max(state.longest, Self.seconds(since: state.begun))
      }
    }

    static func seconds(since begin: DispatchTime) -> Double {
      Double(DispatchTime.now().uptimeNanoseconds - begin.uptimeNanoseconds) / 1e9
    }

    func write(to store: TestStore) {
      for number in 0... {
        if isOver.isOpen { return }
        state.change { $0.begun = .now() }
        store.perform([Thing.self]) { $0.try(submit: ThingChangeRequest.upsert(Thing(id: 1, big: UInt64(number)))) }
        state.change { state in
          state.count += 1
          state.longest = max(state.longest, Self.seconds(since: state.begun))
        }
      }
    }

    func end() { isOver.open() }
  }

  @Test("Transactions complete with each megabyte that a backup of 50 MB copies, and none waits for the copy")
  func pauses() async throws {
    let store = try TestStore()
    let tag = String(repeating: "x", count: 20_000)
    for part in 0..<10 {
      store.perform([Post.self]) { context in
        for number in 0..<250 {
          context.try(submit: PostChangeRequest.creationRequest(Post(title: "\(part) \(number)", tag: tag)))
        }
      }
    }
    let writer = Writer()
    let thread = BackgroundThreads { _ in writer.write(to: store) }
    var shares: [Double] = []
    // The machine may keep the writer waiting, too, but not in each of several backups.
    for round in 0..<20 where shares.allSatisfy({ $0 > 0.25 }) {
      let (steps, isStuck) = (Locked(0), Locked(false))
      _ = writer.takeLongest()
      let begin = DispatchTime.now()
      try await store.workspace.backup(to: store.folder + "/copy", replacing: round > 0) { progress in
        if progress.fraction == 1 || isStuck.value { return }
        // The first to complete may have been about to when this was called.
        let count = writer.count + 2
        if eventually({ writer.count >= count }) {
          steps.change { $0 += 1 }
        } else {
          isStuck.value = true
        }
      }
      shares.append(writer.takeLongest() / Writer.seconds(since: begin))
      #expect(steps.value >= 45 && !isStuck.value)
    }
    writer.end()
    #expect(thread.end())
    #expect(shares.contains { $0 <= 0.25 }, "parts of the backup for which a transaction has waited: \(shares)")
    #expect(store.errors.values.isEmpty)
  }
}
