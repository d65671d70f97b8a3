import EngineTestSupport
import Golden_post
import PostgresLayout
import Testing

@testable import PostgresDflat

@Suite("A preparation that waits for long says what it waits for")
struct DelayedPreparationTests {
  @Test("The error names the session that holds the lock, and comes once; when that ends, the preparation goes on")
  func lockedTable() throws {
    let database = try TestDatabase()
    let core = database.workspace.core
    let holder = try PostgresConnection(core.options)
    try holder.begin(locking: PostgresName.lock(of: "post"), for: "Testing")
    let session = try #require(holder.process)
    let delays = Collected<PostgresError>()
    let preparation = BackgroundThreads { _ in
      do {
        let wait = PostgresConnection.LockWait(onDelay: { delays.append($0) }, delay: 0.1)
        let connection = try PostgresConnection.withoutTimeout(core.options)
        let preparation = TablePreparation(catalog: core.catalog, connection: connection, wait: wait)
        #expect(try preparation.prepareForWriting(Post._record).isEmpty)
      } catch {
        Issue.record(error)
      }
    }
    #expect(eventually { delays.count > 0 })
    holder.rollBack()
    #expect(preparation.end())
    #expect(delays.count == 1)
    let error = try #require(delays.values.first)
    #expect(error.message.contains("pg_terminate_backend(\(session))"), "\(error)")
    #expect(try database.sql("SELECT to_regclass('post') IS NULL") == "f")
  }

  @Test("A role that may not see who holds the lock is told that it waits, and gets the lock later")
  func hiddenHolder() throws {
    let database = try TestDatabase()
    let role = "delayed_\(database.name)"
    try database.sql("CREATE ROLE \(role) LOGIN; REVOKE SELECT ON pg_locks FROM PUBLIC")
    let holder = try PostgresConnection(database.workspace.core.options)
    try holder.begin(locking: "test", for: "Testing")
    let options = PostgresOptions(connection: database.server.connection(to: database.name, user: role))
    let delays = Collected<PostgresError>()
    let waiter = BackgroundThreads { _ in
      do {
        let wait = PostgresConnection.LockWait(onDelay: { delays.append($0) }, delay: 0.1)
        let connection = try PostgresConnection(options)
        try connection.begin(locking: "test", for: "Testing", wait)
        connection.rollBack()
      } catch {
        Issue.record(error)
      }
    }
    #expect(eventually(within: 300) { delays.count > 0 })
    holder.rollBack()
    #expect(waiter.end())
    #expect(delays.count == 1)
    #expect(delays.values.first?.message.contains("pg_locks") == true, "\(delays.values)")
    try database.sql("DROP ROLE \(role)")
  }
}
