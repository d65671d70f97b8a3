import Dflat
import EngineTestSupport
import Foundation
import Golden_post
import Golden_scalars
import Golden_structs
import PostgresDflat
import TestSupport
import Testing

@Suite("The views of a database")
struct ViewTests {
  /// The rows of a query, whose only column is a JSON array of texts.
  private static func rows(_ query: String, in database: TestDatabase) throws -> [[String?]] {
    try database.sql(query).split(separator: "\n").map { line in
      let values = try #require(JSONSerialization.jsonObject(with: Data(line.utf8)) as? [Any])
      return values.map { $0 as? String }
    }
  }

  private static func columns(_ names: [String], of view: String) -> String {
    let texts = names.map { "\"\($0)\"::text" }.joined(separator: ", ")
    return "SELECT jsonb_build_array(\(texts)) FROM \(view) ORDER BY rowid"
  }

  private static func json(_ text: String?) -> [Any]? {
    text.flatMap { try? JSONSerialization.jsonObject(with: Data($0.utf8)) as? [Any] }
  }

  // MARK: Values

  private static let strings = [
    "", "a", "é", "日本", "🎈", "$dflat$ 'x' \\ \"", "line\nbreak\t", String(repeating: "long ", count: 500),
  ]
  private static let reals: [Double] = [
    0, -0.0, 1, -1.5, .pi, 1e300, -1e-300, .leastNonzeroMagnitude, .greatestFiniteMagnitude, .infinity, -.infinity,
  ]
  private static let floats: [Float] = [
    0, -0.0, 0.1, -1.5, .pi, .leastNonzeroMagnitude, .greatestFiniteMagnitude, .infinity, -.infinity, .nan,
  ]

  private static func sample(_ number: Int, _ random: inout SeededGenerator) -> Sample {
    func maybe<Value>(_ value: Value) -> Value? { random.once(in: 3) ? nil : value }
    return Sample(
      sensorId: random.next(), level: random.pick([.LOW, .middle, .HIGH]), flag: maybe(random.once(in: 2)),
      tiny: maybe(Int8(truncatingIfNeeded: random.next())), small: maybe(UInt8(truncatingIfNeeded: random.next())),
      shortOne: maybe(Int16(truncatingIfNeeded: random.next())),
      count: maybe(UInt16(truncatingIfNeeded: random.next())),
      number: maybe(Int32(truncatingIfNeeded: random.next())), serial: UInt32(number),
      longOne: maybe(Int64(bitPattern: random.next())), big: maybe(random.next()), ratio: maybe(random.pick(floats)),
      precise: maybe(random.pick(reals)), maybeFlag: maybe(random.once(in: 2)),
      maybeNumber: maybe(Int32(truncatingIfNeeded: random.next())), maybePrecise: maybe(random.pick(reals)),
      maybeDistance: maybe(random.pick([.near, .far])), distance: maybe(random.pick([.near, .far])),
      label: maybe(random.pick(strings)), name: random.pick(strings),
      flags: maybe((0..<random.next(4)).map { _ in random.once(in: 2) }),
      bytes: maybe((0..<random.next(9)).map { _ in UInt8(truncatingIfNeeded: random.next()) }),
      numbers: maybe((0..<random.next(4)).map { _ in Int32(truncatingIfNeeded: random.next()) }),
      doubles: maybe((0..<random.next(4)).map { _ in random.pick([0, 0.5, -3, 1e300]) }),
      distances: maybe((0..<random.next(4)).map { _ in random.pick([.near, .far]) }),
      words: maybe((0..<random.next(4)).map { _ in random.pick(strings) }))
  }

  private static let levels: [Int16: String] = [-5: "LOW", 0: "Middle", 5: "HIGH"]
  private static let distances: [UInt32: String] = [1: "Near", 4_000_000_000: "Far"]

