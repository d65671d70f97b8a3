import Testing

@testable import Dflat

@Suite("A predicate is filed under what the fewest rows satisfy")
struct AccessPlannerTests {
  private let id = RecordField(.root, .int64, at: 4, default: .integer(0))
  private let name = RecordField(.root, .string, at: 6)
  private let color = RecordField(.root, .int8, at: 8, default: .integer(0))
  private let flag = RecordField(.root, .bool, at: 10, default: .integer(0))

  private func compare(
    _ comparison: QueryNode.Comparison, _ field: RecordField, _ value: Int64
  ) -> QueryNode {
    .comparison(comparison, .field(field), .constant(.integer(value)))
  }

  /// The access paths in short: `f4 = 1` for an equality, `f4 [1, 5)` for a range, with `!` if they are exact.
  private func plan(_ predicate: QueryNode) -> String {
    let fields = FieldIndexes()
    return describe(AccessPlanner(fields: fields.byField).plan(predicate))
  }

  private func describe(_ plan: AccessPlanner.Plan) -> String {
    switch plan {
    case .never: "never"
    case .always: "always"
    case .unindexed: "unindexed"
    case .paths(let paths, weight: _): paths.map(describe).joined(separator: ", ")
    }
  }

  private func describe(_ path: AccessPath) -> String {
    let predicate =
      switch path.predicate {
      case .isNull: "null"
      case .isNotNull: "not null"
      case .equal(let value): "= \(describe(value))"
      case .within(let range):
        (range.lower.map { ($0.isInclusive ? "[" : "(") + describe($0.value) } ?? "(") + "..."
          + (range.upper.map { describe($0.value) + ($0.isInclusive ? "]" : ")") } ?? ")")
      }
    let folding = path.field.folding.map { $0 == .case ? ".foldedCase" : ".folded" } ?? ""
    let vector = path.field.vector.map { "\($0.key)." } ?? ""
    return "\(vector)\(path.field.field.key)\(folding) \(predicate)\(path.isExact ? "!" : "")"
  }

  private func describe(_ value: FieldValue) -> String {
    if case .integer(let value) = value { "\(value)" } else { "\(value)" }
  }

  @Test("A term by itself is exact, whichever side its constant is on")
  func terms() {
    #expect(plan(compare(.equal, id, 1)) == "f4 = 1!")
    #expect(plan(.comparison(.less, .constant(.integer(1)), .field(id))) == "f4 (1...)!")
    #expect(plan(.not(compare(.less, id, 1))) == "f4 [1...)!")
    #expect(plan(.isIn(.field(id), [.integer(1), .null, .integer(2)])) == "f4 = 1!, f4 = 2!")
    #expect(plan(.not(.field(flag))) == "f10 = 0!")
    #expect(plan(.isNull(.field(name))) == "f6 null!")
    #expect(plan(.not(.not(.not(.isNull(.field(name)))))) == "f6 not null!")
  }

  @Test("A condition on an element is filed under the elements' values, and two conditions are no range of one element")
  func elements() {
    let numbers = RecordVector(.root, .value(.int64), at: 12)
    let comments = RecordVector(.root, .table, at: 14)
    let number = RecordField(.element(level: 0), .int64, at: 0)
    let likes = RecordField(.element(level: 0), .int32, at: 4, default: .integer(0))
    func has(_ condition: QueryNode) -> QueryNode { .hasElement(numbers, level: 0, condition) }
    #expect(plan(has(compare(.equal, number, 1))) == "f12.e0__f0 = 1!")
    #expect(plan(has(.isIn(.field(number), [.integer(1), .null, .integer(2)]))) == "f12.e0__f0 = 1!, f12.e0__f0 = 2!")
    #expect(plan(has(.isNull(.field(number)))) == "f12.e0__f0 null!")
    #expect(plan(.hasElement(comments, level: 0, compare(.greater, likes, 3))) == "f14.e0__f4 (3...)!")
    #expect(plan(.not(has(compare(.equal, number, 1)))) == "unindexed")
    #expect(plan(.comparison(.equal, .count(numbers), .constant(.integer(1)))) == "unindexed")
    // Of one element, both are a range. Of two, they are not.
    let (low, high) = (compare(.greater, number, 1), compare(.less, number, 5))
    #expect(plan(has(.and(low, high))) == "f12.e0__f0 (1...5)!")
    #expect(plan(.and(has(low), has(high))) == "f12.e0__f0 (1...)")
    #expect(plan(.and(has(low), has(compare(.less, number, 0)))) == "f12.e0__f0 (1...)")
    // Whether there is an element, no other field tells.
    #expect(plan(has(compare(.equal, id, 1))) == "f4 = 1")
    #expect(plan(has(.constant(.integer(1)))) == "unindexed")
    #expect(plan(has(.constant(.integer(0)))) == "never")
    // Outside of the condition on it, and in that of another level, an element has no fields.
    #expect(plan(compare(.equal, number, 1)) == "unindexed")
    #expect(plan(.hasElement(numbers, level: 1, compare(.equal, number, 1))) == "unindexed")
    #expect(plan(has(.and(compare(.equal, number, 1), has(low)))) == "f12.e0__f0 = 1")
  }

