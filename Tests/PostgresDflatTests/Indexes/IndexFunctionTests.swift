import Dflat
import DflatEngine
import EngineTestSupport
import FlatBuffersCore
import Golden_contents
import Golden_scalars
import Golden_structs
import PostgresLayout
import TestSupport
import Testing

@testable import PostgresDflat

@Suite("The functions of indexes read what the store reads")
struct IndexFunctionTests {
  /// The fields of a type that have an index, and more of its fields, which have none, to be read likewise.
  private struct Subject: Sendable {
    let record: RecordDescription
    let objects: [[UInt8]]
  }

  private static func subjects() throws -> [Subject] {
    var random = SeededGenerator(seed: 3)
    let numbers: [Double?] = [
      nil, 0, -0.0, 1, -1.5, .pi, 1e300, -1e-300, .leastNonzeroMagnitude, .infinity, -.infinity, .nan,
    ]
    let names = ["", "a", "é", "日本", "\0", String(repeating: "x", count: 999), String(repeating: "y", count: 1001)]
    var samples: [[UInt8]] = []
    for number in 0..<40 {
      let sample = Sample(
        sensorId: random.next(), level: .HIGH, name: names[number % names.count],
        shortOne: Int16(truncatingIfNeeded: random.next()),
        serial: UInt32(truncatingIfNeeded: random.next()), longOne: Int64(bitPattern: random.next()),
        ratio: Float(random.pick(numbers) ?? 0.5), maybePrecise: random.pick(numbers),
        distance: random.once(in: 2) ? .far : .near)
      samples.append(try bytes(of: sample))
    }
    var bodies: [[UInt8]] = []
    for number in 0..<20 {
      let vector = Vec3(x: Float(random.pick(numbers) ?? 0), y: 2, z: 3)
      let payload: Payload? = [nil, .vec3(vector), .note(.init(text: "n")), .big(.init(value: 4))][number % 4]
      bodies.append(
        try bytes(of: Body(id: Int32(number), origin: vector, abilities: [.walk], payload: payload)))
    }
    var generator = VectorGenerator(seed: 3)
    let baskets = try (0..<30).map { try bytes(of: generator.basket($0)) }
    let long = String(repeating: "É", count: 600)
    let things = try (names + [long, "ÀB\u{301}", "Straße", "e\\\0É"]).enumerated().map { number, name in
      try bytes(of: Thing(id: Int64(number), name: name, note: number % 3 == 0 ? nil : name.uppercased()))
    }
    return [
      Subject(record: Sample._record, objects: samples), Subject(record: Body._record, objects: bodies),
      Subject(record: IndexedBasket._record, objects: baskets), Subject(record: foldings, objects: things),
      Subject(record: defaults, objects: things),
    ]
  }

  /// Folded fields of things: with and without a default, and one that no thing has.
  private static let foldings = RecordDescription(
    table: "folded", primaryKeys: [Thing.fields.id],
    indexes: [
      RecordIndex(Thing.fields.name, folded: true),
      RecordIndex(RecordField(.root, .string, at: 14, default: .text("ÄRGER")), folded: true),
      RecordIndex(RecordField(.root, .stringOffset64, at: 60, default: .text("É'" + names[0])), folded: true),
    ])

  /// Numbers that none of the things has, with defaults that are not finite.
  private static let defaults = RecordDescription(
    table: "defaults", primaryKeys: [Thing.fields.id],
    indexes: [
      RecordIndex(RecordField(.root, .double, at: 10, default: .real(.nan))),
      RecordIndex(RecordField(.root, .float, at: 62, default: .real(.nan))),
      RecordIndex(RecordField(.root, .double, at: 64, default: .real(-.infinity))),
    ])

  private static let names = [String(repeating: "Ö", count: 800)]

  private static func bytes(of object: some FlatBuffersEncodable) throws -> [UInt8] {
    try RowEncoder.with { Array(try $0.encode(object)) }
  }

