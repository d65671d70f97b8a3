import Dflat
import DflatEngine
import EngineTestSupport
import Golden_post
import PostgresLayout
import TestSupport
import Testing

@testable import PostgresDflat

@Suite("A workspace stays in the schema that its first connection has found")
struct WorkspaceSchemaTests {
  /// Makes a database in which `public` has a post and a key of another application, and whose search path begins with
  /// a schema for the workspace, which has not connected yet.
  private static func makeDatabase(
    _ schema: String = "tenant_a", _ configure: (inout PostgresOptions) -> Void = { _ in }
  ) throws -> TestDatabase {
    let database = try TestDatabase(configure)
    let other = database.other()
    store("public", in: other, of: database)
    other.shutdown()
    try database.sql("CREATE SCHEMA \(PostgresName.quoted(schema))")
    try setPath("\(PostgresName.quoted(schema)), public", of: database)
    return database
  }

  /// Sets the search path of later sessions.
  private static func setPath(_ path: String, of database: TestDatabase) throws {
    try database.sql("ALTER DATABASE \(database.name) SET search_path = \(path)")
  }

  /// Stores a post and a key in one transaction.
  private static func store(_ title: String, in workspace: PostgresWorkspace? = nil, of database: TestDatabase) {
    database.perform([Post.self], in: workspace) { transaction in
      transaction.try(submit: PostChangeRequest.upsertRequest(Post(title: title, priority: 5)))
      transaction.dictionary["key"] = title
    }
  }

  private static func titles(_ workspace: PostgresWorkspace) -> [String] {
    workspace.fetch(for: Post.self).all(orderBy: [Post.title.ascending]).map(\.title)
  }

  private static func count(of table: String, in database: TestDatabase) throws -> String {
    try database.sql("SELECT count(*) FROM \(table)")
  }

  /// The rows of the other application.
  private static func publicRows(of database: TestDatabase) throws -> String {
    try database.sql(
      """
      SELECT encode(p, 'hex') FROM public.post
      UNION ALL SELECT encode(p, 'hex') FROM public.dictitem_v_dflat_internal__ ORDER BY 1
      """)
  }

  /// How many relations a schema has.
  private static func relationCount(of schema: String, in database: TestDatabase) throws -> String {
    try database.sql("SELECT count(*) FROM pg_class WHERE relnamespace = '\(schema)'::regnamespace")
  }

  private static func causes(_ database: TestDatabase) -> Set<PostgresError.Cause?> {
    Set(database.errors.values.map { ($0 as? PostgresError)?.cause })
  }

  @Test("Dropped tables read as empty and are made anew, and those of another schema in the path are left alone")
  func droppedTables() throws {
    let database = try Self.makeDatabase()
    let workspace = database.workspace
    let others = try Self.publicRows(of: database)
    let tables = "tenant_a.post, tenant_a.dictitem_v_dflat_internal__, tenant_a.dflat_outcome"
    Self.store("a", of: database)
    #expect(Self.titles(workspace) == ["a"])
    try database.sql("DROP TABLE \(tables)")
    #expect(Self.titles(workspace).isEmpty)
    #expect(workspace.fetch(for: Post.self).where(Post.title == "public").count == 0)
    #expect(workspace.fetch(for: Post.self).where(Post.priority == 5).count == 0)
    #expect(workspace.dictionary["key", String.self] == nil)
    Self.store("b", of: database)
    #expect(Self.titles(workspace) == ["b"] && workspace.dictionary["key", String.self] == "b")
    // This time, nothing has been read in between: the workspace takes the tables for present.
    try database.sql("DROP TABLE \(tables)")
    Self.store("c", of: database)
    #expect(Self.titles(workspace) == ["c"] && workspace.dictionary["key", String.self] == "c")
    // A key that is written by itself.
    try database.sql("DROP TABLE \(tables)")
    workspace.dictionary["key"] = "d"
    #expect(workspace.dictionary.synchronize())
    #expect(workspace.dictionary["key", String.self] == "d")
    #expect(try Self.count(of: "tenant_a.dictitem_v_dflat_internal__", in: database) == "1")
    #expect(try Self.publicRows(of: database) == others)
    #expect(database.errors.values.isEmpty, "\(database.errors.values)")
  }