  @Test(
    "A prefix is filed as the range of the texts that begin with it; other conditions on texts where it is not NULL")
  func texts() {
    func prefix(_ text: String) -> QueryNode { .text(.prefix, .field(name), text) }
    #expect(plan(prefix("ab")) == #"f6 [text("ab")...text("ac"))!"#)
    #expect(plan(prefix("é")) == #"f6 [text("é")...text("ê"))!"#)
    // Between these bounds there are bytes that are no UTF-8.
    #expect(plan(prefix("aÿ")) == #"f6 [text("aÿ")...text("aĀ"))"#)
    #expect(plan(prefix("\u{D7FF}")) == #"f6 [text("\#u{D7FF}")...text("\#u{E000}"))"#)
    #expect(plan(prefix("a\u{10FFFF}")) == #"f6 [text("a\#u{10FFFF}")...text("b"))"#)
    #expect(plan(prefix("\u{10FFFF}")) == #"f6 [text("\#u{10FFFF}")...)"#)
    #expect(plan(prefix("")) == "f6 not null!")
    #expect(plan(.not(prefix("ab"))) == "f6 not null")
    #expect(plan(.and(prefix("ab"), prefix("abc"))) == #"f6 [text("abc")...text("abd"))!"#)
    #expect(plan(.and(prefix("ab"), prefix("b"))) == "never")
    #expect(plan(.text(.suffix, .field(name), "b")) == "f6 not null")
    #expect(plan(.not(.text(.part, .field(name), "b"))) == "f6 not null")
    #expect(plan(.text(.prefix, .field(id), "b")) == "unindexed")
    #expect(plan(.comparison(.less, .length(.field(name)), .constant(.integer(3)))) == "unindexed")
    #expect(plan(.and(prefix("ab"), compare(.equal, color, 1))) == #"f6 [text("ab")...text("ac"))"#)
  }

  @Test("A folded text is filed by itself, beside the field")
  func foldedTexts() {
    let folded = QueryNode.folded(.caseAndDiacritics, .field(name))
    #expect(plan(.comparison(.equal, folded, .constant(.text("a")))) == #"f6.folded = text("a")!"#)
    #expect(plan(.comparison(.less, .constant(.text("a")), folded)) == #"f6.folded (text("a")...)!"#)
    #expect(plan(.text(.prefix, .folded(.case, .field(name)), "a")) == #"f6.foldedCase [text("a")...text("b"))!"#)
    #expect(plan(.isIn(folded, [.text("a"), .text("b")])) == #"f6.folded = text("a")!, f6.folded = text("b")!"#)
    #expect(plan(.isNull(folded)) == "f6 null!")
    #expect(plan(.comparison(.notEqual, folded, .constant(.text("a")))) == "f6 not null")
    let range = QueryNode.comparison(.less, .field(name), .constant(.text("b")))
    #expect(plan(.and(.text(.prefix, folded, "a"), range)) == #"f6.folded [text("a")...text("b"))"#)
    #expect(plan(.comparison(.equal, .folded(.case, .field(id)), .constant(.text("a")))) == "unindexed")
  }

