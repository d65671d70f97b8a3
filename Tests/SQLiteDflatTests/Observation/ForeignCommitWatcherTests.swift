import EngineTestSupport
import Testing

@testable import SQLiteDflat

@Suite("A watcher of a file looks for commits of other processes after each write")
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
