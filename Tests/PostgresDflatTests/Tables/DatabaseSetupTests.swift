import Dflat
import EngineTestSupport
import Foundation
import Golden_aliases
import Golden_bytes
import Golden_codable
import Golden_composite_key
import Golden_contents
import Golden_indexes
import Golden_namespaces
import Golden_offset64
import Golden_optionals
import Golden_post
import Golden_recursive
import Golden_scalars
import Golden_structs
import Golden_values
import Golden_wide_unions
import PostgresDflat
import TestSupport
import Testing

@Suite("A database that dflatc sets up")
struct DatabaseSetupTests {
  private static let types: [(fixture: String, type: any Atom.Type)] = [
    ("aliases", Paint.self), ("bytes", Document.self), ("codable", Photo.self), ("composite-key", Seat.self),
    ("contents", Golden_contents.Page.self),
    ("indexes", Golden_indexes.Note.self), ("namespaces", Zoo.Animals.Animal.self), ("offset64", Archive.self),
    ("optionals", Survey.self), ("post", Post.self), ("recursive", Outline.self), ("scalars", Sample.self),
    ("structs", Golden_structs.Body.self), ("values", Shop.Order.self), ("wide-unions", Golden_wide_unions.Page.self),
  ]

  @Test("The script makes exactly what a workspace makes, also in a second run", arguments: types.indices)
  func sameCatalog(number: Int) async throws {
    let (name, type) = Self.types[number]
    let (byScript, byWorkspace) = (try TestDatabase(), try TestDatabase())
    let script = try setupScript(fixture(name))
    try byScript.run(script)
    try await byWorkspace.workspace.prepare([type])
    let expected = try byWorkspace.catalog()
    #expect(expected.contains { $0.hasPrefix("column|") })
    #expect(expected.contains { $0.hasPrefix("sequence|") })
    #expect(try byScript.catalog() == expected)
    try byScript.run(script)
    #expect(try byScript.catalog() == expected)
    // Each finds that the other's database is complete.
    let check = try await byScript.workspace.check([type])
    #expect(check.isComplete, "\(check)")
    try byWorkspace.run(script)
    #expect(try byWorkspace.catalog() == expected)
    #expect((byScript.errors.values + byWorkspace.errors.values).isEmpty)
  }

  @Test("The fixtures have indexes through structs, tables and unions of every size, of each type of column")
  func fixturesAreTelling() throws {
    let scripts = try Self.types.map { try setupScript(fixture($0.fixture)) }.joined()
    let parts =
      ["bigint", "bytea", "double precision", "numeric"].flatMap { ["RETURNS \($0)", "RETURNS \($0)[]"] }
      + ["UNIQUE INDEX", "__u"]
    for part in parts {
      #expect(scripts.contains(part), "\(part)")
    }
  }

  @Test("The script can make the tables in any schema")
  func otherSchema() throws {
    let database = try TestDatabase()
    let schema = "Tenant 'B\""
    try database.run(try setupScript("--schema", schema, fixture("scalars")))
    #expect(try database.catalog().isEmpty)
    let tables = try database.sql(
      """
      SELECT relname FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace
      WHERE nspname = 'Tenant ''B"' AND relkind = 'r' ORDER BY 1
      """)
    #expect(tables == "dflat_outcome\ndictitem_v_dflat_internal__\nsample_v1_1")
  }

  // MARK: A role that may create nothing

  private static func makeRole(_ role: String, in database: TestDatabase) throws {
    try database.run(
      """
      CREATE ROLE \(role) LOGIN;
      REVOKE CREATE ON SCHEMA public FROM PUBLIC;
      """)
  }

  private static func dropRole(_ role: String, in database: TestDatabase) {
    _ = try? database.run("DROP OWNED BY \(role); DROP ROLE \(role);")
  }

