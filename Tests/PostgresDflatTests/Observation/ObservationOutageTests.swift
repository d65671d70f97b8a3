import Dflat
import DflatEngine
import EngineTestSupport
import Foundation
import Golden_post
import PostgresLayout
import TestSupport
import Testing

#if canImport(Glibc)
  import Glibc
#endif

@testable import PostgresDflat

@Suite("Subscribers get own commits while the server sends none")
struct ObservationOutageTests {
  private static func store(_ title: String, in workspace: PostgresWorkspace) {
    let isStored = TestDatabase.perform([Post.self], in: workspace) { transaction in
      transaction.try(submit: PostChangeRequest.upsertRequest(Post(title: title)))
    }
    #expect(isStored)
  }

  /// A subscriber to all posts, with what it was told.
  private struct Subscriber {
    let told = Collected<[String]>()
    let subscription: any WorkspaceSubscription

    init(_ workspace: PostgresWorkspace) {
      let result = workspace.fetch(for: Post.self).all(orderBy: [Post.title.ascending])
      subscription = workspace.subscribe(fetchedResult: result) { [told] in told.append($0.map(\.title)) }
    }

    var latest: [String]? { told.values.last }
  }

  private static func causes(_ errors: Collected<any Error>) -> [PostgresError.Cause?] {
    errors.values.map { ($0 as? PostgresError)?.cause }
  }

  @Test("A type with another owner than the publication can be written, and own commits are observed")
  func twoOwners() throws {
    let database = try TestDatabase()
    let roles = ["first_\(database.name)", "second_\(database.name)"]
    for role in roles { try database.sql("CREATE ROLE \(role) LOGIN REPLICATION") }
    try database.sql(
      """
      GRANT ALL ON SCHEMA public TO PUBLIC; GRANT CREATE ON DATABASE \(database.name) TO PUBLIC;
      ALTER DEFAULT PRIVILEGES FOR ROLE \(roles[0]) GRANT ALL ON TABLES TO PUBLIC
      """)
    let errors = roles.map { _ in Collected<any Error>() }
    let workspaces = zip(roles, errors).map { role, errors in
      PostgresWorkspace(
        PostgresOptions(connection: database.server.connection(to: database.name, user: role)),
        errorHandler: TestDatabase.collecting(errors))
    }
    for workspace in workspaces { workspace.waitForCallbacks() }
    // The first one owns the publication.
    let first = Subscriber(workspaces[0])
    #expect(eventually { (try? database.sql("SELECT count(*) FROM pg_publication")) == "1" })
    database.perform([Register<TagA>.self], in: workspaces[0]) {
      $0.try(submit: RegisterRequest<TagA>(.create, key: 1, value: 1))
    }
    Self.store("a", in: workspaces[1])
    #expect(errors[1].values.isEmpty, "\(errors[1].values)")
    let second = Subscriber(workspaces[1])
    for title in ["b", "c"] {
      Self.store(title, in: workspaces[1])
      #expect(second.latest?.last == title, "before the completion handler")
    }
    #expect(eventually { Self.causes(errors[1]) == [.missingPermission] }, "\(errors[1].values)")
    // A superuser adds the table. What was not told before is told then.
    try database.sql("GRANT ALL ON post TO PUBLIC")
    try database.sql("ALTER PUBLICATION dflat_public ADD TABLE post")
    #expect(eventually { first.latest == ["a", "b", "c"] }, "\(errors[0].values)")
    Self.store("d", in: workspaces[1])
    #expect(eventually { first.latest?.last == "d" })
    #expect(errors[1].count == 1, "\(errors[1].values)")
    for workspace in workspaces { workspace.shutdown() }
    for role in roles { try database.sql("DROP OWNED BY \(role) CASCADE; DROP ROLE \(role)") }
    withExtendedLifetime((first, second)) {}
  }

