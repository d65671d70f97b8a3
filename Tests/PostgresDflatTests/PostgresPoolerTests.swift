import Dflat
import EngineTestSupport
import Golden_post
import PostgresDflat
import TestSupport
import Testing

@Suite("Behind pgbouncer, which hands connections out for single transactions")
struct PostgresPoolerTests {
  private static func increment(in workspace: PostgresWorkspace) -> Bool {
    TestDatabase.perform([Post.self], in: workspace) { transaction in
      guard let post = workspace.fetch(for: Post.self).first(where: Post.title == "counter"),
        let request = PostChangeRequest.changeRequest(post)
      else { return }
      request.priority += 1
      transaction.try(submit: request)
    }
  }

  @Test("Transactions, fetches, snapshots, keys, indexes and subscriptions work, and leave no setting behind")
  func everything() throws {
    let server = try PostgresServer.shared.get()
    let pooler = try Pooler(server)
    // Everything that is read or written goes through the pooler; the database is made beside it.
    let database = try TestDatabase()
    let workspaces = (0..<2).map { _ in
      database.other {
        $0.directConnection = $0.connection
        $0.connection = pooler.connection(to: database.name)
        $0.usesPreparedStatements = false
        $0.statementTimeout = 60
      }
    }
    #expect(
      eventually {
        (try? server.psql("SELECT 1", in: database.name, through: pooler.folder, port: 6432)) == "1"
      })
    database.perform([Post.self], in: workspaces[0]) {
      _ = $0.try(submit: PostChangeRequest.creationRequest(Post(title: "counter", priority: 0)))
    }
    let told = Collected<Int32?>()
    let subscription = workspaces[1].subscribe(
      fetchedResult: workspaces[1].fetch(for: Post.self).where(Post.title == "counter")
    ) { told.append($0.first?.priority) }
    let threads = BackgroundThreads(8) { number in
      for _ in 0..<10 { #expect(Self.increment(in: workspaces[number % 2])) }
    }
    #expect(threads.end())
    for workspace in workspaces {
      workspace.fetchWithinASnapshot {
        let post = workspace.fetch(for: Post.self).where(Post.priority == 80).first
        #expect(post?.title == "counter")
        #expect(workspace.fetch(for: Post.self).count() == 1)
      }
    }
    #expect(eventually { told.values.last == 80 })
    workspaces[0].dictionary["key"] = 7
    #expect(workspaces[0].dictionary.synchronize())
    #expect(workspaces[1].dictionary["key", Int.self] == 7)
    let isReplaced = TestDatabase.perform([Post.self], in: workspaces[1]) { transaction in
      transaction.try(submit: PostChangeRequest.upsertRequest(Post(title: "counter", priority: 100)))
      transaction.dictionary["key"] = 8
    }
    #expect(isReplaced)
    #expect(workspaces[0].fetch(for: Post.self).first(where: Post.priority > 90)?.title == "counter")
    #expect(workspaces[0].dictionary["key", Int.self] == 8)
    for _ in 0..<4 {
      let timeout = try server.psql("SHOW statement_timeout", in: database.name, through: pooler.folder, port: 6432)
      #expect(timeout == "0")
    }
    subscription.cancel()
    for workspace in workspaces { workspace.shutdown() }
    #expect(database.errors.values.isEmpty, "\(database.errors.values)")
    withExtendedLifetime(pooler) {}
  }
}
