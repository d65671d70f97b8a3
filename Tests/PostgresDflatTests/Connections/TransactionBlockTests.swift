import EngineTestSupport
import TestSupport
import Testing

@testable import PostgresDflat

@Suite("A transaction of a connection")
struct TransactionBlockTests {
  private static func connect(to database: TestDatabase) throws -> PostgresConnection {
    try PostgresConnection(PostgresOptions(connection: database.server.connection(to: database.name)))
  }

  /// What the table holds, and what each row has that is unique once the transaction is committed.
  private struct Model {
    var rows: [Int: Int] = [:]

    var isUnique: Bool { Set(rows.values).count == rows.count }
  }

  @Test("A connection's transaction is stored as a whole or not at all, whatever fails in it")
  func atomicity() throws {
    let database = try TestDatabase()
    try database.sql("CREATE TABLE t (n int PRIMARY KEY, d int UNIQUE DEFERRABLE INITIALLY DEFERRED)")
    let connection = try Self.connect(to: database)
    let reader = try Self.connect(to: database)
    var random = SeededGenerator(seed: 51)
    var stored = Model()
    var counts = (committed: 0, refused: 0, failed: 0, rolledBack: 0)
    for _ in 0..<400 {
      var model = stored
      var hasFailed = false
      try connection.begin(.writing, for: "Testing")
      #expect(connection.transaction == .block)
      for _ in 0..<random.next(6) {
        let (key, value) = (random.next(40), random.next(60))
        let statement = "INSERT INTO t VALUES (\(key), \(value))"
        do {
          switch random.next(8) {
          case 0: try connection.finish()
          case 1, 2:
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

  @Test("A transaction that could not begin refuses statements until it is rolled back")
  func statementsWithoutBegin() throws {
    let database = try TestDatabase()
    try database.sql("CREATE TABLE t (n int)")
    let connection = try Self.connect(to: database)
    // BEGIN is skipped, since it comes after a statement that fails.
    try connection.send("SELECT 1 / 0", for: "Testing")
    try connection.begin(.writing, for: "Testing")
    #expect(throws: PostgresError.self) { try connection.query("SELECT 1", for: "Testing") { _ in true } }
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

  @Test("A transaction is idle in transaction between statements, and ends by the server's limit for that")
  func idleTransaction() throws {
    let database = try TestDatabase()
    let connection = try Self.connect(to: database)
    for kind in [TransactionKind.writing, .reading] {
      try connection.begin(kind, for: "Testing")
      try connection.query("SELECT 7", for: "Testing") { _ in true }
      // The answer may come before the server notes what the session does next.
      let state = "SELECT state FROM pg_stat_activity WHERE query = 'SELECT 7' AND datname = current_database()"
      #expect(try eventually { try database.sql(state) == "idle in transaction" })
      connection.rollBack()
    }
    let limited = try PostgresConnection(
      PostgresOptions(
        connection: database.server.connection(to: database.name)
          + " options='-c idle_in_transaction_session_timeout=10'"))
    try limited.begin(.writing, for: "Testing")
    try limited.query("SELECT 7", for: "Testing") { _ in true }
    #expect(eventually { !limited.isOpen })
  }

  @Test("A transaction begins in the message of its first statement, and commits in that of its last")
  func roundTrips() throws {
    let database = try TestDatabase()
    let proxy = try CuttingProxy(database.server, .before, atCommit: false)
    defer { proxy.close() }
    let connection = try PostgresConnection(
      PostgresOptions(connection: database.server.connection(to: database.name, through: proxy.folder)))
    func run() throws {
      try connection.begin(.writing, for: "Testing")
      try connection.query("SELECT 7", for: "Testing") { _ in true }
      try connection.send("SELECT 8", for: "Testing")
      try connection.commit(for: "Testing")
    }
    try run()
    proxy.cut(afterMessages: 2)
    try run()
    #expect(!proxy.isCut)
    #expect(throws: PostgresError.self) { try run() }
    #expect(proxy.isCut)
  }

  @Test("A pool that gets a connection back too early does not continue its transaction")
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
