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
        // On a busy machine, a new connection may wait long for one of the two to the server.
        $0.connectTimeout = 300
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

  @Test("Prepared statements that were left on are switched off before a fetch gets another one's rows")
  func preparedStatementsLeftOn() throws {
    let server = try PostgresServer.shared.get()
    let pooler = try Pooler(server)
    let database = try TestDatabase()
    database.perform([Post.self]) { transaction in
      for number in 0..<8 {
        transaction.try(submit: PostChangeRequest.creationRequest(Post(title: "\(number)", priority: Int32(number))))
      }
    }
    func pooled(_ sql: String) throws -> String {
      try server.psql(sql, in: database.name, through: pooler.folder, port: 6432)
    }
    #expect(eventually { (try? pooled("SELECT 1")) == "1" })
    let workspaces = (0..<4).map { _ in
      database.other {
        $0.connection = pooler.connection(to: database.name)
        $0.connectTimeout = 300
        $0.statementTimeout = 60
      }
    }
    // Each workspace has executed other statements before, so that a name would stand for another one.
    let wrong = Collected<String>()
    let threads = BackgroundThreads(8) { number in
      let posts = workspaces[number % 4].fetch(for: Post.self)
      for round in 0..<40 {
        let value = Int32((number + round) % 8)
        let found: [String] =
          switch (number + round) % 4 {
          case 0: posts.where(Post.title == "\(value)").map(\.title)
          case 1: posts.where(Post.priority == value).map(\.title)
          case 2: posts.where(Post.priority < value, orderBy: [Post.title.descending]).prefix(1).map(\.title)
          default: ["\(posts.count())"]
          }
        let expected =
          switch (number + round) % 4 {
          case 2: value == 0 ? [] : ["\(value - 1)"]
          case 3: ["8"]
          default: ["\(value)"]
          }
        if found != expected { wrong.append("\(found) instead of \(expected)") }
      }
    }
    #expect(threads.end())
    #expect(wrong.values.isEmpty, "\(wrong.values.count): \(wrong.values.first ?? "")")
    #expect(Self.increment(in: workspaces[0]))
    for _ in 0..<4 {
      let settings = "current_setting('statement_timeout') || current_setting('default_transaction_isolation')"
      #expect(try pooled("SELECT \(settings)") == "0read committed")
      #expect(try pooled("SELECT count(*) FROM pg_prepared_statements") == "0")
    }
    for workspace in workspaces { workspace.shutdown() }
    #expect(database.errors.values.isEmpty, "\(database.errors.values.first.map { "\($0)" } ?? "")")
    withExtendedLifetime(pooler) {}
  }
}
