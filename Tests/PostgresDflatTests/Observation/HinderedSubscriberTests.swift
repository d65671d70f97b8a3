import Dflat
import EngineTestSupport
import Golden_post
import PostgresDflat
import Testing

@Suite("Subscribers whose reads the server refuses are told later, without another commit")
struct HinderedSubscriberTests {
  /// A workspace of a role that may be kept from reading the tables that it owns.
  private struct Hindered {
    let database: TestDatabase
    let workspace: PostgresWorkspace
    let errors = Collected<any Error>()
    private let role: String

    init() throws {
      database = try TestDatabase()
      role = "reader_\(database.name)"
      try database.sql("CREATE ROLE \(role) LOGIN REPLICATION; GRANT ALL ON SCHEMA public TO PUBLIC")
      try database.sql("GRANT CREATE ON DATABASE \(database.name) TO PUBLIC")
      let connection = database.server.connection(to: database.name, user: role)
      workspace = PostgresWorkspace(
        PostgresOptions(connection: connection), errorHandler: TestDatabase.collecting(errors))
    }

    func setReads(of table: String, areAllowed: Bool) throws {
      try database.sql("\(areAllowed ? "GRANT" : "REVOKE") SELECT ON \(table) \(areAllowed ? "TO" : "FROM") \(role)")
    }

    func end() throws {
      workspace.shutdown()
      try database.sql("DROP OWNED BY \(role) CASCADE; DROP ROLE \(role)")
    }
  }

  @Test("A result that is too short since a commit, and could not be fetched again")
  func result() throws {
    let hindered = try Hindered()
    hindered.database.perform([Post.self], in: hindered.workspace) { transaction in
      for title in ["a", "b", "c"] { transaction.try(submit: PostChangeRequest.creationRequest(Post(title: title))) }
    }
    let told = Collected<[String]>()
    let firstTwo = hindered.workspace.fetch(for: Post.self).all(limit: .limit(2), orderBy: [Post.title.ascending])
    let subscription = hindered.workspace.subscribe(fetchedResult: firstTwo) { told.append($0.map(\.title)) }
    try hindered.setReads(of: "post", areAllowed: false)
    hindered.database.perform([Post.self]) { transaction in
      let first = hindered.database.workspace.fetch(for: Post.self).first(where: Post.title == "a")
      if let deletion = first.flatMap({ PostChangeRequest.deletionRequest($0) }) { transaction.try(submit: deletion) }
    }
    #expect(eventually { !hindered.errors.values.isEmpty })
    try hindered.setReads(of: "post", areAllowed: true)
    #expect(eventually { told.values.last == ["b", "c"] })
    let causes = hindered.errors.values.map { ($0 as? PostgresError)?.cause }
    #expect(causes == [.missingPermission], "\(hindered.errors.values)")
    subscription.cancel()
    try hindered.end()
  }

  @Test("A key of the dictionary that another workspace has set, and one that is subscribed to meanwhile")
  func key() throws {
    let hindered = try Hindered()
    hindered.workspace.dictionary["key"] = 1
    hindered.workspace.dictionary["new"] = 3
    #expect(hindered.workspace.dictionary.synchronize())
    let told = Collected<Int?>()
    let subscription = hindered.workspace.dictionary.subscribe("key", of: Int.self) { told.append($0.value) }
    #expect(told.values == [1])
    try hindered.setReads(of: "dictitem_v_dflat_internal__", areAllowed: false)
    hindered.database.perform([]) { $0.dictionary["key"] = 2 }
    #expect(eventually { !hindered.errors.values.isEmpty })
    // One that comes now hears that there is no value, since the first value comes at once.
    let new = Collected<Int?>()
    let second = hindered.workspace.dictionary.subscribe("new", of: Int.self) { new.append($0.value) }
    #expect(new.values == [nil])
    try hindered.setReads(of: "dictitem_v_dflat_internal__", areAllowed: true)
    #expect(eventually { told.values == [1, 2] && new.values == [nil, 3] })
    #expect(hindered.errors.count == 2, "\(hindered.errors.values)")
    subscription.cancel()
    second.cancel()
    try hindered.end()
  }
}