  @Test("Whatever the bytes are, the function returns what FieldReader does, and never fails")
  func agreement() throws {
    let database = try TestDatabase()
    let connection = try PostgresConnection(
      PostgresOptions(connection: database.server.connection(to: database.name)))
    var random = SeededGenerator(seed: 7)
    for subject in try Self.subjects() {
      let layout = DatabaseTable(subject.record, in: "public")
      for index in layout.indexes {
        try connection.send(index.layout.function.create(), isPrepared: false, for: "Testing")
      }
      try connection.finish()
      var rows = subject.objects
      for object in subject.objects {
        for _ in 0..<6 {
          var damaged = object
          switch random.next(3) {
          case 0: damaged.removeLast(random.next(damaged.count))
          case 1: damaged[random.next(damaged.count)] = UInt8(truncatingIfNeeded: random.next())
          default: damaged[random.next(min(damaged.count, 48))] = random.pick([0, 1, 4, 0x7f, 0x80, 0xff])
          }
          rows.append(damaged)
        }
      }
      for (row, bytes) in rows.enumerated() {
        for (number, index) in layout.indexes.enumerated() {
          try compare(bytes, subject.record, number, index, on: connection, "row \(row) of \(subject.record.table)")
        }
      }
    }
  }

  private func compare(
    _ bytes: [UInt8], _ record: RecordDescription, _ number: Int, _ index: DatabaseTable.Index,
    on connection: PostgresConnection, _ comment: String
  ) throws {
    // A row without a root is damaged: it is in no result.
    guard let root = FlatBufferTable(rootOf: ByteBuffer(bytes)) else { return }
    if record.indexes[number].vector != nil {
      try compareElements(bytes, root, record, number, index, on: connection, comment)
      return
    }
    try record.withValue(ofColumn: record.column(ofIndex: number), in: root) { expected in
      try compare(bytes, expected, index, on: connection, comment)
    }
    withExtendedLifetime(root) {}
  }

  private func compare(
    _ bytes: [UInt8], _ expected: RowValue, _ index: DatabaseTable.Index, on connection: PostgresConnection,
    _ comment: String
  ) throws {
    var parameters = PostgresParameters()
    bytes.withUnsafeBytes { parameters.append(bytes: $0) }
    // The value that is compared is written as the planner writes those of conditions.
    let name = PostgresName.quoted(index.layout.function.name)
    let type = index.layout.function.type
    let hasValue = parameters.append(expected, as: type)
    #expect(hasValue, "\(comment)")
    let constant = type == .bytes ? KeyForm.sql("$2::bytea") : "$2::\(type.sql)"
    var isSame = false
    try connection.query(
      "SELECT \(name)($1) IS NOT DISTINCT FROM (\(constant))", parameters, for: "Testing"
    ) { row in
      isSame = row.bool(0)
      return true
    }
    #expect(isSame, "\(comment), \(index.name): \(expected)")
  }

  private func compareElements(
    _ bytes: [UInt8], _ root: FlatBufferTable, _ record: RecordDescription, _ number: Int,
    _ index: DatabaseTable.Index, on connection: PostgresConnection, _ comment: String
  ) throws {
    let type = index.layout.function.type
    // NULL stands for no elements.
    let (values, parameters) = record.withElements(ofIndex: number, in: root) { values in
      var parameters = PostgresParameters()
      bytes.withUnsafeBytes { parameters.append(bytes: $0) }
      for value in values {
        let hasValue = parameters.append(value, as: type)
        #expect(hasValue, "\(comment)")
      }
      return ("\(values)", parameters)
    }
    let constants = (2...parameters.count).map { place in
      type == .bytes ? KeyForm.sql("$\(place)::bytea") : "$\(place)::\(type.sql)"
    }
    let name = PostgresName.quoted(index.layout.function.name)
    var isSame = false
    try connection.query(
      """
      SELECT coalesce((SELECT array_agg(DISTINCT e ORDER BY e) FROM unnest(\(name)($1)) AS e), ARRAY[NULL]::\(type.sql)[])
        = (SELECT array_agg(e ORDER BY e) FROM unnest(ARRAY[\(constants.joined(separator: ", "))]) AS e)
      """, parameters, for: "Testing"
    ) { row in
      isSame = row.bool(0)
      return true
    }
    withExtendedLifetime(root) {}
    #expect(isSame, "\(comment), \(index.name): \(values)")
  }

