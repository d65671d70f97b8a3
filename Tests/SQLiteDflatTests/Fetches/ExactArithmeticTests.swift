import EngineTestSupport
import FlatBuffersCore
import TestSupport
import Testing

@testable import Dflat
@testable import SQLiteDflat

@Suite("Arithmetic on integers is exact")
struct ExactArithmeticTests {
  @Test("Near the ends of Int64, UInt64 and what a Double tells apart, by every path", arguments: 1...6)
  func agreement(seed: Int) throws {
    var generator = SeededGenerator(seed: UInt64(seed))
    let things = ExactNumbers.things(&generator)
    let store = try TestStore()
    PageTests.fill(store: store, with: things)
    let plain = try TestStore()
    PageTests.fill(store: plain, with: things)
    // An index that cannot be filled.
    try plain.sql("DROP TABLE test__thing_v1_1__f8; CREATE VIEW test__thing_v1_1__f8 AS SELECT 0 AS rowid, 0 AS f8")
    ExactNumbers.check(store.workspace, things, 60, &generator) { Issue.record("seed \(seed), index: \($0)") }
    ExactNumbers.check(plain.workspace, things, 60, &generator) { Issue.record("seed \(seed), no index: \($0)") }
    #expect(store.errors.values.isEmpty)
    plain.errors.removeAll()
  }

  @Test("Standing queries find what a fetch finds", arguments: 1...6)
  func standingQueries(seed: Int) throws {
    var generator = SeededGenerator(seed: UInt64(seed))
    let things = ExactNumbers.things(&generator)
    let store = try TestStore()
    let conditions = (0..<30).map { _ in ExactNumbers.condition(&generator) }
    let results = Locked(Array(repeating: [String](), count: conditions.count))
    let subscriptions = conditions.enumerated().map { index, exact in
      let result = store.workspace.fetch(for: Thing.self).where(exact.condition)
      return store.workspace.subscribe(fetchedResult: result) { result in
        results.change { $0[index] = result.map(\.name) }
      }
    }
    PageTests.fill(store: store, with: things)
    for (index, exact) in conditions.enumerated() {
      let expected = things.filter { exact.truth($0) == true }.map(\.name)
      #expect(eventually { results.value[index] == expected }, "seed \(seed): \(exact.condition._node)")
    }
    for subscription in subscriptions { subscription.cancel() }
  }

  @Test("Sums and remainders are exact, even if no Int64 or Double holds them")
  func examples() throws {
    let smallest = Thing(id: .min, big: .max)
    let largest = Thing(id: .max, big: 0)
    #expect((Thing.id - 1 < .min).evaluate(smallest))
    #expect((Thing.id + 1 > .max).evaluate(largest))
    #expect((Thing.id + 1 - 1 == .max).evaluate(largest))
    #expect((Thing.id + Thing.id + Thing.id - Thing.id - Thing.id == .min).evaluate(smallest))
    #expect((Thing.big % 10 == 5).evaluate(smallest))
    #expect((Thing.big % 10).evaluate(object: smallest) == 5)
    #expect((Thing.big + 1 > .max).evaluate(smallest))
    #expect((Thing.big - 1 < 0).evaluate(largest))
    #expect((1 - (Thing.big + Thing.big) < 0).evaluate(smallest))
    #expect(((Thing.big + Thing.big) % Thing.big == 0).evaluate(smallest))
    // 18,446,744,073,709,551,614 by 18,446,744,073,709,551,616, which is no UInt64.
    #expect(((Thing.big - 1) % (Thing.big + 1) == .max - 1).evaluate(smallest))
    #expect((Thing.id % -1 == 0).evaluate(smallest))
    #expect((Thing.id - 1).evaluate(object: smallest) == nil)
    #expect((Thing.big + 1).evaluate(object: smallest) == nil)
    #expect((Thing.id % 0).evaluate(object: smallest) == nil)
    #expect((Thing.big % 0).evaluate(object: smallest) == nil)
    // Of real numbers: each without its fraction, however large.
    #expect((Thing.ratio % 7 == 4).evaluate(Thing(id: 0, ratio: 0x1p64 * 2)))
    #expect((Thing.ratio % 2.9 == 1).evaluate(Thing(id: 0, ratio: 7.9)))
    #expect((Thing.ratio % 0.5).evaluate(object: Thing(id: 0, ratio: 7)) == nil)
    #expect((Thing.ratio % 2).evaluate(object: Thing(id: 0, ratio: .infinity)) == nil)
  }

