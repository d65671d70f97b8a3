import EngineTestSupport
import Dflat
import FlatBuffersCore
import Foundation
import Golden_scalars
import SQLiteDflat
import Testing

/// Rows as an app with a newer schema leaves them: their enums hold numbers that this version does not know, in the
/// object's bytes, in the primary key and in the index. A query sees the number on every path; the object shows the default.
@Suite("A number that an enum does not know, under an index and in the primary key")
struct UnknownCaseIndexTests {
  enum IndexState: String, CaseIterable, Sendable {
    case complete, half, missing
    /// Dropped, and filled again by this version.
    case filled
  }

  private static let table = "sample_v1_1"
  private static let distances: [UInt32] = [
    1, 4_000_000_000, 0, 2, 3_999_999_999, 4_294_967_295, 1, 4_000_000_000, 7, 7,
  ]
  private static let levels: [Int16] = [0, 5, -5, 6, -6, .max, .min, 1, 0, 5]

  private func store(_ state: IndexState) throws -> TestStore {
    let store = try TestStore()
    let numbers = UnknownCaseIndexTests.distances.indices
    store.perform([Sample.self]) { context in
      for number in numbers {
        context.try(
          submit: SampleChangeRequest.creationRequest(
            Sample(sensorId: UInt64(number), level: .middle, name: "\(number)", serial: UInt32(number))))
      }
    }
    for number in numbers {
      let (distance, level) = (UnknownCaseIndexTests.distances[number], UnknownCaseIndexTests.levels[number])
      var builder = FlatBufferBuilder()
      let name = builder.create("\(number)")
      builder.startTable(fieldCount: 27)
      builder.add(UInt64(number), default: 0, at: 4)
      builder.add(level, default: 0, at: 6)
      builder.add(UInt32(number), default: 0, at: 20)
      builder.add(distance, at: 38)
      builder.add(distance, default: 1, at: 40)
      builder.add(name, at: 44)
      let root = builder.endTable()
      try builder.finish(root)
      let hex = builder.withFinishedBytes { bytes in bytes.map { String(format: "%02X", $0) }.joined() }
      try store.sql(
        """
        UPDATE \(UnknownCaseIndexTests.table) SET p = x'\(hex)', __pk1 = \(level) WHERE __pk0 = \(number);
        UPDATE \(UnknownCaseIndexTests.table)__f40 SET f40 = \(distance) WHERE rowid = \(number + 1)
        """)
    }
    let index = UnknownCaseIndexTests.table + "__f40"
    switch state {
    case .complete: break
    case .half: try store.sql("DELETE FROM \(index) WHERE rowid > 4")
    case .missing: try store.sql("DROP TABLE \(index); CREATE VIEW \(index) AS SELECT 0 AS rowid, 0 AS f40")
    case .filled:
      try store.sql("DROP TABLE \(index)")
      _ = store.workspace.fetch(for: Sample.self).where(Sample.distance == .near)
      let missing =
        "SELECT count(*) FROM \(UnknownCaseIndexTests.table) WHERE rowid NOT IN (SELECT rowid FROM \(index))"
      #expect(eventually { (try? store.sql(missing)) == [["0"]] })
      #expect(
        try store.sql("SELECT f40 FROM \(index) ORDER BY rowid")
          == UnknownCaseIndexTests.distances.map { ["\($0)"] })
    }
    return store
  }

  @Test(
    "A query by every path sees the number that the enum does not know", arguments: IndexState.allCases, [false, true])
  func everyPath(state: IndexState, inTransaction: Bool) throws {
    let store = try store(state)
    let samples = store.workspace.fetch(for: Sample.self)
    let distances = UnknownCaseIndexTests.distances
    let levels = UnknownCaseIndexTests.levels
    func check(_ query: QueryExpression<Bool, Sample>, _ holds: (Int) -> Bool, line: Int = #line) {
      let comment = Comment(rawValue: "\(state), line \(line)")
      let expected = distances.indices.filter(holds).map { UInt64($0) }
      #expect(samples.where(query).map(\.sensorId) == expected, comment)
      // With a part that only the bytes can answer.
      #expect(samples.where(query && Sample.small == 200).map(\.sensorId) == expected, comment)
      #expect(samples.count(where: query) == expected.count, comment)
      #expect(samples.exists(where: query) == !expected.isEmpty, comment)
      #expect(samples.first(where: query)?.sensorId == expected.first, comment)
    }
    func checkAll() {
      // The object shows the default for what it does not know.
      #expect(samples.all().map(\.distance) == distances.map { Distance(rawValue: $0) ?? .near })
      #expect(samples.all().map(\.level) == levels.map { Level(rawValue: $0) ?? .middle })
      #expect(samples.all().map(\.maybeDistance) == distances.map { Distance(rawValue: $0) })
      check(Sample.distance == .near) { distances[$0] == 1 }
      check(Sample.distance != .near) { distances[$0] != 1 }
      check(!(Sample.distance == .far)) { distances[$0] != 4_000_000_000 }
      check(Sample.distance < .far) { distances[$0] < 4_000_000_000 }
      check(Sample.distance >= .near) { distances[$0] >= 1 }
      check(Sample.distance > .far) { distances[$0] > 4_000_000_000 }
      check(Sample.distance.in([.near, .far])) { [1, 4_000_000_000].contains(distances[$0]) }
      check(Sample.distance.notIn([.near, .far])) { ![1, 4_000_000_000].contains(distances[$0]) }
      check(Sample.distance.isNull) { _ in false }
      check(Sample.maybeDistance.isNull) { _ in false }
      check(Sample.maybeDistance == .near) { distances[$0] == 1 }
      check(Sample.level == .middle) { levels[$0] == 0 }
      check(Sample.level != .middle && Sample.distance != .near) { levels[$0] != 0 && distances[$0] != 1 }
      check(Sample.level < Level.LOW) { levels[$0] < -5 }
      let byDistance = distances.indices.sorted { (distances[$0], $0) < (distances[$1], $1) }.map { UInt64($0) }
      #expect(samples.all(orderBy: [Sample.distance.ascending]).map(\.sensorId) == byDistance)
      let byLevel = levels.indices.sorted { (levels[$1], $0) < (levels[$0], $1) }.map { UInt64($0) }
      #expect(samples.all(orderBy: [Sample.level.descending]).map(\.sensorId) == byLevel)
      #expect(
        samples.all(limit: .limit(4), orderBy: [Sample.distance.ascending]).map(\.sensorId)
          == byDistance.prefix(4).map { $0 })
      let far = [Distance.far].firstIndex(of: Sample.distance).descending
      #expect(samples.all(limit: .limit(2), orderBy: [far]).map(\.sensorId) == [1, 7])
      var paged: [UInt64] = []
      var last: Sample?
      repeat {
        let page = samples.all(limit: .limit(3), orderBy: [Sample.distance.ascending], after: last)
        paged += page.map(\.sensorId)
        last = page.last
      } while last != nil && paged.count <= 20
      #expect(paged == byDistance)
    }
    if inTransaction { store.perform([Sample.self]) { _ in checkAll() } } else { checkAll() }
    // A view cannot be filled, and who tries says so.
    #expect(state == .missing || store.errors.values.isEmpty, "\(store.errors.values)")
  }

  @Test("An object that is stored again holds what it shows, and so does its index", arguments: IndexState.allCases)
  func storedAgain(state: IndexState) throws {
    let store = try store(state)
    guard state != .missing else { return }
    let samples = store.workspace.fetch(for: Sample.self)
    store.perform([Sample.self]) { context in
      let request = samples.where(Sample.sensorId == 5).first.flatMap { SampleChangeRequest.changeRequest($0) }
      request?.small = 3
      request.map { _ = context.try(submit: $0) }
      #expect(samples.where(Sample.distance == .near).map(\.sensorId) == [0, 5, 6])
    }
    #expect(samples.where(Sample.distance == .near).map(\.sensorId) == [0, 5, 6])
    #expect(samples.where(Sample.level == .middle).map(\.sensorId) == [0, 5, 8])
    #expect(samples.where(Sample.distance > .far).isEmpty)
    #expect(try store.sql("SELECT __pk1 FROM sample_v1_1 WHERE __pk0 = 5") == [["0"]])
    #expect(store.errors.values.isEmpty)
  }
}