  @Test("Each column of a scalar or string equals the field of the object that a workspace has stored")
  func columns() throws {
    let database = try TestDatabase()
    try database.run(try setupScript("--views", fixture("scalars")))
    var random = SeededGenerator(seed: 57)
    let samples = (0..<60).map { Self.sample($0, &random) }
    database.perform([Sample.self]) { transaction in
      for sample in samples { transaction.try(submit: SampleChangeRequest.creationRequest(sample)) }
    }
    let names = [
      "sensor_id", "level", "flag", "tiny", "small", "short_one", "count", "number", "serial", "long_one", "big",
      "maybe_flag", "maybe_number", "maybe_distance", "distance", "label", "name", "bytes", "ratio", "precise",
      "maybe_precise", "flags", "numbers", "doubles", "distances", "words",
    ]
    let rows = try Self.rows(Self.columns(names, of: "sample_v1_1_view"), in: database)
    try #require(rows.count == samples.count)
    for (row, sample) in zip(rows, samples) {
      let expected: [String?] = [
        "\(sample.sensorId)", Self.levels[sample.level.rawValue], "\(sample.flag)", "\(sample.tiny)",
        "\(sample.small)", "\(sample.shortOne)", "\(sample.count)", "\(sample.number)", "\(sample.serial)",
        "\(sample.longOne)", "\(sample.big)", sample.maybeFlag.map { "\($0)" }, sample.maybeNumber.map { "\($0)" },
        sample.maybeDistance.flatMap { Self.distances[$0.rawValue] }, Self.distances[sample.distance.rawValue],
        sample.label, sample.name, hexadecimal(sample.bytes),
      ]
      #expect(Array(row[..<18]) == expected)
      // JSON's numbers of PostgreSQL have no zero with a sign.
      let ratio = row[18].flatMap { Float($0) }
      #expect(ratio == sample.ratio || ratio?.isNaN == true && sample.ratio.isNaN, "\(row[18] ?? "") \(sample.ratio)")
      #expect(row[19].flatMap { Double($0) } == sample.precise)
      #expect(row[20].flatMap { Double($0) } == sample.maybePrecise)
      #expect(Self.json(row[21]) as? [Bool] == sample.flags)
      #expect(Self.json(row[22])?.compactMap { ($0 as? NSNumber)?.int32Value } == sample.numbers)
      #expect(Self.json(row[23])?.compactMap { ($0 as? NSNumber)?.doubleValue } == sample.doubles)
      #expect(Self.json(row[24]) as? [String] == sample.distances.compactMap { Self.distances[$0.rawValue] })
      #expect(Self.json(row[25]) as? [String] == sample.words)
    }
  }

