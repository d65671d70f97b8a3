import CSQLite
import Dflat
import EngineTestSupport
import Foundation
import Golden_post
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
    #expect(eventually { looks.count >= 5 })
    watcher.stop()
  }

  @Test("A look that fails is reported")
  func failedLook() throws {
    let store = try TestStore()
    let workspace = store.workspace
    // There is no file yet, so that the subscription reads nothing, and has nothing to read again.
    let subscription = workspace.subscribe(fetchedResult: workspace.fetch(for: Post.self).all()) { _ in }
    #expect(store.errors.values.isEmpty)
    // The file appears as a whole: a look must not find it while it is empty.
    let text = Data(String(repeating: "This is no database. ", count: 100).utf8)
    try text.write(to: URL(fileURLWithPath: store.path), options: .atomic)
    #expect(eventually { store.errors.count > 0 })
    #expect((store.errors.values.first as? SQLiteError)?.code == SQLITE_NOTADB)
    subscription.cancel()
  }

  @Test(
    "A commit to the file to which a symbolic link leads is seen, in whatever order link and file were made",
    arguments: [false, true], ["file, link", "link, file", "file, link after the watch"])
  func symbolicLinks(isBesideFile: Bool, order: String) throws {
    let posts = try PostStore()
    let folder = posts.store.folder + (isBesideFile ? "" : "/links")
    let link = folder + "/link.sqlite3"
    let files = FileManager.default
    try files.createDirectory(atPath: folder, withIntermediateDirectories: true)
    func makeLink() throws {
      try files.createSymbolicLink(
        atPath: link, withDestinationPath: isBesideFile ? "store.sqlite3" : "../store.sqlite3")
    }
    if order.hasPrefix("file") { posts.insert("a") }
    if !order.hasSuffix("watch") { try makeLink() }
    let looks = Collected<Void>()
    let watcher = ForeignCommitWatcher(link) { looks.append(()) }
    watcher.start()
    defer { watcher.stop() }
    try #require(eventually { looks.count >= 3 })
    if order.hasSuffix("watch") { try makeLink() }
    // The beginning, and a link that is made, are followed by seven looks each, and not by more.
    for number in 0..<20 {
      let count = looks.count
      posts.insert("\(number)")
      try #require(eventually { looks.count > count })
    }
  }
}
