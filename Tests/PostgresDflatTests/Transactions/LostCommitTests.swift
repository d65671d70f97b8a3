import Dflat
import EngineTestSupport
import Golden_post
import PostgresDflat
import Testing

@Suite("A connection that breaks during COMMIT loses nothing and stores nothing twice")
struct LostCommitTests {
  /// What the closure reads first. The number that the server gives the transaction comes with the answer.
  enum FirstRead: CaseIterable {
    case count
    case key
    case missingKey

    func callAsFunction(_ workspace: PostgresWorkspace) -> Int {
      let posts = workspace.fetch(for: Post.self)
      return switch self {
      case .count: posts.count()
      case .key: posts.where(Post.title == "first").count
      case .missingKey: posts.where(Post.title == "none").count + 1
      }
    }
  }

  @Test(
    "A connection that breaks during COMMIT leaves the object stored once, committed or not",
    arguments: CuttingProxy.Cut.allCases, FirstRead.allCases)
  func storedOnce(cut: CuttingProxy.Cut, firstRead: FirstRead) throws {
    let database = try TestDatabase()
    // The table is there, and need not be made.
    database.perform([Post.self]) { $0.try(submit: PostChangeRequest.creationRequest(Post(title: "first"))) }
    let proxy = try CuttingProxy(database.server, cut)
    let errors = database.errors
    let workspace = PostgresWorkspace(
      connection: database.server.connection(to: database.name, through: proxy.folder),
      errorHandler: { errors.append($0) })
    // The table is known, so that the first read of the transaction is its first statement.
    #expect(workspace.fetch(for: Post.self).count() == 1)
    let calls = Locked(0)
    let isStored = TestDatabase.perform([Post.self], in: workspace) { transaction in
      calls.change { $0 += 1 }
      let count = firstRead(workspace)
      transaction.try(submit: PostChangeRequest.creationRequest(Post(title: "\(count)")))
    }
    #expect(proxy.isCut && isStored)
    // The closure is run again only if nothing was stored.
    #expect(calls.value == (cut == .before ? 2 : 1))
    #expect(database.workspace.fetch(for: Post.self).all().map(\.title) == ["first", "1"])
    #expect(errors.values.isEmpty, "\(errors.values)")
    workspace.shutdown()
    proxy.close()
  }

  @Test("After a lost COMMIT, a key has the transaction's value, not one that was set meanwhile")
  func key() throws {
    let database = try TestDatabase()
    database.workspace.dictionary["key"] = 0
    #expect(database.workspace.dictionary.synchronize())
    let proxy = try CuttingProxy(database.server, .after)
    let errors = database.errors
    var options = PostgresOptions(connection: database.server.connection(to: database.name, through: proxy.folder))
    // The background write of the pending key needs a connection, too. So the transaction is the first to store, and the proxy cuts
    // it off.
    options.connectionLimit = 1
    let workspace = PostgresWorkspace(options, errorHandler: { errors.append($0) })
    let isStored = TestDatabase.perform([], in: workspace) { transaction in
      transaction.dictionary["key"] = 1
      workspace.dictionary["key"] = -1
    }
    #expect(proxy.isCut && isStored)
    #expect(workspace.dictionary["key"] == 1)
    #expect(workspace.dictionary.synchronize())
    #expect(database.workspace.dictionary["key"] == 1)
    #expect(errors.values.isEmpty, "\(errors.values)")
    workspace.shutdown()
    proxy.close()
  }
}
