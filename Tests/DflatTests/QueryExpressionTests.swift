import Foundation
import Testing

@testable import Dflat

@Suite("Operators build the expression tree of a query")
struct QueryExpressionTests {
  private let id = QueryNode.field(RecordField(.root, .int64, at: 4, default: .integer(0)))
  private let name = QueryNode.field(RecordField(.root, .string, at: 6))
  private let flag = QueryNode.field(RecordField(.root, .bool, at: 10, default: .integer(0)))
  private let kind = QueryNode.field(RecordField(.root, .int8, at: 12, default: .integer(0)))

  @Test("A comparison operator builds a comparison node with its operands in order")
  func comparisons() {
    #expect((Sample.id == 3)._node == .comparison(.equal, id, .constant(.integer(3))))
    #expect((3 != Sample.id)._node == .comparison(.notEqual, .constant(.integer(3)), id))
    #expect((Sample.name < "x")._node == .comparison(.less, name, .constant(.text("x"))))
    #expect((Sample.name <= Sample.name)._node == .comparison(.lessOrEqual, name, name))
    #expect((Sample.kind > .medium)._node == .comparison(.greater, kind, .constant(.integer(2))))
    #expect((Sample.kind >= .large)._node == .comparison(.greaterOrEqual, kind, .constant(.integer(3))))
  }

