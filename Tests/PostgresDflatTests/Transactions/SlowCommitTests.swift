import Dflat
import EngineTestSupport
import Golden_post
import PostgresDflat
import TestSupport
import Testing

@Suite("What the server reports after a COMMIT does not undo it")
struct SlowCommitTests {
  @Test("A transaction is reported as stored if it is stored, although its COMMIT has taken longer than the time limit")
  func lateTimeout() throws {
    let server = try PostgresServer("slow-commit")
    // Each COMMIT takes a tenth of a second, in which nothing can interrupt it.
    for setting in ["fsync = on", "commit_delay = 100000", "commit_siblings = 0"] {
      try server.psql("ALTER SYSTEM SET \(setting)")
    }
    try server.psql("SELECT pg_reload_conf()")
    #expect(eventually { (try? server.psql("SELECT 1 WHERE current_setting('commit_delay') = '100000'")) == "1" })
    let database = try TestDatabase(on: server)
    database.perform([Post.self]) { $0.try(submit: PostChangeRequest.creationRequest(Post(title: "first"))) }
    let workspace = database.other { $0.statementTimeout = 0.06 }
    var stored: Set = ["first"]
    for number in 0..<10 {
      // On a busy machine, an earlier statement may take too long, and then nothing is stored.
      let isStored = TestDatabase.perform([Post.self], in: workspace) {
        $0.try(submit: PostChangeRequest.creationRequest(Post(title: "\(number)")))
      }
      if isStored { stored.insert("\(number)") }
    }
    #expect(Set(database.workspace.fetch(for: Post.self).all().map(\.title)) == stored)
    workspace.shutdown()
  }

  @Test("A transaction whose COMMIT has succeeded is stored, although an error follows before the end of the answer")
  func errorAfterCommit() throws {
    let database = try TestDatabase()
    let proxy = try StallingProxy(database.server)
    defer { proxy.close() }
    database.perform([Post.self]) { $0.try(submit: PostChangeRequest.creationRequest(Post(title: "first"))) }
    let workspace = database.other {
      $0.connection = database.server.connection(to: database.name, through: proxy.folder)
    }
    // A server answers so if its statement_timeout passes just before COMMIT makes the transaction durable: it reports the timeout when
    // it reads the next message. A debugger that stops the session in `EndTransactionBlock` shows it on versions 14 to 18.
    proxy.failAfterCommits()
    let runs = Locked(0)
    database.perform([Post.self], in: workspace) {
      runs.value += 1
      $0.try(submit: PostChangeRequest.creationRequest(Post(title: "second")))
    }
    #expect(runs.value == 1)
    #expect(database.workspace.fetch(for: Post.self).all().map(\.title) == ["first", "second"])
    #expect(database.errors.values.isEmpty, "\(database.errors.values)")
    workspace.shutdown()
  }
}
