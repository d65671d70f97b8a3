import Dflat
import EngineTestSupport
import Golden_post
import PostgresDflat
import Testing

@Suite("A connection that breaks during COMMIT")
struct LostCommitTests {
  @Test("leaves the object stored once, whether the server has committed or not", arguments: CuttingProxy.Cut.allCases)
  func storedOnce(cut: CuttingProxy.Cut) throws {
    let database = try TestDatabase()
    // The table is there, so that the first COMMIT is that of the transaction.
    database.perform([Post.self]) { $0.try(submit: PostChangeRequest.creationRequest(Post(title: "first"))) }
    let proxy = try CuttingProxy(database.server, cut)
    let errors = database.errors
    let workspace = PostgresWorkspace(
      connection: "host=\(proxy.folder) dbname=\(database.name) user=\(database.server.user)",
      errorHandler: { errors.append($0) })
    let calls = Locked(0)
    let isStored = TestDatabase.perform([Post.self], in: workspace) { transaction in
      calls.change { $0 += 1 }
      // A read first: the type is known to be there then, and no table has to be looked for with a COMMIT of its own.
      let count = workspace.fetch(for: Post.self).count()
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
}
