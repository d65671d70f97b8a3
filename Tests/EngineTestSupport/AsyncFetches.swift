import Dflat
import Golden_post
import Testing

/// Checks that fetches of tasks find what the others do, in a workspace of any engine that is empty.
package func checkAsyncFetches(in workspace: any Workspace) async throws {
  #expect(try await workspace.fetch(for: Post.self).async.all().isEmpty)
  await workspace.performChanges([Post.self]) { transaction in
    for number in 0..<10 {
      transaction.try(submit: PostChangeRequest.creationRequest(Post(title: "\(number)", priority: Int32(number % 3))))
    }
  }
  let builder = workspace.fetch(for: Post.self)
  let order = [Post.priority.descending]
  #expect(try await builder.async.all(orderBy: order) == builder.all(orderBy: order))
  let query = Post.priority == 1
  #expect(try await builder.async.where(query, limit: .limit(2)) == builder.where(query, limit: .limit(2)))
  #expect(try await builder.async.first(where: query) == builder.first(where: query))
  #expect(try await builder.async.first(orderBy: order) == builder.first(orderBy: order))
  #expect(try await builder.async.count(where: query) == 3)
  #expect(try await builder.async.count() == 10)
  #expect(try await builder.async.exists())
  #expect(try await builder.async.exists(where: Post.priority == 7) == false)
  let page = try await builder.async.where(query, orderBy: order, after: builder.first(where: query))
  #expect(page.count == 2)
  #expect(
    try await builder.async.all(limit: .limit(4), orderBy: order, after: builder.first(orderBy: order)).count == 4)
  await workspace.shutdown()
  await #expect(throws: StoreError.self) { try await builder.async.count() }
}