  @Test("A role without any right to create can store objects and keys, and hears of other processes")
  func restrictedRole() async throws {
    let database = try TestDatabase()
    let role = "restricted_\(database.name)"
    try Self.makeRole(role, in: database)
    defer { Self.dropRole(role, in: database) }
    try database.run(try setupScript("--app-role", role, "--observe", fixture("post"), fixture("scalars")))
    let (first, second) = (try database.restrictedWorkspace(role), try database.restrictedWorkspace(role))
    let check = try await first.check([Post.self, Sample.self])
    #expect(check.isComplete, "\(check)")
    try await first.prepare([Post.self, Sample.self])
    let told = Collected<[String]>()
    let subscription = second.subscribe(fetchedResult: second.fetch(for: Post.self).all()) {
      told.append($0.map(\.title))
    }
    database.perform([Post.self], in: first) { transaction in
      transaction.try(submit: PostChangeRequest.creationRequest(Post(title: "a", priority: 5)))
      transaction.dictionary["key"] = 7
    }
    first.dictionary["other"] = 8
    #expect(first.dictionary.synchronize())
    #expect(eventually { told.values.last == ["a"] }, "\(database.errors.values)")
    #expect(second.fetch(for: Post.self).where(Post.priority > 3).map(\.title) == ["a"])
    #expect(second.dictionary["key", Int.self] == 7 && second.dictionary["other", Int.self] == 8)
    database.perform([Post.self], in: second) { transaction in
      guard let post = second.fetch(for: Post.self).first() else { return }
      transaction.try(submit: PostChangeRequest.deletionRequest(post)!)
    }
    #expect(first.fetch(for: Post.self).count() == 0)
    withExtendedLifetime(subscription) {}
    await first.shutdown()
    await second.shutdown()
    #expect(database.errors.values.isEmpty, "\(database.errors.values)")
    #expect(try database.sql("SELECT count(*) FROM pg_class WHERE relowner = '\(role)'::regrole") == "0")
  }

  @Test("An index that the role may not make is reported once, and objects are stored and found")
  func missingIndex() async throws {
    let database = try TestDatabase()
    let role = "restricted_\(database.name)"
    try Self.makeRole(role, in: database)
    defer { Self.dropRole(role, in: database) }
    try database.run(try setupScript("--app-role", role, fixture("post")))
    let index = try database.sql("SELECT relname FROM pg_class WHERE relname LIKE 'post%dflat%'")
    try database.sql("DROP INDEX \"\(index)\"")
    let workspace = try database.restrictedWorkspace(role)
    for number in 0..<4 {
      database.perform([Post.self], in: workspace) {
        $0.try(submit: PostChangeRequest.creationRequest(Post(title: "\(number)", priority: Int32(number))))
      }
      // Longer than it is relied on that an index is not there.
      usleep(600_000)
      #expect(workspace.fetch(for: Post.self).where(Post.priority >= 0).count == number + 1)
    }
    let errors = database.errors.values.compactMap { $0 as? PostgresError }
    #expect(errors.map(\.cause) == [.missingPermission], "\(database.errors.values)")
    let statement = "CREATE INDEX CONCURRENTLY \"\(index)\" ON \"public\".\"post\""
    #expect(errors.first?.message.contains(statement) == true, "\(errors)")
    let check = try await workspace.check([Post.self])
    #expect(check.missing.map(\.kind) == [.index] && check.missing.first?.name == index, "\(check)")
    try database.run(check.sql)
    #expect(try await workspace.check([Post.self]).isComplete)
    await workspace.shutdown()
  }

  @Test("Without a unique index that the role may not make, no object is stored, and the error has its SQL")
  func missingUniqueIndex() async throws {
    let database = try TestDatabase()
    let role = "restricted_\(database.name)"
    try Self.makeRole(role, in: database)
    defer { Self.dropRole(role, in: database) }
    try database.run(try setupScript("--app-role", role, fixture("scalars")))
    let index = try database.sql("SELECT relname FROM pg_class WHERE relname LIKE 'sample%_unique'")
    try database.sql("DROP INDEX \"\(index)\"")
    let workspace = try database.restrictedWorkspace(role)
    func store() -> Bool {
      TestDatabase.perform([Sample.self], in: workspace) {
        $0.try(submit: SampleChangeRequest.creationRequest(Sample(sensorId: 1, level: .HIGH, name: "a")))
      }
    }
    #expect(!store())
    let error = database.errors.values.compactMap { $0 as? PostgresError }.first
    #expect(error?.cause == .missingPermission)
    let statement = "CREATE UNIQUE INDEX CONCURRENTLY \"\(index)\" ON \"public\".\"sample_v1_1\""
    #expect(error?.message.contains(statement) == true, "\(database.errors.values)")
    let check = try await workspace.check([Sample.self])
    #expect(check.missing.map(\.kind) == [.uniqueIndex], "\(check)")
    try database.run(check.sql)
    #expect(store(), "\(database.errors.values)")
    await workspace.shutdown()
  }

