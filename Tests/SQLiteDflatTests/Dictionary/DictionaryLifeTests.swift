import CSQLite
import Dflat
import EngineTestSupport
import Foundation
import Testing

@testable import SQLiteDflat

@Suite("Keys at the beginning and the end of a workspace")
struct DictionaryLifeTests {
  @Test("A subscriber is told the value in a file that was put in place after it has subscribed")
  func fileThatComesLater() throws {
    let (own, other) = (try TestStore(), try TestStore())
    own.workspace.shutdown()
    for file in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: own.path + file) }
    other.workspace.dictionary["key"] = 1
    other.workspace.shutdown()

    let workspace = own.reopened()
    let told = Collected<Int?>()
    let subscription = workspace.dictionary.subscribe("key", of: Int.self) { told.append($0.value) }
    #expect(told.values == [nil])
    try FileManager.default.moveItem(atPath: other.path, toPath: own.path)
    #expect(eventually { told.values == [nil, 1] })
    subscription.cancel()
    workspace.shutdown()
  }

  @Test("A key that is set while a shutdown waits for the file is reported, and not lost in silence")
  func setWhileShuttingDown() throws {
    let store = try TestStore()
    store.workspace.dictionary["first"] = 0
    #expect(store.workspace.dictionary.synchronize())
    var other: OpaquePointer?
    try #require(sqlite3_open(store.path, &other) == SQLITE_OK)
    defer { sqlite3_close_v2(other) }
    let core = store.workspace.core
    do {
      core.committer.acquireWriter(.transaction)
      defer { core.committer.releaseWriter() }
      // The store gives up waiting after ten seconds, in which a busy machine may not have come to the end of this test.
      sqlite3_busy_timeout(try core.database.writer().connection.handle, PlainSQL.busyTimeout)
    }
    try PlainSQL.run("BEGIN IMMEDIATE", on: other)
    store.workspace.dictionary["first"] = 1
    let workspace = store.workspace
    let shutdown = BackgroundThreads { _ in workspace.shutdown() }
    func isReported() -> Bool {
      store.errors.values.contains {
        if let error = $0 as? DictionaryError, case .shutDown = error.reason { error.key == "late" } else { false }
      }
    }
    #expect(
      eventually {
        workspace.dictionary["late"] = 2
        return isReported()
      })
    try PlainSQL.run("ROLLBACK", on: other)
    #expect(shutdown.end())
    let reopened = store.reopened()
    #expect(reopened.dictionary["first"] == 1)
    reopened.shutdown()
  }
}
