import Dflat
import EngineTestSupport
import Foundation
import Golden_post
import PostgresDflat
import TestSupport
import Testing

@Suite("A server that goes away, and a connection that is cut at any message")
struct PostgresLossTests {
  private static func titles(_ workspace: PostgresWorkspace) -> [String] {
    workspace.fetch(for: Post.self).all(orderBy: [Post.title.ascending]).map(\.title)
  }

  @Test(
    "While the server is away each call fails with the cause; when it is back the workspace works, and subscribers hear of it"
  )
  func restart() throws {
    let server = try PostgresServer("restart")
    let database = try TestDatabase(on: server)
    let workspace = database.workspace
    database.perform([Post.self]) { $0.try(submit: PostChangeRequest.creationRequest(Post(title: "a"))) }
    let told = Collected<[String]>()
    let subscription = workspace.subscribe(
      fetchedResult: workspace.fetch(for: Post.self).all(orderBy: [Post.title.ascending])
    ) { told.append($0.map(\.title)) }
    database.perform([Post.self]) { $0.try(submit: PostChangeRequest.creationRequest(Post(title: "b"))) }
    #expect(told.values.last == ["a", "b"])
    // It goes away while a transaction is open.
    database.perform([Post.self], completing: false) { transaction in
      transaction.try(submit: PostChangeRequest.creationRequest(Post(title: "lost")))
      _ = workspace.fetch(for: Post.self).count()
      try? server.stop()
      transaction.try(submit: PostChangeRequest.creationRequest(Post(title: "lost, too")))
    }
    #expect(throws: StoreError.self) { try workspace.fetch(for: Post.self).throwing.all() }
    database.perform([Post.self], completing: false) {
      _ = $0.try(submit: PostChangeRequest.creationRequest(Post(title: "refused")))
    }
    let causes = database.errors.values.map { ($0 as? PostgresError)?.cause }
    #expect(causes.contains(.unreachable))
    #expect(causes.allSatisfy { $0 == .unreachable || $0 == .connectionLost }, "\(database.errors.values)")
    try server.start()
    #expect(Self.titles(workspace) == ["a", "b"])
    database.perform([Post.self]) { $0.try(submit: PostChangeRequest.creationRequest(Post(title: "c"))) }
    #expect(Self.titles(workspace) == ["a", "b", "c"])
    #expect(eventually { told.values.last == ["a", "b", "c"] })
    withExtendedLifetime(subscription) {}
  }

  /// A transaction that reads, creates, changes, changes a key, deletes and sets a key of the dictionary.
  private static func transfer(_ round: Int, in workspace: PostgresWorkspace) -> Bool {
    TestDatabase.perform([Post.self], in: workspace) { transaction in
      let posts = workspace.fetch(for: Post.self)
      guard let counter = posts.first(where: Post.title == "counter"),
        let request = PostChangeRequest.changeRequest(counter)
      else { return }
      request.priority += 1
      transaction.try(submit: request)
      transaction.try(submit: PostChangeRequest.creationRequest(Post(title: "new \(round)")))
      if let moved = posts.first(where: Post.tag == "moved"), let request = PostChangeRequest.changeRequest(moved) {
        request.title = "moved to \(round)"
        transaction.try(submit: request)
      }
      if let old = posts.first(where: Post.title == "new \(round - 1)"),
        let request = PostChangeRequest.deletionRequest(old)
      {
        transaction.try(submit: request)
      }
      transaction.dictionary["round"] = round
    }
  }

  @Test(
    "Whichever message is the last, the transaction is stored once and as a whole", arguments: CuttingProxy.Cut.allCases
  )
  func cutAtEachMessage(cut: CuttingProxy.Cut) throws {
    let database = try TestDatabase()
    let proxy = try CuttingProxy(database.server, cut, atCommit: false)
    let errors = database.errors
    let workspace = PostgresWorkspace(
      connection: database.server.connection(to: database.name, through: proxy.folder),
      errorHandler: { errors.append($0) })
    workspace.waitForCallbacks()
    database.perform([Post.self]) { transaction in
      transaction.try(submit: PostChangeRequest.creationRequest(Post(title: "counter")))
      transaction.try(submit: PostChangeRequest.creationRequest(Post(title: "moved", tag: "moved")))
    }
    var round: Int32 = 1
    #expect(Self.transfer(Int(round), in: workspace))
    for messages in 0..<100 {
      round += 1
      proxy.cut(afterMessages: messages)
      #expect(Self.transfer(Int(round), in: workspace), "cut after \(messages) messages")
      let expected = ["counter", "moved to \(round)", "new \(round)"]
      #expect(Self.titles(database.workspace) == expected, "cut after \(messages) messages")
      #expect(database.workspace.fetch(for: Post.self).first(where: Post.title == "counter")?.priority == round)
      #expect(database.workspace.dictionary["round", Int.self] == Int(round))
      if !proxy.isCut { break }
      LongForm.record(1, "cuts of a connection to PostgreSQL, each after one message more")
    }
    // It was cut everywhere: the last transaction has sent fewer messages.
    #expect(!proxy.isCut && round > 6)
    #expect(errors.values.isEmpty, "\(errors.values)")
    workspace.shutdown()
    proxy.close()
  }
}