  // MARK: What is missing

  @Test("In an empty database, check names everything that is missing, and its SQL makes it for the role")
  func emptyDatabase() async throws {
    let database = try TestDatabase()
    let role = "restricted_\(database.name)"
    try Self.makeRole(role, in: database)
    defer { Self.dropRole(role, in: database) }
    let workspace = try database.restrictedWorkspace(role)
    let check = try await workspace.check([Post.self])
    #expect(check.missing.map(\.kind) == [.table, .table, .outcomes])
    #expect("\(check)".contains("  the table post\n"), "\(check)")
    #expect(try database.catalog().isEmpty)
    let error = await #expect(throws: PostgresError.self) { try await workspace.prepare([Post.self]) }
    #expect(error?.cause == .missingPermission && error?.message.contains("CREATE TABLE \"public\".\"post\" (") == true)
    try database.run(check.sql)
    #expect(try await workspace.check([Post.self]).isComplete)
    database.perform([Post.self], in: workspace) { $0.try(submit: PostChangeRequest.creationRequest(Post(title: "a"))) }
    try database.sql("REVOKE DELETE ON post FROM \(role)")
    let rights = try await workspace.check([Post.self])
    #expect(rights.missing.map(\.description) == ["the right DELETE FROM the table post"], "\(rights)")
    try database.run(rights.sql)
    #expect(try await workspace.check([Post.self]).isComplete)
    await workspace.shutdown()
  }

  @Test("A table of that name with other columns stops the script, and is left alone")
  func foreignTable() throws {
    let database = try TestDatabase()
    try database.sql("CREATE TABLE post (id int, rowid bigint)")
    let error = #expect(throws: ProgramFailure.self) { try database.run(try setupScript(fixture("post"))) }
    #expect(error?.description.contains("the table post is not one of dflat") == true, "\(String(describing: error))")
    #expect(try database.sql("SELECT count(*) FROM pg_proc WHERE proname LIKE 'dflat%'") == "0")
  }

  @Test("An index that an interrupted run has left incomplete is built anew")
  func incompleteIndex() throws {
    let database = try TestDatabase()
    let script = try setupScript(fixture("post"))
    try database.run(script)
    let expected = try database.catalog()
    try database.sql("UPDATE pg_index SET indisvalid = false WHERE indexrelid::regclass::text LIKE 'post__dflat%'")
    #expect(try database.catalog() != expected)
    try database.run(script)
    #expect(try database.catalog() == expected)
  }

  // MARK: A new version

  @Test("The script for a new version makes what the old one lacks, and names what only the old one uses")
  func newVersion() throws {
    try withTemporaryFolder { folder in
      func write(_ text: String, to name: String) throws {
        try Data(text.utf8).write(to: folder.appendingPathComponent(name))
      }
      try write("table Note { title: string (primary); a: int (indexed); b: int; }\nroot_type Note;", to: "old.fbs")
      try write("table Note { title: string (primary); a: int; b: int (indexed); }\nroot_type Note;", to: "new.fbs")
      try write("table Tag { id: int (primary); name: string; n: int (unique); }\nroot_type Tag;", to: "tag.fbs")
      let (upgraded, fresh) = (try TestDatabase(), try TestDatabase())
      try upgraded.run(try setupScript("old.fbs", in: folder))
      try fresh.run(try setupScript("new.fbs", "tag.fbs", in: folder))
      let upgrade = try setupScript("--from", "old.fbs", "new.fbs", "tag.fbs", in: folder)
      #expect(!upgrade.contains("CREATE TABLE IF NOT EXISTS \"note\"") && !upgrade.contains("dflat_outcome"))
      try upgraded.run(upgrade)
      try upgraded.run(upgrade)
      let unused = upgrade.split(separator: "\n").filter {
        $0.hasPrefix("--   DROP INDEX CONCURRENTLY \"public\".\"note__dflat_f6_")
      }
      #expect(unused.count == 1, "\(upgrade)")
      let function = try upgraded.sql("SELECT proname FROM pg_proc WHERE proname LIKE 'dflat_f6%'")
      try upgraded.run(unused.map { $0.dropFirst(5) }.joined())
      try upgraded.sql("DROP FUNCTION \"\(function)\"")
      #expect(try upgraded.catalog() == fresh.catalog())
      let same = try setupScript("--from", "new.fbs", "new.fbs", in: folder)
      #expect(same.contains("needs nothing") && !same.contains("CREATE"))

      try write("table Note { title: string; id: int (primary); }\nroot_type Note;", to: "rekeyed.fbs")
      let result = try dflatcSQL(["--postgres", "--from", "old.fbs", "rekeyed.fbs"], in: folder)
      #expect(result.status == 1 && result.output.isEmpty)
      #expect(String(decoding: result.error, as: UTF8.self).contains("the primary key of the table note"))
    }
  }

