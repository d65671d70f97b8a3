import EngineTestSupport
import CSQLite
import Dflat
import Golden_post
import Testing

@testable import SQLiteDflat

@Suite("A look-up while transactions are committed is never out of date")
struct PendingRaceTests {
  /// The database shows the key before the commit, and the pending changes show its deletion only until the commit.
  @Test("A key that an earlier transaction has given up is free, also while that is being committed")
  func keysGivenUp() throws {
    let store = try TestStore()
    let workspace = store.workspace
    let titles = (0..<60).map { "\($0)" }
    for round in 0..<20 {
      store.perform([Post.self]) { context in
        for title in titles { context.try(submit: PostChangeRequest.upsertRequest(Post(title: title))) }
      }
      let posts = workspace.fetch(for: Post.self).all()
      let refused = Collected<String>()
      let hasBegun = Gate()
      let (deletion, creation) = workspace.whileCommitsWait {
        let deletion = PendingTransaction([Post.self], in: workspace) { context in
          for post in posts { PostChangeRequest.deletionRequest(post).map { _ = context.try(submit: $0) } }
        }
        let creation = PendingTransaction([Post.self], in: workspace) { context in
          hasBegun.open()
          for title in titles {
            do throws(TransactionError) {
              _ = try context.typedSubmit(PostChangeRequest.creationRequest(Post(title: title)))
            } catch {
              refused.append(title)
            }
          }
        }
        #expect(hasBegun.wait())
        return (deletion, creation)
      }
      #expect(deletion.outcome() == true && creation.outcome() == true)
      #expect(refused.values.isEmpty, "round \(round)")
    }
    workspace.shutdown()
  }

  /// Calls a function when the next query of a connection has ended. Keep it as long as the connection is open.
  private final class AfterQuery: Sendable {
    private let next = Locked<(@Sendable () -> Void)?>(nil)

    init(_ connection: SQLiteConnection) {
      sqlite3_trace_v2(
        connection.handle, UInt32(SQLITE_TRACE_PROFILE),
        { _, context, statement, _ in
          guard let context, let statement, let sql = sqlite3_sql(OpaquePointer(statement)) else { return 0 }
          // A read transaction that has begun shows no commit version before its first query.
          if String(cString: sql).hasPrefix("SELECT") {
            Unmanaged<AfterQuery>.fromOpaque(context).takeUnretainedValue().call()
          }
          return 0
        }, Unmanaged.passUnretained(self).toOpaque())
    }

    func callOnce(_ body: @escaping @Sendable () -> Void) { next.value = body }

    var hasCalled: Bool { next.value == nil }

    private func call() {
      let body = next.change { (next: inout (@Sendable () -> Void)?) in
        defer { next = nil }
        return next
      }
      body?()
    }
  }

  @Test("An object whose row changes while it is fetched does not count as current")
  func changedDuringAFetch() throws {
    let store = try TestStore()
    let workspace = store.workspace
    store.perform([Post.self]) { $0.try(submit: PostChangeRequest.creationRequest(Post(title: "a"))) }
    let reader = try #require(try workspace.core.database.acquireReader(.fetch, inTransaction: false))
    let query = AfterQuery(reader)
    workspace.core.database.release(reader, .fetch)
    // The fetch uses the same reader, in a new read transaction, since there is a commit before.
    store.perform([Thing.self]) { $0.try(submit: ThingChangeRequest.creation(Thing(id: 1))) }
    query.callOnce {
      let change = PendingTransaction([Post.self], in: workspace) { context in
        let request = PostChangeRequest.changeRequest(Post(title: "a"))
        request?.priority = 5
        request.map { _ = context.try(submit: $0) }
      }
      #expect(change.outcome() == true)
    }
    let fetched = try #require(workspace.fetch(for: Post.self).first())
    #expect(query.hasCalled && fetched.priority == 0)
    store.perform([Post.self]) { _ in #expect(PostChangeRequest.changeRequest(fetched)?.priority == 5) }
    withExtendedLifetime(query) { workspace.shutdown() }
  }
}
