import EngineTestSupport
import Dflat
import FlatBuffersCore
import Foundation
import TestSupport
import Testing

@testable import SQLiteDflat

/// What a condition means on bytes is held by `EvaluationTests`; here, that SQL and its columns, limits and pages do not
/// change that.
@Suite("A query gives the same answer by every path")
struct QueryPathTests {
  typealias Condition = QueryExpression<Bool, Thing>

  private static let keys = ["f8", "f10", "f12", "f14"]

  /// Makes conditions at random over fields with and without indexes, and over the keys.
  private static func condition(_ generator: inout PostGenerator, _ depth: Int) -> Condition {
    if depth > 0, generator.chance(60) {
      let lhs = condition(&generator, depth - 1)
      let rhs = condition(&generator, depth - 1)
      switch Int.random(in: 0..<7, using: &generator.random) {
      case 0, 1: return lhs && rhs
      case 2, 3: return lhs || rhs
      case 4: return !lhs
      case 5: return lhs == rhs
      default: return lhs.isNull || (lhs != rhs).isNotNull
      }
    }
    switch Int.random(in: 0..<15, using: &generator.random) {
    case 12: return textCondition(Thing.note, &generator)
    case 13: return textCondition(Thing.name, &generator)
    case 14: return compare(Thing.note.length, generator.pick([0, 1, 2, 3]), &generator)
    case 0: return Thing.flag
    case 1: return generator.chance(50) ? !Thing.flag : Thing.flag == generator.chance(50)
    case 2: return compare(Thing.big, generator.pick(EdgeValueTests.unsigned), &generator)
    case 3: return compare(Thing.ratio, generator.pick(EdgeValueTests.reals), &generator)
    case 4: return compare(Thing.note, generator.pick(PostGenerator.strings), &generator)
    case 5: return compare(Thing.name, generator.pick(PostGenerator.strings), &generator)
    case 6: return compare(Thing.id, generator.pick([-1, 0, 3, 10, .max, .min]), &generator)
    case 7: return Thing.note.isNull
    case 8: return Thing.ratio.isNotNull
    case 9: return Thing.ratio.in([generator.pick(EdgeValueTests.reals), generator.pick(EdgeValueTests.reals)])
    case 10: return Thing.big.notIn([generator.pick(EdgeValueTests.unsigned), generator.pick(EdgeValueTests.unsigned)])
    default: return generator.chance(50) ? Thing.id % 3 == 1 : Thing.big + 1 > generator.pick(EdgeValueTests.unsigned)
    }
  }

  private static func compare<Value: QueryValue & Comparable>(
    _ field: QueryExpression<Value, Thing>, _ value: Value, _ generator: inout PostGenerator
  ) -> Condition {
    switch Int.random(in: 0..<8, using: &generator.random) {
    case 0: field == value
    case 1: value != field
    case 2: field < value
    case 3: value <= field
    case 4: field > value
    case 5: value >= field
    case 6: field.in([value])
    default: field == field
    }
  }

  private static func textCondition(
    _ field: QueryExpression<String, Thing>, _ generator: inout PostGenerator
  ) -> Condition {
    let field = generator.pick([field, field, field.folded, field.foldedCase])
    let part = generator.chance(80) ? generator.pick(PostGenerator.strings) : generator.title()
    switch Int.random(in: 0..<7, using: &generator.random) {
    case 5: return compare(field, part, &generator)
    case 6: return field.notIn([part, generator.pick(PostGenerator.strings)])
    case 0, 1: return field.hasPrefix(part)
    case 2: return field.hasSuffix(part)
    case 3: return field.contains(part)
    default: return field.isEmpty
    }
  }

  private static func isTrue(_ condition: Condition, _ thing: Thing) throws -> Bool {
    var builder = FlatBufferBuilder()
    let root = thing.to(flatBufferBuilder: &builder)
    try builder.finish(root)
    guard let table = FlatBufferTable(rootOf: builder.finishedBuffer()) else { return false }
    return QueryProgram(condition._node).matches(table)
  }

  private static let count = 30

  @Test(
    "Random queries find the same objects by every path", arguments: LongForm.seeds(ofConditions: count, sample: 5))
  func randomQueries(seeds: Range<Int>) throws {
    for seed in seeds { try compare(seed: seed) }
  }

  private func compare(seed: Int) throws {
    var generator = PostGenerator(random: SeededGenerator(seed: UInt64(seed)))
    let store = try TestStore()
    PageTests.fill(store, &generator)
    let all = store.workspace.fetch(for: Thing.self).all()
    let spoiled = try TestStore()
    PageTests.fill(store: spoiled, with: Array(all))
    for key in Self.keys where generator.chance(60) {
      // An index that cannot be filled.
      let index = "test__thing_v1_1__\(key)"
      try spoiled.sql("DROP TABLE \(index); CREATE VIEW \(index) AS SELECT 0 AS rowid, 0 AS \(key)")
    }
    for number in 0..<Self.count {
      let condition = Self.condition(&generator, 3)
      let keys = PageTests.keys(&generator)
      let limits: [Limit] = [.noLimit, .limit(0), .limit(-1), .limit(1), .limit(7), .limit(.max), .limit(.max - 1)]
      let limit = generator.pick(limits)
      let start = generator.chance(50) ? nil : generator.pick(Array(all))
      func isBefore(_ lhs: Thing, _ rhs: Thing) -> Bool {
        for key in keys {
          let order = key.order(lhs, rhs)
          if order != 0 { return order < 0 }
        }
        return lhs._rowid < rhs._rowid
      }
      let matching = try all.filter { try Self.isTrue(condition, $0) }
      let expected = matching.filter { thing in start.map { isBefore($0, thing) } ?? true }.sorted(by: isBefore)
        .prefix(limit.count).map(\._rowid)
      let first = matching.min(by: isBefore)?._rowid
      func check(_ workspace: SQLiteWorkspace, _ path: String) {
        let things = workspace.fetch(for: Thing.self)
        let comment = Comment(rawValue: "seed \(seed), \(number), \(path): \(condition._node)")
        let orderBy = keys.map(\.orderBy)
        #expect(
          things.where(condition, limit: limit, orderBy: orderBy, after: start).map(\._rowid) == expected, comment)
        #expect(things.first(where: condition, orderBy: orderBy)?._rowid == first, comment)
        #expect(things.count(where: condition) == matching.count, comment)
        #expect(things.exists(where: condition) == !matching.isEmpty, comment)
      }
      check(store.workspace, "indexes")
      check(spoiled.workspace, "no indexes")
      store.workspace.fetchWithinASnapshot { check(store.workspace, "a snapshot") }
      if number % 10 == 0 {
        store.perform([Thing.self], completing: false) { context in
          check(store.workspace, "a transaction")
          context.try(submit: ThingChangeRequest.creation(Thing(id: 1000)))
          ThingChangeRequest.deletion(Thing(id: 1000)).map { _ = context.try(submit: $0) }
          check(store.workspace, "a transaction that writes")
          context.abort()
        }
      }
    }
    spoiled.errors.removeAll()
    LongForm.record(Self.count, "conditions on numbers and texts, with all indexes and with some")
  }
}
