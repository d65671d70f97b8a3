import Dflat
import EngineTestSupport
import Golden_post
import TestSupport
import Testing

@testable import PostgresDflat

@Suite("A commit whose answer was lost is settled: it is stored, or never will be")
struct CommitSettlementTests {
  /// A database with the table `t`, and connections whose transactions leave tokens.
  private struct Fixture {
    let database: TestDatabase
    let options: PostgresOptions
    let settlement: CommitSettlement

    init(on server: PostgresServer? = nil) throws {
      database = try TestDatabase(on: server)
      options = PostgresOptions(connection: database.server.connection(to: database.name))
      let catalog = TableCatalog()
      settlement = CommitSettlement(options: options, catalog: catalog)
      try database.sql("CREATE TABLE t (n int)")
      let failures = try TablePreparation(catalog: catalog, connection: PostgresConnection(options))
        .prepareForWriting(Post._record)
      #expect(failures.isEmpty && catalog.outcomes == .kept)
    }

    func connect() throws -> PostgresConnection { try PostgresConnection(options) }

    /// Begins a transaction that has stored a row.
    func begin(_ number: Int, on connection: PostgresConnection) throws {
      try connection.begin(.writing, for: "Testing")
      try connection.send("INSERT INTO t VALUES (\(number))", isPrepared: false, for: "Testing")
    }

    /// Stores a row, as transactions do.
    func store(_ number: Int, on connection: PostgresConnection) throws {
      try begin(number, on: connection)
      #expect(try settlement.commit(connection, for: "Testing"))
    }

    var stored: String { get throws { try database.sql("SELECT string_agg(n::text, ' ' ORDER BY n) FROM t") } }
  }