  @Test("A session with temporary tables of those names and another search path uses the workspace's tables")
  func foreignSession() throws {
    let database = try Self.makeDatabase { $0.connectionLimit = 1 }
    let workspace = database.workspace
    let others = try Self.publicRows(of: database)
    try database.sql("CREATE SCHEMA other")
    // As another client of a pooler leaves it. It is the only session of the pool.
    let connection = try workspace.core.pool.acquire(for: .readWrite)
    for statement in [
      "CREATE TEMPORARY TABLE post (rowid bigint, __pk0 bytea, p bytea)",
      "CREATE TEMPORARY TABLE dictitem_v_dflat_internal__ (rowid bigint, __pk0 bytea, __pk1 bytea, p bytea)",
      "CREATE TEMPORARY TABLE dflat_outcome (id bigint)", "SET search_path = other, public",
    ] {
      try connection.send(statement, isPrepared: false, for: "Testing")
      try connection.finish()
    }
    workspace.core.pool.release(connection)
    // The second time, the row and the key exist.
    for _ in 0..<2 { Self.store("a", of: database) }
    #expect(Self.titles(workspace) == ["a"])
    #expect(workspace.fetch(for: Post.self).where(Post.priority == 5).count == 1)
    #expect(workspace.dictionary["key", String.self] == "a")
    #expect(try Self.count(of: "tenant_a.post", in: database) == "1")
    #expect(try Self.count(of: "tenant_a.dictitem_v_dflat_internal__", in: database) == "1")
    #expect(try Self.count(of: "tenant_a.dflat_outcome", in: database) != "0")
    database.perform([Post.self]) { transaction in
      guard let post = workspace.fetch(for: Post.self).first(where: Post.title == "a"),
        let request = PostChangeRequest.deletionRequest(post)
      else { return }
      transaction.try(submit: request)
      transaction.dictionary["key"] = nil as String?
    }
    #expect(try Self.count(of: "tenant_a.post", in: database) == "0")
    #expect(try Self.count(of: "tenant_a.dictitem_v_dflat_internal__", in: database) == "0")
    #expect(try Self.relationCount(of: "other", in: database) == "0")
    #expect(try Self.publicRows(of: database) == others)
    #expect(database.errors.values.isEmpty, "\(database.errors.values)")
  }

  @Test("Tables are not made as temporary ones although the search path begins with pg_temp")
  func temporarySchemaFirst() throws {
    let database = try Self.makeDatabase()
    try Self.setPath("pg_temp, tenant_a, public", of: database)
    Self.store("a", of: database)
    #expect(Self.titles(database.workspace) == ["a"])
    #expect(try Self.count(of: "tenant_a.post", in: database) == "1")
    #expect(database.errors.values.isEmpty, "\(database.errors.values)")
  }

  @Test("A search path that is changed while a workspace is open counts from the next workspace on")
  func changedPath() throws {
    let database = try Self.makeDatabase()
    let (workspace, second) = (database.workspace, database.other())
    Self.store("a", of: database)
    Self.store("b", in: second, of: database)
    try database.sql("CREATE SCHEMA tenant_b")
    try Self.setPath("tenant_b, public", of: database)
    for workspace in [workspace, second] { workspace.core.pool.dropIdle() }
    #expect(Self.titles(workspace) == ["a", "b"])
    // The stream of commits begins on a connection with the new path, too.
    let told = Collected<[String]>()
    let subscription = workspace.subscribe(
      fetchedResult: workspace.fetch(for: Post.self).all(orderBy: [Post.title.ascending])
    ) { told.append($0.map(\.title)) }
    Self.store("c", in: second, of: database)
    #expect(eventually { told.values.last == ["a", "b", "c"] })
    #expect(try Self.relationCount(of: "tenant_b", in: database) == "0")
    let next = database.other()
    #expect(Self.titles(next).isEmpty)
    Self.store("d", in: next, of: database)
    #expect(try Self.count(of: "tenant_b.post", in: database) == "1")
    #expect(Self.titles(workspace) == ["a", "b", "c"])
    withExtendedLifetime(subscription) {}
    for workspace in [second, next] { workspace.shutdown() }
    #expect(database.errors.values.isEmpty, "\(database.errors.values)")
  }

