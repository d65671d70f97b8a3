import Dflat
import EngineTestSupport
import Foundation
import Golden_post
import SQLiteDflat
import Testing

@Suite("A workspace whose log was removed or replaced stores nothing more, and says so")
struct RemovedLogTests {
  enum Change: CaseIterable {
    case removed
    case replacedByAnEmptyFile
  }

  private func apply(_ change: Change, to path: String) throws {
    try FileManager.default.removeItem(atPath: path)
    if change == .replacedByAnEmptyFile { try Data().write(to: URL(fileURLWithPath: path)) }
  }

  @Test(
    "Later transactions complete with false, and the error names the file; what was stored before is kept",
    arguments: [["-wal"], ["-shm"], ["-wal", "-shm"]], Change.allCases)
  func laterTransactions(suffixes: [String], change: Change) throws {
    let store = try TestStore()
    let workspace = store.workspace
    store.perform([Post.self]) { $0.try(submit: PostChangeRequest.creationRequest(Post(title: "before"))) }
    #expect(workspace.fetch(for: Post.self).count() == 1)
    for suffix in suffixes { try apply(change, to: store.path + suffix) }
    for title in ["first", "second"] {
      let later = PendingTransaction([Post.self], in: workspace) {
        _ = try? $0.submit(PostChangeRequest.creationRequest(Post(title: title)))
      }
      #expect(later.outcome() == false)
    }
    let isTold = eventually {
      store.errors.values.map { "\($0)" }.contains { $0.contains(suffixes[0]) && $0.contains("removed") }
    }
    #expect(isTold, "\(store.errors.values)")
    // The connection that has fetched goes on to show what it has, and nothing that was refused.
    #expect(workspace.fetch(for: Post.self).all().map(\.title) == ["before"])
    workspace.shutdown()
    guard change == .removed else { return }
    // An error of before may come late: so those from now on are collected apart.
    let laterErrors = Collected<any Error>()
    let again = SQLiteWorkspace(
      filePath: store.path, fileProtectionLevel: .noProtection, errorHandler: { laterErrors.append($0) })
    #expect(again.fetch(for: Post.self).all().map(\.title) == ["before"])
    let added = PendingTransaction([Post.self], in: again) {
      $0.try(submit: PostChangeRequest.creationRequest(Post(title: "after")))
    }
    #expect(added.outcome() == true)
    again.shutdown()
    #expect(laterErrors.values.isEmpty, "\(laterErrors.values)")
    #expect(try store.sql("PRAGMA integrity_check") == [["ok"]])
  }

  @Test("Closing a workspace whose log was replaced leaves the log of another process as it is")
  func anotherLog() throws {
    let store = try TestStore()
    store.perform([Post.self]) { $0.try(submit: PostChangeRequest.creationRequest(Post(title: "before"))) }
    let bytes = Data("another log".utf8)
    try FileManager.default.removeItem(atPath: store.path + "-wal")
    try bytes.write(to: URL(fileURLWithPath: store.path + "-wal"))
    store.workspace.shutdown()
    #expect(FileManager.default.contents(atPath: store.path + "-wal") == bytes)
    store.errors.removeAll()
  }
}
