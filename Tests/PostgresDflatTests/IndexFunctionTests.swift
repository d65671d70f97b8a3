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
    return [Subject(record: Sample._record, objects: samples), Subject(record: Body._record, objects: bodies)]
  }

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
      let layout = DatabaseTable(subject.record)
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
    let expected = record.columns.value(at: record.primaryKeys.count + number, in: root)
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
    withExtendedLifetime(root) {}
    #expect(isSame, "\(comment), \(index.name): \(expected)")
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
