import EngineTestSupport
import Dflat
import Dispatch
import Foundation
import Golden_post
import Testing

@testable import SQLiteDflat

@Suite("Fetches run on any thread, each of one commit version")
struct FetchThreadTests {
  private func storeOfPosts(_ count: Int) throws -> TestStore {
    let store = try TestStore()
    store.perform([Post.self]) { context in
      for number in 0..<count {
        context.try(submit: PostChangeRequest.creationRequest(Post(title: "\(number)", priority: Int32(number))))
      }
    }
    return store
  }

  @Test("A thousand threads fetch at once, and each gets the right result")
  func aThousandThreadsFetchAtOnce() throws {
    let store = try storeOfPosts(100)
    let group = DispatchGroup()
    let counts = Collected<Int>()
    for number in 0..<1000 {
      group.enter()
      let thread = Thread {
        counts.append(
          store.workspace.fetch(for: Post.self).where(Post.priority < Int32(number % 100)).count - number % 100)
        group.leave()
      }
      thread.stackSize = 1 << 18
      thread.start()
    }
    #expect(group.wait(timeout: .now() + patience) == .success)
    #expect(counts.values == Array(repeating: 0, count: 1000))
    #expect(store.errors.values.isEmpty)
  }

  @Test("A snapshot shows one commit version")
  func aSnapshotShowsOneCommitVersion() throws {
    let store = try storeOfPosts(3)
    let workspace = store.workspace
    workspace.fetchWithinASnapshot {
      store.perform([Post.self]) { $0.try(submit: PostChangeRequest.creationRequest(Post(title: "new"))) }
      #expect(workspace.fetch(for: Post.self).all().count == 3)
      workspace.fetchWithinASnapshot {
        #expect(workspace.fetch(for: Post.self).where(Post.title == "new").isEmpty)
      }
      #expect(workspace.fetch(for: Post.self).all().count == 3)
      // Another thread is not in the snapshot.
      let count = Collected<Int>()
      let done = DispatchSemaphore(value: 0)
      Thread.detachNewThread {
        count.append(workspace.fetch(for: Post.self).all().count)
        done.signal()
      }
      done.wait()
      #expect(count.values == [4])
    }
    #expect(workspace.fetch(for: Post.self).all().count == 4)
  }

  @Test("A snapshot that begins without a file stays empty after a commit")
  func aSnapshotOfNothingStaysEmpty() throws {
    let store = try TestStore()
    store.workspace.fetchWithinASnapshot {
      store.perform([Post.self]) { $0.try(submit: PostChangeRequest.creationRequest(Post(title: "a"))) }
      #expect(store.workspace.fetch(for: Post.self).all().isEmpty)
    }
    #expect(store.workspace.fetch(for: Post.self).all().count == 1)
  }

  @Test("A snapshot whose closure throws gives its reader back")
  func aSnapshotThatThrowsIsOver() throws {
    struct Failure: Error {}
    let store = try storeOfPosts(1)
    for _ in 0..<50 {
      #expect(throws: Failure.self) { try store.workspace.fetchWithinASnapshot { throw Failure() } }
    }
    store.perform([Post.self]) { $0.try(submit: PostChangeRequest.creationRequest(Post(title: "new"))) }
    #expect(store.workspace.fetch(for: Post.self).all().count == 2)
  }

  @Test("Snapshots of two workspaces can be nested")
  func snapshotsOfTwoWorkspacesNest() throws {
    let (one, two) = (try TestStore(), try TestStore())
    checkNestedSnapshots(of: one.workspace, two.workspace)
  }

