import Dflat
import EngineTestSupport
import Foundation
import Golden_post
import PostgresDflat
import TestSupport
import Testing

@Suite("A workspace that reads a hot standby")
struct StandbyTests {
  /// A primary with a database, and a standby to which it is sent.
  private struct Pair {
    let database: TestDatabase
    let standby: PostgresServer
    let errors = Collected<any Error>()

    init(_ name: String) throws {
      let primary = try PostgresServer("primary-\(name)")
      database = try TestDatabase(on: primary)
      standby = try PostgresServer(standbyOf: primary, "standby-\(name)")
    }

    /// A workspace of the standby.
    func workspace(_ configure: (inout PostgresOptions) -> Void = { _ in }) -> PostgresWorkspace {
      var options = PostgresOptions(connection: standby.connection(to: database.name))
      options.readsStandby = true
      options.retry = .limited(3)
      configure(&options)
      let workspace = PostgresWorkspace(options, errorHandler: { [errors] in errors.append($0) })
      workspace.waitForCallbacks()
      return workspace
    }

    func store(_ titles: [String], priority: Int32 = 5) {
      database.perform([Post.self]) { transaction in
        for title in titles {
          transaction.try(submit: PostChangeRequest.creationRequest(Post(title: title, priority: priority)))
        }
        transaction.dictionary["count"] = titles.count
      }
    }

    /// Waits until the standby shows what the primary has committed.
    func catchUp() throws {
      let position = try database.server.psql("SELECT pg_current_wal_flush_lsn()")
      let isBehind = "SELECT pg_last_wal_replay_lsn() < '\(position)'"
      #expect(eventually { (try? standby.psql(isBehind)) == "f" })
    }
  }

  @Test("Fetches, counts, keys and snapshots show what the primary has committed; every write is refused")
  func reading() async throws {
    let pair = try Pair("reading")
    try await pair.database.workspace.prepare([Post.self])
    pair.store(["a", "b", "c"])
    try pair.catchUp()
    let workspace = pair.workspace()
    #expect(workspace.fetch(for: Post.self).where(Post.priority > 3).map(\.title) == ["a", "b", "c"])
    #expect(workspace.fetch(for: Post.self).by("b")?.title == "b")
    #expect(workspace.fetch(for: Post.self).count() == 3)
    #expect(workspace.dictionary["count", Int.self] == 3)
    #expect(try await workspace.check([Post.self]).isComplete)
    try await workspace.ping()

    // One state of the database, whatever the standby is sent meanwhile.
    workspace.fetchWithinASnapshot {
      #expect(workspace.fetch(for: Post.self).count() == 3)
      pair.store(["d"])
      #expect(throws: Never.self) { try pair.catchUp() }
      #expect(workspace.fetch(for: Post.self).count() == 3)
    }
    #expect(workspace.fetch(for: Post.self).count() == 4)
    #expect(pair.errors.values.isEmpty, "\(pair.errors.values)")

    let before = try pair.database.sql("SELECT count(*) FROM post")
    #expect(
      !TestDatabase.perform([Post.self], in: workspace) { transaction in
        transaction.try(submit: PostChangeRequest.creationRequest(Post(title: "new")))
      })
    #expect(causes(pair) == [.readOnly], "\(pair.errors.values)")
    await #expect {
      try await workspace.performChanges([Post.self]) { transaction in
        _ = try transaction.submit(PostChangeRequest.creationRequest(Post(title: "new")))
        return true
      }
    } throws: { error in
      (error as? TransactionError)?.cause(is: .readOnly) == true
    }
    workspace.dictionary["count"] = 17
    #expect(workspace.dictionary["count"] == 1, "what the primary has stored")
    #expect(workspace.dictionary.synchronize(), "nothing waits to be written")
    let refusals = pair.errors.values.compactMap { $0 as? DictionaryError }
    #expect(refusals.map(\.key) == ["count"])
    let error = await #expect(throws: PostgresError.self) { try await workspace.prepare([Post.self]) }
    #expect(error?.cause == .readOnly && error?.message.contains("readsStandby") == true)
    #expect(Set(causes(pair)) == [.readOnly], "\(pair.errors.values)")
    await workspace.shutdown()
    #expect(try pair.database.sql("SELECT count(*) FROM post") == before)
    #expect(pair.database.errors.values.isEmpty, "\(pair.database.errors.values)")
  }

  private func causes(_ pair: Pair) -> [PostgresError.Cause] {
    pair.errors.values.compactMap { ($0 as? PostgresError)?.cause }
  }

  @Test("The error handler is told once why subscribers hear nothing, and an error names the missing option")
  func refusals() async throws {
    let pair = try Pair("refusals")
    pair.store(["a"])
    try pair.catchUp()
    let workspace = pair.workspace()
    let subscription = workspace.subscribe(fetchedResult: workspace.fetch(for: Post.self).all()) { _ in }
    #expect(eventually { causes(pair) == [.readOnly] }, "\(pair.errors.values)")
    #expect(workspace.fetch(for: Post.self).count() == 1)
    withExtendedLifetime(subscription) {}
    await workspace.shutdown()
    #expect(causes(pair) == [.readOnly], "\(pair.errors.values)")

    let unaware = pair.workspace { $0.readsStandby = false }
    do throws(StoreError) {
      _ = try unaware.fetch(for: Post.self).throwing.count()
      Issue.record("the standby has answered a serializable transaction")
    } catch {
      #expect("\(error)".contains("PostgresOptions.readsStandby"), "\(error)")
    }
    await unaware.shutdown()
  }
}

extension TransactionError {
  /// Whether the server or the workspace has refused for a certain reason.
  fileprivate func cause(is cause: PostgresError.Cause) -> Bool {
    if case .others(let error as PostgresError) = self { error.cause == cause } else { false }
  }
}
