import Dflat
import Foundation
import TestSupport

/// An expression of one integer type over things, and its value by `Decimal`, which has 38 digits.
package struct ExactNumber<Value: FixedWidthInteger & QueryValue & Sendable> {
  package let expression: QueryExpression<Value, Thing>
  /// nil if it is NULL.
  package let value: @Sendable (Thing) -> Decimal?

  /// Makes an expression at random.
  ///
  /// - Parameters:
  ///   - field: the expression of a field.
  ///   - edges: the values of constants.
  package static func random(
    _ generator: inout SeededGenerator, _ depth: Int, _ field: ExactNumber, _ edges: [Value]
  ) -> ExactNumber {
    guard depth > 0, !generator.once(in: 5) else { return field }
    let constant = generator.pick(edges)
    let decimal = constant.decimal
    let lhs = random(&generator, depth - 1, field, edges)
    let rhs = random(&generator, depth - 1, field, edges)
    switch Int.random(in: 0..<9, using: &generator) {
    case 0: return ExactNumber(expression: lhs.expression + constant) { thing in lhs.value(thing).map { $0 + decimal } }
    case 1: return ExactNumber(expression: constant - lhs.expression) { thing in lhs.value(thing).map { decimal - $0 } }
    case 2: return ExactNumber(expression: lhs.expression - constant) { thing in lhs.value(thing).map { $0 - decimal } }
    case 3: return lhs.combined(with: rhs, lhs.expression + rhs.expression) { $0 + $1 }
    case 4: return lhs.combined(with: rhs, lhs.expression - rhs.expression) { $0 - $1 }
    case 5: return lhs.combined(with: rhs, lhs.expression % rhs.expression, remainder)
    case 6:
      return ExactNumber(expression: constant % lhs.expression) { lhs.value($0).flatMap { remainder(decimal, $0) } }
    default:
      return ExactNumber(expression: lhs.expression % constant) { lhs.value($0).flatMap { remainder($0, decimal) } }
    }
  }

  private func combined(
    with other: ExactNumber, _ expression: QueryExpression<Value, Thing>,
    _ combine: @escaping @Sendable (Decimal, Decimal) -> Decimal?
  ) -> ExactNumber {
    ExactNumber(expression: expression) { thing in
      guard let lhs = value(thing), let rhs = other.value(thing) else { return nil }
      return combine(lhs, rhs)
    }
  }

  /// The remainder, with the sign of `lhs`.
  private static func remainder(_ lhs: Decimal, _ rhs: Decimal) -> Decimal? {
    if rhs == 0 { return nil }
    var quotient = lhs / rhs
    var whole = Decimal()
    NSDecimalRound(&whole, &quotient, 0, (quotient < 0) ? .up : .down)
    var rest = lhs - whole * rhs
    // The quotient may have been rounded over an integer.
    let divisor = abs(rhs)
    while lhs >= 0 && rest < 0 || lhs < 0 && rest <= -divisor { rest += divisor }
    while lhs >= 0 && rest >= divisor || lhs < 0 && rest > 0 { rest -= divisor }
    return rest
  }

  /// The value as one of the type; nil if it is out of range.
  package func typedValue(_ thing: Thing) -> Value? {
    guard let value = value(thing), value >= Value.min.decimal, value <= Value.max.decimal else { return nil }
    return Value("\(value)")
  }

  /// A comparison with another number, and what it is.
  package func compared(
    _ generator: inout SeededGenerator, with other: ExactNumber, _ edges: [Value]
  ) -> ExactCondition {
    let constant = generator.pick(edges)
    let isConstant = generator.once(in: 2)
    let lhs = expression
    let condition: QueryExpression<Bool, Thing>
    let holds: @Sendable (Decimal, Decimal) -> Bool
    switch Int.random(in: 0..<6, using: &generator) {
    case 0: (condition, holds) = (isConstant ? lhs == constant : lhs == other.expression, { $0 == $1 })
    case 1: (condition, holds) = (isConstant ? lhs != constant : lhs != other.expression, { $0 != $1 })
    case 2: (condition, holds) = (isConstant ? lhs < constant : lhs < other.expression, { $0 < $1 })
    case 3: (condition, holds) = (isConstant ? lhs <= constant : lhs <= other.expression, { $0 <= $1 })
    case 4: (condition, holds) = (isConstant ? lhs > constant : lhs > other.expression, { $0 > $1 })
    default: (condition, holds) = (isConstant ? lhs.in([constant]) : lhs >= other.expression, { $0 >= $1 })
    }
    let isIn = "\(condition._node)".contains(" in [")
    return ExactCondition(condition: condition) { thing in
      guard let lhs = value(thing), let rhs = isConstant ? constant.decimal : other.value(thing) else { return nil }
      return isIn ? lhs == rhs : holds(lhs, rhs)
    }
  }
}

