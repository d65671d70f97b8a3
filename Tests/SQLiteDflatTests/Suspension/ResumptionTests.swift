import EngineTestSupport
import Testing

@testable import SQLiteDflat

@Suite("A call of resume ends the suspension that there is, and no later one")
struct ResumptionTests {
  @Test("A suspension that is tried again, since another thread has resumed the workspace, stays")
  func triedAgain() throws {
    let posts = try PostStore()
    posts.insert("a")
    let workspace = posts.workspace
    // The thread that resumes is mostly still asleep when the suspension is tried again.
    for _ in 0..<20 {
      let (isOpen, isResumed) = (Gate(), Gate())
      let reading = BackgroundThreads { _ in
        workspace.fetchWithinASnapshot {
          isOpen.open()
          isResumed.wait()
        }
      }
      #expect(isOpen.wait())
      let resuming = BackgroundThreads { _ in
        #expect(eventually { workspace.core.committer.withState { $0.suspension.phase == .beginning } })
        workspace.resume()
      }
      var failure: SuspensionError?
      do throws(SuspensionError) {
        try workspace.suspend(within: .seconds(patience))
      } catch {
        failure = error
      }
      isResumed.open()
      try workspace.suspend(within: .seconds(patience))
      #expect(failure == .resumed && resuming.end() && reading.end())
      #expect(workspace.isSuspended)
      workspace.resume()
    }
    #expect(posts.store.errors.values.isEmpty)
  }
}
