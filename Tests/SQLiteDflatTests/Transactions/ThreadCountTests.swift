#if compiler(>=6.3) && os(Linux)
  import Dflat
  import Dispatch
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
      case concurrentQueue, detachedTasks, manyThreads, fromCompletions, fromCompletionsWithSubscribers

      /// From how many threads of its own the test requests transactions.
      var callers: Int {
        switch self {
        case .severalThreads: 4
        case .manyThreads: 64
        default: 1
        }
      }

      /// The most threads that request transactions. Dispatch and Swift's tasks have one for each processor.
      var requestingThreads: Int {
        switch self {
        case .concurrentQueue, .detachedTasks: ProcessInfo.processInfo.activeProcessorCount
        default: callers
        }
      }

      var hasSubscribers: Bool { self == .withSubscribers || self == .fromCompletionsWithSubscribers }
    }

    /// In a process of its own, whose threads are counted.
    @Test("1,000 transactions take at most a handful more than there are processors", arguments: Load.allCases)
    func few(load: Load) async {
      await #expect(processExitsWith: .success) { [load = load as Load] in
        let most = try await onThread { Result { try ThreadCountTests.mostThreads(load) } }.get()
        // Other tests keep the processors busy, so that some calls seem to take long.
        let limit = ProcessInfo.processInfo.activeProcessorCount + 23 + load.requestingThreads
        #expect(most <= limit, "\(load): \(most) threads")
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
      if load.hasSubscribers {
        for number in 0..<20 {
          let result = workspace.fetch(for: Post.self).where(Post.priority == Int32(number))
          subscriptions.append(workspace.subscribe(fetchedResult: result) { _ in })
        }
      }
      let requests = Requests(workspace: workspace)
      let threads = BackgroundThreads(load.callers) { caller in
        for number in stride(from: caller, to: 1_000, by: load.callers) { requests.request(number, as: load) }
      }
      #expect(threads.end())
      #expect(requests.areRequested())
      workspace.shutdown()
      isOver.value = true
      #expect(counter.end())
      #expect(store.errors.values.isEmpty, "\(store.errors.values)")
      return most.value
    }

    /// Requests small transactions.
    private struct Requests: Sendable {
      let workspace: SQLiteWorkspace
      let queue = DispatchQueue(label: "requests", attributes: .concurrent)
      /// What requests further transactions.
      let group = DispatchGroup()

      func request(_ number: Int, as load: Load) {
        switch load {
        case .severalTypes where number % 2 == 0:
          workspace.performChanges([Thing.self]) {
            $0.try(submit: ThingChangeRequest.creation(Thing(id: Int64(number))))
          }
        case .concurrentQueue:
          queue.async(group: group) { create(number) }
        case .detachedTasks:
          group.enter()
          Task.detached {
            await workspace.performChanges([Post.self]) { $0.try(submit: creation(number)) }
            group.leave()
          }
        case .fromCompletions, .fromCompletionsWithSubscribers:
          // Each of eight transactions is the first of a chain.
          guard number < 8 else { return }
          group.enter()
          createChain(from: number)
        default: create(number)
        }
      }

      /// Whether all transactions have been requested, at the latest after some seconds.
      func areRequested() -> Bool { group.wait(timeout: .now() + patience) == .success }

      private func create(_ number: Int) {
        workspace.performChanges([Post.self]) { $0.try(submit: creation(number)) }
      }

      /// Creates a post. When that is complete, creates the next one of the chain.
      private func createChain(from number: Int) {
        workspace.performChanges(
          [Post.self], changesHandler: { $0.try(submit: creation(number)) },
          completionHandler: { _ in
            if number + 8 < 1_000 { createChain(from: number + 8) } else { group.leave() }
          })
      }

      private func creation(_ number: Int) -> PostChangeRequest {
        PostChangeRequest.creationRequest(Post(title: "\(number)", priority: Int32(number % 20)))
      }
    }

    /// How many threads the process has.
    private static var threadCount: Int {
      (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count) ?? 0
    }
  }
#endif