/// A condition on things, and what it is; nil if neither true nor false.
package struct ExactCondition {
  package let condition: QueryExpression<Bool, Thing>
  package let truth: (Thing) -> Bool?
}

extension FixedWidthInteger {
  /// Exact, whatever the type.
  package var decimal: Decimal { Decimal(string: "\(self)") ?? .nan }
}

package enum ExactNumbers {
  package static let signed: [Int64] = [
    .min, .min + 1, -(1 << 53) - 1, -(1 << 53), -10, -1, 0, 1, 2, 10, (1 << 53) - 1, 1 << 53, (1 << 53) + 1, .max - 1,
    .max,
  ]
  package static let unsigned: [UInt64] = [
    0, 1, 2, 10, (1 << 53) - 1, 1 << 53, (1 << 53) + 1, 1 << 63 - 1, 1 << 63, 1 << 63 + 1, .max - 1, .max,
  ]
  package static let id = ExactNumber(expression: Thing.id) { $0.id.decimal }
  package static let big = ExactNumber(expression: Thing.big) { $0.big.decimal }

  /// Things with such values.
  package static func things(_ generator: inout SeededGenerator) -> [Thing] {
    (0..<30).map { Thing(id: generator.pick(signed), name: "\($0)", big: generator.pick(unsigned)) }
  }

  /// A condition over sums of either type.
  package static func condition(_ generator: inout SeededGenerator) -> ExactCondition {
    if generator.once(in: 2) {
      let number = ExactNumber.random(&generator, 3, id, signed)
      let other = ExactNumber.random(&generator, 2, id, signed)
      return number.compared(&generator, with: other, signed)
    }
    let number = ExactNumber.random(&generator, 3, big, unsigned)
    let other = ExactNumber.random(&generator, 2, big, unsigned)
    return number.compared(&generator, with: other, unsigned)
  }

  /// Has a workspace with these things answer conditions at random, and calls `report` with what is wrong.
  package static func check(
    _ workspace: any Workspace, _ things: [Thing], _ count: Int, _ generator: inout SeededGenerator,
    _ report: (String) -> Void
  ) {
    let fetch = workspace.fetch(for: Thing.self)
    for _ in 0..<count {
      let exact = condition(&generator)
      let expected = things.filter { exact.truth($0) == true }.map(\.name)
      let found = fetch.where(exact.condition).map(\.name)
      if found != expected { report("fetched \(found), not \(expected): \(exact.condition._node)") }
      if fetch.count(where: exact.condition) != expected.count { report("counted wrong: \(exact.condition._node)") }
      if fetch.exists(where: exact.condition) == expected.isEmpty { report("no answer: \(exact.condition._node)") }
      for thing in things where exact.condition.evaluate(object: thing) != exact.truth(thing) {
        report("evaluated wrong of \(thing.id) and \(thing.big): \(exact.condition._node)")
      }
      checkOrder(workspace, things, ExactNumber.random(&generator, 3, id, signed), report)
      checkOrder(workspace, things, ExactNumber.random(&generator, 3, big, unsigned), report)
    }
  }

  private static func checkOrder<Value>(
    _ workspace: any Workspace, _ things: [Thing], _ number: ExactNumber<Value>, _ report: (String) -> Void
  ) {
    for thing in things where number.expression.evaluate(object: thing) != number.typedValue(thing) {
      report("the value of \(thing.id) and \(thing.big) is wrong: \(number.expression._node)")
    }
    // The sort is stable, and NULL comes first.
    let values = things.map { (name: $0.name, value: number.value($0)) }
    let sorted = values.enumerated().sorted { lhs, rhs in
      switch (lhs.element.value, rhs.element.value) {
      case (nil, nil): lhs.offset < rhs.offset
      case (nil, _): true
      case (_, nil): false
      case (let a?, let b?): a == b ? lhs.offset < rhs.offset : a < b
      }
    }
    let found = workspace.fetch(for: Thing.self).all(orderBy: [number.expression.ascending]).map(\.name)
    if found != sorted.map(\.element.name) { report("the order is wrong: \(number.expression._node)") }
  }
}
