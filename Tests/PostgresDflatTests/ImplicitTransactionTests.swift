import EngineTestSupport
import TestSupport
import Testing

@testable import PostgresDflat

@Suite("A transaction, with BEGIN and COMMIT and without")
struct ImplicitTransactionTests {
  /// A connection whose transactions are blocks, or are not.
  private static func connect(to database: TestDatabase, withBlocks: Bool) throws -> PostgresConnection {
    let connection = database.server.connection(to: database.name)
    return try PostgresConnection(
      PostgresOptions(connection: withBlocks ? connection + " " + TestDatabase.idleTimeout : connection))
  }

  /// What the table holds, and what each row has that is unique once the transaction is committed.
  private struct Model {
    var rows: [Int: Int] = [:]

    var isUnique: Bool { Set(rows.values).count == rows.count }
  }

  @Test("stores all of it or nothing, whatever fails in it", arguments: [true, false])
  func atomicity(withBlocks: Bool) throws {
    let database = try TestDatabase()
    try database.sql("CREATE TABLE t (n int PRIMARY KEY, d int UNIQUE DEFERRABLE INITIALLY DEFERRED)")
    let connection = try Self.connect(to: database, withBlocks: withBlocks)
    let reader = try PostgresConnection(PostgresOptions(connection: database.server.connection(to: database.name)))
    var random = SeededGenerator(seed: 51)
    var stored = Model()
    var counts = (committed: 0, refused: 0, failed: 0, rolledBack: 0)
    for _ in 0..<400 {
      var model = stored
      var hasFailed = false
      try connection.begin(.writing, for: "Testing")
      #expect((connection.transaction == .implicit) == !withBlocks)
      for _ in 0..<random.next(6) {
        let (key, value) = (random.next(40), random.next(60))
        let statement = "INSERT INTO t VALUES (\(key), \(value))"
        do {
          switch random.next(8) {
          case 0: try connection.finish()
          case 1: try connection.makeBlock(for: "Testing")
          case 2:
            try connection.query("SELECT count(*) FROM t", for: "Testing") { row in
              #expect(!hasFailed && row.integer(0) == Int64(model.rows.count))
              return true
            }
          case 3:
            try connection.send("DELETE FROM t WHERE n = \(key)", isPrepared: false, for: "Testing")
            if !hasFailed { model.rows[key] = nil }
          case let number:
            // What is not waited for fails with what comes next.
            try connection.send(statement, isPrepared: false, for: "Testing")
            if model.rows[key] != nil { hasFailed = true } else { model.rows[key] = value }
            if number > 5 { try connection.finish() }
          }
        } catch let error as PostgresError {
          #expect(hasFailed && ["23505", "25P02"].contains(error.sqlState))
        }
      }
      if random.next(4) == 0 {
        connection.rollBack()
        counts.rolledBack += 1
      } else {
        do {
          try connection.commit(for: "Committing")
          #expect(!hasFailed && model.isUnique)
          stored = model
          counts.committed += 1
        } catch let error as PostgresError {
          #expect(hasFailed || !model.isUnique && error.sqlState == "23505" && error.purpose == "Committing")
          if hasFailed { counts.failed += 1 } else { counts.refused += 1 }
          connection.rollBack()
        }
      }
      #expect(!connection.isBroken && !connection.hasUnanswered && connection.transaction == .none)
      var found: [Int: Int] = [:]
      try reader.query("SELECT n::bigint, d::bigint FROM t", for: "Testing") { row in
        found[Int(row.integer(0))] = Int(row.integer(1))
        return true
      }
      try #require(found == stored.rows)
    }
    #expect(counts.committed > 50 && counts.refused > 15 && counts.failed > 15 && counts.rolledBack > 50, "\(counts)")
  }

  @Test("takes no statement after one that has failed, until it is rolled back")
  func statementsAfterFailure() throws {
    let database = try TestDatabase()
    try database.sql("CREATE TABLE t (n int)")
    let connection = try Self.connect(to: database, withBlocks: false)
    try connection.begin(.writing, for: "Testing")
    #expect(throws: PostgresError.self) { try connection.query("SELECT 1 / 0", for: "Testing") { _ in true } }
    // By itself, it would be a transaction.
    let error = #expect(throws: PostgresError.self) {
      try connection.query("INSERT INTO t VALUES (1)", for: "Testing") { _ in true }
    }
    #expect(error?.sqlState == "25P02")
    #expect(throws: PostgresError.self) { try connection.commit(for: "Testing") }
    connection.rollBack()
    #expect(try database.sql("SELECT count(*) FROM t") == "0")
    try connection.query("INSERT INTO t VALUES (2)", for: "Testing") { _ in true }
    #expect(try database.sql("SELECT n FROM t") == "2")
  }

  @Test("is a block where the server has a time limit for idle ones, which ends it")
  func idleTimeout() throws {
    let database = try TestDatabase()
    let state = "SELECT DISTINCT state FROM pg_stat_activity WHERE query = 'SELECT 7'"
    for withBlocks in [false, true] {
      let connection = try Self.connect(to: database, withBlocks: withBlocks)
      try connection.begin(.writing, for: "Testing")
      try connection.query("SELECT 7", for: "Testing") { _ in true }
      #expect(try database.sql(state) == (withBlocks ? "idle in transaction" : "active"))
      connection.rollBack()
    }
    let connection = try PostgresConnection(
      PostgresOptions(
        connection: database.server.connection(to: database.name)
          + " options='-c idle_in_transaction_session_timeout=10'"))
    try connection.begin(.writing, for: "Testing")
    try connection.query("SELECT 7", for: "Testing") { _ in true }
    #expect(eventually { !connection.isOpen })
  }

  @Test("is a block with a libpq that expects no error at the end of a pipeline, and on YugabyteDB")
  func versions() {
    func allows(_ library: Int32, _ server: String) -> Bool {
      SessionDefaults.allowsImplicitTransactions(libraryVersion: library, serverVersion: server)
    }
    #expect(allows(14_00_05, "13.0") && allows(18_00_01, "15.18 (Debian 15.18-0+deb12u1)"))
    #expect(!allows(14_00_04, "17.2") && !allows(17_00_00, "15.12-YB-2025.1.0.0-b0"))
  }

  @Test("is not taken up again by a pool that got its connection back too early")
  func releasedTransaction() throws {
    let database = try TestDatabase()
    let pool = ConnectionPool(PostgresOptions(connection: database.server.connection(to: database.name)))
    defer { pool.close() }
    let connection = try pool.acquire(for: .readWrite)
    try connection.begin(.writing, for: "Testing")
    pool.release(connection)
    #expect(try pool.acquire(for: .readWrite) !== connection)
  }
}
