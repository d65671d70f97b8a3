import Dflat
import EngineTestSupport
import Golden_post
import PostgresLayout
import TestSupport
import Testing

@testable import PostgresDflat

@Suite("Several schemas of one database")
struct SchemaTests {
  private static let schemas = ["tenant_a", "Tenant 'B\""]

  private static func quoted(_ schema: String) -> String { PostgresName.quoted(schema) }

  /// The options of a workspace whose tables are in a schema. It sees those of `public`, too.
  private static func options(for schema: String, in database: TestDatabase) -> PostgresOptions {
    // Once as an option of the server, and once as a value of the connection string.
    let path = escaped(escaped("\(quoted(schema)),public"))
    return PostgresOptions(
      connection: database.server.connection(to: database.name) + " options='-c search_path=\(path)'")
  }

  private static func escaped(_ text: String) -> String {
    text.reduce(into: "") { $0 += "\\' ".contains($1) ? "\\\($1)" : "\($1)" }
  }

  private static func workspace(for schema: String, in database: TestDatabase) -> PostgresWorkspace {
    let workspace = PostgresWorkspace(options(for: schema, in: database), errorHandler: database.errorHandler)
    workspace.waitForCallbacks()
    return workspace
  }

  /// Whether the posts of a schema are in a publication.
  private static func isPublished(_ schema: String, in database: TestDatabase) throws -> Bool {
    let tables = "pg_publication_tables WHERE tablename = 'post' AND schemaname = \(PostgresName.literal(schema))"
    return try database.sql("SELECT count(*) FROM \(tables)") == "1"
  }

  private static func makeDatabase() throws -> TestDatabase {
    let database = try TestDatabase()
    for schema in schemas { try database.sql("CREATE SCHEMA \(quoted(schema))") }
    return database
  }

  private static func titles(_ workspace: PostgresWorkspace) -> [String] {
    workspace.fetch(for: Post.self).all(orderBy: [Post.title.ascending]).map(\.title)
  }

