import Dflat
import FlatBuffersCore
import TestSupport
import Testing

@Suite("A value is found in a list of constants")
struct ConstantTableTests {
  private static let values: [FieldValue] =
    [.null, .real(.nan)] + PredicateGenerator.integers.map { .integer($0) }
    + PredicateGenerator.reals.map { .real($0) } + PredicateGenerator.unsigned.map { FieldValue($0) }
    + PredicateGenerator.texts.map { .text($0) }

  private static func value(_ node: QueryNode) -> FieldValue {
    let program = QueryProgram(node)
    return withExtendedLifetime(program) {
      switch program.value(for: .empty) {
      case .integer(let value): .integer(value)
      default: .null
      }
    }
  }

  @Test("A value is found in a list of any length exactly if it equals an element", arguments: 1...20)
  func agreement(seed: Int) {
    var generator = SeededGenerator(seed: seed)
    for count in [0, 1, 2, 7, 8, 9, 16, 17, 60, 300] {
      // Few different values in some lists, so that most values are not there.
      let choices = generator.once(in: 2) ? Self.values : (0..<3).map { _ in generator.pick(Self.values) }
      var list = (0..<count).map { _ in generator.pick(choices) }
      if generator.once(in: 2) { list += (0..<count).map { .integer(Int64($0) * 1000) } }
      let hasNull = list.contains { Self.value(.isNull(.constant($0))) == .integer(1) }
      for value in Self.values {
        let position = list.firstIndex {
          Self.value(.comparison(.equal, .constant($0), .constant(value))) == .integer(1)
        }
        let isNull = Self.value(.isNull(.constant(value))) == .integer(1)
        let found = Self.value(.position(.constant(value), list))
        #expect(found == position.map { .integer(Int64($0)) } ?? .null, "seed \(seed): \(value) in \(list)")
        let isIn = Self.value(.isIn(.constant(value), list))
        let expected: FieldValue =
          if list.isEmpty { .integer(0) } else if isNull { .null } else if position != nil { .integer(1) } else {
            hasNull ? .null : .integer(0)
          }
        #expect(isIn == expected, "seed \(seed): \(value) in \(list)")
      }
    }
  }
}