  @Test(
    "A dropped publication or table is noticed, reported once, and made again",
    arguments: [
      "DROP PUBLICATION dflat_public", "ALTER PUBLICATION dflat_public DROP TABLE post", "DROP TABLE post",
    ])
  func dropped(statement: String) throws {
    let database = try TestDatabase()
    let other = database.other()
    Self.store("a", in: other)
    let subscriber = Subscriber(database.workspace)
    Self.store("b", in: other)
    #expect(eventually { subscriber.latest == ["a", "b"] })
    try database.sql(statement)
    let isTableDropped = statement.contains("DROP TABLE post") && !statement.contains("ALTER")
    if isTableDropped {
      #expect(eventually { subscriber.latest == [] })
    } else {
      Self.store("c", in: other)
      #expect(eventually { subscriber.latest == ["a", "b", "c"] })
    }
    other.shutdown()
    let third = database.other()
    Self.store("d", in: third)
    #expect(eventually { subscriber.latest?.last == "d" })
    Self.store("e", in: database.workspace)
    #expect(subscriber.latest?.last == "e")
    #expect(eventually { Self.causes(database.errors) == [.missingSetting] }, "\(database.errors.values)")
    third.shutdown()
    withExtendedLifetime(subscriber) {}
  }

  @Test("A commit is told that the server has not sent, since the table was out of the publication for a moment")
  func momentaryRemoval() throws {
    let database = try TestDatabase()
    let other = database.other()
    Self.store("a", in: other)
    let subscriber = Subscriber(database.workspace)
    Self.store("b", in: other)
    #expect(eventually { subscriber.latest == ["a", "b"] })
    // Otherwise the table may not be in the publication yet, or not known to be.
    #expect(eventually { database.workspace.core.feed.tells(of: "post") })
    // One transaction, so that no look into the catalog finds the table missing. The server decodes the deletion with
    // the catalog as it was at that moment, and so does not send it.
    try database.sql(
      """
      ALTER PUBLICATION dflat_public DROP TABLE post;
      DELETE FROM post WHERE rowid = (SELECT min(rowid) FROM post);
      ALTER PUBLICATION dflat_public ADD TABLE post
      """)
    #expect(eventually(within: 300) { subscriber.latest == ["b"] })
    #expect(eventually { Self.causes(database.errors) == [.missingSetting] }, "\(database.errors.values)")
    other.shutdown()
    withExtendedLifetime(subscriber) {}
  }

  @Test("A stream whose first command gets no answer is given up, so that another one is begun")
  func unansweredStream() throws {
    let database = try TestDatabase()
    let proxy = try StallingProxy(database.server)
    defer { proxy.close() }
    proxy.loseQueries()
    let options = PostgresOptions(connection: database.server.connection(to: database.name, through: proxy.folder))
    let isNeeded = Locked(true)
    defer { isNeeded.value = false }
    let cause = Locked<PostgresError.Cause?>(nil)
    let observer = BackgroundThreads { _ in
      do {
        _ = try ReplicationStream(options, answerLimit: 1, isNeeded: { isNeeded.value }, onDelay: { _ in })
      } catch {
        cause.value = (error as? PostgresError)?.cause
      }
    }
    #expect(observer.end(within: 300))
    #expect(cause.value == .connectionLost)
    withExtendedLifetime(database) {}
  }

  @Test("A subscriber is told again once a replication slot is free")
  func usedUpSlots() throws {
    let server = try PostgresServer("slots")
    defer { try? server.stop() }
    try server.psql("ALTER SYSTEM SET max_replication_slots = 1")
    try server.stop()
    try server.start()
    let database = try TestDatabase(on: server)
    try server.psql("SELECT pg_create_logical_replication_slot('somebody', 'pgoutput')", in: database.name)
    let other = database.other()
    Self.store("a", in: other)
    let subscriber = Subscriber(database.workspace)
    #expect(eventually { Self.causes(database.errors) == [.missingSetting] }, "\(database.errors.values)")
    // Own commits are told, and those of others once it works.
    Self.store("b", in: database.workspace)
    #expect(subscriber.latest?.last == "b")
    Self.store("c", in: other)
    try server.psql("SELECT pg_drop_replication_slot('somebody')", in: database.name)
    #expect(eventually { subscriber.latest?.last == "c" })
    Self.store("d", in: other)
    #expect(eventually { subscriber.latest?.last == "d" })
    #expect(database.errors.count == 1, "\(database.errors.values)")
    other.shutdown()
    withExtendedLifetime(subscriber) {}
  }