  @Test("The search path of the direct connection has no effect, though that connection may be the first one")
  func directConnection() throws {
    let database = try Self.makeDatabase()
    try database.sql("CREATE SCHEMA direct")
    let workspace = database.other { $0.directConnection = $0.connection + " options='-c search_path=direct'" }
    Self.store("a", in: workspace, of: database)
    #expect(Self.titles(workspace) == ["a"])
    #expect(try Self.count(of: "tenant_a.post", in: database) == "1")
    #expect(try Self.relationCount(of: "direct", in: database) == "0")
    workspace.shutdown()
    #expect(database.errors.values.isEmpty, "\(database.errors.values)")
  }

  @Test("Tables, keys and indexes work in a schema whose name has quotes, a dot, blanks and other letters")
  func quotedName() async throws {
    let schema = "Mandant.\"b\" 'C' \\ \u{dc}"
    let database = try Self.makeDatabase(schema)
    let workspace = database.workspace
    let table = PostgresName.qualified("post", in: schema)
    Self.store("a", of: database)
    Self.store("b", of: database)
    try await workspace.waitForIndexes(of: Post.self)
    let plan = try workspace.fetch(for: Post.self).explain(where: Post.priority == 5)
    #expect(plan.access == .index(["priority"]) && plan.sql.contains(table), "\(plan)")
    #expect(workspace.fetch(for: Post.self).where(Post.priority == 5).count == 2)
    #expect(workspace.dictionary["key", String.self] == "b" && workspace.dictionary.keys == ["key"])
    let check = try await workspace.check([Post.self])
    #expect(check.isComplete && check.schema == schema, "\(check)")
    // Another index is built while others write.
    let index = try #require(DatabaseTable(Post._record, in: schema).indexes.first)
    try database.sql("DROP INDEX \(PostgresName.qualified(index.name, in: schema))")
    try await workspace.prepare([Post.self])
    #expect(try workspace.indexesAreComplete(Post.self))
    try database.sql("DROP TABLE \(table)")
    #expect(Self.titles(workspace).isEmpty)
    Self.store("c", of: database)
    #expect(Self.titles(workspace) == ["c"])
    #expect(try Self.count(of: table, in: database) == "1")
    #expect(try Self.count(of: "public.post", in: database) == "1")
    #expect(database.errors.values.isEmpty, "\(database.errors.values)")
  }

  @Test("Without its schema, a workspace reads and stores nothing and says why, until the schema is there again")
  func droppedSchema() throws {
    let database = try Self.makeDatabase()
    let workspace = database.workspace
    let others = try Self.publicRows(of: database)
    Self.store("a", of: database)
    try database.sql("DROP SCHEMA tenant_a CASCADE")
    let error = #expect(throws: StoreError.self) { _ = try workspace.fetch(for: Post.self).throwing.count() }
    #expect((error?.cause as? PostgresError)?.cause == .missingSchema, "\(String(describing: error))")
    database.perform([Post.self], completing: false) {
      $0.try(submit: PostChangeRequest.creationRequest(Post(title: "b")))
    }
    #expect(eventually { Self.causes(database) == [.missingSchema] }, "\(database.errors.values)")
    #expect(try Self.publicRows(of: database) == others)
    try database.sql("CREATE SCHEMA tenant_a")
    Self.store("c", of: database)
    #expect(Self.titles(workspace) == ["c"])
    #expect(try Self.publicRows(of: database) == others)
  }

  @Test("Where no schema of the search path exists, a workspace stores nothing in public, and says why")
  func noSchema() throws {
    let database = try Self.makeDatabase()
    let others = try Self.publicRows(of: database)
    try Self.setPath("absent", of: database)
    database.perform([Post.self], completing: false) {
      $0.try(submit: PostChangeRequest.creationRequest(Post(title: "a")))
    }
    #expect(eventually { Self.causes(database) == [.missingSchema] }, "\(database.errors.values)")
    try Self.setPath("tenant_a", of: database)
    Self.store("b", of: database)
    #expect(Self.titles(database.workspace) == ["b"])
    #expect(try Self.count(of: "tenant_a.post", in: database) == "1")
    #expect(try Self.publicRows(of: database) == others)
  }

