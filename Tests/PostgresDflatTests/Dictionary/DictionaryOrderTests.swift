import Dflat
import EngineTestSupport
import Foundation
import Golden_post
import PostgresLayout
import TestSupport
import Testing

@testable import PostgresDflat

@Suite("Keys of the dictionary beside snapshots, other keys and transactions on PostgreSQL")
struct DictionaryOrderTests {
  @Test("A subscription made in a snapshot is told the value that was set after the snapshot")
  func subscriptionInASnapshot() throws {
    let database = try TestDatabase()
    let other = database.other()
    other.dictionary["key"] = 1
    #expect(other.dictionary.synchronize())
    let workspace = database.workspace
    let (toldFirst, told) = (Collected<Int?>(), Collected<Int?>())
    let first = workspace.dictionary.subscribe("key", of: Int.self) { toldFirst.append($0.value) }
    var second: (any WorkspaceSubscription)?
    workspace.fetchWithinASnapshot {
      #expect(workspace.dictionary["key"] == 1)
      other.dictionary["key"] = 2
      #expect(other.dictionary.synchronize())
      // The stream has reported the change by then.
      #expect(eventually { toldFirst.values.last == 2 })
      second = workspace.dictionary.subscribe("key", of: Int.self) { told.append($0.value) }
    }
    #expect(eventually { told.values.last == 2 }, "\(told.values)")
    first.cancel()
    second?.cancel()
    other.shutdown()
  }

  @Test("Nothing is kept of the subscriptions that have ended")
  func endedSubscriptions() throws {
    let database = try TestDatabase()
    let dictionary = database.workspace.dictionary
    for number in 0..<10 {
      let subscription = dictionary.subscribe("\(number)", of: Int.self) { _ in }
      dictionary["\(number)"] = number
      subscription.cancel()
    }
    let (subscribers, lastPosts) = database.workspace.core.dictionary.state.withLock {
      ($0.subscribers.count, $0.lastPosts.count)
    }
    #expect(subscribers == 0 && lastPosts == 0)
  }

  @Test("A subscriber is told what others set while this workspace sets other keys all the time")
  func keysThatAreSetAllTheTime() throws {
    let database = try TestDatabase()
    let other = database.other()
    let told = Collected<Int?>()
    let subscription = database.workspace.dictionary.subscribe("key", of: Int.self) { told.append($0.value) }
    let isOver = Gate()
    let dictionary = database.workspace.dictionary
    let setter = BackgroundThreads { _ in
      var number = 0
      while !isOver.isOpen {
        dictionary["busy"] = number
        number += 1
        // Shorter than a read takes.
        usleep(10)
      }
    }
    other.dictionary["key"] = 1
    #expect(other.dictionary.synchronize())
    #expect(eventually { told.values.last == 1 })
    isOver.open()
    #expect(setter.end())
    subscription.cancel()
    other.shutdown()
  }

  @Test("A call that waits until keys are written returns while other threads set keys all the time")
  func synchronizingBesideSetters() throws {
    let database = try TestDatabase()
    let dictionary = database.workspace.dictionary
    dictionary["busy"] = 0
    #expect(dictionary.synchronize())
    // While a write takes this long, a key that it contains is set again.
    try database.sql(
      """
      CREATE FUNCTION rest() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(0.2); RETURN NULL; END $$;
      CREATE TRIGGER rest BEFORE INSERT ON dictitem_v_dflat_internal__ FOR EACH STATEMENT EXECUTE FUNCTION rest()
      """)
    let isOver = Gate()
    let setters = BackgroundThreads(4) { _ in
      var number = 0
      while !isOver.isOpen {
        dictionary["busy"] = number
        number += 1
        usleep(100)
      }
    }
    let isWritten = Locked(false)
    let waiter = BackgroundThreads { _ in
      dictionary["key"] = 1
      isWritten.value = dictionary.synchronize()
    }
    let hasReturned = waiter.end(within: 300)
    isOver.open()
    #expect(hasReturned)
    #expect(setters.end() && waiter.end())
    #expect(isWritten.value)
    // What was set after that is written, too, though nobody waits for it.
    dictionary["busy"] = -1
    let other = database.other()
    #expect(eventually { other.dictionary["busy", Int.self] == -1 })
    #expect(other.dictionary["key", Int.self] == 1)
    other.shutdown()
    #expect(database.errors.values.isEmpty, "\(database.errors.values)")
  }