  @Test("Two schemas share no object, key, function, index, outcome or publication")
  func separation() throws {
    let database = try Self.makeDatabase()
    // Another application has all of it in a schema that everybody's search path ends with.
    database.perform([Post.self]) { transaction in
      transaction.try(submit: PostChangeRequest.creationRequest(Post(title: "public")))
      transaction.dictionary["key"] = "public"
    }
    let publicResult = database.workspace.fetch(for: Post.self).all()
    let publicSubscription = database.workspace.subscribe(fetchedResult: publicResult) { _ in }
    #expect(try eventually { try Self.isPublished("public", in: database) })
    for schema in Self.schemas {
      let workspace = Self.workspace(for: schema, in: database)
      #expect(Self.titles(workspace).isEmpty)
      #expect(workspace.dictionary["key", String.self] == nil)
      database.perform([Post.self], in: workspace) { transaction in
        transaction.try(submit: PostChangeRequest.creationRequest(Post(title: schema)))
        transaction.dictionary["key"] = schema
      }
      #expect(Self.titles(workspace) == [schema])
      #expect(workspace.dictionary["key", String.self] == schema)
      let told = Collected<String>()
      let subscription = workspace.subscribe(fetchedResult: workspace.fetch(for: Post.self).all()) { _ in
        told.append("")
      }
      database.perform([Post.self], in: workspace) {
        $0.try(submit: PostChangeRequest.creationRequest(Post(title: "z")))
      }
      #expect(told.values.count == 1)
      // Another thread adds the table, while somebody observes.
      #expect(try eventually { try Self.isPublished(schema, in: database) })
      withExtendedLifetime(subscription) {}
      workspace.shutdown()
    }
    #expect(Self.titles(database.workspace) == ["public"])
    for catalog in [
      ("pg_class WHERE relkind = 'r' AND relnamespace"), ("pg_proc WHERE proname LIKE 'dflat%' AND pronamespace"),
      ("pg_index JOIN pg_class ON oid = indexrelid WHERE relnamespace"),
    ] {
      let counts = try (["public"] + Self.schemas).map { schema in
        try database.sql("SELECT count(*) FROM \(catalog) = \(PostgresName.literal(Self.quoted(schema)))::regnamespace")
      }
      #expect(counts[0] != "0" && Set(counts).count == 1, "\(catalog): \(counts)")
    }
    // Each index uses the function of its own schema.
    #expect(
      try database.sql(
        """
        SELECT count(*) FROM pg_depend d JOIN pg_class i ON d.classid = 'pg_class'::regclass AND i.oid = d.objid
        JOIN pg_proc p ON d.refclassid = 'pg_proc'::regclass AND p.oid = d.refobjid
        WHERE i.relkind = 'i' AND i.relnamespace <> p.pronamespace
        """) == "0")
    #expect(
      try database.sql("SELECT pubname, schemaname FROM pg_publication_tables WHERE tablename = 'post' ORDER BY 1")
        .split(separator: "\n").map(String.init).sorted()
        == (["public"] + Self.schemas).map { "dflat_\($0)|\($0)" }.sorted())
    #expect(database.errors.values.isEmpty, "\(database.errors.values)")
    withExtendedLifetime(publicSubscription) {}
  }

  @Test("Subscribers get objects and keys of their own schema alone, whatever is published")
  func subscribers() throws {
    let database = try Self.makeDatabase()
    let workspaces = Self.schemas.map { Self.workspace(for: $0, in: database) }
    for workspace in workspaces {
      database.perform([Post.self], in: workspace) { transaction in
        transaction.try(submit: PostChangeRequest.creationRequest(Post(title: "first")))
        transaction.dictionary["key"] = 0
      }
    }
    let told = Collected<[String]>()
    let subscription = workspaces[0].subscribe(
      fetchedResult: workspaces[0].fetch(for: Post.self).all(orderBy: [Post.title.ascending])
    ) { told.append($0.map(\.title)) }
    #expect(try eventually { try Self.isPublished(Self.schemas[0], in: database) })
    // As by mistake of an administrator.
    try database.sql("ALTER PUBLICATION dflat_tenant_a ADD TABLE \(Self.quoted(Self.schemas[1])).post")
    database.perform([Post.self], in: workspaces[1]) { transaction in
      transaction.try(submit: PostChangeRequest.creationRequest(Post(title: "of another tenant")))
    }
    database.perform([Post.self], in: workspaces[0]) {
      $0.try(submit: PostChangeRequest.creationRequest(Post(title: "second")))
    }
    #expect(eventually { told.values.last == ["first", "second"] })
    #expect(told.values == [["first", "second"]])
    withExtendedLifetime(subscription) {}
    for workspace in workspaces { workspace.shutdown() }
    #expect(database.errors.values.isEmpty, "\(database.errors.values)")
  }

  @Test("Making the tables of one schema does not wait for another schema")
  func locks() throws {
    let database = try Self.makeDatabase()
    let holders = try (["public"] + Self.schemas.dropFirst()).map { schema in
      let connection = try PostgresConnection(Self.options(for: schema, in: database))
      for table in ["post", OutcomeTable.name] {
        try connection.query(
          "SELECT pg_advisory_lock(hashtextextended('dflat ' || current_schema() || ' table \(table)', 0))",
          for: "Testing"
        ) { _ in true }
      }
      return connection
    }
    let workspace = Self.workspace(for: Self.schemas[0], in: database)
    let thread = BackgroundThreads { _ in
      database.perform([Post.self], in: workspace) {
        $0.try(submit: PostChangeRequest.creationRequest(Post(title: "a")))
      }
    }
    // The locks are held until then.
    #expect(thread.end())
    for connection in holders {
      try connection.query("SELECT pg_advisory_unlock_all()", for: "Testing") { _ in true }
    }
    workspace.shutdown()
  }
}
