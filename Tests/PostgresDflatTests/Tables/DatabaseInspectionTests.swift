import Dflat
import EngineTestSupport
import Foundation
import Golden_post
import Golden_scalars
import PostgresDflat
import PostgresLayout
import TestSupport
import Testing

@Suite("dflatc inspect reads a database")
struct DatabaseInspectionTests {
  private static let schema = ["--schema", fixture("post"), "--schema", fixture("scalars")]

  /// A database with posts, samples and a key.
  private static func makeDatabase() throws -> TestDatabase {
    let database = try TestDatabase()
    database.perform([Post.self, Sample.self]) { transaction in
      for number in 0..<10 {
        let post = Post(
          title: "post \(number)", color: number % 2 == 0 ? .red : .green, tag: number % 3 == 0 ? nil : "tag",
          priority: Int32(number))
        transaction.try(submit: PostChangeRequest.creationRequest(post))
      }
      let name = String(repeating: "long", count: 400)
      transaction.try(
        submit: SampleChangeRequest.creationRequest(Sample(sensorId: .max, level: .LOW, serial: 1, name: name)))
      transaction.dictionary["greeting"] = "hello"
    }
    return database
  }

  private static func output(_ database: TestDatabase, _ arguments: String...) throws -> String {
    let result = try inspect(database, schema + arguments)
    #expect(result.isSuccess && result.error.isEmpty, "\(String(decoding: result.error, as: UTF8.self))")
    return String(decoding: result.output, as: UTF8.self)
  }

  @Test("The overview has the types, counts, indexes, the dictionary and other tables of objects")
  func overview() async throws {
    let database = try Self.makeDatabase()
    try await database.workspace.prepare([Post.self])
    try database.sql(
      """
      CREATE TABLE "other__\\x" (rowid bigint, __pk0 bytea, p bytea); CREATE TABLE plain (id int);
      INSERT INTO "other__\\x" VALUES (1, NULL, '')
      """)
    let lines = try Self.output(database).split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
    #expect(lines.contains { $0.first == "Post" && $0[1] == "10" && $0.last == "post" })
    #expect(lines.contains { $0.first == "Sample" && $0[1] == "1" && $0.last == "sample_v1_1" })
    #expect(lines.contains { $0 == ["Post.priority", "complete"] })
    #expect(lines.contains { $0.first == "dictionary" && $0[1] == "1" })
    #expect(lines.contains { $0.first == "other__\\x" && $0[1] == "1" })
    #expect(!lines.contains { $0.first == "plain" || $0.first == "dflat_outcome" })
  }

