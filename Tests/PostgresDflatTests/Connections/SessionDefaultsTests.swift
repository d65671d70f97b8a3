import Dflat
import EngineTestSupport
import TestSupport
import Testing

@testable import PostgresDflat

@Suite("A session has its isolation level by default, not from each BEGIN")
struct SessionDefaultsTests {
  /// The isolation and the access of what is executed.
  private static func characteristics(_ connection: PostgresConnection) throws -> [String] {
    var characteristics: [String] = []
    try connection.query(
      "SELECT current_setting('transaction_isolation'), current_setting('transaction_read_only')", for: "Testing"
    ) { row in
      characteristics = [row.text(0), row.text(1)]
      return true
    }
    return characteristics
  }

  @Test(
    "Every transaction has its isolation and access mode, whatever the connection served before",
    arguments: [true, false])
  func transactions(isPrepared: Bool) throws {
    let database = try TestDatabase()
    var options = PostgresOptions(connection: database.server.connection(to: database.name))
    options.usesPreparedStatements = isPrepared
    let connection = try PostgresConnection(options, for: .readOnly)
    #expect((connection.defaultAccess == nil) == !isPrepared)
    var random = SeededGenerator(seed: 31)
    var changes: [SessionDefaults.Access: Int] = [:]
    for _ in 0..<400 {
      let before = connection.defaultAccess
      if random.next(12) == 0 {
        try connection.prepare(for: .readOnly)
        // Outside of a transaction, only a session has settings.
        if isPrepared { #expect(try Self.characteristics(connection) == ["serializable", "on"]) }
      } else {
        let kind = random.next(8) == 0 ? TransactionKind.reading : random.next(8) == 0 ? .preparing : .writing
        try connection.prepare(for: kind == .reading ? .readOnly : .readWrite)
        try connection.begin(kind, for: "Testing")
        let found = try Self.characteristics(connection)
        switch kind {
        case .writing: #expect(found == ["serializable", "off"])
        case .reading: #expect(found == ["serializable", "on"])
        case .preparing: #expect(found == ["read committed", "off"])
        }
        if random.next(2) == 0 {
          connection.rollBack()
        } else {
          try connection.commit(for: "Testing")
        }
      }
      #expect(!connection.isBroken && !connection.hasUnanswered)
      if let access = connection.defaultAccess, access != before { changes[access, default: 0] += 1 }
    }
    // The session was given either access several times, or it was left alone.
    #expect(changes.values.allSatisfy { $0 > 3 } && changes.count == (isPrepared ? 2 : 0))
  }

  @Test("Rows are streamed right after a session has been given another access, too")
  func streaming() throws {
    let database = try TestDatabase()
    let connection = try PostgresConnection(
      PostgresOptions(connection: database.server.connection(to: database.name)), for: .readWrite)
    try connection.prepare(for: .readOnly)
    // Where rows are collected, none is seen of a statement that fails at the last.
    var rows: [Int64] = []
    #expect(throws: PostgresError.self) {
      try connection.query(
        "SELECT 6 / (4 - n)::bigint FROM generate_series(1, 4) AS numbers(n)", rows: .streamed, for: "Testing"
      ) { row in
        rows.append(row.integer(0))
        return true
      }
    }
    #expect(rows == [2, 3, 6])
    #expect(!connection.isBroken)
  }

  @Test("A session whose settings cannot be set is not used again")
  func failedSetting() throws {
    let database = try TestDatabase()
    let connection = try PostgresConnection(
      PostgresOptions(connection: database.server.connection(to: database.name)), for: .readWrite)
    try connection.begin(.preparing, for: "Testing")
    #expect(throws: PostgresError.self) { try connection.query("SELECT 1 / 0", for: "Testing") { _ in true } }
    // Nothing but the end of the transaction is executed now.
    try connection.prepare(for: .readOnly)
    #expect(throws: PostgresError.self) { try connection.finish() }
    #expect(connection.isBroken)
  }

  @Test("A connection that leads to a pooler begins each transaction in full")
  func pooler() throws {
    let database = try TestDatabase()
    let pooler = try Pooler(database.server)
    #expect(
      eventually {
        (try? database.server.psql("SELECT 1", in: database.name, through: pooler.folder, port: 6432)) == "1"
      })
    // As by mistake, since prepared statements do work with some poolers.
    let options = PostgresOptions(connection: pooler.connection(to: database.name))
    let connection = try PostgresConnection(options, for: .readWrite)
    #expect(connection.defaultAccess == nil)
    #expect(SessionDefaults(nil).beginning(of: .writing) == "BEGIN ISOLATION LEVEL SERIALIZABLE READ WRITE")
    withExtendedLifetime(pooler) {}
  }

  @Test("Transactions and fetches get the connection that was used for their like, or else any")
  func connections() throws {
    let database = try TestDatabase()
    var options = PostgresOptions(connection: database.server.connection(to: database.name))
    options.connectionLimit = 2
    let pool = ConnectionPool(options)
    defer { pool.close() }
    let writing = try pool.acquire(for: .readWrite)
    let reading = try pool.acquire(for: .readOnly)
    for released in [[reading, writing], [writing, reading]] {
      for connection in released { pool.release(connection) }
      #expect(try pool.acquire(for: .readWrite) === writing)
      #expect(try pool.acquire(for: .readOnly) === reading)
    }
    // With the other one in use, a fetch has what wrote until then, and cannot write by mistake.
    pool.release(writing)
    let other = try pool.acquire(for: .readOnly)
    #expect(other === writing)
    #expect(try Self.characteristics(other) == ["serializable", "on"])
    pool.release(other)
    pool.release(reading)
  }
}