  @Test("A transaction that delays the stream is reported once, and own commits are observed meanwhile")
  func longTransaction() throws {
    // A stream waits for transactions of all databases of a server.
    let server = try PostgresServer("held-up")
    defer { try? server.stop() }
    let database = try TestDatabase(on: server, reportsDelays: true)
    Self.store("a", in: database.workspace)
    let holder = try PostgresConnection(database.workspace.core.options)
    try holder.begin(.preparing, for: "Testing")
    try holder.query("SELECT pg_current_xact_id()::text", for: "Testing") { _ in true }
    let subscriber = Subscriber(database.workspace)
    for title in ["b", "c"] {
      let start = Date()
      Self.store(title, in: database.workspace)
      // The stream begins only when the transaction ends, which is after this loop.
      #expect(subscriber.latest?.last == title, "before the completion handler")
      #expect(Date().timeIntervalSince(start) < 60)
    }
    #expect(eventually { Self.causes(database.errors) == [.other] }, "\(database.errors.values)")
    try holder.commit(for: "Testing")
    let other = database.other()
    Self.store("d", in: other)
    #expect(eventually { subscriber.latest?.last == "d" })
    #expect(database.errors.count == 1, "\(database.errors.values)")
    other.shutdown()
    withExtendedLifetime(subscriber) {}
  }

  @Test("A shutdown does not wait for a stream that is held up, and the server waits no longer, either")
  func shutdownWhileHeldUp() throws {
    // A stream waits for transactions of all databases of a server.
    let server = try PostgresServer("shutdown")
    defer { try? server.stop() }
    let database = try TestDatabase(on: server)
    let other = database.other()
    Self.store("a", in: other)
    let holder = try PostgresConnection(database.workspace.core.options)
    try holder.begin(.preparing, for: "Testing")
    try holder.query("SELECT pg_current_xact_id()::text", for: "Testing") { _ in true }
    let subscriber = Subscriber(other)
    let slots = "SELECT count(*) FROM pg_replication_slots WHERE database = '\(database.name)'"
    #expect(try eventually { try database.sql(slots) == "1" })
    other.shutdown()
    // A shutdown that had waited in vain would have left the thread of the stream.
    #expect(other.core.feed.state.withLock { !$0.isThreadRunning })
    #expect(try eventually { try database.sql(slots) == "0" })
    holder.rollBack()
    withExtendedLifetime(subscriber) {}
    #expect(database.errors.values.isEmpty, "\(database.errors.values)")
  }

  @Test("A pooler without replication is reported once, and own commits are observed")
  func pooler() throws {
    let database = try TestDatabase()
    let pooler = try Pooler(database.server)
    let errors = Collected<any Error>()
    var options = PostgresOptions(connection: pooler.connection(to: database.name))
    options.buildsIndexes = false
    let workspace = PostgresWorkspace(options, errorHandler: { errors.append($0) })
    workspace.waitForCallbacks()
    Self.store("a", in: database.workspace)
    #expect(eventually { workspace.fetch(for: Post.self).count() == 1 })
    errors.removeAll()
    let subscriber = Subscriber(workspace)
    for title in ["b", "c"] {
      Self.store(title, in: workspace)
      #expect(subscriber.latest?.last == title, "before the completion handler")
    }
    #expect(eventually { Self.causes(errors) == [.missingSetting] }, "\(errors.values)")
    workspace.shutdown()
    withExtendedLifetime(subscriber) {}
  }