  @Test("A stored transaction is found stored each time, and no later one of its connection is stored then")
  func stored() throws {
    let fixture = try Fixture()
    let connection = try fixture.connect()
    for number in 1...3 { try fixture.store(number, on: connection) }
    let token = connection.token
    for _ in 0..<3 { #expect(fixture.settlement.settle(token, of: connection) == true) }
    try fixture.begin(4, on: connection)
    #expect(throws: PostgresError.self) { try fixture.settlement.commit(connection, for: "Testing") }
    connection.rollBack()
    #expect(try fixture.stored == "1 2 3")
  }

  @Test("A transaction that the server has undone, or that follows a stored commit, is found not stored")
  func undone() throws {
    let fixture = try Fixture()
    let connection = try fixture.connect()
    for isFirst in [true, false] {
      if !isFirst { try fixture.store(1, on: connection) }
      try fixture.begin(2, on: connection)
      let token = try connection.sendToken(for: "Testing")
      connection.rollBack()
      #expect(fixture.settlement.settle(token, of: connection) == false)
      connection.token = CommitToken()
    }
    #expect(try fixture.stored == "1")
  }

  @Test("A transaction that has counted as lost is not stored later by its old session", arguments: [true, false])
  func openSession(hasCommitted: Bool) throws {
    // The session holds its transaction open until it is ended.
    let fixture = try Fixture(on: PostgresServer.held.get())
    let connection = try fixture.connect()
    if hasCommitted { try fixture.store(1, on: connection) }
    try fixture.begin(2, on: connection)
    let token = try connection.sendToken(for: "Testing")
    try connection.finish()
    // The session holds the token, and is ended.
    #expect(fixture.settlement.settle(token, of: connection) == false)
    #expect(throws: PostgresError.self) { try connection.commit(for: "Testing") }
    #expect(connection.isBroken)
    #expect(try fixture.stored == (hasCommitted ? "1" : ""))
  }

  @Test("A lost transaction is found not stored after a crash, even if another one got its number")
  func crash() throws {
    let server = try PostgresServer("crash")
    let fixture = try Fixture(on: server)
    let connection = try fixture.connect()
    try fixture.store(1, on: connection)
    try fixture.begin(2, on: connection)
    let token = try connection.sendToken(for: "Testing")
    try connection.finish()
    try server.stop()
    try server.start()
    let other = try fixture.connect()
    for number in 3...5 { try fixture.store(number, on: other) }
    #expect(fixture.settlement.settle(token, of: connection) == false)
    #expect(try fixture.stored == "1 3 4 5")
  }

  @Test("The outcome of a lost COMMIT is waited for while the server starts")
  func startingServer() throws {
    let server = try PostgresServer("settling")
    let fixture = try Fixture(on: server)
    let connection = try fixture.connect()
    try fixture.store(1, on: connection)
    try server.stop()
    let starter = BackgroundThreads { _ in
      usleepRandomly(upTo: 0.5)
      try? server.start()
    }
    #expect(fixture.settlement.settle(connection.token, of: connection) == true)
    #expect(starter.end())
  }

  @Test("dflat_outcome has one row for a connection, and none for one that has been gone for a day")
  func removal() throws {
    let fixture = try Fixture()
    try fixture.database.sql(
      """
      INSERT INTO dflat_outcome VALUES (1, 7, NULL, now() - interval '25 hours'), (2, 7, NULL, now());
      """)
    let ids = "SELECT string_agg(id::text, ' ' ORDER BY id) FROM dflat_outcome WHERE id IN (1, 2)"
    let connection = try fixture.connect()
    try fixture.store(0, on: connection)
    #expect(try fixture.database.sql(ids) == "2")
    var tokens: Set<Int64> = [connection.token.id]
    for number in 1...600 {
      try fixture.store(number, on: connection)
      tokens.insert(connection.token.id)
    }
    #expect(tokens.count == 3)
    #expect(try fixture.database.sql("SELECT count(*) FROM dflat_outcome WHERE n < 1000 AND id NOT IN (1, 2)") == "1")
    #expect(fixture.settlement.settle(connection.token, of: connection) == true)
  }

  @Test("If the role may keep no outcomes, a lost COMMIT completes with false, and its closure is not repeated")
  func withoutRights() throws {
    let database = try TestDatabase()
    let role = "poor_\(database.name)"
    database.perform([Post.self]) { $0.try(submit: PostChangeRequest.creationRequest(Post(title: "first"))) }
    try database.sql(
      """
      CREATE ROLE \(role) LOGIN;
      GRANT ALL ON ALL TABLES IN SCHEMA public TO \(role);
      GRANT ALL ON ALL SEQUENCES IN SCHEMA public TO \(role);
      REVOKE INSERT ON dflat_outcome FROM \(role);
      """)
    let proxy = try CuttingProxy(database.server, .after, atCommit: false)
    let errors = Collected<any Error>()
    let workspace = PostgresWorkspace(
      connection: database.server.connection(to: database.name, user: role, through: proxy.folder),
      errorHandler: { errors.append($0) })
    workspace.waitForCallbacks()
    for title in ["second", "third"] {
      database.perform([Post.self], in: workspace) {
        $0.try(submit: PostChangeRequest.creationRequest(Post(title: title)))
      }
    }
    // It is told once what is missing.
    #expect(errors.values.map { ($0 as? PostgresError)?.cause } == [.missingPermission])
    #expect("\(errors.values)".contains("GRANT SELECT, INSERT, UPDATE, DELETE ON \"public\".dflat_outcome"))
    let calls = Locked(0)
    database.perform([Post.self], in: workspace, completing: false) { transaction in
      calls.change { $0 += 1 }
      // The next message is COMMIT.
      _ = workspace.fetch(for: Post.self).count()
      proxy.cut(afterMessages: 0)
      transaction.try(submit: PostChangeRequest.creationRequest(Post(title: "unknown")))
    }
    #expect(proxy.isCut && calls.value == 1)
    #expect((errors.values.last as? PostgresError)?.cause == .unknownOutcome)
    workspace.shutdown()
    proxy.close()
    try database.sql("DROP OWNED BY \(role); DROP ROLE \(role)")
  }

  @Test("Transactions leave tokens soon after the role has got the right to it")
  func laterRights() throws {
    let database = try TestDatabase()
    let role = "later_\(database.name)"
    database.perform([Post.self]) { $0.try(submit: PostChangeRequest.creationRequest(Post(title: "first"))) }
    try database.sql(
      """
      CREATE ROLE \(role) LOGIN;
      GRANT ALL ON ALL TABLES IN SCHEMA public TO \(role);
      GRANT ALL ON ALL SEQUENCES IN SCHEMA public TO \(role);
      REVOKE INSERT ON dflat_outcome FROM \(role);
      """)
    let errors = Collected<any Error>()
    let workspace = PostgresWorkspace(
      connection: database.server.connection(to: database.name, user: role), errorHandler: { errors.append($0) })
    workspace.waitForCallbacks()
    func store(_ number: Int) {
      database.perform([Post.self], in: workspace) {
        $0.try(submit: PostChangeRequest.creationRequest(Post(title: "\(number)")))
      }
    }
    store(0)
    #expect(workspace.core.catalog.outcomes == .unavailable)
    try database.sql("GRANT INSERT ON dflat_outcome TO \(role)")
    var number = 0
    let areKept = eventually(within: 300) {
      number += 1
      store(number)
      return workspace.core.catalog.outcomes == .kept
    }
    #expect(areKept)
    // The next one leaves a token.
    try database.sql("DELETE FROM dflat_outcome")
    store(number + 1)
    #expect(try database.sql("SELECT count(*) FROM dflat_outcome") == "1")
    #expect(errors.count == 1, "\(errors.values)")
    workspace.shutdown()
    try database.sql("DROP OWNED BY \(role); DROP ROLE \(role)")
  }

  @Test("dflat_outcome is made again after it was dropped")
  func droppedTable() throws {
    let database = try TestDatabase()
    database.perform([Post.self]) { $0.try(submit: PostChangeRequest.creationRequest(Post(title: "a"))) }
    try database.sql("DROP TABLE dflat_outcome")
    database.perform([Post.self]) { $0.try(submit: PostChangeRequest.creationRequest(Post(title: "b"))) }
    database.perform([Post.self]) { $0.try(submit: PostChangeRequest.creationRequest(Post(title: "c"))) }
    #expect(try database.sql("SELECT count(*) FROM post") == "3")
    #expect(try database.sql("SELECT count(*) FROM dflat_outcome") == "1")
  }

  @Test("A transaction that was settled as lost stays lost, however old the last token of its connection is")
  func oldToken() throws {
    let fixture = try Fixture()
    let connection = try fixture.connect()
    try fixture.store(1, on: connection)
    try fixture.database.sql("UPDATE dflat_outcome SET at = now() - interval '2 days'")
    try fixture.begin(2, on: connection)
    // The message with the token and COMMIT is still on its way when the transaction counts as lost.
    connection.token.advance()
    #expect(fixture.settlement.settle(connection.token, of: connection) == false)
    // The first commit of another connection removes rows that nobody asks for any more.
    try fixture.store(3, on: try fixture.connect())
    var parameters = PostgresParameters()
    parameters.append(connection.token.id)
    parameters.append(connection.token.number)
    #expect(throws: PostgresError.self) {
      try connection.send(connection.outcomes.leave, parameters, for: "Testing")
      try connection.commit(for: "Testing")
    }
    connection.rollBack()
    #expect(try fixture.stored == "1 3")
  }

  @Test("A transaction leaves its token although others have just forgotten that there is a table for it")
  func forgottenTable() throws {
    let fixture = try Fixture()
    let connection = try fixture.connect()
    fixture.settlement.catalog.forgetAll()
    try fixture.store(1, on: connection)
    #expect(fixture.settlement.settle(connection.token, of: connection) == true)
  }

  @Test("A role without a right to leave tokens stores its transactions, also when that was just forgotten")
  func forgottenRefusal() throws {
    let fixture = try Fixture()
    let role = "writer_\(fixture.database.name)"
    try fixture.database.sql("CREATE ROLE \(role) LOGIN; GRANT ALL ON t TO \(role)")
    let server = fixture.database.server
    let connection = try PostgresConnection(
      PostgresOptions(connection: server.connection(to: fixture.database.name, user: role)))
    fixture.settlement.catalog.forgetAll()
    try fixture.store(1, on: connection)
    #expect(try fixture.stored == "1")
  }
}
