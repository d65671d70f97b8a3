import Dflat
import EngineTestSupport
import Golden_post
import PostgresDflat
import TestSupport
import Testing

@Suite("Events of a store in PostgreSQL")
struct PostgresEventTests {
  private func create(_ numbers: Range<Int>, in database: TestDatabase) {
    database.perform([Post.self]) { transaction in
      for number in numbers {
        transaction.try(
          submit: PostChangeRequest.creationRequest(Post(title: "\(number)", tag: "t", priority: Int32(number))))
      }
    }
  }

  @Test("The event of a query has its plan, its rows and its error")
  func queries() async throws {
    let database = try TestDatabase()
    let workspace = database.workspace
    create(0..<10, in: database)
    try await workspace.waitForIndexes(of: Post.self)
    let events = Collected<QueryEvent>()
    let subscription = workspace.onQuery { events.append($0) }
    _ = workspace.fetch(for: Post.self).where(Post.title == "3")
    _ = workspace.fetch(for: Post.self).where(Post.priority > 5 && Post.tag == "t")
    _ = workspace.fetch(for: Post.self).where(Post.tag == "u")
    _ = workspace.fetch(for: Post.self).count(where: Post.priority > 5)
    database.perform([Post.self]) { _ in _ = workspace.fetch(for: Post.self).all() }
    #expect(eventually { events.values.count == 5 })
    let values = events.values
    #expect(values.map(\.plan.access) == [.key, .index(["priority"]), .scan, .index(["priority"]), .scan])
    #expect(values.map(\.rowsRead) == [1, 4, 10, 0, 10])
    #expect(values.map(\.rowsReturned) == [1, 4, 0, 4, 10])
    #expect(values.map(\.isInTransaction) == [false, false, false, false, true])
    #expect(values.allSatisfy { $0.error == nil && $0.statement.hasPrefix("SELECT ") })
    try database.sql("ALTER TABLE post RENAME COLUMN p TO q")
    _ = workspace.fetch(for: Post.self).where(Post.title == "3")
    #expect(eventually { events.values.count == 6 })
    #expect(events.values.last?.error?.cause is PostgresError)
    try database.sql("ALTER TABLE post RENAME COLUMN q TO p")
    subscription.cancel()
  }

  @Test("The event of a transaction has its changes, and how often its closure has run")
  func transactions() throws {
    let database = try TestDatabase()
    create(0..<2, in: database)
    let events = Collected<TransactionEvent>()
    let subscription = database.workspace.onTransaction { events.append($0) }
    let other = database.other()
    var runs = 0
    database.perform([Post.self]) { transaction in
      runs += 1
      guard let post = database.workspace.fetch(for: Post.self).first(where: Post.title == "0"),
        let request = PostChangeRequest.changeRequest(post)
      else { return }
      if runs == 1 {
        // Somebody else changes the object that was read.
        database.perform([Post.self], in: other) { transaction in
          guard let request = PostChangeRequest.changeRequest(post) else { return }
          request.priority += 1
          transaction.try(submit: request)
        }
      }
      request.priority += 10
      transaction.try(submit: request)
      transaction.try(submit: PostChangeRequest.creationRequest(Post(title: "new")))
      PostChangeRequest.deletionRequest(Post(title: "1")).map { _ = transaction.try(submit: $0) }
    }
    database.perform([Post.self], completing: false) { $0.abort() }
    #expect(eventually { events.values.count == 2 })
    let values = events.values
    #expect(values.map(\.outcome) == [.committed, .aborted])
    #expect(values.map(\.closureRuns) == [2, 1])
    #expect(values[0].insertedCount == 1 && values[0].updatedCount == 1 && values[0].deletedCount == 1)
    #expect(values[0].commitTime > .zero)
    subscription.cancel()
    other.shutdown()
  }

  @Test("A query is explained by the server, too")
  func plans() async throws {
    let database = try TestDatabase()
    let posts = database.workspace.fetch(for: Post.self)
    #expect(try posts.explain().access == .nothing)
    create(0..<10, in: database)
    try await database.workspace.waitForIndexes(of: Post.self)
    #expect(try database.workspace.indexesAreComplete(Post.self))
    let key = try posts.explain(where: Post.title == "3")
    #expect(key.access == .key)
    #expect(key.databasePlan.contains { $0.contains("__pk0") })
    let index = try posts.explain(where: Post.priority > 5 && Post.tag == "t", orderBy: [Post.priority.ascending])
    #expect(index.access == .index(["priority"]))
    #expect(index.filter?.contains("\"t\"") == true)
    #expect(index.sortsRows)
    #expect(index.databasePlan.contains { $0.contains("rows=") })
    #expect(try posts.explain(where: Post.tag == "t").access == .scan)
    await database.workspace.shutdown()
    #expect(throws: StoreError.self) { try posts.explain() }
  }

  @Test("A request that is refused is no change")
  func refusedRequests() throws {
    let database = try TestDatabase()
    create(0..<2, in: database)
    let events = Collected<TransactionEvent>()
    let subscription = database.workspace.onTransaction { events.append($0) }
    let isRefused = Locked(false)
    database.perform([Post.self]) { transaction in
      do {
        // The first run does not wait for the answer.
        isRefused.value = false
        _ = try transaction.submit(PostChangeRequest.creationRequest(Post(title: "1")))
      } catch {
        isRefused.value = true
      }
    }
    #expect(isRefused.value)
    #expect(eventually { events.values.count == 1 })
    #expect(events.values.first?.outcome == .committed)
    #expect(events.values.first?.insertedCount == 0)
    subscription.cancel()
  }
}
