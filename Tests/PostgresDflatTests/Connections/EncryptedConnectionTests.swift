import Dflat
import EngineTestSupport
import Golden_post
import PostgresDflat
import TestSupport
import Testing

@Suite("Connections with TLS")
struct EncryptedConnectionTests {
  @Test("Results of any length arrive through a proxy whose records are larger than the room that libpq has for them")
  func largeRecords() throws {
    let server = try PostgresServer.shared.get()
    // In pieces of 8 KiB, as the server sends it, the pooler would encrypt an answer in records that libpq has room for.
    let proxy = try StallingProxy(server)
    defer { proxy.close() }
    proxy.collectAnswers()
    let pooler = try Pooler(server, at: proxy.folder, encrypts: true)
    let database = try TestDatabase()
    let count = 120
    database.perform([Post.self]) { transaction in
      for number in 0..<count {
        let tag = String(repeating: "x", count: 400 + number)
        transaction.try(submit: PostChangeRequest.creationRequest(Post(title: "\(number)", tag: tag)))
      }
    }
    #expect(
      eventually {
        (try? server.psql("SELECT 1", in: database.name, through: pooler.folder, port: 6432)) == "1"
      })
    let workspace = database.other {
      $0.connection = pooler.connection(to: database.name)
      $0.usesPreparedStatements = false
    }
    let reader = BackgroundThreads { _ in
      for limit in 1...count {
        #expect(workspace.fetch(for: Post.self).all(limit: .limit(limit)).count == limit)
      }
      let isStored = TestDatabase.perform([Post.self], in: workspace) {
        $0.try(submit: PostChangeRequest.creationRequest(Post(title: "encrypted")))
      }
      #expect(isStored)
      workspace.shutdown()
    }
    // A reader that does not see the end of an answer waits without end.
    #expect(reader.end(within: 300))
    #expect(database.workspace.fetch(for: Post.self).count() == count + 1)
    #expect(database.errors.values.isEmpty, "\(database.errors.values)")
    withExtendedLifetime(pooler) {}
  }
}
