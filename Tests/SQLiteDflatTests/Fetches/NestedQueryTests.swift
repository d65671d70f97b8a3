import EngineTestSupport
import Dflat
import Golden_structs
import TestSupport
import Testing

@testable import SQLiteDflat

@Suite("A query of what is in structs and unions finds what the objects show")
struct NestedQueryTests {
  /// A condition of one field, and its truth for an object; or an order by the field.
  private struct Term {
    let name: String
    let query: QueryExpression<Bool, Body>
    let truth: (Body) -> Bool?

    init<Value: DflatFriendlyValue, Key: Comparable>(
      _ name: String, _ field: QueryExpression<Value, Body>, _ constant: Value, _ generator: inout PostGenerator,
      _ key: @escaping (Value) -> Key?, _ value: @escaping (Body) -> Value?
    ) {
      let limit = key(constant)
      func holds(_ test: @escaping (Key, Key) -> Bool) -> (Body) -> Bool? {
        { body in
          guard let value = value(body).flatMap(key), let limit else { return nil }
          return test(value, limit)
        }
      }
      switch Int.random(in: 0..<6, using: &generator.random) {
      case 0: (query, truth) = (field == constant, holds(==))
      case 1: (query, truth) = (field != constant, holds(!=))
      case 2: (query, truth) = (field < constant, holds(<))
      case 3: (query, truth) = (constant <= field, holds(>=))
      case 4: (query, truth) = (field.isNull, { value($0).flatMap(key) == nil })
      default: (query, truth) = (field.in([constant]), holds(==))
      }
      self.name = name
    }

    init(_ name: String, _ query: QueryExpression<Bool, Body>, _ truth: @escaping (Body) -> Bool?) {
      (self.name, self.query, self.truth) = (name, query, truth)
    }
  }

  private static let abilities: [Ability] = [[], Ability(rawValue: 1), Ability(rawValue: 5), Ability(rawValue: 7)]
  private static let floats: [Float] = [-.infinity, -1.5, -0.0, 0, 0.1, .leastNonzeroMagnitude, .infinity, .nan]

  private func body(_ id: Int, _ generator: inout PostGenerator) -> Body {
    func vector() -> Vec3 { Vec3(x: generator.pick(Self.floats), y: 1, z: generator.pick(Self.floats)) }
    let pose = Pose(
      position: vector(), axis: generator.pick([.X, .Y, .Z]), abilities: generator.pick(Self.abilities),
      stamp: generator.pick(EdgeValueTests.unsigned))
    let payload: Payload? =
      switch Int.random(in: 0..<5, using: &generator.random) {
      case 0: .vec3(vector())
      case 1: .note(Note(text: generator.pick(PostGenerator.strings)))
      case 2: .note(Note())
      case 3: .big(Big(value: generator.pick(EdgeValueTests.reals)))
      default: nil
      }
    return Body(
      id: Int32(id), origin: vector(), pose: generator.chance(30) ? nil : pose,
      big: generator.chance(50) ? nil : Big(value: generator.pick(EdgeValueTests.reals)),
      abilities: generator.pick(Self.abilities),
      maybe: generator.chance(50) ? nil : generator.pick(Self.abilities), payload: payload)
  }

  private func term(_ generator: inout PostGenerator) -> Term {
    func float(_ value: Float) -> Float? { value.isNaN ? nil : value }
    func double(_ value: Double) -> Double? { value.isNaN ? nil : value }
    let x = generator.pick(Self.floats)
    switch Int.random(in: 0..<11, using: &generator.random) {
    case 0: return Term("pose.position.x", Body.pose.position.x, x, &generator, float) { $0.pose?.position.x }
    case 1: return Term("pose.position.z", Body.pose.position.z, x, &generator, float) { $0.pose?.position.z }
    case 2:
      let stamp = generator.pick(EdgeValueTests.unsigned)
      return Term("pose.stamp", Body.pose.stamp, stamp, &generator, { $0 }) { $0.pose?.stamp }
    case 3: return Term("pose.axis", Body.pose.axis, .Y, &generator, \.rawValue) { $0.pose?.axis }
    case 4: return Term("origin.x", Body.origin.x, x, &generator, float) { $0.origin.x }
    case 5:
      let value = generator.pick(EdgeValueTests.reals)
      return Term("big.value", Body.big.value, value, &generator, double) { $0.big?.value }
    case 6:
      return Term("as(Vec3).x", Body.payload.as(Vec3.self).x, x, &generator, float) {
        if case .vec3(let vector)? = $0.payload { vector.x } else { nil }
      }
    case 7:
      let text = generator.pick(PostGenerator.strings)
      return Term("as(Note).text", Body.payload.as(Note.self).text, text, &generator, { PageTests.Bytes($0) }) {
        if case .note(let note)? = $0.payload { note.text } else { nil }
      }
    case 8:
      let value = generator.pick(EdgeValueTests.reals)
      return Term("as(Big).value", Body.payload.as(Big.self).value, value, &generator, double) {
        if case .big(let big)? = $0.payload { big.value } else { nil }
      }
    case 9:
      return Term("match(Note)", Body.payload.match(Note.self)) {
        switch $0.payload {
        case .note?: true
        case nil: nil
        default: false
        }
      }
    default: return Term("payload.isNull", Body.payload.isNull) { $0.payload == nil }
    }
  }

  @Test("Random conditions find the same objects with their indexes and without", arguments: 1...2)
  func randomConditions(seed: Int) throws {
    var generator = PostGenerator(random: SeededGenerator(seed: UInt64(seed)))
    let store = try TestStore()
    let spoiled = try TestStore()
    let bodies = (0..<60).map { body($0, &generator) }
    for store in [store, spoiled] {
      store.perform([Body.self]) { context in
        for body in bodies { context.try(submit: BodyChangeRequest.creationRequest(body)) }
      }
    }
    let tables = try spoiled.sql(
      "SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE 'body\\_\\_%' ESCAPE '\\'")
    #expect(tables.count >= 4)
    for table in tables.compactMap({ $0[0] }) where generator.chance(70) {
      // An index that cannot be filled.
      try spoiled.sql("DROP TABLE \(table); CREATE VIEW \(table) AS SELECT 0 AS rowid, 0 AS \(table.dropFirst(6))")
    }
    let all = store.workspace.fetch(for: Body.self).all()
    for _ in 0..<60 {
      let lhs = term(&generator)
      let rhs = term(&generator)
      let isAnd = generator.chance(50)
      let query = isAnd ? lhs.query && rhs.query : lhs.query || !rhs.query
      let expected = all.filter { body in
        isAnd ? lhs.truth(body) == true && rhs.truth(body) == true : lhs.truth(body) == true || rhs.truth(body) == false
      }.map(\.id)
      let comment = Comment(rawValue: "seed \(seed): \(lhs.name), \(rhs.name), and: \(isAnd)")
      for workspace in [store.workspace, spoiled.workspace] {
        let found = workspace.fetch(for: Body.self)
        #expect(found.where(query).map(\.id) == expected, comment)
        #expect(found.count(where: query) == expected.count, comment)
        #expect(found.where(query, limit: .limit(3)).map(\.id) == Array(expected.prefix(3)), comment)
      }
    }
    spoiled.errors.removeAll()
    #expect(store.errors.values.isEmpty)
  }
}