  @Test("Objects are filtered, sorted and limited as those of a file are")
  func objects() throws {
    let database = try Self.makeDatabase()
    #expect(
      try Self.output(database, "Post", "--where", "priority > 5 and color = Red", "--format", "csv")
        == "title,color,tag,priority,content_type,content\r\npost 6,Red,,6,NONE,\r\npost 8,Red,tag,8,NONE,\r\n")
    func titles(_ arguments: String...) throws -> [String] {
      let result = try inspect(database, Self.schema + ["Post", "--format", "csv"] + arguments)
      return String(decoding: result.output, as: UTF8.self).split(separator: "\r\n").dropFirst()
        .compactMap { $0.split(separator: ",").first.map(String.init) }
    }
    #expect(try titles("--order", "priority desc", "--limit", "2") == ["post 9", "post 8"])
    #expect(try titles("--order", "tag", "--where", "priority < 4") == ["post 0", "post 3", "post 1", "post 2"])
    #expect(try titles("--limit", "3") == ["post 0", "post 1", "post 2"])
    #expect(try Self.output(database, "dictionary", "--format", "csv").contains("greeting"))
    #expect(try Self.output(database, "Sample", "--where", "sensor_id = 1", "--format", "json") == "[]\n")
  }

  @Test("The schema of the database is read whatever its name is", arguments: ["Tenant 'B\"", "PUBLIC", "public.x"])
  func namesOfSchemas(schema: String) throws {
    let database = try Self.makeDatabase()
    try database.run(try setupScript("--schema", schema, fixture("post")))
    try database.sql(
      """
      INSERT INTO \(PostgresName.quoted(schema)).post (__pk0, p)
      SELECT __pk0, p FROM public.post WHERE rowid = (SELECT min(rowid) FROM public.post)
      """)
    let result = try inspect(database, schema: schema, Self.schema)
    #expect(result.isSuccess, "\(String(decoding: result.error, as: UTF8.self))")
    let lines = String(decoding: result.output, as: UTF8.self).split(separator: "\n")
      .map { $0.split(separator: " ").map(String.init) }
    #expect(lines.contains { $0.first == "Post" && $0[1] == "1" && $0.last == "post" }, "\(lines)")
    #expect(lines.contains { $0 == ["Post.priority", "complete"] }, "\(lines)")
    // `public` has a table for samples, and this schema has none.
    #expect(lines.contains { $0.first == "Sample" && $0.suffix(2) == ["none", "yet"] }, "\(lines)")
  }

  @Test("A verification finds damaged rows and wrong keys, and no faults in what a workspace has written")
  func verification() throws {
    let database = try Self.makeDatabase()
    #expect(try Self.output(database, "--verify") == "no faults\n")
    try database.sql(
      """
      UPDATE post SET __pk0 = 'other' WHERE rowid = (SELECT min(rowid) FROM post);
      UPDATE post SET p = '\\x00' WHERE rowid = (SELECT max(rowid) FROM post);
      UPDATE sample_v1_1 SET __pk0 = 17
      """)
    let result = try inspect(database, Self.schema + ["--verify"])
    let lines = String(decoding: result.output, as: UTF8.self).split(separator: "\n")
    #expect(result.status == 1 && lines.last == "3 faults", "\(lines)")
    #expect(lines.contains { $0.hasPrefix("fault: post, row") && $0.contains("the key `title` is not that") })
    #expect(lines.contains { $0.contains("are too few for a FlatBuffer") })
    #expect(lines.contains { $0.hasPrefix("fault: sample_v1_1, row") && $0.contains("`sensor_id`") })
    let listed = try inspect(database, Self.schema + ["Post", "--format", "jsonl"])
    #expect(listed.status == 1 && listed.output.split(separator: UInt8(ascii: "\n")).count == 9)
  }

  @Test("A long key in a column is compared as a whole: by its start and the hash")
  func longKeys() throws {
    let database = try TestDatabase()
    // Of each length modulo 64, the size of the blocks that are hashed.
    let lengths = Array(1_000...1_064) + [10_000]
    database.perform([Post.self]) { transaction in
      for length in lengths {
        let post = Post(title: String(repeating: "k", count: length - 2) + "é")
        transaction.try(submit: PostChangeRequest.creationRequest(post))
      }
    }
    #expect(try Self.output(database, "--verify") == "no faults\n")
    for wrong in ["substring(__pk0 FROM 1 FOR 1000) || sha256('x')", "substring(__pk0 FROM 1 FOR 1000)"] {
      try database.sql("UPDATE post SET __pk0 = \(wrong) WHERE rowid = (SELECT max(rowid) FROM post)")
      let result = try inspect(database, Self.schema + ["--verify"])
      let lines = String(decoding: result.output, as: UTF8.self).split(separator: "\n")
      #expect(result.status == 1 && lines.last == "1 fault", "\(lines)")
      #expect(lines.first?.contains("the key `title` is not that of the object's bytes") == true, "\(lines)")
    }
  }

  #if os(Linux)
    @Test("A role whose password is not known is an error on a terminal, too, and no prompt that nobody can answer")
    func missingPassword() throws {
      let database = try TestDatabase()
      let uri = databaseURI(database, user: PostgresServer.roleWithPassword)
      let command = "'\(dflatc)' inspect '\(uri)' --schema '\(fixture("post"))'"
      try withTemporaryFolder { folder in
        // `script` gives the command a terminal, on which nobody types, and which does not end.
        let terminal = "mkfifo keys && exec script -qec \"$0\" /dev/null <>keys"
        let result = try runProgram("sh", ["-c", terminal, command], in: folder, environment: environmentOfPsql)
        let shown = String(decoding: result.output, as: UTF8.self)
        #expect(result.status == 3 && shown.contains("no password supplied"), "\(shown)")
      }
    }
  #endif

  @Test("A server that does not answer, and a missing psql, are told without the password")
  func failures() throws {
    let arguments = ["inspect", "postgresql://app:secret@127.0.0.1:1/app", "--schema", fixture("post")]
    let unreachable = try runProgram(dflatc, arguments)
    let text = String(decoding: unreachable.error, as: UTF8.self)
    #expect(unreachable.status == 3 && text.contains("cannot read postgresql://127.0.0.1:1/app"), "\(text)")
    let missing = try runProgram(dflatc, arguments, environment: ["PATH": "/nonexistent"])
    let error = String(decoding: missing.error, as: UTF8.self)
    #expect(missing.status == 3 && error.contains("psql") && error.contains("postgresql-client"), "\(error)")
    #expect(!text.contains("secret") && !error.contains("secret"))
  }
}