  /// As many as there are connections.
  @Test("As many snapshots as there are readers can all wait for transactions that fetch")
  func snapshotsMayWaitForTransactionsThatFetch() throws {
    let store = try TestStore()
    store.perform([Post.self]) { $0.try(submit: PostChangeRequest.creationRequest(Post(title: "a"))) }
    let workspace = store.workspace
    let done = DispatchGroup()
    let begun = DispatchGroup()
    for _ in 0..<ReaderPool.limit {
      begun.enter()
      done.enter()
      Thread.detachNewThread {
        workspace.fetchWithinASnapshot {
          begun.leave()
          begun.wait()
          let completed = DispatchSemaphore(value: 0)
          workspace.performChanges([]) { _ in
            #expect(workspace.fetch(for: Post.self).count() == 1)
          } completionHandler: { _ in
            completed.signal()
          }
          #expect(completed.wait(timeout: .now() + patience) == .success)
        }
        done.leave()
      }
    }
    #expect(done.wait(timeout: .now() + patience) == .success)
    // They are not kept, and closing waits for none of them.
    for _ in 0..<ReaderPool.limit { #expect(workspace.fetch(for: Post.self).count() == 1) }
    workspace.shutdown(flags: .truncate)
    #expect(store.errors.values.isEmpty)
  }

  @Test("A fetch that has returned holds no lock on the log")
  func aFetchHoldsNoLockAfterwards() throws {
    let store = try storeOfPosts(10)
    // By index, by key, by bytes, with limit and order; and one that stops early.
    _ = store.workspace.fetch(for: Post.self).where(Post.priority > 3)
    _ = store.workspace.fetch(for: Post.self).where(Post.title == "3")
    _ = store.workspace.fetch(for: Post.self).where(
      Post.color == .red, limit: .limit(1), orderBy: [Post.priority.descending])
    // Only when nobody reads can the log be reset.
    #expect(try store.sql("PRAGMA wal_checkpoint(TRUNCATE)").first?.first == "0")
  }

  @Test("Fetches beside many transactions never see half of a transaction")
  func manyTransactionsAndFetchesAtOnceAreConsistent() throws {
    let store = try storeOfPosts(20)
    let workspace = store.workspace
    let group = DispatchGroup()
    // Each transaction moves one unit of priority: the sum never changes.
    for number in 0..<100 {
      group.enter()
      workspace.performChanges([Post.self]) { context in
        for (title, change) in [("\(number % 20)", Int32(1)), ("\((number * 7 + 1) % 20)", -1)] {
          guard let request = PostChangeRequest.changeRequest(Post(title: title)) else { continue }
          request.priority += change
          context.try(submit: request)
        }
      } completionHandler: { _ in
        group.leave()
      }
    }
    let wrong = Collected<Int32>()
    DispatchQueue.concurrentPerform(iterations: 200) { _ in
      let sum = workspace.fetch(for: Post.self).all().reduce(0) { $0 + $1.priority }
      if sum != 190 { wrong.append(sum) }
    }
    #expect(group.wait(timeout: .now() + patience) == .success)
    #expect(wrong.values.isEmpty)
    #expect(store.errors.values.isEmpty)
  }

  @Test("The planner searches the index or the primary key where a condition allows it")
  func queriesUseTheIndexAndTheKey() throws {
    let store = try storeOfPosts(10)
    func plan(_ query: QueryExpression<Bool, Post>, limit: Limit = .noLimit, _ order: [OrderBy<Post>] = []) throws
      -> String
    {
      try #require(
        try store.workspace.core.withConnection { connection in
          let plan = try SQLiteFetchPlanner(Post._record, connection.reader(for: Post._record)).makePlan(
            FetchRequest(predicate: query._node, limit: limit, orderBy: order), for: .objects)
          return try PlainSQL.run("EXPLAIN QUERY PLAN " + plan.sql, in: store.path).compactMap { $0.last ?? nil }
            .joined(separator: "; ")
            + (plan.residual == nil ? "" : "; then the bytes")
        })
    }
    #expect(try plan(Post.title == "3").contains("SEARCH m USING INDEX sqlite_autoindex_post_1 (__pk0=?)"))
    #expect(try plan(Post.priority == 3).contains("SEARCH i0 USING COVERING INDEX index__post__f10 (f10=?)"))
    #expect(
      try plan(3 < Post.priority && Post.color == .red).contains(
        "SEARCH i0 USING COVERING INDEX index__post__f10 (f10>?)"))
    #expect(try plan(Post.priority > 3 && Post.color == .red).hasSuffix("then the bytes"))
    #expect(try plan(Post.priority != 3) == "SCAN m; then the bytes")
    let first = try plan(Post.title > "", limit: .limit(2), [Post.priority.ascending])
    #expect(first.hasPrefix("SCAN i0 USING COVERING INDEX index__post__f10") || first.hasPrefix("SEARCH m"))
  }

  @Test("A condition can have thousands of operators and 100,000 constants")
  func conditionsMayBeVeryLong() throws {
    let store = try storeOfPosts(10)
    let posts = store.workspace.fetch(for: Post.self)
    let none = (0..<5000).map { Post.priority == Int32(100 + $0) || Post.title == "x\($0)" }
    let either = none.reduce(Post.priority == 3) { $0 || $1 }
    #expect(posts.where(either).map(\.title) == ["3"])
    let all = (0..<5000).reduce(Post.title >= "") { $0 && Post.priority != Int32(100 + $1) }
    #expect(posts.where(all && Post.priority == 4).map(\.title) == ["4"])
    #expect(posts.where(Post.priority.in((0..<100_000).map { $0 * 5 })).map(\.title) == ["0", "5"])
    #expect(posts.where(Post.title.in((0..<1000).map { "\($0 * 7)" })).map(\.title) == ["0", "7"])
    #expect(store.errors.values.isEmpty)
  }

  @Test("A workspace can be used as any Workspace, until it is shut down")
  func aWorkspaceOfAnyKindIsUsedAlike() async throws {
    let store = try storeOfPosts(3)
    let workspace: any Workspace = store.workspace
    let success = await workspace.performChanges([Post.self]) { context in
      context.try(submit: PostChangeRequest.creationRequest(Post(title: "new")))
    }
    #expect(success)
    let titles = workspace.fetchWithinASnapshot {
      workspace.fetch(for: Post.self).all(limit: .limit(2), orderBy: [Post.title.descending]).map(\.title)
    }
    #expect(titles == ["new", "2"])
    #expect(workspace.fetch(for: Post.self).where(Post.color == .green).isEmpty)
    await workspace.shutdown(flags: .truncate)
    #expect(workspace.fetch(for: Post.self).all().isEmpty)
  }
}
