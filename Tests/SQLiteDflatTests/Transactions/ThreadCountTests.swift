#if compiler(>=6.3) && os(Linux)
  import Dflat
  import EngineTestSupport
  import Foundation
  import Golden_post
  import SQLiteDflat
  import TestSupport
  import Testing

  @Suite("Small transactions need few threads")
  struct ThreadCountTests {
    enum Load: String, CaseIterable, Codable, Sendable {
      case callsInALoop, severalThreads, severalTypes, withSubscribers
    }

    /// In a process of its own, whose threads are counted.
    @Test("1,000 transactions take at most a handful more than there are processors", arguments: Load.allCases)
    func few(load: Load) async {
      await #expect(processExitsWith: .success) { [load = load as Load] in
        let most = try await onThread { Result { try ThreadCountTests.mostThreads(load) } }.get()
        // The test's own threads are among them; and other tests keep the processors busy, so that some calls seem to take long.
        #expect(most <= ProcessInfo.processInfo.activeProcessorCount + 24, "\(load): \(most) threads")
      }
    }

    private static func mostThreads(_ load: Load) throws -> Int {
      let store = try TestStore()
      let workspace = store.workspace
      let most = Locked(0)
      let isOver = Locked(false)
      let counter = BackgroundThreads { _ in
        while !isOver.value {
          let count = threadCount
          most.change { $0 = max($0, count) }
          usleep(500)
        }
      }
      var subscriptions: [any WorkspaceSubscription] = []
      if load == .withSubscribers {
        for number in 0..<20 {
          let result = workspace.fetch(for: Post.self).where(Post.priority == Int32(number))
          subscriptions.append(workspace.subscribe(fetchedResult: result) { _ in })
        }
      }
      let callers = load == .severalThreads ? 4 : 1
      let threads = BackgroundThreads(callers) { caller in
        for number in 0..<1_000 / callers {
          if load == .severalTypes, number % 2 == 0 {
            workspace.performChanges([Thing.self]) {
              $0.try(submit: ThingChangeRequest.creation(Thing(id: Int64(caller * 1_000 + number))))
            }
          } else {
            workspace.performChanges([Post.self]) {
              $0.try(
                submit: PostChangeRequest.creationRequest(
                  Post(title: "\(caller) \(number)", priority: Int32(number % 20))))
            }
          }
        }
      }
      #expect(threads.end())
      workspace.shutdown()
      isOver.value = true
      #expect(counter.end())
      #expect(store.errors.values.isEmpty, "\(store.errors.values)")
      return most.value
    }

    /// How many threads the process has.
    private static var threadCount: Int {
      (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count) ?? 0
    }
  }
#endif
