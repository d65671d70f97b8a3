import Dflat
import EngineTestSupport
import Golden_post
import PostgresDflat
import TestSupport
import Testing

@Suite("Rows that come one by one")
struct StreamedFetchTests {
  @Test("An error after the last wanted row fails the fetch, since it has undone the snapshot")
  func errorAfterTheLastRow() throws {
    let database = try TestDatabase()
    database.perform([Post.self]) { transaction in
      for number in 1...300 { transaction.try(submit: PostChangeRequest.creationRequest(Post(title: "\(number)"))) }
    }
    let role = "reader_\(database.name)"
    try database.sql(
      """
      CREATE ROLE \(role) LOGIN; GRANT ALL ON ALL TABLES IN SCHEMA public TO \(role);
      CREATE FUNCTION allow(number bigint) RETURNS boolean LANGUAGE plpgsql AS
        'BEGIN IF number = 300 THEN RAISE EXCEPTION ''refused''; END IF; RETURN true; END';
      ALTER TABLE post ENABLE ROW LEVEL SECURITY;
      CREATE POLICY reading ON post FOR SELECT USING (allow(rowid))
      """)
    // The rows come in the order of an index, so that the first ones are sent before the last one is looked at.
    let settings = " options='-c enable_sort=off -c enable_seqscan=off -c enable_bitmapscan=off'"
    let connection = database.server.connection(to: database.name, user: role) + settings
    let workspace = PostgresWorkspace(connection: connection, errorHandler: { _ in })
    var found: [Int] = []
    do {
      try workspace.fetchWithinASnapshot { () throws -> Void in
        let posts = workspace.fetch(for: Post.self)
        found.append(posts.where(Post.title.hasSuffix("7"), limit: .limit(1)).count)
        found.append(posts.where(Post.title == "5").count)
      }
      Issue.record("the snapshot goes on")
    } catch let StoreError.failed(error) {
      #expect((error as? PostgresError)?.sqlState == "P0001", "\(error)")
    }
    #expect(found.first == 0)
    workspace.shutdown()
    try database.sql("DROP OWNED BY \(role) CASCADE; DROP ROLE \(role)")
  }
}
