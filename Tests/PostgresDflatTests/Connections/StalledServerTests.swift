import Dflat
import EngineTestSupport
import Foundation
import Golden_post
import TestSupport
import Testing

@testable import PostgresDflat

#if canImport(Glibc)
  import Glibc
#endif

@Suite("A fetch or transaction ends although its server process is stopped, and is repeated")
struct StalledServerTests {
  /// How many seconds something takes.
  private static func time(_ body: () throws -> Void) rethrows -> TimeInterval {
    let start = Date()
    try body()
    return Date().timeIntervalSince(start)
  }

  private static func processes(_ database: TestDatabase) throws -> [pid_t] {
    try database.sql(
      "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'dflat'"
    ).split(separator: "\n").compactMap { pid_t($0) }
  }

  @Test("A fetch from a stopped server process ends, and is repeated on another connection")
  func fetch() throws {
    let database = try TestDatabase(on: PostgresServer.held.get()) { $0.statementTimeout = 2 }
    database.perform([Post.self]) { $0.try(submit: PostChangeRequest.creationRequest(Post(title: "a"))) }
    #expect(database.workspace.fetch(for: Post.self).count() == 1)
    let stopped = try Self.processes(database)
    #expect(!stopped.isEmpty)
    for process in stopped { #expect(kill(process, SIGSTOP) == 0) }
    defer { for process in stopped { kill(process, SIGCONT) } }
    let time = Self.time { #expect(database.workspace.fetch(for: Post.self).all().map(\.title) == ["a"]) }
    #expect(time < patience)
    #expect(database.errors.values.isEmpty, "\(database.errors.values)")
  }

  @Test("A transaction whose server process is stopped before COMMIT is settled, and stored once")
  func commit() throws {
    let database = try TestDatabase(on: PostgresServer.held.get()) { $0.statementTimeout = 2 }
    database.perform([Post.self]) { $0.try(submit: PostChangeRequest.creationRequest(Post(title: "a"))) }
    let stopped = Locked<[pid_t]>([])
    let runs = Locked(0)
    let time = Self.time {
      database.perform([Post.self]) { transaction in
        // It begins the transaction of the server.
        _ = database.workspace.fetch(for: Post.self).count()
        transaction.try(submit: PostChangeRequest.creationRequest(Post(title: "b", priority: Int32(runs.value))))
        runs.value += 1
        guard runs.value == 1 else { return }
        stopped.value = (try? Self.processes(database)) ?? []
        for process in stopped.value { kill(process, SIGSTOP) }
      }
    }
    #expect(time < patience)
    #expect(runs.value == 2)
    // What it was sent fails, now that the outcome has been asked for.
    for process in stopped.value { kill(process, SIGCONT) }
    #expect(try eventually { try Set(Self.processes(database)).isDisjoint(with: stopped.value) })
    #expect(database.workspace.fetch(for: Post.self).where(Post.title == "b").map(\.priority) == [1])
    #expect(database.errors.values.isEmpty, "\(database.errors.values)")
  }

  @Test(
    "A connection that is accepted and gets no answer fails within the time for connecting, and is not repeated",
    arguments: [nil, 60] as [Double?])
  func silenceAfterConnecting(statementTimeout: Double?) throws {
    let database = try TestDatabase()
    let proxy = try StallingProxy(database.server)
    defer { proxy.close() }
    proxy.loseStatements()
    let workspace = database.other {
      $0.connection = database.server.connection(to: database.name, through: proxy.folder)
      $0.connectTimeout = 2
      $0.statementTimeout = statementTimeout
    }
    let cause = Locked<PostgresError.Cause?>(nil)
    let runs = Locked(0)
    let user = BackgroundThreads { _ in
      do {
        _ = try workspace.fetch(for: Post.self).throwing.count()
      } catch {
        cause.value = ((error as? StoreError)?.cause as? PostgresError)?.cause
      }
      let isStored = TestDatabase.perform([Post.self], in: workspace) { _ in
        runs.value += 1
        _ = workspace.fetch(for: Post.self).count()
      }
      #expect(!isStored)
      workspace.shutdown()
    }
    // Without a limit, the threads would wait for as long as the proxy keeps their connections.
    try #require(user.end(within: 300))
    #expect(cause.value == .unreachable)
    #expect(runs.value == 1)
    #expect(database.errors.values.compactMap { ($0 as? PostgresError)?.cause } == [.unreachable])
  }

  @Test(
    "The connection string says for how long a connection may stay without an answer, before the option does",
    arguments: ["2", "' 2 '"])
  func connectTimeoutOfConnectionString(_ limit: String) throws {
    let database = try TestDatabase()
    let proxy = try StallingProxy(database.server)
    defer { proxy.close() }
    proxy.loseStatements()
    let connection = database.server.connection(to: database.name, through: proxy.folder)
    var options = PostgresOptions(connection: connection + " connect_timeout=\(limit)")
    options.connectTimeout = 3_600
    let cause = Locked<PostgresError.Cause?>(nil)
    let user = BackgroundThreads { [options] _ in
      do { _ = try PostgresConnection(options) } catch { cause.value = (error as? PostgresError)?.cause }
    }
    #expect(user.end(within: 300))
    #expect(cause.value == .unreachable)
    withExtendedLifetime(database) {}
  }

  @Test("TCP asks a silent server for a sign of life after a minute, unless the connection string says otherwise")
  func keepAlive() throws {
    let database = try TestDatabase()
    var options = database.workspace.core.options
    let connection = try PostgresConnection.withoutTimeout(options)
    #expect(connection.setting("keepalives_idle") == "60")
    // It would end connections to a server that takes no bytes while a statement waits for a lock.
    #expect(connection.setting("tcp_user_timeout") == nil)
    options.connection += " keepalives_idle=7"
    let other = try PostgresConnection.withoutTimeout(options)
    #expect(other.setting("keepalives_idle") == "7")
    #expect(other.setting("keepalives_count") == "4")
    withExtendedLifetime(database) {}
  }

  @Test("A fetch that needs no more rows ends although the server takes no request to cancel it")
  func cancellation() throws {
    let database = try TestDatabase()
    let proxy = try StallingProxy(database.server)
    defer { proxy.close() }
    var options = PostgresOptions(connection: database.server.connection(to: database.name, through: proxy.folder))
    options.statementTimeout = 1
    let isBroken = Locked<Bool?>(nil)
    let reader = BackgroundThreads { [options] _ in
      guard let connection = try? PostgresConnection(options) else { return }
      proxy.stop()
      let numbers = "SELECT n::bigint FROM generate_series(1, 100) AS n"
      do { try connection.query(numbers, rows: .cancellable, for: "Testing") { _ in false } } catch {}
      isBroken.value = connection.isBroken
    }
    #expect(reader.end(within: 300))
    // A request that is taken later must not hit another statement.
    #expect(isBroken.value == true)
    withExtendedLifetime(database) {}
  }

  @Test("After a connection is lost, keys are written on a new one, since other idle ones may be lost, too")
  func keysAfterLoss() throws {
    let database = try TestDatabase(on: PostgresServer.held.get())
    // Without a time limit, within which a busy machine may not make the table.
    database.workspace.dictionary["key"] = 1
    #expect(database.workspace.dictionary.synchronize())
    let workspace = database.other { $0.statementTimeout = 2 }
    let (dictionary, pool) = (workspace.dictionary, workspace.core.pool)
    let idle = try (0..<2).map { _ in try pool.acquire(for: .readWrite) }
    let processes = try idle.map { try #require($0.process) }
    for connection in idle { pool.release(connection) }
    // The one that was released last is used next.
    #expect(kill(pid_t(processes[1]), SIGSTOP) == 0)
    defer { kill(pid_t(processes[1]), SIGCONT) }
    dictionary["key"] = 2
    #expect(dictionary.synchronize())
    let next = try pool.acquire(for: .readWrite)
    #expect(next.process.map { !processes.contains($0) } == true)
    pool.release(next)
    kill(pid_t(processes[1]), SIGCONT)
    #expect(dictionary["key", Int.self] == 2)
    workspace.shutdown()
    #expect(database.errors.values.isEmpty, "\(database.errors.values)")
  }

  @Test("A large value may be on its way for longer than the server may be silent")
  func slowUpload() throws {
    let database = try TestDatabase()
    let proxy = try StallingProxy(database.server)
    defer { proxy.close() }
    var options = PostgresOptions(connection: database.server.connection(to: database.name, through: proxy.folder))
    options.statementTimeout = 2
    let connection = try PostgresConnection(options)
    func length(sending count: Int) throws -> Int64 {
      var parameters = PostgresParameters()
      parameters.append(text: String(repeating: "a", count: count))
      var length: Int64 = 0
      try connection.query("SELECT octet_length($1)::bigint", parameters, for: "Testing") { row in
        length = row.integer(0)
        return true
      }
      return length
    }
    // The server's own limit includes the time from the preparation of a statement on.
    #expect(try length(sending: 1) == 1)
    // It takes longer than the seven seconds of silence.
    proxy.slowDown(to: 0.14)
    let size = 64 << 16
    #expect(try length(sending: size) == Int64(size))
    withExtendedLifetime(database) {}
  }

  @Test("A slow fetch that the server does not limit, as behind a pooler, is cancelled and not repeated")
  func slowFetch() throws {
    // The lock gives its transaction a number, for whose end streams of commits would wait on the shared server.
    let database = try TestDatabase(on: PostgresServer.held.get())
    database.perform([Post.self]) { $0.try(submit: PostChangeRequest.creationRequest(Post(title: "a"))) }
    let other = database.other {
      $0.usesPreparedStatements = false
      $0.statementTimeout = 1
    }
    #expect(other.fetch(for: Post.self).count() == 1)
    let holder = try PostgresConnection(database.workspace.core.options)
    try holder.begin(.preparing, for: "Testing")
    try holder.send("LOCK TABLE post IN ACCESS EXCLUSIVE MODE", isPrepared: false, for: "Testing")
    try holder.finish()
    do {
      _ = try other.fetch(for: Post.self).throwing.count()
      Issue.record("the table is locked")
    } catch StoreError.failed(let error as PostgresError) {
      #expect(error.cause == .statementTimeout, "\(error)")
    }
    let waiting = """
      SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
      """
    #expect(try eventually { try database.sql(waiting) == "0" })
    holder.rollBack()
    #expect(other.fetch(for: Post.self).count() == 1)
    other.shutdown()
  }

  @Test("A slow statement within the time limit succeeds")
  func slowStatements() throws {
    let database = try TestDatabase()
    var options = database.workspace.core.options
    // Each takes less, by seconds, and both take more.
    options.statementTimeout = 8
    let connection = try PostgresConnection(options)
    var count = 0
    try connection.send("SELECT pg_sleep(4.5)::text", for: "Testing")
    try connection.send("SELECT pg_sleep(4.5)::text", for: "Testing")
    try connection.query("SELECT n::bigint FROM generate_series(1, 100) AS n", for: "Testing") { _ in
      count += 1
      return true
    }
    #expect(count == 100)
    #expect(!connection.isBroken)
  }

  @Test("Reads do not wait for writers, even if the role has deferrable transactions", arguments: [true, false])
  func deferrable(isPrepared: Bool) throws {
    let database = try TestDatabase(on: PostgresServer.held.get())
    database.perform([Post.self]) { $0.try(submit: PostChangeRequest.creationRequest(Post(title: "a"))) }
    try database.sql("ALTER DATABASE \(database.name) SET default_transaction_deferrable = on")
    let other = database.other { $0.usesPreparedStatements = isPrepared }
    let writer = try PostgresConnection(database.workspace.core.options)
    try writer.begin(.writing, for: "Testing")
    try writer.query("UPDATE post SET p = p", for: "Testing") { _ in true }
    let count = Locked(0)
    let reader = BackgroundThreads { _ in
      other.fetchWithinASnapshot { count.value = other.fetch(for: Post.self).count() }
    }
    // The transaction of the writer is open until then.
    #expect(reader.end())
    #expect(count.value == 1)
    writer.rollBack()
    other.shutdown()
    #expect(database.errors.values.isEmpty, "\(database.errors.values)")
  }

  @Test(
    "A dropped table reads as empty, and the next transaction that writes makes it again", arguments: [true, false])
  func droppedTables(readsFirst: Bool) throws {
    let database = try TestDatabase()
    let workspace = database.workspace
    func store(_ title: String) {
      database.perform([Post.self]) { transaction in
        transaction.try(submit: PostChangeRequest.upsertRequest(Post(title: title)))
        transaction.dictionary[title] = 1
      }
    }
    store("a")
    workspace.dictionary["b"] = 2
    #expect(workspace.dictionary.synchronize())
    let tables = try database.sql(
      """
      SELECT string_agg(oid::regclass::text, ', ') FROM pg_class
      WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace
      """)
    try database.sql("DROP TABLE \(tables)")
    if readsFirst {
      #expect(workspace.fetch(for: Post.self).all().isEmpty)
      #expect(workspace.dictionary["b", Int.self] == nil)
    } else {
      workspace.dictionary["c"] = 3
      #expect(workspace.dictionary.synchronize())
    }
    store("d")
    #expect(workspace.fetch(for: Post.self).all().map(\.title) == ["d"])
    #expect(workspace.dictionary["d", Int.self] == 1)
    #expect(database.errors.values.isEmpty, "\(database.errors.values)")
  }

  @Test(
    "A transaction that fails is reported once, with a text",
    arguments: ["RAISE EXCEPTION 'not today'", "RAISE EXCEPTION ''", "PERFORM pg_sleep(60)", "PERFORM 1 / 0"])
  func failures(statement: String) throws {
    let database = try TestDatabase { $0.statementTimeout = 3 }
    database.perform([Post.self]) { $0.try(submit: PostChangeRequest.creationRequest(Post(title: "a"))) }
    try database.sql(
      """
      CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN \(statement); RETURN NEW; END $$;
      CREATE TRIGGER refuse BEFORE INSERT OR UPDATE ON post FOR EACH ROW EXECUTE FUNCTION refuse()
      """)
    database.perform([Post.self], completing: false) { transaction in
      for title in ["b", "c"] { transaction.try(submit: PostChangeRequest.creationRequest(Post(title: title))) }
      _ = database.workspace.fetch(for: Post.self).count()
      transaction.try(submit: PostChangeRequest.upsertRequest(Post(title: "a", priority: 3)))
    }
    #expect(database.errors.count == 1, "\(database.errors.values)")
    let error = try #require(database.errors.values.first as? PostgresError)
    #expect(!error.message.isEmpty && !error.purpose.isEmpty)
    // It is not said that a row was left out.
    #expect(error.message.contains("row level security") == false)
    #expect(database.workspace.fetch(for: Post.self).count() == 1)
  }
}
