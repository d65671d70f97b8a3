import CSQLite
import EngineTestSupport
import Testing

@testable import SQLiteDflat

@Suite("The WAL index")
struct WALIndexTests {
  @Test("The WAL index changes with every commit, of this connection and of another")
  func commits() throws {
    let store = try TestStore()
    let writer = try store.workspace.core.database.writer().connection
    let index = try #require(writer.walIndex)
    var header = try #require(index.header)
    var mark = index.mark
    #expect(index.header == header && index.mark == mark)
    for number in 0..<10 {
      let insert = "CREATE TABLE IF NOT EXISTS t (n); INSERT INTO t VALUES (\(number))"
      if number.isMultiple(of: 2) {
        try store.sql(insert)
      } else {
        try writer.run("PRAGMA user_version = \(number)", for: "Testing")
      }
      let next = try #require(index.header)
      #expect(next != header && index.mark != mark && next.changeCounter > header.changeCounter)
      (header, mark) = (next, index.mark)
    }
  }

  @Test(
    "A WAL index with another version of the layout, or without content, is unknown",
    arguments: [0, 3_006_999, 3_007_001, 4_000_000])
  func unknownLayout(version: UInt32) {
    let (other, empty, known) = (
      ForgedWALIndex(version: version), ForgedWALIndex(isInitialized: false), ForgedWALIndex()
    )
    // The memory is good as long as these are.
    withExtendedLifetime((other, empty, known)) {
      #expect(other.index.header == nil)
      #expect(empty.index.header == nil)
      #expect(known.index.header != nil)
    }
  }

  @Test("The WAL index is unknown while a commit is being written, and differs after it")
  func halfWrittenHeader() throws {
    let forged = ForgedWALIndex()
    let before = try #require(forged.index.header)
    forged.beginCommit()
    #expect(forged.index.header == nil)
    let whole = ForgedWALIndex()
    whole.commit()
    let after = try #require(whole.index.header)
    #expect(!Optional(after).isSame(as: before) && after.changeCounter == before.changeCounter + 1)
  }

  @Test("A file that is not in WAL mode has no WAL index")
  func otherMode() throws {
    let store = try TestStore()
    let path = store.path + "-other"
    let connection = try SQLiteConnection(path: path, name: path, flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)
    defer { connection.close() }
    #expect(WALIndex(of: connection.handle) == nil)
    try connection.findWALIndex()
    #expect(connection.walIndex == nil && connection.walIndexHeader == nil)
  }
}
