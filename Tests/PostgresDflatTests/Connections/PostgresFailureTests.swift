import Dflat
import EngineTestSupport
import Foundation
import Golden_post
import PostgresDflat
import TestSupport
import Testing

@Suite("Errors of PostgreSQL, or its absence, are reported with their causes")
struct PostgresFailureTests {
  private func cause(of database: TestDatabase) -> PostgresError.Cause? {
    (database.errors.values.last as? PostgresError)?.cause
  }

  /// The error of a fetch, in a workspace with a connection string.
  private func error(connecting connection: String) throws -> PostgresError {
    var options = PostgresOptions(connection: connection)
    options.retry = .never
    options.connectTimeout = 2
    let errors = Collected<any Error>()
    let workspace = PostgresWorkspace(options, errorHandler: { errors.append($0) })
    workspace.waitForCallbacks()
    #expect(workspace.fetch(for: Post.self).all().isEmpty)
    #expect(
      !TestDatabase.perform([Post.self], in: workspace) {
        _ = $0.try(submit: PostChangeRequest.creationRequest(Post(title: "a")))
      })
    workspace.shutdown()
    return try #require(errors.values.first as? PostgresError)
  }

  @Test("Each reason for a failed connection has its cause")
  func connecting() throws {
    let server = try PostgresServer.shared.get()
    #expect(try error(connecting: "host=/nowhere dbname=postgres").cause == .unreachable)
    #expect(try error(connecting: "host=127.0.0.1 port=1 dbname=postgres").cause == .unreachable)
    #expect(try error(connecting: server.connection(to: "no_such_database")).cause == .missingDatabase)
    #expect(try error(connecting: server.connection(to: "postgres", user: "no_such_role")).cause == .loginRejected)
    #expect(try error(connecting: "no=connection=string").cause == .unreachable)
  }

  @Test("A table that has the type's name and other columns is left alone")
  func foreignTable() throws {
    let database = try TestDatabase()
    try database.sql("CREATE TABLE post (id int primary key, title text)")
    #expect(throws: StoreError.self) { try database.workspace.fetch(for: Post.self).throwing.all() }
    database.perform([Post.self], completing: false) {
      _ = $0.try(submit: PostChangeRequest.creationRequest(Post(title: "a")))
    }
    #expect(cause(of: database) == .foreignTable)
    #expect(try database.sql("SELECT count(*) FROM post") == "0")
  }

  @Test("The error for a role without rights says so")
  func permissions() throws {
    let database = try TestDatabase()
    let role = "role_\(database.name)"
    try database.sql("CREATE ROLE \(role) LOGIN; REVOKE CREATE ON SCHEMA public FROM PUBLIC")
    var options = PostgresOptions(connection: database.server.connection(to: database.name, user: role))
    options.retry = .never
    let errors = database.errors
    let workspace = PostgresWorkspace(options, errorHandler: { errors.append($0) })
    workspace.waitForCallbacks()
    #expect(
      !TestDatabase.perform([Post.self], in: workspace) {
        _ = $0.try(submit: PostChangeRequest.creationRequest(Post(title: "a")))
      })
    #expect(cause(of: database) == .missingPermission)
    workspace.shutdown()
    try database.sql("DROP ROLE \(role)")
  }

  @Test("Idle connections that the server has closed are replaced", arguments: [true, false])
  func closedConnections(isRetried: Bool) throws {
    let database = try TestDatabase { if !isRetried { $0.retry = .never } }
    database.perform([Post.self]) { $0.try(submit: PostChangeRequest.creationRequest(Post(title: "a"))) }
    try terminateAll(in: database)
    #expect(database.workspace.fetch(for: Post.self).count() == 1)
    try terminateAll(in: database)
    database.perform([Post.self]) { $0.try(submit: PostChangeRequest.creationRequest(Post(title: "b"))) }
    #expect(database.workspace.fetch(for: Post.self).count() == 2)
    #expect(database.errors.values.isEmpty, "\(database.errors.values)")
  }

  private func terminateAll(in database: TestDatabase) throws {
    let connections = "FROM pg_stat_activity WHERE datname = '\(database.name)'"
    try database.server.psql("SELECT pg_terminate_backend(pid) \(connections)")
    // They end a moment later.
    #expect(try eventually { try database.server.psql("SELECT count(*) \(connections)") == "0" })
  }

  @Test("Connections that are killed at any moment lose nothing that was acknowledged, and store nothing twice")
  func killedConnections() throws {
    let database = try TestDatabase { $0.retry = .limited(200) }
    let workspace = database.workspace
    let isOver = Gate()
    let killer = BackgroundThreads { [server = database.server, name = database.name] _ in
      var random = SeededGenerator(seed: LongForm.seed)
      while !isOver.isOpen {
        usleep(UInt32(random.next(60_000)))
        _ = try? server.psql(
          """
          SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '\(name)' AND pid <> pg_backend_pid()
          ORDER BY random() LIMIT 1
          """)
      }
    }
    let stored = Locked<[String]>([])
    let refused = Locked<[String]>([])
    let writers = BackgroundThreads(3) { number in
      for count in 0..<LongForm.sharedUpdates.size {
        let title = "\(number)-\(count)"
        let isStored = TestDatabase.perform([Post.self], in: workspace) { transaction in
          _ = workspace.fetch(for: Post.self).count()
          transaction.try(submit: PostChangeRequest.creationRequest(Post(title: title)))
          transaction.try(
            submit: PostChangeRequest.upsertRequest(Post(title: "last \(number)", priority: Int32(count))))
        }
        if isStored { stored.change { $0.append(title) } } else { refused.change { $0.append(title) } }
      }
    }
    #expect(writers.end())
    isOver.open()
    #expect(killer.end())
    let titles = workspace.fetch(for: Post.self).all().map(\.title).filter { !$0.hasPrefix("last") }
    #expect(Set(titles).count == titles.count)
    #expect(Set(stored.value).subtracting(titles).isEmpty, "acknowledged, and lost")
    // What has failed is not there, unless the server could not say.
    let unknown = database.errors.values.filter { ($0 as? PostgresError)?.cause == .unknownOutcome }.count
    #expect(Set(titles).intersection(refused.value).count <= unknown)
    #expect(stored.value.count > refused.value.count)
    LongForm.record(stored.value.count + refused.value.count, "transactions while PostgreSQL's connections are killed")
  }

  @Test("If all connections are in use, a fetch waits, and fails after poolTimeout")
  func fullPool() throws {
    let database = try TestDatabase {
      $0.connectionLimit = 1
      $0.poolTimeout = 0.2
    }
    let workspace = database.workspace
    database.perform([Post.self]) { $0.try(submit: PostChangeRequest.creationRequest(Post(title: "a"))) }
    workspace.fetchWithinASnapshot {
      let error = Locked<(any Error)?>(nil)
      let threads = BackgroundThreads { _ in
        do { _ = try workspace.fetch(for: Post.self).throwing.count() } catch let failure { error.value = failure }
      }
      #expect(threads.end())
      guard case .failed(let reason)? = error.value as? StoreError else {
        Issue.record("\(String(describing: error.value))")
        return
      }
      #expect((reason as? PostgresError)?.cause == .tooManyConnections)
    }
    #expect(workspace.fetch(for: Post.self).count() == 1)
  }

  @Test("Two hundred threads share a pool of ten")
  func load() throws {
    let database = try TestDatabase { $0.poolTimeout = 600 }
    let workspace = database.workspace
    let threads = BackgroundThreads(200) { number in
      let isStored = TestDatabase.perform([Post.self], in: workspace) {
        _ = $0.try(submit: PostChangeRequest.creationRequest(Post(title: "\(number)")))
      }
      #expect(isStored)
      #expect(workspace.fetch(for: Post.self).first(where: Post.title == "\(number)") != nil)
    }
    #expect(threads.end())
    #expect(workspace.fetch(for: Post.self).count() == 200)
    #expect(
      try database.sql(
        "SELECT count(*) FROM pg_stat_activity WHERE datname = '\(database.name)' AND application_name = 'dflat'"
      )
      .count <= 2)
    #expect(database.errors.values.isEmpty, "\(database.errors.values)")
  }

  @Test("Damaged rows are left out and reported; they fail no scan and no index")
  func damagedRows() throws {
    let database = try TestDatabase()
    let workspace = database.workspace
    database.perform([Post.self]) { transaction in
      for title in ["a", "b", "c"] {
        transaction.try(submit: PostChangeRequest.creationRequest(Post(title: title, priority: 5)))
      }
    }
    // Every way to cut a row short, and bytes that lead nowhere.
    let bytes = try database.sql("SELECT encode(p, 'hex') FROM post WHERE __pk0 = 'a'")
    for length in stride(from: 0, to: bytes.count, by: 2) {
      let cut = bytes.prefix(length)
      try database.sql("INSERT INTO post (__pk0, p) VALUES ('cut \(length)', '\\x\(cut)'::bytea)")
    }
    try database.sql("INSERT INTO post (__pk0, p) VALUES ('ff', decode(repeat('ff', 60), 'hex'))")
    let names = workspace.fetch(for: Post.self).where(Post.priority == 5).map(\.title)
    #expect(["a", "b", "c"].allSatisfy { names.contains($0) })
    let all = workspace.fetch(for: Post.self).all()
    #expect(!database.errors.values.isEmpty)
    #expect(
      database.errors.values.allSatisfy { ($0 as? PostgresError)?.cause == .corruptRow }, "\(database.errors.values)")
    #expect(all.count + database.errors.values.count >= 4)
  }
}
