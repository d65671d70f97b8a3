import Dflat
import Foundation

/// How a condition of many operators grows by one.
package enum ConditionGrowth: CaseIterable, Sendable {
  case or, orOnTheRight, and, not, isNull, isIn, alternating, alternatingOnTheRight, equal, equalOnTheRight, sum,
    sumOnTheRight
}

/// A condition of many operators on things, and what it is for each of them, in three-valued logic.
package struct LargeCondition {
  package typealias Condition = QueryExpression<Bool, Thing>

  package private(set) var condition: Condition
  /// nil if the condition is neither true nor false.
  package private(set) var truths: [Bool?]

  /// Few things, of which terms are true, false and neither.
  package static let things: [Thing] = (0..<8).map { (id: Int) -> Thing in
    Thing(id: Int64(id), big: UInt64(id), flag: id % 2 == 0, note: id % 3 == 0 ? nil : "\(id)")
  }

  /// Whether the condition asks for nothing but the first field of the primary key, which databases can answer.
  private let isOfKey: Bool

  package init(_ growth: ConditionGrowth, count: Int, isOfKey: Bool = false) {
    self.isOfKey = isOfKey
    condition = isOfKey ? Thing.id == 6 : Thing.flag
    truths = Self.things.map { isOfKey ? $0.id == 6 : $0.flag }
    switch growth {
    case .sum: growSum(count) { $0 + Thing.id }
    case .sumOnTheRight: growSum(count) { Thing.id + $0 }
    default: for number in 1...count { grow(growth, number) }
    }
  }

  private mutating func growSum(
    _ count: Int, _ grown: (QueryExpression<Int64, Thing>) -> QueryExpression<Int64, Thing>
  ) {
    var sum = Thing.id
    for _ in 0..<count { sum = grown(sum) }
    condition = sum == Int64(count + 1) * 3
    truths = Self.things.map { $0.id == 3 }
  }

  private mutating func grow(_ growth: ConditionGrowth, _ number: Int) {
    let (term, values) = isOfKey ? Self.keyTerm(growth, number) : Self.term(number)
    func combine(_ combined: (Bool?, Bool?) -> Bool?) { truths = zip(truths, values).map { combined($0, $1) } }
    switch growth {
    case .or:
      condition = condition || term
      combine(Self.or)
    case .orOnTheRight:
      condition = term || condition
      combine(Self.or)
    case .and:
      condition = condition && term
      combine(Self.and)
    case .not:
      condition = !condition
      truths = truths.map { truth in truth.map { !$0 } }
    case .isNull:
      condition = condition.isNull
      truths = truths.map { $0 == nil }
    case .isIn: condition = condition.in([true])
    case .alternating:
      condition = number % 2 == 0 ? condition && term : condition || term
      combine(number % 2 == 0 ? Self.and : Self.or)
    case .alternatingOnTheRight:
      condition = number % 2 == 0 ? term && condition : term || condition
      combine(number % 2 == 0 ? Self.and : Self.or)
    case .equal:
      condition = condition == term
      combine(Self.equal)
    case .equalOnTheRight:
      condition = term == condition
      combine(Self.equal)
    case .sum, .sumOnTheRight: break
    }
  }

  private static func term(_ number: Int) -> (condition: Condition, truths: [Bool?]) {
    switch number % 6 {
    case 0: (Thing.id == Int64(number % 13), things.map { $0.id == number % 13 })
    case 1: (Thing.note == "\(number % 9)", things.map { thing in thing.note.map { $0 == "\(number % 9)" } })
    case 2: (Thing.big < UInt64(number % 11), things.map { $0.big < number % 11 })
    case 3: (Thing.note.contains("\(number % 9)"), things.map { thing in thing.note.map { $0 == "\(number % 9)" } })
    case 4: (Thing.note.hasPrefix("\(number % 9)"), things.map { thing in thing.note.map { $0 == "\(number % 9)" } })
    default: (!Thing.flag, things.map { !$0.flag })
    }
  }

  /// A term that `&&` and `||` leave as they are for all things but one, so that a long chain is not decided by its first terms.
  private static func keyTerm(_ growth: ConditionGrowth, _ number: Int) -> (condition: Condition, truths: [Bool?]) {
    let id: Int64 = number % 50 == 7 ? 2 : Int64(100 + number)
    let condition = number % 3 == 0 ? Thing.id.in([id, -id]) : Thing.id == id
    let truths: [Bool?] = things.map { $0.id == id }
    let isOfAnd =
      switch growth {
      case .and: true
      case .alternating, .alternatingOnTheRight: number % 2 == 0
      default: false
      }
    return isOfAnd ? (!condition, truths.map { truth in truth.map { !$0 } }) : (condition, truths)
  }

  private static func equal(_ lhs: Bool?, _ rhs: Bool?) -> Bool? {
    if let lhs, let rhs { lhs == rhs } else { nil }
  }

  private static func or(_ lhs: Bool?, _ rhs: Bool?) -> Bool? {
    if lhs == true || rhs == true { return true }
    return lhs == nil || rhs == nil ? nil : false
  }

  private static func and(_ lhs: Bool?, _ rhs: Bool?) -> Bool? {
    if lhs == false || rhs == false { return false }
    return lhs == nil || rhs == nil ? nil : true
  }
}

/// Runs `body` on a thread with so many bytes of stack.
package func onThread<Result: Sendable>(
  ofStack size: Int, _ body: @escaping @Sendable () throws -> Result
) async throws -> Result {
  try await withCheckedThrowingContinuation { continuation in
    let thread = Thread { continuation.resume(with: Swift.Result { try body() }) }
    thread.stackSize = size
    thread.start()
  }
}