  @Test("Logical and arithmetic operators build nodes with the precedence of Swift")
  func logicAndArithmetic() {
    #expect((Sample.flag && !Sample.flag)._node == .and(flag, .not(flag)))
    #expect((Sample.flag || Sample.flag == true)._node == .or(flag, .comparison(.equal, flag, .constant(.integer(1)))))
    #expect(
      (Sample.id % 2 + 1 - Sample.id == 0)._node
        == .comparison(
          .equal,
          .arithmetic(
            .subtract,
            .arithmetic(.add, .arithmetic(.remainder, id, .constant(.integer(2))), .constant(.integer(1))), id),
          .constant(.integer(0))))
  }

  @Test("in, notIn, isNull and isNotNull build list and NULL nodes")
  func listsAndNulls() {
    #expect(Sample.id.in([1, 2])._node == .isIn(id, [.integer(1), .integer(2)]))
    #expect(Sample.kind.notIn([.small])._node == .not(.isIn(kind, [.integer(0)])))
    #expect(Sample.name.isNull._node == .isNull(name))
    #expect(Sample.name.isNotNull._node == .not(.isNull(name)))
  }

  @Test("Conditions on elements have a level for each in which they are nested, and print what they are")
  func elements() {
    let words = RecordVector(.root, .value(.string), at: 20)
    let word = RecordField(.element(level: 0), .string, at: 0)
    let inner = RecordField(.element(level: 1), .string, at: 0)
    let field = VectorField<QueryExpression<String, Sample>, Sample>(words)
    let isSame = field.contains("a")
    #expect(isSame._node == .hasElement(words, level: 0, .comparison(.equal, .field(word), .constant(.text("a")))))
    #expect(isSame._node.description == #"f20.contains(where: e0 in (e0__f0 == "a"))"#)
    #expect(isSame._node.hashValue == field.contains("a")._node.hashValue)
    #expect(isSame._node != field.contains("b")._node && isSame._node != (field.count == 1)._node)
    #expect(
      field.contains { word in field.contains { $0 < word } }._node
        == .hasElement(
          words, level: 0, .hasElement(words, level: 1, .comparison(.less, .field(inner), .field(word)))))
    // A condition that was made before has its own elements, whichever condition it becomes a part of.
    #expect(field.contains { _ in isSame }._node == .hasElement(words, level: 0, isSame._node))
    #expect(field.isEmpty._node == .comparison(.equal, .count(words), .constant(.integer(0))))
    #expect(field.isEmpty._node.description == "(f20.count == 0)")
    #expect(
      field.contains(anyOf: ["a", "b"])._node
        == .hasElement(words, level: 0, .isIn(.field(word), [.text("a"), .text("b")])))
  }

  @Test("Conditions on texts build nodes with the text as it is, and isEmpty is a comparison")
  func texts() {
    #expect(Sample.name.hasPrefix("a")._node == .text(.prefix, name, "a"))
    #expect(Sample.name.hasSuffix("a")._node == .text(.suffix, name, "a"))
    #expect(Sample.name.contains("a")._node == .text(.part, name, "a"))
    #expect((Sample.name.length > 3)._node == .comparison(.greater, .length(name), .constant(.integer(3))))
    #expect(Sample.name.isEmpty._node == (Sample.name == "")._node)
    func generic<Text: Expr<String, Sample>>(_ text: Text) -> [QueryNode] {
      [
        text.hasPrefix("a")._node, text.hasSuffix("a")._node, text.contains("a")._node, text.length._node,
        text.isEmpty._node,
      ]
    }
    let field = Sample.name
    #expect(
      generic(field) == [
        field.hasPrefix("a")._node, field.hasSuffix("a")._node, field.contains("a")._node, field.length._node,
        field.isEmpty._node,
      ])
  }

  @Test("What a folded text is compared with is folded, with the folding that takes more away")
  func foldings() {
    let (folded, foldedCase) = (QueryNode.folded(.caseAndDiacritics, name), QueryNode.folded(.case, name))
    #expect((Sample.name.folded == "Café")._node == .comparison(.equal, folded, .constant(.text("cafe"))))
    #expect(("Café" < Sample.name.foldedCase)._node == .comparison(.less, .constant(.text("café")), foldedCase))
    #expect(Sample.name.folded.hasPrefix("É")._node == .text(.prefix, folded, "e"))
    #expect(Sample.name.folded.hasSuffix("É")._node == .text(.suffix, folded, "e"))
    #expect(Sample.name.foldedCase.contains("É")._node == .text(.part, foldedCase, "é"))
    #expect(Sample.name.folded.in(["É"])._node == .isIn(folded, [.text("e")]))
    #expect(Sample.name.folded.notIn(["É"])._node == .not(.isIn(folded, [.text("e")])))
    #expect(["É", "E"].firstIndex(of: Sample.name.foldedCase).node == .position(foldedCase, [.text("é"), .text("e")]))
    #expect((Sample.name.folded == Sample.name)._node == .comparison(.equal, folded, folded))
    #expect((Sample.name.foldedCase != Sample.name.folded)._node == .comparison(.notEqual, folded, folded))
    #expect(Sample.name.folded.foldedCase._node == folded && Sample.name.foldedCase.folded._node == folded)
    let absent: String? = nil
    #expect((Sample.name.folded == absent)._node == .isNull(folded))
  }

  @Test("An order key has the expression and the direction with which it was built")
  func orders() {
    let keys: [OrderBy<Sample>] = [
      Sample.id.descending, [.large, .small].firstIndex(of: Sample.kind), Sample.name.ascending,
    ]
    #expect(keys.map(\.isDescending) == [true, false, false])
    #expect(keys.map(\.node) == [id, .position(kind, [.integer(3), .integer(0)]), name])
    #expect([.large].firstIndex(of: Sample.kind).descending.isDescending)
  }

  @Test("Equal values of different types have the same canonical form")
  func canonicalValues() {
    #expect(UInt64(5)._fieldValue == Int8(5)._fieldValue)
    #expect(UInt64.max._fieldValue == .unsigned(.max))
    #expect((UInt64(Int64.max) + 1)._fieldValue == .unsigned(UInt64(Int64.max) + 1))
    #expect(Int64.min._fieldValue == .integer(.min))
    #expect(Double.nan._fieldValue == .null)
    #expect(Float(0.5)._fieldValue == .real(0.5))
    #expect(true._fieldValue == .integer(1))
    #expect(Kind.allCases.sorted() == [.small, .medium, .large])
  }

  @Test("A field's name on disk consists of the slots and type codes of its path")
  func namesOnDisk() {
    #expect(RecordField(.root, .int32, at: 10).key == "f10")
    #expect(RecordField(.root.structure(at: 4), .float, at: 8).key == "f4__f8")
    #expect(RecordField(.root.table(at: 6).structure(at: 4).structure(at: 12), .int8, at: 2).key == "f6__f4__f12__f2")
    #expect(RecordField(Sample.part.member(typeCode: 1), .string, at: 4).key == "f26__u1__f4")
    #expect(Sample.part._type.name == "f26__type")
  }

  @Test("A node prints as an expression, and a mirror shows no children of it")
  func description() {
    let number = QueryNode.field(RecordField(.root, .int64, at: 4))
    let text = QueryNode.field(RecordField(.root, .string, at: 6))
    let node = QueryNode.or(
      .and(.comparison(.greater, .arithmetic(.remainder, number, .constant(.integer(3))), .constant(.real(0.5))), text),
      .not(.isNull(.isIn(text, [.text("a\"b"), .null]))))
    #expect("\(node)" == #"((((f4 % 3) > 0.5) && f6) || !((f6 in ["a\"b", NULL]) is NULL))"#)
    #expect("\(QueryNode.position(number, [.unsigned(.max)]))" == "[18446744073709551615].firstIndex(of: f4)")
    #expect("\(QueryNode.text(.prefix, text, "a\"b"))" == #"f6.hasPrefix("a\"b")"#)
    #expect("\(QueryNode.not(.text(.suffix, text, "a")))" == #"!f6.hasSuffix("a")"#)
    #expect("\(QueryNode.text(.part, .folded(.caseAndDiacritics, text), "a"))" == #"f6.folded.contains("a")"#)
    #expect("\(QueryNode.isNull(.folded(.case, text)))" == "(f6.foldedCase is NULL)")
    #expect("\(QueryNode.comparison(.less, .length(text), number))" == "(f6.length < f4)")
    #expect(Mirror(reflecting: node).children.isEmpty)
  }

  @Test("Trees are equal, and have equal hashes, if they have the same operators, operands and order of operands")
  func equality() {
    let (a, b) = (QueryNode.field(RecordField(.root, .int64, at: 4)), QueryNode.constant(.integer(1)))
    let (vector, tables) = (RecordVector(.root, .value(.int64), at: 6), RecordVector(.root, .table, at: 6))
    let nodes: [QueryNode] = [
      a, b, .constant(.null), .constant(.text("1")), .comparison(.equal, a, b), .comparison(.equal, b, a),
      .comparison(.less, a, b), .and(a, b), .or(a, b), .not(a), .isNull(a), .not(.not(a)), .isIn(a, []),
      .isIn(a, [.integer(1)]), .isIn(b, [.integer(1)]), .position(a, [.integer(1)]), .arithmetic(.add, a, b),
      .text(.prefix, a, "é"), .text(.prefix, a, "e\u{301}"), .text(.suffix, a, "é"), .text(.part, a, "é"), .length(a),
      .folded(.case, a), .folded(.caseAndDiacritics, a), .uuidText(a), .constant(.bytes([1])), .count(vector),
      .count(tables),
      .hasElement(vector, level: 0, a),
      .hasElement(vector, level: 1, a), .hasElement(tables, level: 0, a), .hasElement(vector, level: 0, b),
      .length(b), .arithmetic(.subtract, a, b), .and(a, .and(a, b)), .and(.and(a, a), b), .and(.or(a, b), .and(a, b)),
    ]
    // Each of them again, with nodes of its own.
    func copy(_ node: QueryNode) -> QueryNode {
      switch node.kind {
      case .field(let field): .field(field)
      case .constant(let value): .constant(value)
      case .comparison(let comparison, let lhs, let rhs): .comparison(comparison, copy(lhs), copy(rhs))
      case .and(let lhs, let rhs): .and(copy(lhs), copy(rhs))
      case .or(let lhs, let rhs): .or(copy(lhs), copy(rhs))
      case .not(let operand): .not(copy(operand))
      case .isNull(let operand): .isNull(copy(operand))
      case .isIn(let operand, let values): .isIn(copy(operand), values)
      case .arithmetic(let operation, let lhs, let rhs): .arithmetic(operation, copy(lhs), copy(rhs))
      case .position(let operand, let values): .position(copy(operand), values)
      case .text(let condition, let operand, let text): .text(condition, copy(operand), text)
      case .length(let operand): .length(copy(operand))
      case .folded(let folding, let operand): .folded(folding, copy(operand))
      case .uuidText(let operand): .uuidText(copy(operand))
      case .count(let vector): .count(vector)
      case .hasElement(let vector, let level, let condition): .hasElement(vector, level: level, copy(condition))
      }
    }
    for (index, node) in nodes.enumerated() {
      for (other, otherNode) in nodes.map(copy).enumerated() {
        #expect((node == otherNode) == (index == other), "\(node) and \(otherNode)")
        if index == other { #expect(node.hashValue == otherNode.hashValue) }
      }
    }
    #expect(Set(nodes + nodes.map(copy)).count == nodes.count)
  }

  /// Eight different terms: if this is slow to compile, the operators have too many overloads.
  @Test("A predicate of eight different terms compiles as one expression, and has eight conjuncts")
  func longPredicate() {
    let condition =
      Sample.id > 100 && Sample.id % 2 == 0 && Sample.name == "x" && Sample.kind.in([.small, .large])
      && (Sample.ratio + 0.5 < 3 || Sample.flag) && !Sample.name.isNull && Sample.part.matches(typeCode: 1)
      && 5 <= Sample.id - 1
    #expect(condition._node.conjuncts.count == 8)
  }
}