  @Test("While the stream lags, own commits are observed in bounded time, and none twice or out of order")
  func farBehind() throws {
    // A stream waits for transactions of all databases of a server.
    let server = try PostgresServer("behind")
    defer { try? server.stop() }
    let database = try TestDatabase(on: server)
    let other = database.other()
    Self.store("a", in: other)
    let subscriber = Subscriber(database.workspace)
    Self.store("b", in: database.workspace)
    // As one that reads past much of others.
    let process = try #require(
      pid_t(
        try database.sql(
          "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND backend_type = 'walsender'")))
    #expect(kill(process, SIGSTOP) == 0)
    defer { kill(process, SIGCONT) }
    for title in ["c", "d", "e"] {
      let start = Date()
      Self.store(title, in: database.workspace)
      // The process that stands still goes on after this loop, so that a wait without a limit would not end.
      #expect(subscriber.latest?.last == title, "before the completion handler")
      #expect(Date().timeIntervalSince(start) < 60)
    }
    Self.store("f", in: other)
    kill(process, SIGCONT)
    #expect(eventually { subscriber.latest?.last == "f" })
    Self.store("g", in: other)
    #expect(eventually { subscriber.latest?.last == "g" })
    let counts = subscriber.told.values.map(\.count)
    #expect(zip(counts, counts.dropFirst()).allSatisfy { $0 < $1 }, "\(counts)")
    #expect(database.errors.values.isEmpty, "\(database.errors.values)")
    other.shutdown()
    withExtendedLifetime(subscriber) {}
  }

  @Test("The server is told how far its log was read, even if it never asks and no observed table is written")
  func confirmedPositions() throws {
    let server = try PostgresServer("positions")
    defer { try? server.stop() }
    try server.psql("ALTER SYSTEM SET wal_sender_timeout = 0")
    try server.stop()
    try server.start()
    let database = try TestDatabase(on: server)
    Self.store("a", in: database.workspace)
    let subscriber = Subscriber(database.workspace)
    Self.store("b", in: database.workspace)
    try database.sql("CREATE TABLE unobserved AS SELECT n FROM generate_series(1, 10000) AS n")
    let position = try database.sql("SELECT pg_current_wal_flush_lsn()")
    #expect(
      try eventually {
        try database.sql(
          """
          SELECT count(*) FROM pg_replication_slots
          WHERE database = current_database() AND confirmed_flush_lsn >= '\(position)'
          """) == "1"
      })
    withExtendedLifetime(subscriber) {}
    #expect(database.errors.values.isEmpty, "\(database.errors.values)")
  }

  @Test("Subscribers hear of a copy although their role may not read the log of changes")
  func copying() async throws {
    let database = try TestDatabase()
    let role = "copier_\(database.name)"
    try database.sql("CREATE ROLE \(role) LOGIN; GRANT ALL ON SCHEMA public TO \(role)")
    let workspace = PostgresWorkspace(
      PostgresOptions(connection: database.server.connection(to: database.name, user: role)),
      errorHandler: { [errors = database.errors] in errors.append($0) })
    let subscriber = Subscriber(workspace)
    let keys = Collected<Int?>()
    let keySubscription = workspace.dictionary.subscribe("key", of: Int.self) { keys.append($0.value) }
    let source = try TestDatabase()
    Self.store("copied", in: source.workspace)
    source.workspace.dictionary["key"] = 7
    #expect(source.workspace.dictionary.synchronize())
    _ = try await workspace.copy([Post.self], from: source.workspace)
    #expect(await onThread { eventually { subscriber.latest == ["copied"] && keys.values.last == 7 } })
    subscriber.subscription.cancel()
    keySubscription.cancel()
    await workspace.shutdown()
  }

  @Test("Threads may begin and end to observe in any order, and tables are kept in the publication")
  func startsAndStops() throws {
    let database = try TestDatabase()
    let workspace = database.workspace
    let feed = workspace.core.feed
    Self.store("a", in: workspace)
    let subscriber = Subscriber(workspace)
    #expect(eventually { feed.tells(of: "post") })
    // One thread begins to observe before the call of another one, which has ended earlier, gets through.
    feed.tables.start(for: feed)
    feed.tables.stop()
    try database.sql("ALTER PUBLICATION \(PostgresName.publication(of: "public")) DROP TABLE post")
    // The publication lacks the table for a moment only, which the error handler is told.
    #expect(eventually { Self.causes(database.errors) == [.missingSetting] }, "\(database.errors.values)")
    #expect(eventually { feed.tells(of: "post") })
    subscriber.subscription.cancel()
  }
}