  @Test("Every Unicode scalar, and bytes that are not UTF-8, fold as in Swift", arguments: ["UTF8", "SQL_ASCII"])
  func foldings(encoding: String) throws {
    let database = try TestDatabase()
    let name = "\(database.name)_encoded"
    try database.sql("CREATE DATABASE \(name) ENCODING \(encoding) LOCALE 'C' TEMPLATE template0")
    defer { _ = try? database.sql("DROP DATABASE \(name) WITH (FORCE)") }
    let connection = try PostgresConnection(PostgresOptions(connection: database.server.connection(to: name)))
    let index = try #require(DatabaseTable(Self.foldings, in: "public").indexes.first)
    try connection.send(index.layout.function.create(), isPrepared: false, for: "Testing")
    var texts: [[UInt8]] = []
    for first in stride(from: UInt32(0), to: 0x11_0000, by: 512) {
      let scalars = (first..<first + 512).compactMap(Unicode.Scalar.init)
      // In the order of the scalars, and each behind ASCII.
      texts.append(Array(String(String.UnicodeScalarView(scalars)).utf8))
      texts.append(scalars.flatMap { Array("A\($0)".utf8) })
    }
    var random = SeededGenerator(seed: 11)
    let likely: [UInt8] = [0x41, 0x5c, 0x80, 0x81, 0xbf, 0xc1, 0xc3, 0xcc, 0xe0, 0xe1, 0xed, 0xf0, 0xf4, 0xff]
    for _ in 0..<2_000 {
      texts.append(
        (0..<random.next(70)).map { _ in
          random.once(in: 3) ? UInt8(truncatingIfNeeded: random.next()) : random.pick(likely)
        })
    }
    // The shortest forms of these scalars are other ones, or they are no scalars; A, É and marks would change.
    texts += [
      [0xc1, 0x81], [0xe0, 0x81, 0x81], [0xe0, 0x83, 0x89], [0xe0, 0x9f, 0xab], [0xf0, 0x80, 0x81, 0x81],
      [0xf0, 0x8f, 0xbc, 0xa1], [0xf0, 0x8c, 0x83, 0x81], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80], [0xc3],
      [0xe1, 0xb8],
      [0xf0, 0x90, 0x90], [0xc3, 0x41], [0xe1, 0xb8, 0x41], [0xe1, 0x41, 0x80], [0xf0, 0x90, 0x90, 0x41],
    ]
    for text in texts {
      // The text takes the place of one of the same length.
      let filler = String(repeating: "x", count: text.count)
      var bytes = try Self.bytes(of: Thing(id: 1, name: filler))
      if !text.isEmpty {
        let start = try #require(bytes.firstIndex(of: UInt8(ascii: "x")))
        bytes.replaceSubrange(start..<start + text.count, with: text)
      }
      try compare(bytes, Self.foldings, 0, index, on: connection, "\(text.prefix(80))")
    }
  }

  @Test("A transaction shows in a snapshot if it has ended before, whatever the upper half of its number is")
  func snapshots() throws {
    let snapshot = try #require(ServerSnapshot("10:20:10,14"))
    #expect([9, 11, 19].allSatisfy { snapshot.shows($0) })
    #expect([10, 14, 20, 21].allSatisfy { !snapshot.shows($0) })
    let later = try #require(ServerSnapshot("4294967290:4294967300:4294967298"))
    #expect(later.shows(4_294_967_289) && later.shows(4_294_967_295) && later.shows(1) && later.shows(3))
    #expect(!later.shows(2) && !later.shows(4) && !later.shows(5))
    #expect(ServerSnapshot("1:2") == nil && ServerSnapshot("a:2:") == nil)
  }
}
