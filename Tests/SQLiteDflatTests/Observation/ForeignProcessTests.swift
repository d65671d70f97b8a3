#if compiler(>=6.3) && os(Linux)
  import EngineTestSupport
  import Dflat
  import Foundation
  import Golden_post
  import SQLiteDflat
  import Testing

  @Suite("Subscribers get commits of another process, although their own process does nothing")
  struct ForeignProcessTests {
    @Test("Each result and object comes to the state that the other process has left")
    func anotherProcess() async throws {
      let store = try TestStore()
      let workspace = store.workspace
      store.perform([Post.self]) { context in
        for number in 0..<100 {
          context.try(submit: PostChangeRequest.creationRequest(Post(title: "\(number)", priority: Int32(number))))
        }
      }
      let first = try #require(workspace.fetch(for: Post.self).where(Post.title == "0").first)
      let told = Collected<SubscribedObject<Post>>()
      let subscription = workspace.subscribe(object: first) { told.append($0) }
      let observers = [
        ResultObserver("all", in: workspace) { workspace.fetch(for: Post.self).all() },
        ResultObserver("by priority", in: workspace) {
          workspace.fetch(for: Post.self).where(Post.priority < 50, orderBy: [Post.priority.descending])
        },
        ResultObserver("the last ones", in: workspace) {
          workspace.fetch(for: Post.self).all(limit: .limit(10), orderBy: [Post.priority.descending])
        },
      ]
      await #expect(processExitsWith: .success) { [path = store.path as String] in
        let workspace = SQLiteWorkspace(filePath: path, fileProtectionLevel: .noProtection)
        for round in 0..<20 {
          let isStored = await workspace.performChanges([Post.self]) { (context: any TransactionContext) -> Void in
            for number in stride(from: round, to: 100, by: 20) {
              guard let request = PostChangeRequest.changeRequest(Post(title: "\(number)")) else { continue }
              request.priority = request.priority &* 7 % 100
              context.try(submit: request)
            }
            context.try(submit: PostChangeRequest.creationRequest(Post(title: "new \(round)", priority: 1000)))
          }
          #expect(isStored)
        }
        let isDeleted = await workspace.performChanges([Post.self]) { (context: any TransactionContext) -> Void in
          guard let request = PostChangeRequest.deletionRequest(Post(title: "0")) else { return }
          context.try(submit: request)
        }
        #expect(isDeleted)
        await workspace.shutdown()
      }
      let isTold = await onThread {
        eventually { told.values.last == .deleted && observers[0].posts.count == 119 && observers[2].posts.count == 10 }
      }
      #expect(isTold)
      // The last commit may be told to one after the other.
      _ = await onThread { eventually { observers.allSatisfy { $0.posts == Array($0.fetched) } } }
      for observer in observers { observer.check("") }
      #expect(told.values.dropLast().allSatisfy { $0 == .updated(Post(title: "0", priority: 0)) })
      #expect(store.errors.values.isEmpty)
      subscription.cancel()
    }
  }
#endif