  /// The result of an operator on two constants.
  private func value(_ operation: QueryNode.Arithmetic, _ lhs: FieldValue, _ rhs: FieldValue) -> RowValue {
    QueryProgram(.arithmetic(operation, .constant(lhs), .constant(rhs))).value(for: .empty)
  }

  @Test("Products are exact, and rounded beyond what 126 bits hold")
  func products() {
    let integers: [FieldValue] = [
      .integer(.min), .integer(.max), .integer(-1), .integer(0), .integer(3), .unsigned(.max), .integer(1_000_000_007),
    ]
    for lhs in integers {
      for rhs in integers {
        // As a sum of shifted halves of one side.
        func number(_ value: FieldValue) -> (negative: Bool, magnitude: UInt64) {
          switch value {
          case .integer(let value): (value < 0, value.magnitude)
          case .unsigned(let value): (false, value)
          default: (false, 0)
          }
        }
        let (a, b) = (number(lhs), number(rhs))
        let product = a.magnitude.multipliedFullWidth(by: b.magnitude)
        let result = value(.multiply, lhs, rhs)
        let approximate = Double(product.high) * 0x1p64 + Double(product.low)
        let signed = a.negative != b.negative ? -approximate : approximate
        if approximate >= 0x1p126 {
          #expect(RowValue.order(result, .real(signed)) == 0, "\(lhs) * \(rhs)")
          continue
        }
        // The remainder by a prime tells each bit, and the order the magnitude.
        let prime: UInt64 = 9_223_372_036_854_775_783
        let rest = prime.dividingFullWidth((product.high % prime, product.low)).remainder
        let expected = a.negative != b.negative ? -Int64(rest) : Int64(rest)
        let divided = RowArithmetic.evaluate(.remainder, result, .integer(Int64(prime)))
        #expect(divided.isEqual(to: .integer(expected)), "\(lhs) * \(rhs)")
        #expect(signed == 0 || RowValue.order(result, .integer(0)).signum() == (signed < 0 ? -1 : 1))
      }
    }
  }

  @Test("An integer beyond 64 bits is compared with real numbers by its exact value")
  func realNumbers() {
    // 2^64 and -2^63 - 2^63.
    let positive = value(.add, .unsigned(.max), .integer(1))
    let negative = value(.add, .integer(.min), .integer(.min))
    func order(_ lhs: RowValue, _ rhs: RowValue) -> Int {
      let order = RowValue.order(lhs, rhs).signum()
      #expect(RowValue.order(rhs, lhs).signum() == -order)
      return order
    }
    #expect(order(positive, .real(0x1p64)) == 0)
    #expect(order(positive, .real(0x1p64.nextUp)) == -1 && order(positive, .real(0x1p64.nextDown)) == 1)
    #expect(order(positive, .real(.infinity)) == -1 && order(positive, .real(-.infinity)) == 1)
    #expect(order(positive, .real(0x1p127)) == -1 && order(positive, .real(-0x1p127)) == 1)
    #expect(order(positive, .unsigned(.max)) == 1 && order(positive, .integer(.max)) == 1)
    #expect(order(positive, .null) == 1 && order(negative, .null) == 1)
    #expect(order(negative, .real(-0x1p64)) == 0)
    #expect(order(negative, .real((-0x1p64).nextUp)) == -1 && order(negative, .real((-0x1p64).nextDown)) == 1)
    #expect(order(negative, .integer(.min)) == -1 && order(negative, .unsigned(.max)) == -1)
    #expect(order(negative, positive) == -1)
    #expect(positive.isEqual(to: .real(0x1p64)) && negative.isEqual(to: .real(-0x1p64)))
    #expect(positive.hash(seed: 3) == RowValue.real(0x1p64).hash(seed: 3))
    #expect(negative.hash(seed: 3) == RowValue.real(-0x1p64).hash(seed: 3))
  }
}
