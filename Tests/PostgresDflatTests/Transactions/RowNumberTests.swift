import Dflat
import EngineTestSupport
import Golden_post
import PostgresDflat
import TestSupport
import Testing

@Suite("Row numbers of PostgreSQL that are taken")
struct RowNumberTests {
  private func store(
    _ titles: [String], in database: TestDatabase, _ workspace: PostgresWorkspace? = nil, completing: Bool = true
  ) {
    database.perform([Post.self], in: workspace, completing: completing) { transaction in
      for title in titles {
        transaction.try(submit: PostChangeRequest.creationRequest(Post(title: title, priority: 1)))
      }
    }
  }

  /// Stores some objects, and then sets the sequence back, as a restore of the rows alone does.
  private func databaseWithSequenceBehind(
    _ configure: (inout PostgresOptions) -> Void = { _ in }
  ) throws -> (database: TestDatabase, workspace: PostgresWorkspace) {
    let database = try TestDatabase()
    store(["a", "b", "c", "d", "e"], in: database)
    try database.sql("SELECT setval(pg_get_serial_sequence('post', 'rowid'), 1, false)")
    return (database, database.other(configure))
  }

  @Test(
    "If the sequence is behind, free keys are stored, and taken ones are refused",
    arguments: [PostgresOptions.Retry.limited(50), .never])
  func creations(retry: PostgresOptions.Retry) throws {
    let (database, other) = try databaseWithSequenceBehind { $0.retry = retry }
    store(["f"], in: database, other)
    let refusals = Locked(0)
    database.perform([Post.self], in: other) { transaction in
      for title in ["g", "a", "h"] {
        do throws(TransactionError) {
          _ = try transaction.typedSubmit(PostChangeRequest.creationRequest(Post(title: title)))
        } catch {
          #expect(error == .objectAlreadyExists)
          refusals.value += title == "a" ? 1 : 100
        }
      }
    }
    #expect(refusals.value % 100 >= 1 && refusals.value < 100)
    // The other workspace has taken numbers before, too.
    store(["i"], in: database)
    let titles = try database.sql("SELECT convert_from(__pk0, 'UTF8') FROM post ORDER BY rowid")
    #expect(Set(titles.split(separator: "\n").map(String.init)) == ["a", "b", "c", "d", "e", "f", "g", "h", "i"])
    #expect(database.errors.values.isEmpty, "\(database.errors.values)")
    other.shutdown()
  }

  @Test("A creation in a table whose sequence is gone fails with a reason, and stores nothing")
  func withoutSequence() throws {
    let database = try TestDatabase()
    store(["a"], in: database)
    try database.sql("ALTER TABLE post ALTER COLUMN rowid DROP IDENTITY")
    // One that has taken no numbers yet.
    let other = database.other()
    store(["b"], in: database, other, completing: false)
    #expect(try database.sql("SELECT count(*) FROM post") == "1")
    let errors = database.errors.values.map { "\($0)" }
    #expect(errors.contains { $0.contains("the column rowid of post has no sequence") }, "\(errors)")
    other.shutdown()
  }

  @Test("New rows skip numbers that other programs have inserted, near the sequence and far from it")
  func insertedRows() throws {
    let database = try TestDatabase()
    store(["a"], in: database)
    for (number, start) in [2, 5_000, 1 << 40].enumerated() {
      try database.sql(
        """
        INSERT INTO post (rowid, __pk0, p) SELECT \(start) + n, convert_to('x\(number) ' || n, 'UTF8'), p
        FROM generate_series(0, 2000) AS n, (SELECT p FROM post WHERE __pk0 = 'a') AS a
        """)
      try database.sql("SELECT setval(pg_get_serial_sequence('post', 'rowid'), greatest(\(start), 1))")
      let other = database.other()
      store((0..<30).map { "b\(number) \($0)" }, in: database, other)
      store((0..<30).map { "c\(number) \($0)" }, in: database)
      other.shutdown()
      let count = try database.sql(
        "SELECT count(*) FROM post WHERE convert_from(__pk0, 'UTF8') ~ '^[bc]\(number) '")
      #expect(count == "60")
    }
    #expect(database.errors.values.isEmpty, "\(database.errors.values)")
  }

  @Test("Processes that meet such rows together lose no object")
  func together() throws {
    let (database, other) = try databaseWithSequenceBehind()
    let workspaces = [other] + (0..<3).map { _ in database.other() }
    let threads = BackgroundThreads(workspaces.count) { number in
      for count in 0..<20 { store(["\(number) \(count)"], in: database, workspaces[number]) }
    }
    #expect(threads.end())
    #expect(try database.sql("SELECT count(*), count(DISTINCT __pk0) FROM post") == "85|85")
    for workspace in workspaces { workspace.shutdown() }
    #expect(database.errors.values.isEmpty, "\(database.errors.values)")
  }

  @Test("Keys of the dictionary are written though its sequence is behind", arguments: [true, false])
  func keys(inTransaction: Bool) throws {
    let database = try TestDatabase()
    for key in ["a", "b", "c"] {
      database.workspace.dictionary[key] = 1
      database.workspace.dictionary.synchronize()
    }
    let table = try database.sql("SELECT relname FROM pg_class WHERE relkind = 'r' AND relname LIKE 'dictitem%'")
    try database.sql("SELECT setval(pg_get_serial_sequence('\(table)', 'rowid'), 1, false)")
    let other = database.other()
    if inTransaction {
      database.perform([Post.self], in: other) { $0.dictionary["d"] = 2 }
    } else {
      other.dictionary["d"] = 2
      other.dictionary.synchronize()
    }
    #expect(database.workspace.dictionary["d", Int.self] == 2)
    #expect(database.errors.values.isEmpty, "\(database.errors.values)")
    other.shutdown()
  }

  @Test("The error for a sequence that the role may not set names the missing right, not a key")
  func rights() throws {
    let (database, owner) = try databaseWithSequenceBehind()
    owner.shutdown()
    try database.sql("UPDATE post SET rowid = rowid + (1::bigint << 40) WHERE __pk0 = 'e'")
    let role = "role_\(database.name)"
    try database.sql(
      """
      CREATE ROLE \(role) LOGIN; GRANT SELECT, INSERT, UPDATE, DELETE ON post, dflat_outcome TO \(role);
      GRANT USAGE ON SEQUENCE post_rowid_seq TO \(role)
      """)
    let errors = Collected<any Error>()
    let workspace = PostgresWorkspace(
      PostgresOptions(connection: database.server.connection(to: database.name, user: role)),
      errorHandler: { errors.append($0) })
    workspace.waitForCallbacks()
    store(["f"], in: database, workspace, completing: false)
    #expect(errors.values.map { ($0 as? PostgresError)?.cause } == [.missingPermission], "\(errors.values)")
    try database.sql("GRANT UPDATE ON SEQUENCE post_rowid_seq TO \(role)")
    store(["f"], in: database, workspace)
    workspace.shutdown()
    try database.sql("DROP OWNED BY \(role); DROP ROLE \(role)")
  }
}
