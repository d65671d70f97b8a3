#if compiler(>=6.2)
  import Dflat
  import EngineTestSupport
  import Foundation
  import Golden_post
  import SQLiteDflat
  import Testing

  @Suite("Mistakes of the program stop it with a message")
  struct ProgrammingErrorTests {
    private static func standardError(_ result: ExitTest.Result?) -> String {
      String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    }

    /// Runs a transaction of a workspace that leaves no file behind, as the process ends in it.
    private static func perform(
      _ types: [Any.Type], _ changes: @escaping @Sendable (any TransactionContext, SQLiteWorkspace) -> Void
    ) {
      let folder = NSTemporaryDirectory() + "dflat-tests-" + UUID().uuidString
      let workspace = SQLiteWorkspace(filePath: folder + "/store.sqlite3", fileProtectionLevel: .noProtection)
      let done = DispatchSemaphore(value: 0)
      do {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        workspace.performChanges([Thing.self]) { context in
          context.try(submit: ThingChangeRequest.creation(Thing(id: 1)))
        } completionHandler: { _ in
          done.signal()
        }
        done.wait()
        // What is open goes on being so.
        try FileManager.default.removeItem(atPath: folder)
      } catch {
        Issue.record(error)
      }
      workspace.performChanges(
        types, changesHandler: { changes($0, workspace) }, completionHandler: { _ in done.signal() })
      done.wait()
    }

    @Test("A change of a type that was not named stops the program")
    func aTypeThatWasNotNamed() async {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        ProgrammingErrorTests.perform([Thing.self]) { context, _ in
          context.try(submit: PostChangeRequest.creationRequest(Post(title: "a")))
        }
      }
      #expect(ProgrammingErrorTests.standardError(result).contains("A change of Post was submitted"))
    }

    @Test("A change request outside of a transaction stops the program")
    func aRequestOutsideOfATransaction() async {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        _ = PostChangeRequest.changeRequest(Post(title: "a"))
      }
      #expect(ProgrammingErrorTests.standardError(result).contains("in the closure of performChanges"))
    }

    @Test("A conflict in try(submit:) stops the program")
    func aConflictThatWasRuledOut() async {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        ProgrammingErrorTests.perform([Post.self]) { context, _ in
          for _ in 0..<2 { context.try(submit: PostChangeRequest.creationRequest(Post(title: "a"))) }
        }
      }
      #expect(ProgrammingErrorTests.standardError(result).contains("has the primary key"))
    }

    @Test("A position behind the last object of a result stops the program")
    func positionOutsideOfAResult() async {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        let posts = FetchedResult([Post(title: "a")])
        print(posts[posts.count].title)
      }
      #expect(ProgrammingErrorTests.standardError(result).contains("whose positions are 0..<1. Before you use"))
    }

    @Test("A shutdown inside a transaction stops the program")
    func aShutdownInsideATransaction() async {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        ProgrammingErrorTests.perform([Post.self]) { $1.shutdown() }
      }
      #expect(ProgrammingErrorTests.standardError(result).contains("would wait for itself"))
    }
  }
#endif
