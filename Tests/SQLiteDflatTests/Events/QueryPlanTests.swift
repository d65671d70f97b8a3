import Dflat
import EngineTestSupport
import Golden_post
import Testing

@testable import SQLiteDflat

@Suite("A query is explained")
struct QueryPlanTests {
  @Test("explain names how a query would be answered now: by nothing, a key, an index or a scan")
  func plans() throws {
    let store = try PostStore()
    let posts = store.workspace.fetch(for: Post.self)
    #expect(try posts.explain(where: Post.title == "a").access == .nothing)
    store.insert("a", "b", priority: 3)
    let key = try posts.explain(where: Post.title == "a")
    #expect(key.access == .key)
    #expect(key.databasePlan.contains { $0.hasPrefix("SEARCH post") })
    let index = try posts.explain(where: Post.priority > 2 && Post.tag == "x", orderBy: [Post.tag.ascending])
    #expect(index.access == .index(["priority"]))
    #expect(index.filter?.contains("\"x\"") == true)
    #expect(index.sortsRows)
    #expect(index.databasePlan.contains { $0.contains("i0 USING") })
    #expect(index.description.contains("Post: by the index of priority\nEach row is filtered: "))
    let scan = try posts.explain(where: Post.tag == "x")
    #expect(scan.access == .scan)
    #expect(scan.databasePlan == ["SCAN m"])
    #expect(try posts.explain(limit: .limit(0)).access == .nothing)
    #expect(try posts.explain(limit: .limit(3), orderBy: [Post.title.ascending]).access == .key)
    store.workspace.shutdown()
    #expect(throws: StoreError.self) { try posts.explain() }
  }

  @Test("A plan names the indexes that are not complete, until they are")
  func incompleteIndexes() async throws {
    let store = try PostStore()
    let workspace = store.workspace
    store.insert("a", "b", priority: 3)
    try store.store.sql("DELETE FROM post__f10 WHERE rowid = 2")
    let plan = try workspace.fetch(for: Post.self).explain(where: Post.priority > 2)
    #expect(plan.access == .scan)
    #expect(plan.incompleteIndexes == ["priority"])
    #expect(try !workspace.indexesAreComplete(Post.self))
    let shares = Collected<Double>()
    try await workspace.waitForIndexes(of: Post.self) { shares.append($0) }
    #expect(try workspace.indexesAreComplete(Post.self))
    #expect(shares.values.last == 1)
    #expect(try workspace.fetch(for: Post.self).explain(where: Post.priority > 2).access == .index(["priority"]))
  }

  @Test("A wait for indexes reports their progress, and ends with the error that prevents their filling")
  func waiting() async throws {
    let store = try TestStore()
    let workspace = store.workspace
    // Nothing is stored yet, so that nothing is missing.
    #expect(try workspace.indexesAreComplete(Post.self))
    try await workspace.waitForIndexes(of: Post.self)
    store.perform([Post.self]) { context in
      for number in 0..<3_000 {
        context.try(submit: PostChangeRequest.creationRequest(Post(title: "\(number)", priority: Int32(number))))
      }
    }
    try store.sql("DELETE FROM post__f10")
    let shares = Collected<Double>()
    try await workspace.waitForIndexes(of: Post.self) { shares.append($0) }
    #expect(shares.values.count > 2)
    #expect(shares.values == shares.values.sorted() && shares.values.allSatisfy { 0...1 ~= $0 })
    try store.sql("DELETE FROM post__f10")
    try workspace.addTrigger("fails BEFORE INSERT ON post__f10 BEGIN SELECT RAISE(ABORT, 'no entry'); END")
    let error = await #expect(throws: StoreError.self) { try await workspace.waitForIndexes(of: Post.self) }
    let cause = "\(error?.cause ?? CancellationError())"
    #expect(cause.contains("no entry"))
    try workspace.removeTrigger("fails")
    try await workspace.waitForIndexes(of: Post.self)
    #expect(try workspace.indexesAreComplete(Post.self))
    await workspace.shutdown()
    await #expect(throws: StoreError.self) { try await workspace.waitForIndexes(of: Post.self) }
  }
}
