import EngineTestSupport
import Dflat
@testable import DflatEngine
import Golden_post
import Testing

@testable import SQLiteDflat

@Suite("A transaction that has used what a pending one has submitted fails if that is not stored")
struct DependencyTests {
  @Test("A transaction that depends on a failed one fails, even if it has taken the writer", arguments: [false, true])
  func takingTheWriter(isLarge: Bool) throws {
    let store = try TestStore()
    let workspace = store.workspace
    store.perform([Post.self]) { $0.try(submit: PostChangeRequest.creationRequest(Post(title: "kept"))) }
    let commits = try CommitHook(workspace)
    let (hasFound, mayGoOn) = (Gate(), Gate())
    let (first, dependent) = workspace.whileCommitsWait {
      commits.remainingFailures = 1
      let first = PendingTransaction([Post.self], in: workspace) { context in
        context.try(submit: PostChangeRequest.creationRequest(Post(title: "a")))
      }
      let dependent = PendingTransaction([Post.self], in: workspace) { context in
        // It changes nothing of the first one's, but has found it.
        #expect(PostChangeRequest.changeRequest(Post(title: "a")) != nil)
        hasFound.open()
        mayGoOn.wait()
        for number in 0..<(isLarge ? 100 : 1) {
          _ = try? context.submit(PostChangeRequest.creationRequest(Post(title: "\(number)")))
        }
        if !isLarge { _ = workspace.fetch(for: Post.self).all() }
      }
      #expect(hasFound.wait())
      return (first, dependent)
    }
    mayGoOn.open()
    #expect(first.outcome() == false)
    #expect(dependent.outcome() == false)
    #expect(workspace.fetch(for: Post.self).all().map(\.title) == ["kept"])
    let isTold = eventually {
      store.errors.values.contains { if case SubmissionError.undone? = $0 as? SubmissionError { true } else { false } }
    }
    #expect(isTold)
    workspace.shutdown()
  }

  @Test(
    "A transaction that was aborted is not reported when one that it depended on fails", arguments: [false, true])
  func aborting(looksAgain: Bool) throws {
    let store = try TestStore()
    let workspace = store.workspace
    let commits = try CommitHook(workspace)
    let hasLooked = Gate()
    let (first, aborted) = workspace.whileCommitsWait {
      // The first one fails together with the other, and then alone.
      commits.remainingFailures = 2
      let first = PendingTransaction([Post.self], in: workspace) { context in
        context.try(submit: PostChangeRequest.creationRequest(Post(title: "a")))
      }
      let aborted = PendingTransaction([Post.self], in: workspace) { context in
        #expect(PostChangeRequest.changeRequest(Post(title: "a")) != nil)
        context.abort()
        if looksAgain { #expect(PostChangeRequest.changeRequest(Post(title: "a")) != nil) }
        hasLooked.open()
      }
      #expect(hasLooked.wait())
      return (first, aborted)
    }
    #expect(first.outcome() == false)
    #expect(aborted.outcome() == false)
    workspace.shutdown()
    #expect(eventually { store.errors.count == 1 })
    #expect(store.errors.values.allSatisfy { $0 is SQLiteError })
  }
}
