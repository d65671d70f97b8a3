import Dflat
import DflatEngine
import EngineTestSupport
import Foundation
import Golden_post
import TestSupport
import Testing

@testable import PostgresDflat

@Suite("Limits of the server and of its users are reported with their causes")
struct PostgresLimitTests {
  private func store(_ title: String, in database: TestDatabase, completing isStored: Bool = true) {
    database.perform([Post.self], completing: isStored) {
      _ = $0.try(submit: PostChangeRequest.creationRequest(Post(title: title)))
    }
  }

  private func causes(_ database: TestDatabase) -> [PostgresError.Cause?] {
    database.errors.values.map { ($0 as? PostgresError)?.cause }
  }

  @Test("A statement that takes too long fails its transaction, and nothing else")
  func statementTimeout() throws {
    let database = try TestDatabase(on: PostgresServer.held.get()) { $0.statementTimeout = 2 }
    store("a", in: database)
    let locker = try PostgresConnection(
      PostgresOptions(connection: database.server.connection(to: database.name)))
    try locker.begin(.preparing, for: "Testing")
    try locker.send("LOCK TABLE post IN ACCESS EXCLUSIVE MODE", isPrepared: false, for: "Testing")
    // Without a timeout of its own, the statement would wait as long as the table is locked.
    try locker.send("SET LOCAL idle_in_transaction_session_timeout = '600s'", isPrepared: false, for: "Testing")
    try locker.finish()
    store("b", in: database, completing: false)
    #expect(throws: StoreError.self) { try database.workspace.fetch(for: Post.self).throwing.all() }
    #expect(causes(database) == [.statementTimeout])
    locker.rollBack()
    store("c", in: database)
    #expect(database.workspace.fetch(for: Post.self).all().map(\.title) == ["a", "c"])
  }

  /// The server cannot be made to run out of disk without the rights of an administrator, so a trigger says what it would say.
  @Test(
    "A transaction that is too large for the server fails with a cause, and nothing of it is stored",
    arguments: [("53100", PostgresError.Cause.diskFull), ("54000", .valueTooLarge), ("53200", .valueTooLarge)])
  func refusedRow(state: String, cause: PostgresError.Cause) throws {
    let database = try TestDatabase()
    store("a", in: database)
    try database.sql(
      """
      CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        IF NEW.__pk0 = 'full' THEN RAISE EXCEPTION 'no room' USING ERRCODE = '\(state)'; END IF; RETURN NEW;
      END $$;
      CREATE TRIGGER refuse BEFORE INSERT ON post FOR EACH ROW EXECUTE FUNCTION refuse()
      """)
    let failure = Locked<TransactionError?>(nil)
    database.perform([Post.self], completing: false) { transaction in
      transaction.try(submit: PostChangeRequest.creationRequest(Post(title: "b")))
      transaction.try(submit: PostChangeRequest.creationRequest(Post(title: "full")))
      // The answer comes with a read.
      _ = database.workspace.fetch(for: Post.self).count()
      do throws(TransactionError) {
        try transaction.typedSubmit(PostChangeRequest.creationRequest(Post(title: "c")))
      } catch {
        failure.value = error
      }
    }
    #expect(causes(database) == [cause])
    #expect(failure.value == (cause == .diskFull ? .diskFull : .others))
    store("d", in: database)
    #expect(database.workspace.fetch(for: Post.self).all().map(\.title) == ["a", "d"])
  }

  @Test("An object of a gigabyte is refused before it is sent")
  func tooLarge() {
    #expect(throws: Never.self) { try PostgresConnection.check(byteCount: 900 << 20, for: "Testing") }
    for count in [1 << 30, 1 << 31, 1 << 40] {
      let error = #expect(throws: PostgresError.self) { try PostgresConnection.check(byteCount: count, for: "Testing") }
      #expect(error?.cause == .valueTooLarge && error?.isRetryable == false)
    }
  }

  @Test("A server before version 13 is too old")
  func version() {
    #expect(throws: Never.self) { try PostgresConnection.check(serverVersion: 13_00_00) }
    let error = #expect(throws: PostgresError.self) { try PostgresConnection.check(serverVersion: 12_00_17) }
    #expect(error?.cause == .serverTooOld && error?.message.contains("version 12") == true)
  }

  @Test("A wrong password, or none, is a login that was rejected")
  func password() throws {
    let database = try TestDatabase()
    let role = PostgresServer.roleWithPassword
    try database.sql(
      """
      DROP ROLE IF EXISTS \(role); CREATE ROLE \(role) LOGIN PASSWORD 'right'; GRANT ALL ON SCHEMA public TO \(role)
      """)
    for (password, isRight) in [("password=right", true), ("password=wrong", false), ("", false)] {
      let errors = Collected<any Error>()
      let connection = database.server.connection(to: database.name, user: role) + " " + password
      let workspace = PostgresWorkspace(connection: connection, errorHandler: { errors.append($0) })
      workspace.waitForCallbacks()
      let isStored = TestDatabase.perform([Post.self], in: workspace) {
        _ = $0.try(submit: PostChangeRequest.upsertRequest(Post(title: "a")))
      }
      #expect(isStored == isRight)
      let causes = errors.values.map { ($0 as? PostgresError)?.cause }
      #expect(causes == (isRight ? [] : [.loginRejected]), "\(password): \(errors.values)")
      workspace.shutdown()
    }
    try database.sql("DROP OWNED BY \(role) CASCADE; DROP ROLE \(role)")
  }

  @Test(
    "Any time limit of statements is taken: none is too long for the server, and none too short",
    arguments: [(Double.infinity, "2147483647ms"), (1e300, "2147483647ms"), (.nan, "2147483647ms"), (2.5, "2500ms")])
  func timeLimits(seconds: Double, setting: String) throws {
    let server = try PostgresServer.shared.get()
    var options = PostgresOptions(connection: server.connection(to: "postgres"))
    options.statementTimeout = seconds
    let connection = try PostgresConnection(options)
    var limit = ""
    try connection.query(
      "SELECT setting || unit FROM pg_settings WHERE name = 'statement_timeout'", isPrepared: false, for: "Testing"
    ) { row in
      limit = row.text(0)
      return true
    }
    #expect(limit == setting)
  }

  @Test("A transaction that pauses for longer than the session allows fails with the cause of a time limit")
  func idleTransaction() throws {
    let database = try TestDatabase()
    store("a", in: database)
    try database.sql("ALTER DATABASE \(database.name) SET idle_in_transaction_session_timeout = '200ms'")
    let workspace = database.other()
    let isStored = TestDatabase.perform([Post.self], in: workspace) { transaction in
      _ = workspace.fetch(for: Post.self).count()
      Thread.sleep(forTimeInterval: 1)
      transaction.try(submit: PostChangeRequest.creationRequest(Post(title: "b")))
    }
    #expect(!isStored)
    #expect(causes(database) == [.statementTimeout])
    // On a busy machine, a fetch may pause for as long, too.
    #expect(eventually { workspace.fetch(for: Post.self).all().map(\.title) == ["a"] })
    workspace.shutdown()
  }
}
