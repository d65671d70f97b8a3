import Dflat
import EngineTestSupport
import Golden_post
import TestSupport
import Testing

@testable import PostgresDflat

@Suite("A workspace reports the state of its server")
struct PostgresStatusTests {
  @Test("A ping is answered by a server that can be used, and fails with the cause where there is none")
  func ping() async throws {
    let database = try TestDatabase()
    try await database.workspace.ping()
    try database.sql(
      """
      SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid()
      """)
    try await database.workspace.ping()
    await database.workspace.shutdown()
    await #expect(throws: StoreError.self) { try await database.workspace.ping() }
    let nobody = PostgresWorkspace(connection: "host=/nowhere dbname=postgres")
    do {
      try await nobody.ping()
      Issue.record("nobody has answered")
    } catch {
      #expect((error.cause as? PostgresError)?.cause == .unreachable)
    }
    await nobody.shutdown()
  }

  @Test("The pool counts its connections, who waits for one, and who has waited in vain")
  func pool() throws {
    let database = try TestDatabase {
      $0.connectionLimit = 1
      $0.poolTimeout = 0.05
    }
    let workspace = database.workspace
    #expect(workspace.poolStatus.openCount == 0 && workspace.poolStatus.connectionLimit == 1)
    _ = workspace.fetch(for: Post.self).count()
    #expect(workspace.poolStatus.openCount == 1 && workspace.poolStatus.idleCount == 1)
    #expect(workspace.poolStatus.waitCount == 0)
    workspace.fetchWithinASnapshot {
      #expect(workspace.poolStatus.usedCount == 1)
      let thread = BackgroundThreads { _ in _ = workspace.fetch(for: Post.self).count() }
      #expect(thread.end())
    }
    let status = workspace.poolStatus
    #expect(status.waitCount == 1 && status.timeoutCount == 1 && status.waitingCount == 0 && status.usedCount == 0)
    #expect(status.waitTime >= .milliseconds(50))
    let error = database.errors.values.first as? PostgresError
    #expect(error?.cause == .tooManyConnections)
    #expect(error?.message.contains("PostgresOptions.connectionLimit") == true)
  }

  @Test("Replication is seen while somebody observes, and how far behind it is")
  func replication() async throws {
    // Of its own: what other tests write keeps the stream behind the log of a server.
    let server = try PostgresServer("replication")
    defer { try? server.stop() }
    let database = try TestDatabase(on: server)
    let workspace = database.workspace
    database.perform([Post.self]) { _ = $0.try(submit: PostChangeRequest.creationRequest(Post(title: "a"))) }
    var status = try await workspace.replicationStatus()
    #expect(status == ReplicationStatus(isObserving: false, isStreaming: false, lagByteCount: nil))
    let subscription = workspace.subscribe(fetchedResult: workspace.fetch(for: Post.self).all()) { _ in }
    database.perform([Post.self]) { _ = $0.try(submit: PostChangeRequest.creationRequest(Post(title: "b"))) }
    for _ in 0..<Int(10 * patience) {
      status = try await workspace.replicationStatus()
      if status.isStreaming, status.lagByteCount == 0 { break }
      try await Task.sleep(for: .milliseconds(100))
    }
    #expect(status == ReplicationStatus(isObserving: true, isStreaming: true, lagByteCount: 0))
    subscription.cancel()
    await workspace.shutdown()
    status = try await workspace.replicationStatus()
    #expect(!status.isStreaming)
  }
}

@Suite("An error names what to change")
struct PostgresAdviceTests {
  @Test(
    "An error that a pooler or a limit causes names the option of PostgresOptions",
    arguments: [
      ("26000", "prepared statement \"s1\" does not exist", "usesPreparedStatements"),
      ("42P05", "prepared statement \"s1\" already exists", "directConnection"),
      ("", "FATAL:  unsupported startup parameter: search_path", "PostgresOptions.connection"),
      ("", "FATAL:  unsupported startup parameter in options: search_path", "ignore_startup_parameters"),
      ("53300", "too many connections for role \"app\"", "connectionLimit"),
      ("", "FATAL:  no more connections allowed (max_client_conn)", "connectionLimit"),
      ("57014", "canceling statement due to statement timeout", "statementTimeout"),
      ("3F000", "schema \"tenant_a\" does not exist", "PostgresOptions.schema"),
    ])
  func advice(state: String, message: String, option: String) {
    let text = PostgresError.advising(message, sqlState: state)
    #expect(text.hasPrefix(message + "; "))
    #expect(text.contains(option))
  }

  @Test("An error names no option that is not its reason")
  func otherReasons() {
    #expect(PostgresError.advising("relation does not exist", sqlState: "42P01") == "relation does not exist")
    #expect(PostgresError.advising("canceling statement due to user request", sqlState: "57014").contains(";") == false)
  }

  @Test("Behind pgbouncer, a setting in the connection string is refused with the option to change")
  func startupParameters() throws {
    let server = try PostgresServer.shared.get()
    let pooler = try Pooler(server)
    #expect(eventually { (try? server.psql("SELECT 1", through: pooler.folder, port: 6432)) == "1" })
    let errors = Collected<any Error>()
    var options = PostgresOptions(connection: pooler.connection(to: "postgres") + " options='-c search_path=other'")
    options.retry = .never
    let workspace = PostgresWorkspace(options, errorHandler: { errors.append($0) })
    _ = workspace.fetch(for: Post.self).count()
    workspace.shutdown()
    let error = try #require(errors.values.first as? PostgresError)
    #expect(error.cause == .missingSetting, "\(error)")
    #expect(error.message.contains("PostgresOptions.connection"), "\(error)")
    withExtendedLifetime(pooler) {}
  }

  @Test("The PostgresError is the cause of errors that a fetch and a transaction throw")
  func causes() async throws {
    let workspace = PostgresWorkspace(connection: "host=/nowhere dbname=postgres", errorHandler: { _ in })
    do {
      _ = try workspace.fetch(for: Post.self).throwing.all()
      Issue.record("nobody has answered")
    } catch {
      #expect((error.cause as? PostgresError)?.cause == .unreachable)
    }
    do {
      let count: Int = try await workspace.performChanges([Post.self]) { transaction in
        try transaction.submit(PostChangeRequest.creationRequest(Post(title: "a")))
        return 1
      }
      Issue.record("\(count) stored")
    } catch TransactionError.others(let cause as PostgresError) {
      #expect(cause.cause == .unreachable)
    }
    await workspace.shutdown()
  }
}
