import CSQLite
import Testing

@testable import SQLiteDflat

@Suite("A blob handle overwrites rows in place")
struct BlobHandleTests {
  /// A table with rows of 600 bytes under the numbers 1 to 4, one without bytes, and one whose value is a number.
  private func withConnection(_ body: (SQLiteConnection) throws -> Void) throws {
    let connection = try SQLiteConnection(
      path: ":memory:", name: ":memory:", flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)
    try connection.run("CREATE TABLE t (rowid INTEGER PRIMARY KEY, p BLOB)", for: "Testing")
    for rowid in 1...4 { try connection.run("INSERT INTO t VALUES (\(rowid), zeroblob(600))", for: "Testing") }
    try connection.run("INSERT INTO t VALUES (5, NULL)", for: "Testing")
    try connection.run("INSERT INTO t VALUES (6, 17)", for: "Testing")
    try connection.run("INSERT INTO t VALUES (7, x'')", for: "Testing")
    try connection.run("BEGIN", for: "Testing")
    try body(connection)
  }

  private func write(_ byte: UInt8, by blob: BlobHandle) throws {
    #expect(blob.count == 600)
    #expect(try blob.read().count == 600)
    try Array(repeating: byte, count: 600).withUnsafeBytes { try blob.write($0, over: blob.read()) }
  }

  @Test("One handle writes row after row")
  func oneHandleWritesRowAfterRow() throws {
    try withConnection { connection in
      var blob = try BlobHandle("t", 2, on: connection)
      try write(0xAA, by: try #require(blob))
      #expect(try blob?.move(to: 4) == true)
      try write(0xBB, by: try #require(blob))
      #expect(try blob?.move(to: 7) == true)
      #expect(blob?.count == 0)
      #expect(try blob?.read().isEmpty == true)
      blob = nil
      #expect(
        try connection.run("SELECT group_concat(substr(hex(p), 1, 2)) FROM t", for: "Testing") == "00,AA,00,BB,,31,")
      try connection.run("COMMIT", for: "Testing")
    }
  }

  @Test("A row without bytes cannot be overwritten", arguments: [5, 6, 8, .max] as [Int64])
  func rowWithoutBytes(rowid: Int64) throws {
    try withConnection { connection in
      #expect(try BlobHandle("t", rowid, on: connection) == nil)
      let blob = try #require(try BlobHandle("t", 1, on: connection))
      #expect(try !blob.move(to: rowid))
    }
  }

  @Test("A row that was changed meanwhile is read anew, and a deleted one is not found")
  func aRowThatWasChangedMeanwhileIsReadAnewAndADeletedOneIsNotFound() throws {
    try withConnection { connection in
      let blob = try #require(try BlobHandle("t", 1, on: connection))
      try connection.run("UPDATE t SET p = zeroblob(100000) WHERE rowid = 1", for: "Testing")
      #expect(try blob.move(to: 1))
      #expect(blob.count == 100_000)
      #expect(try blob.read().count == 100_000)
      try connection.run("UPDATE t SET p = zeroblob(600)", for: "Testing")
      #expect(try blob.move(to: 1))
      try write(0xCC, by: blob)
      #expect(try connection.run("SELECT hex(p) FROM t", for: "Testing") == String(repeating: "CC", count: 600))
      try connection.run("DELETE FROM t WHERE rowid = 1", for: "Testing")
      #expect(try !blob.move(to: 1))
    }
  }

  @Test("After a rollback every call throws")
  func afterARollbackEveryCallThrows() throws {
    try withConnection { connection in
      let blob = try #require(try BlobHandle("t", 1, on: connection))
      let another = try #require(try BlobHandle("t", 3, on: connection))
      #expect(try another.read().count == 600)
      try connection.run("ROLLBACK", for: "Testing")
      let zeros = [UInt8](repeating: 0, count: 600)
      #expect(throws: SQLiteError.self) {
        try zeros.withUnsafeBytes { zeros in
          try [UInt8](repeating: 1, count: 600).withUnsafeBytes { try another.write($0, over: zeros) }
        }
      }
      // What is written now would be committed alone.
      #expect(throws: SQLiteError.self) { try blob.move(to: 2) }
      #expect(throws: SQLiteError.self) { try BlobHandle("t", 8, on: connection) }
      #expect(throws: SQLiteError.self) { try blob.read() }
    }
  }

  @Test("Bytes that stay the same are not written")
  func bytesThatStayTheSameAreNotWritten() throws {
    try withConnection { connection in
      let blob = try #require(try BlobHandle("t", 1, on: connection))
      let zeros = [UInt8](repeating: 0, count: 600)
      // Written behind its back: it stays where nothing has to be written.
      try connection.run(
        "UPDATE t SET p = CAST(replace(hex(zeroblob(300)), '0', 'z') AS BLOB) WHERE rowid = 1", for: "Testing")
      #expect(try blob.move(to: 1))
      var bytes = [UInt8](repeating: 0, count: 600)
      try zeros.withUnsafeBytes { zeros in try bytes.withUnsafeBytes { try blob.write($0, over: zeros) } }
      let text = "SELECT CAST(p AS TEXT) = replace(hex(zeroblob(300)), '0', 'z') FROM t WHERE rowid = 1"
      #expect(try connection.run(text, for: "Testing") == "1")
      bytes[599] = 0x41
      try zeros.withUnsafeBytes { zeros in try bytes.withUnsafeBytes { try blob.write($0, over: zeros) } }
      #expect(
        try connection.run("SELECT hex(substr(p, 1, 88)) FROM t", for: "Testing") == String(repeating: "7A", count: 88))
      #expect(try connection.run("SELECT hex(substr(p, 599)) FROM t", for: "Testing") == "0041")
    }
  }
}
