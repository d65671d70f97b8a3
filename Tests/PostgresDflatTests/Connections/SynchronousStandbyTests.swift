import Dflat
import EngineTestSupport
import Golden_post
import PostgresDflat
import TestSupport
import Testing

@Suite("A server that waits for its standby")
struct SynchronousStandbyTests {
  /// How many sessions wait for the standby.
  private static let waiting = "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'"

  @Test("A transaction whose wait is cancelled completes with true only once the server need not wait any more")
  func cancelledWait() throws {
    let server = try PostgresServer("unconfirmed")
    let database = try TestDatabase(on: server)
    database.perform([Post.self]) { $0.try(submit: PostChangeRequest.creationRequest(Post(title: "first"))) }
    try server.holdCommits()
    let calls = Locked(0)
    let transaction = PendingTransaction([Post.self], in: database.workspace) { context in
      calls.change { $0 += 1 }
      context.try(submit: PostChangeRequest.creationRequest(Post(title: "second")))
    }
    for _ in 0..<3 {
      #expect(try eventually { try server.psql(Self.waiting) == "1" })
      try server.cancelHeldCommits()
    }
    // It is stored, and everybody sees it; but a standby that took over would not have it.
    #expect(try eventually { try database.sql("SELECT count(*) FROM post") == "2" })
    #expect(try eventually { try server.psql(Self.waiting) == "1" })
    #expect(!transaction.hasCompleted)
    try server.releaseCommits()
    #expect(transaction.outcome() == true)
    #expect(calls.value == 1)
    #expect(try database.sql("SELECT count(*) FROM post") == "2")
    database.perform([Post.self]) { $0.try(submit: PostChangeRequest.creationRequest(Post(title: "third"))) }
    #expect(database.errors.values.isEmpty, "\(database.errors.values)")
  }
}