  @Test("Bounds of one field make one range, which is an equality if it holds one value")
  func ranges() {
    #expect(plan(.and(compare(.less, id, 5), compare(.greaterOrEqual, id, 1))) == "f4 [1...5)!")
    let three = QueryNode.and(.and(compare(.less, id, 5), compare(.less, id, 3)), compare(.lessOrEqual, id, 3))
    #expect(plan(three) == "f4 (...3)!")
    let open = QueryNode.and(compare(.greaterOrEqual, id, 1), compare(.lessOrEqual, id, 5))
    #expect(plan(.and(open, .and(compare(.greater, id, 1), compare(.less, id, 5)))) == "f4 (1...5)!")
    #expect(plan(.and(.and(compare(.greater, id, 1), compare(.less, id, 5)), open)) == "f4 (1...5)!")
    #expect(plan(.not(.or(compare(.lessOrEqual, id, 1), compare(.greater, id, 5)))) == "f4 (1...5]!")
    #expect(plan(.and(compare(.lessOrEqual, id, 5), compare(.greaterOrEqual, id, 5))) == "f4 = 5!")
    #expect(plan(.and(compare(.less, id, 5), compare(.greaterOrEqual, id, 5))) == "never")
    #expect(plan(.and(compare(.less, id, 1), compare(.greater, id, 5))) == "never")
  }

  @Test("A conjunction is filed under one term: equality, then a range with two bounds, then the others")
  func conjunctions() {
    let range = QueryNode.and(compare(.less, id, 5), compare(.greater, id, 1))
    let named = QueryNode.comparison(.equal, .field(name), .constant(.text("x")))
    #expect(plan(.and(range, named)) == "f6 = text(\"x\")")
    #expect(plan(.and(compare(.equal, color, 1), range)) == "f4 (1...5)")
    #expect(plan(.and(compare(.greater, id, 1), compare(.equal, color, 1))) == "f8 = 1")
    #expect(plan(.and(compare(.greater, id, 1), .field(flag))) == "f10 = 1")
    #expect(plan(.and(.not(.isNull(.field(name))), compare(.greater, id, 1))) == "f4 (1...)")
    #expect(plan(.and(.isIn(.field(name), [.text("a"), .text("b")]), range)) == "f6 = text(\"a\"), f6 = text(\"b\")")
    let sum = QueryNode.arithmetic(.add, .field(id), .constant(.integer(1)))
    #expect(plan(.and(.comparison(.equal, sum, .constant(.integer(3))), range)) == "f4 (1...5)")
  }

  @Test("A disjunction is filed under each of its terms, or under none if one has no access path")
  func disjunctions() {
    let first = QueryNode.and(compare(.equal, id, 1), .field(flag))
    #expect(plan(.or(first, compare(.equal, color, 2))) == "f4 = 1, f8 = 2!")
    let sum = QueryNode.arithmetic(.add, .field(id), .constant(.integer(1)))
    #expect(plan(.or(first, .comparison(.equal, sum, .constant(.integer(3))))) == "unindexed")
    #expect(plan(.not(.and(compare(.notEqual, flag, 0), compare(.notEqual, flag, 1)))) == "f10 = 0!, f10 = 1!")
  }

  @Test("A predicate that is always or never true is not filed under a field")
  func constants() {
    #expect(plan(.and(.constant(.integer(1)), compare(.equal, id, 1))) == "f4 = 1!")
    #expect(plan(.and(.constant(.integer(0)), compare(.equal, id, 1))) == "never")
    #expect(plan(.or(.constant(.integer(1)), compare(.equal, id, 1))) == "always")
    #expect(plan(.or(.constant(.null), compare(.equal, id, 1))) == "f4 = 1!")
    #expect(plan(.not(.constant(.null))) == "never")
    #expect(plan(compare(.equal, id, 1)) == "f4 = 1!")
    #expect(plan(.comparison(.equal, .field(id), .constant(.real(.nan)))) == "never")
    #expect(plan(.not(.isNull(.field(id)))) == "always")
    #expect(plan(.isIn(.field(id), [])) == "never")
    #expect(plan(.not(.isIn(.field(name), []))) == "always")
    #expect(plan(.not(.isIn(.field(name), [.text("a"), .null]))) == "never")
  }

  @Test("Queries are not filed under a value that many of them have in common")
  func popularValues() {
    let index = PredicateIndex()
    for number in 0..<100 {
      index.insert(
        .and(
          .comparison(.equal, .field(name), .constant(.text("everybody"))), compare(.equal, id, Int64(number))),
        as: number)
    }
    #expect(index.candidateCount(of: .text("everybody"), in: name) == 1)
    #expect(index.candidateCount(of: .integer(50), in: id) == 1)
  }
}