  @Test("A workspace uses the schema that its options name, whatever is in the search path of its connections")
  func namedSchema() throws {
    let database = try Self.makeDatabase()
    let others = try Self.publicRows(of: database)
    try database.sql("CREATE SCHEMA named")
    let workspaces = (0..<2).map { _ in
      database.other {
        $0.schema = "named"
        $0.directConnection = $0.connection + " options='-c search_path=absent'"
      }
    }
    for title in ["a", "b"] { Self.store(title, in: workspaces[0], of: database) }
    let told = Collected<[String]>()
    let subscription = workspaces[1].subscribe(
      fetchedResult: workspaces[1].fetch(for: Post.self).all(orderBy: [Post.title.ascending])
    ) { told.append($0.map(\.title)) }
    Self.store("c", in: workspaces[0], of: database)
    #expect(eventually { told.values.last == ["a", "b", "c"] })
    #expect(workspaces[1].dictionary["key", String.self] == "c")
    #expect(try Self.count(of: "named.post", in: database) == "3")
    #expect(try Self.relationCount(of: "tenant_a", in: database) == "0")
    #expect(try Self.publicRows(of: database) == others)
    withExtendedLifetime(subscription) {}
    for workspace in workspaces { workspace.shutdown() }
    #expect(database.errors.values.isEmpty, "\(database.errors.values)")
  }

  @Test("A schema that the options name is used once it exists, and until then the error says that it does not")
  func missingNamedSchema() throws {
    let database = try Self.makeDatabase()
    let others = try Self.publicRows(of: database)
    // Not even the name in lower case, which the name without quotes would stand for.
    try database.sql("CREATE SCHEMA named")
    let workspace = database.other { $0.schema = "Named" }
    let error = #expect(throws: StoreError.self) { _ = try workspace.fetch(for: Post.self).throwing.count() }
    let cause = error?.cause as? PostgresError
    #expect(cause?.cause == .missingSchema, "\(String(describing: error))")
    #expect(cause?.message.contains("PostgresOptions.schema") == true, "\(String(describing: error))")
    database.perform([Post.self], in: workspace, completing: false) {
      $0.try(submit: PostChangeRequest.creationRequest(Post(title: "a")))
    }
    #expect(eventually { Self.causes(database) == [.missingSchema] }, "\(database.errors.values)")
    for schema in ["named", "tenant_a"] { #expect(try Self.relationCount(of: schema, in: database) == "0") }
    try database.sql("CREATE SCHEMA \"Named\"")
    Self.store("b", in: workspace, of: database)
    #expect(Self.titles(workspace) == ["b"])
    #expect(try Self.count(of: "\"Named\".post", in: database) == "1")
    #expect(try Self.publicRows(of: database) == others)
    workspace.shutdown()
  }

  @Test("Subscribers hear of commits to a schema with other letters in its name, in a database that is not in UTF-8")
  func otherEncoding() throws {
    let database = try TestDatabase()
    let name = "\(database.name)_latin"
    try database.sql("CREATE DATABASE \(name) ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0")
    // The server notices a moment later that the subscriber is gone.
    defer { _ = eventually { (try? database.sql("DROP DATABASE \(name) WITH (FORCE)")) != nil } }
    // With escapes, since psql may send another encoding.
    try database.server.psql("CREATE SCHEMA U&\"\\00dc\"", in: name)
    try database.server.psql("ALTER DATABASE \(name) SET search_path = U&\"\\00dc\"", in: name)
    let workspaces = (0..<2).map { _ in
      database.other { $0.connection = database.server.connection(to: name) }
    }
    defer { for workspace in workspaces { workspace.shutdown() } }
    for title in ["a", "b"] { Self.store(title, in: workspaces[0], of: database) }
    let subscription = workspaces[1].subscribe(fetchedResult: workspaces[1].fetch(for: Post.self).all()) { _ in }
    let feed = workspaces[1].core.feed
    #expect(eventually { feed.tells(of: "post") })
    Self.store("c", in: workspaces[0], of: database)
    // Not only by a new look at the table, as after each attempt to begin a stream.
    #expect(eventually { feed.state.withLock { !$0.recent.isEmpty } })
    withExtendedLifetime(subscription) {}
    #expect(database.errors.values.isEmpty, "\(database.errors.values)")
  }
}
