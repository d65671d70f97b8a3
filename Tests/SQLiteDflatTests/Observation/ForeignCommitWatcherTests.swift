import EngineTestSupport
import Testing

@testable import SQLiteDflat

@Suite("Whoever watches a file for the commits of others looks again after it was written")
struct ForeignCommitWatcherTests {
  @Test("A commit that shows long after its log was written is seen, though no file tells of it")
  func lateCommit() throws {
    // Nothing is written to the folder: the looks are those that follow the beginning.
    let store = try TestStore()
    let looks = Collected<Void>()
    let watcher = ForeignCommitWatcher(store.path) { looks.append(()) }
    watcher.start()
    // The first three are over within a tenth of a second.
    #expect(eventually(within: 60) { looks.count >= 5 })
    watcher.stop()
  }
}
