import EngineTestSupport
import Golden_post
import PostgresDflat
import Testing

@Suite("Pages on PostgreSQL after a value that the enum does not know")
struct PostgresUnknownCaseTests {
  @Test("A subscriber to a page is told of it as a fetch finds it")
  func subscribedPage() throws {
    let database = try TestDatabase()
    database.perform([Post.self]) { transaction in
      for post in UnknownCasePageChecks.posts {
        transaction.try(submit: PostChangeRequest.creationRequest(post))
      }
    }
    for (number, hex) in try UnknownCasePageChecks.unknown() {
      // The key is the title, which is one digit.
      try database.sql("UPDATE post SET p = '\\x\(hex)' WHERE __pk0 = '\\x3\(number)'")
    }
    let (workspace, other) = (database.other(), database.other())
    try UnknownCasePageChecks(workspace).checkSubscriber(beside: other)
    workspace.shutdown()
    other.shutdown()
    #expect(database.errors.values.isEmpty, "\(database.errors.values)")
  }
}