  @Test("Indexed fields of structs, tables and unions are columns, NULL if the object lacks them")
  func ways() throws {
    let database = try TestDatabase()
    try database.run(try setupScript("--views", fixture("structs")))
    let vector = Vec3(x: 0.25, y: 2, z: 3)
    let payloads: [Payload?] = [nil, .vec3(vector), .note(.init(text: "n")), .big(.init(value: 4))]
    let pose = Pose(position: vector, axis: .Z, abilities: [.walk, .fly], stamp: .max, codes: [1, 2, 3])
    database.perform([Body.self]) { transaction in
      for number in 0..<8 {
        let body = Body(
          id: Int32(number), pose: number % 2 == 0 ? nil : pose, origin: vector,
          abilities: number % 2 == 0 ? nil : [.swim], maybe: number % 3 == 0 ? nil : Ability(rawValue: 200),
          payload: payloads[number % 4])
        transaction.try(submit: BodyChangeRequest.creationRequest(body))
      }
    }
    let names = [
      "id", "origin.x", "pose.position.x", "pose.stamp", "abilities", "maybe", "payload_type", "payload.Vec3.x",
    ]
    let rows = try Self.rows(Self.columns(names, of: "body_view"), in: database)
    let types = [nil, "Vec3", "Note", "Big"]
    let expected: [[String?]] = (0..<8).map { number in
      let hasPose = number % 2 == 1
      return [
        "\(number)", "0.25", hasPose ? "0.25" : nil, hasPose ? "\(UInt64.max)" : nil, hasPose ? "Swim" : "Walk Fly",
        number % 3 == 0 ? nil : "200", types[number % 4], number % 4 == 1 ? "0.25" : nil,
      ]
    }
    #expect(rows == expected)
    #expect(
      try database.sql("SELECT pose, payload FROM body_view WHERE id = 1 AND pose->>'axis' = 'Z'").hasSuffix(
        """
        "codes": [1, 2, 3], "stamp": 18446744073709551615, "corners": [{"x": 0, "y": 0, "z": 0}, \
        {"x": 0, "y": 0, "z": 0}], "position": {"x": 0.25, "y": 2, "z": 3}, "abilities": "Walk Fly"}|\
        {"x": 0.25, "y": 2, "z": 3}
        """))
  }

  // MARK: Hostile rows

  @Test("A row can be read whatever its bytes are, and a text that PostgreSQL does not have is shown by its bytes")
  func damagedRows() throws {
    let database = try TestDatabase()
    try database.run(try setupScript("--views", fixture("post")))
    database.perform([Post.self]) { transaction in
      let content = Content.imageContent(ImageContent(images: ["a", "b"]))
      transaction.try(
        submit: PostChangeRequest.creationRequest(Post(title: "a\0b", tag: "t", priority: 5, content: content)))
    }
    #expect(try database.sql("SELECT title FROM post_view") == "\\x610062")
    let hex = try database.sql("SELECT encode(p, 'hex') FROM post")
    let bytes = try #require(hexadecimalBytes(hex))
    var random = SeededGenerator(seed: 9)
    var rows: [[UInt8]] = [[], [0], bytes.map { $0 == UInt8(ascii: "t") ? 0xFF : $0 }]
    for _ in 0..<600 {
      var damaged = bytes
      switch random.next(3) {
      case 0: damaged.removeLast(random.next(damaged.count))
      case 1: damaged[random.next(damaged.count)] = UInt8(truncatingIfNeeded: random.next())
      default:
        for _ in 0..<4 { damaged[random.next(damaged.count)] = random.pick([0, 1, 4, 8, 0x7F, 0x80, 0xFF]) }
      }
      rows.append(damaged)
    }
    let values = rows.map { "('\(hexadecimal($0))')" }.joined(separator: ", ")
    try database.run("INSERT INTO post (p) VALUES \(values);")
    #expect(try database.sql("SELECT count(v::text) FROM post_view v") == "\(rows.count + 1)")
    #expect(try database.sql("SELECT count(*) FROM post_view WHERE title IS NULL AND priority IS NULL") != "0")
    #expect(try database.sql("SELECT tag FROM post_view ORDER BY rowid LIMIT 1 OFFSET 3") == "\\xff")
  }

  private func hexadecimalBytes(_ text: String) -> [UInt8]? {
    let digits = Array(text)
    return stride(from: 0, to: digits.count, by: 2).compactMap { UInt8(String(digits[$0...($0 + 1)]), radix: 16) }
  }

  @Test("An object of 64 tables in each other is shown")
  func deepObjects() throws {
    let database = try TestDatabase()
    try database.run(try setupScript("--views", fixture("recursive")))
    try withTemporaryFolder { folder in
      let depth = 62
      let json =
        "{\"id\": 1, \"first\": " + String(repeating: "{\"children\": [", count: depth) + "{\"name\": \"deep\"}"
        + String(repeating: "]}", count: depth) + "}"
      try Data(json.utf8).write(to: folder.appendingPathComponent("object.json"))
      let result = try runProgram(dflatc, ["convert", fixture("recursive"), "object.json", "-o", "o.bin"], in: folder)
      try #require(result.isSuccess, "\(String(decoding: result.error, as: UTF8.self))")
      let bytes = try Data(contentsOf: folder.appendingPathComponent("o.bin"))
      try database.sql("INSERT INTO outline (p) VALUES ('\(hexadecimal(Array(bytes)))')")
    }
    #expect(try database.sql("SELECT first::text LIKE '%deep%' FROM outline_view") == "t")
  }

  // MARK: Use

  @Test("A condition on an indexed number uses its index")
  func indexes() throws {
    let database = try TestDatabase()
    try database.run(try setupScript("--views", fixture("post")))
    database.perform([Post.self]) { transaction in
      for number in 0..<2_000 {
        transaction.try(
          submit: PostChangeRequest.creationRequest(Post(title: "\(number)", priority: Int32(number))))
      }
    }
    try database.sql("ANALYZE post")
    #expect(try database.sql("SELECT title FROM post_view WHERE priority = 77") == "77")
    #expect(
      try database.sql("EXPLAIN SELECT title FROM post_view WHERE priority = 77").contains("using post__dflat_f10_"))
  }

  @Test("The script replaces the view of an older version, and keeps its grants and the views that read it")
  func newVersion() throws {
    try withTemporaryFolder { folder in
      func write(_ fields: String) throws {
        let text = "table Note { id: int (primary); \(fields) }\nroot_type Note;"
        try Data(text.utf8).write(to: folder.appendingPathComponent("note.fbs"))
      }
      func columns(_ database: TestDatabase) throws -> String {
        try database.sql(
          """
          SELECT string_agg(attname, ' ' ORDER BY attnum) FROM pg_attribute
          WHERE attrelid = 'note_view'::regclass AND attnum > 0
          """)
      }
      let database = try TestDatabase()
      let reader = "reader_\(database.name)"
      try database.run("CREATE ROLE \(reader) LOGIN;")
      defer { _ = try? database.run("DROP OWNED BY \(reader); DROP ROLE \(reader);") }
      try write("a: int; b: string;")
      try database.run(try setupScript("--views", "--reader-role", reader, "note.fbs", in: folder))
      #expect(try columns(database) == "rowid id a b")
      // Columns are added, and go away, and change their types.
      for (fields, expected) in [
        ("a: int; b: string; c: [int];", "rowid id a b c"),
        ("a: int; b: string (deprecated); c: [int];", "rowid id a c"),
        ("a: int (indexed); b: string; c: [int];", "rowid id a b c"),
      ] {
        try Data(contentsOf: folder.appendingPathComponent("note.fbs"))
          .write(to: folder.appendingPathComponent("old.fbs"))
        try write(fields)
        let script = try setupScript("--views", "--from", "old.fbs", "note.fbs", in: folder)
        try database.run(script)
        try database.run(script)
        #expect(try columns(database) == expected)
      }
      #expect(try database.run("SELECT count(*) FROM note_view;", as: reader) == "0")
      #expect(throws: ProgramFailure.self) { try database.run("SELECT count(*) FROM note;", as: reader) }
      #expect(throws: ProgramFailure.self) { try database.run("DELETE FROM note_view;", as: reader) }

      try database.sql("CREATE VIEW report AS SELECT b FROM note_view")
      try write("a: int (indexed); b: string (deprecated); c: [int]; d: int (indexed);")
      let script = try setupScript("--views", "note.fbs", in: folder)
      try database.run(script)
      #expect(try columns(database) == "rowid id a b c")
      let newIndexes = "SELECT count(*) FROM pg_indexes WHERE tablename = 'note' AND indexname LIKE '%f12%'"
      #expect(try database.sql(newIndexes) == "1")
      try database.run("DROP VIEW report;")
      try database.run(script)
      #expect(try columns(database) == "rowid id a c d")
    }
  }

  @Test("A view reads the objects of its schema, whatever the search path of its reader is")
  func otherSchema() throws {
    let tenant = "Tenant 'B\""
    let database = try TestDatabase()
    let reader = "reader_\(database.name)"
    try database.run("CREATE ROLE \(reader) LOGIN;")
    defer { _ = try? database.run("DROP OWNED BY \(reader); DROP ROLE \(reader);") }
    let script = try setupScript("--views", "--schema", tenant, "--reader-role", reader, fixture("recursive"))
    try database.run(script)
    try database.run(script)
    let view = "\"Tenant 'B\"\"\".outline_view"
    #expect(try database.run("SELECT count(*) FROM \(view);", as: reader) == "0")
    // An outline with the id 7.
    let bytes = "\\x0c00000000000600080004000600000007000000"
    try database.run("INSERT INTO \"Tenant 'B\"\"\".outline (p) VALUES ('\(bytes)');")
    #expect(try database.run("SET search_path = ''; SELECT id FROM \(view);", as: reader) == "7")
  }

  @Test("The setup of views is complete for workspaces, and readers without views are refused")
  func beside() async throws {
    let database = try TestDatabase()
    try database.run(try setupScript("--views", fixture("post"), fixture("scalars")))
    #expect(try await database.workspace.check([Post.self, Sample.self]).isComplete)
    let result = try dflatcSQL(["--postgres", "--reader-role", "r", fixture("post")])
    #expect(result.status == 2 && String(decoding: result.error, as: UTF8.self).contains("--views"))
  }
}
