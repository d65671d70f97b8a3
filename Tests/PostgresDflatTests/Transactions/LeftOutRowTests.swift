import Dflat
import EngineTestSupport
import Golden_post
import PostgresDflat
import TestSupport
import Testing

@Suite("A transaction fails if the server leaves out rows that it changes")
struct LeftOutRowTests {
  /// What a closure does to the object with the title "a", or to a key.
  enum Change: CaseIterable, Sendable {
    case creation
    case severalCreations
    case update
    case severalUpdates
    case updateOfKey
    case deletion
    case severalDeletions
    case keySetting
    case keyRemoval

    /// The statement that the server skips, and the table.
    var skipped: (operation: String, table: String) {
      switch self {
      case .creation, .severalCreations: ("INSERT", "post")
      case .update, .severalUpdates, .updateOfKey: ("UPDATE", "post")
      case .deletion, .severalDeletions: ("DELETE", "post")
      case .keySetting: ("UPDATE", "dictitem_v_dflat_internal__")
      case .keyRemoval: ("DELETE", "dictitem_v_dflat_internal__")
      }
    }

    func callAsFunction(_ transaction: any TransactionContext, in workspace: PostgresWorkspace) {
      let posts = workspace.fetch(for: Post.self)
      let count = "\(self)".hasPrefix("several") ? 3 : 1
      switch self {
      case .creation, .severalCreations:
        for title in ["x", "y", "z"].prefix(count) {
          _ = transaction.try(submit: PostChangeRequest.creationRequest(Post(title: title)))
        }
      case .update, .severalUpdates, .updateOfKey:
        for post in posts.all(orderBy: [Post.title.ascending]).prefix(count) {
          guard let request = PostChangeRequest.changeRequest(post) else { continue }
          if self == .updateOfKey { request.title = "moved" } else { request.priority = 7 }
          _ = transaction.try(submit: request)
        }
      case .deletion, .severalDeletions:
        for post in posts.all(orderBy: [Post.title.ascending]).prefix(count) {
          if let request = PostChangeRequest.deletionRequest(post) { _ = transaction.try(submit: request) }
        }
      case .keySetting: transaction.dictionary["key"] = 2
      case .keyRemoval: transaction.dictionary["key", Int.self] = nil
      }
    }
  }

  /// A database with three objects and a key, and a workspace whose closures are counted.
  private static func check(
    _ change: Change, _ database: TestDatabase, in workspace: PostgresWorkspace, _ errors: Collected<any Error>
  ) throws {
    let state = "SELECT title FROM (SELECT encode(__pk0, 'escape') || md5(p) AS title FROM post) t ORDER BY title"
    let before = try database.sql(state)
    let calls = Locked(0)
    let isStored = TestDatabase.perform([Post.self], in: workspace) { transaction in
      calls.change { $0 += 1 }
      change(transaction, in: workspace)
    }
    #expect(!isStored)
    // To run it again would be of no use: the server would leave the row out again.
    #expect(calls.value == 1)
    #expect(try database.sql(state) == before)
    #expect(database.workspace.dictionary["key", Int.self] == 1)
    #expect(errors.values.count == 1)
    #expect("\(errors.values)".contains("row level security"), "\(errors.values)")
  }

  private static func makeDatabase() throws -> TestDatabase {
    let database = try TestDatabase()
    database.perform([Post.self]) { transaction in
      for title in ["a", "b", "c"] { transaction.try(submit: PostChangeRequest.creationRequest(Post(title: title))) }
      transaction.dictionary["key"] = 1
    }
    return database
  }

  @Test("A trigger that returns NULL fails the transaction, and nothing of it is stored", arguments: Change.allCases)
  func trigger(change: Change) throws {
    let database = try Self.makeDatabase()
    let (operation, table) = change.skipped
    try database.sql(
      """
      CREATE FUNCTION skip() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
      CREATE TRIGGER skip BEFORE \(operation) ON \(table) FOR EACH ROW EXECUTE FUNCTION skip();
      """)
    try Self.check(change, database, in: database.workspace, database.errors)
  }

  @Test(
    "Row level security that allows reading and no change fails the transaction",
    arguments: [Change.update, .severalUpdates, .updateOfKey, .deletion, .severalDeletions, .keyRemoval])
  func rowLevelSecurity(change: Change) throws {
    let database = try Self.makeDatabase()
    let role = "limited_\(database.name)"
    try database.sql(
      """
      CREATE ROLE \(role) LOGIN;
      GRANT ALL ON ALL TABLES IN SCHEMA public TO \(role);
      GRANT ALL ON ALL SEQUENCES IN SCHEMA public TO \(role);
      ALTER TABLE post ENABLE ROW LEVEL SECURITY;
      ALTER TABLE dictitem_v_dflat_internal__ ENABLE ROW LEVEL SECURITY;
      CREATE POLICY reading ON post FOR SELECT USING (true);
      CREATE POLICY changing ON post FOR ALL USING (__pk0 > 'b');
      CREATE POLICY reading ON dictitem_v_dflat_internal__ FOR SELECT USING (true);
      """)
    let errors = Collected<any Error>()
    let workspace = PostgresWorkspace(
      connection: database.server.connection(to: database.name, user: role), errorHandler: { errors.append($0) })
    workspace.waitForCallbacks()
    try Self.check(change, database, in: workspace, errors)
    workspace.shutdown()
    try database.sql("DROP OWNED BY \(role); DROP ROLE \(role)")
  }
}