  @Test("An error handler may wait for keys to be written")
  func synchronizingErrorHandler() {
    let workspace = Locked<PostgresWorkspace?>(nil)
    let hasReturned = Gate()
    workspace.value = PostgresWorkspace(
      connection: "host=/nonexistent dbname=none",
      errorHandler: { _ in
        guard let workspace = workspace.value else { return }
        #expect(!workspace.dictionary.synchronize())
        hasReturned.open()
      })
    workspace.value?.dictionary["key"] = 1
    #expect(hasReturned.wait())
    let last = workspace.value
    workspace.value = nil
    last?.shutdown()
  }

  #if compiler(>=6.3) && os(Linux)
    @Test("Transactions that wait for each other's rows and set keys go on although a key is set meanwhile")
    func rowLocksAndTurns() async throws {
      // Of its own: while a transaction is open, no stream of commits begins on its server.
      let server = try PostgresServer("turns")
      defer { try? server.stop() }
      let database = try TestDatabase(on: server)
      database.perform([Post.self]) { $0.try(submit: PostChangeRequest.creationRequest(Post(title: "row"))) }
      var options = PostgresOptions(connection: database.server.connection(to: database.name))
      options.retry = .limited(50)
      let workspace = PostgresWorkspace(options, writeConcurrency: .unordered, errorHandler: { _ in })
      @Sendable func change(_ context: any TransactionContext, _ key: String) {
        guard let post = workspace.fetch(for: Post.self).first(where: Post.title == "row"),
          let request = PostChangeRequest.changeRequest(post)
        else { return }
        request.priority += 1
        context.try(submit: request)
        context.dictionary[key] = 1
      }
      // An attempt that finds no table for keys is repeated.
      #expect(TestDatabase.perform([Post.self], in: workspace) { change($0, "first") })
      let (hasLock, mayEnd) = (Gate(), Gate())
      let isFirstAttempt = Locked(true)
      let threads = BackgroundThreads(2) { number in
        if number == 0 {
          let isStored = TestDatabase.perform([Post.self], in: workspace) { context in
            change(context, "first")
            // Sends the change, which locks the row.
            _ = workspace.fetch(for: Post.self).all()
            let isFirst = isFirstAttempt.value
            isFirstAttempt.value = false
            hasLock.open()
            if isFirst { mayEnd.wait() }
          }
          #expect(isStored)
        } else {
          hasLock.wait()
          #expect(TestDatabase.perform([Post.self], in: workspace) { change($0, "second") })
        }
      }
      let waiting = """
        SELECT count(*) FROM pg_stat_activity WHERE datname = '\(database.name)' AND wait_event_type = 'Lock'
        """
      #expect(await onThread { eventually { (try? database.sql(waiting)) == "1" } })
      workspace.dictionary["third"] = 1
      // The background write has requested its turn by then.
      try await Task.sleep(for: .milliseconds(300))
      mayEnd.open()
      #expect(await onThread { threads.end() }, "the transactions wait for each other")
      #expect(workspace.fetch(for: Post.self).all().map(\.priority) == [3])
      await workspace.shutdown()
    }
  #endif

  @Test("Work without a time limit has none, although the role has one")
  func withoutTimeout() throws {
    let database = try TestDatabase()
    let limited = database.server.connection(to: database.name) + " options='-c statement_timeout=500'"
    let options = PostgresOptions(connection: limited)
    #expect(throws: PostgresError.self) {
      try PostgresConnection(options).query("SELECT pg_sleep(1)", for: "Sleeping") { _ in true }
    }
    try PostgresConnection.withoutTimeout(options).query("SELECT pg_sleep(1)", for: "Sleeping") { _ in true }
  }

  @Test("Quotes are doubled whatever follows them", arguments: ["a\"b", "a\"\u{301}b", "\"", "a'\u{301}b", "''"])
  func quotes(text: String) throws {
    let database = try TestDatabase()
    #expect(try database.sql("SELECT \(PostgresName.literal(text))") == text)
    try database.sql("CREATE SCHEMA \(PostgresName.quoted(text))")
    #expect(try database.sql("SELECT nspname FROM pg_namespace WHERE nspname = \(PostgresName.literal(text))") == text)
  }
}