  @Test("The comments about what only the old version uses name the schema of the database")
  func unusedOfOtherSchema() throws {
    try withTemporaryFolder { folder in
      for (name, text) in [
        ("old.fbs", "table Note { title: string (primary); a: int (indexed); }\nroot_type Note;"),
        ("new.fbs", "table Note { title: string (primary); a: int; }\nroot_type Note;"),
        ("tag.fbs", "table Tag { id: int (primary); }\nroot_type Tag;"),
      ] { try Data(text.utf8).write(to: folder.appendingPathComponent(name)) }
      let script = try setupScript(
        "--schema", "tenant_a", "--from", "old.fbs", "--from", "tag.fbs", "new.fbs", in: folder)
      #expect(script.contains("--   DROP INDEX CONCURRENTLY \"tenant_a\".\"note__dflat_f6_"), "\(script)")
      #expect(script.contains("--   the table \"tenant_a\".\"tag\", with its objects"), "\(script)")
    }
  }

  @Test("A primary key of other fields, or in another order, is an error, and a key field may be renamed")
  func changedKeys() throws {
    for (old, new, isKept) in [
      ("id: long (primary); code: long;", "id: long; code: long (primary);", false),
      (
        "a: int (id: 0, primary); b: int (id: 1, primary);", "b: int (id: 1, primary); a: int (id: 0, primary);", false
      ),
      ("a: int (primary); b: int (primary);", "a: int (primary); b: int;", false),
      ("id: long (primary); code: long;", "id: ulong (primary); code: long;", false),
      ("id: long (primary); code: long;", "number: long (primary); code: long;", true),
      ("a: int (primary); b: int;", "b: int (id: 1); a: int (id: 0, primary);", true),
    ] {
      try withTemporaryFolder { folder in
        for (name, fields) in [("old.fbs", old), ("new.fbs", new)] {
          try Data("table Note { \(fields) }\nroot_type Note;".utf8).write(to: folder.appendingPathComponent(name))
        }
        let result = try dflatcSQL(["--postgres", "--from", "old.fbs", "new.fbs"], in: folder)
        let error = String(decoding: result.error, as: UTF8.self)
        #expect(result.status == (isKept ? 0 : 1) && result.output.isEmpty != isKept, "\(new): \(error)")
        #expect(error.contains("the primary key of the table note") != isKept, "\(new): \(error)")
      }
    }
  }

  // MARK: Arguments

  @Test("A schema without a stored type, a missing database and a missing file are errors")
  func mistakes() throws {
    try withTemporaryFolder { folder in
      try Data("table Note { title: string; }\n".utf8).write(to: folder.appendingPathComponent("none.fbs"))
      try Data("table Note { title: string; }\nroot_type Note;".utf8)
        .write(to: folder.appendingPathComponent("keyless.fbs"))
      for (arguments, status, text) in [
        (["--postgres", "none.fbs"], 1, "no type of none.fbs is stored"), (["--postgres", "keyless.fbs"], 1, "D0"),
        (["none.fbs"], 2, "--postgres"), (["--postgres", "absent.fbs"], 3, "cannot read absent.fbs"),
        (["--postgres", "--schema", "", "none.fbs"], 2, "--schema"),
      ] {
        let result = try dflatcSQL(arguments, in: folder)
        let error = String(decoding: result.error, as: UTF8.self)
        #expect(Int(result.status) == status && error.contains(text) && result.output.isEmpty, "\(arguments): \(error)")
      }
    }
  }
}
