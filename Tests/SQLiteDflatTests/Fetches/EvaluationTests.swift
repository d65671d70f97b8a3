import EngineTestSupport
import CSQLite
import Dflat
import FlatBuffersCore
import Foundation
import TestSupport
import Testing

@Suite("A condition means on a row's bytes what it means in SQL")
struct EvaluationTests {
  /// The fields of the rows: a number, a real, a text, a bool and an unsigned integer, each of which may be absent.
  static let fields: [(name: String, field: RecordField)] = [
    ("i", RecordField(.root, .int64, at: 4)), ("r", RecordField(.root, .double, at: 6)),
    ("t", RecordField(.root, .string, at: 8)), ("b", RecordField(.root, .bool, at: 10)),
    ("u", RecordField(.root, .uint64, at: 12)),
  ]
  static let integers: [Int64] = [
    .min, .min + 1, -(1 << 53) - 1, -2, -1, 0, 1, 2, 3, 1 << 53, (1 << 53) + 1, .max - 1, .max,
  ]
  static let reals: [Double] = [
    -.infinity, -0x1p63, -1e18, -1.5, -0.0, 0, 0.5, 2, 0x1p53, 0x1p63, 0x1p64, 1e300, .infinity, .nan,
    .leastNonzeroMagnitude,
  ]
  static let unsigned: [UInt64] = [0, 1, 1 << 53, UInt64(Int64.max), UInt64(Int64.max) + 1, .max - 1, .max]

  struct Row {
    var integer: Int64?
    var real: Double?
    var text: String?
    var bool: Bool?
    var unsigned: UInt64?

    init(_ generator: inout PostGenerator) {
      integer = generator.chance(20) ? nil : generator.pick(EvaluationTests.integers)
      real = generator.chance(20) ? nil : generator.pick(EvaluationTests.reals)
      text = generator.chance(20) ? nil : generator.pick(PostGenerator.strings)
      bool = generator.chance(20) ? nil : generator.chance(50)
      unsigned = generator.chance(20) ? nil : generator.pick(EvaluationTests.unsigned)
    }

    func bytes() throws -> ByteBuffer {
      var builder = FlatBufferBuilder(forceDefaults: true)
      let text = builder.create(text)
      builder.startTable(fieldCount: 5)
      if let integer { builder.add(integer, default: 0, at: 4) }
      if let real { builder.add(real, default: 0, at: 6) }
      builder.add(text, at: 8)
      if let bool { builder.add(bool, default: false, at: 10) }
      if let unsigned { builder.add(unsigned, default: 0, at: 12) }
      let root = builder.endTable()
      try builder.finish(root)
      return builder.finishedBuffer()
    }

    var sql: [String: String] {
      [
        "i": integer.map { EvaluationTests.sql(.integer($0)) } ?? "NULL",
        "r": real.map { EvaluationTests.sql(FieldValue($0)) } ?? "NULL",
        "t": text.map { EvaluationTests.sql(.text($0)) } ?? "NULL",
        "b": bool.map { $0 ? "1" : "0" } ?? "NULL",
        "u": unsigned.map { EvaluationTests.sql(FieldValue($0)) } ?? "NULL",
      ]
    }
  }

  /// A value as an SQL literal.
  static func sql(_ value: FieldValue) -> String {
    switch value {
    case .null: "NULL"
    case .integer(.min): "(-9223372036854775807 - 1)"
    case .integer(let value): "\(value)"
    case .real(let value): value.isInfinite ? (value > 0 ? "9e999" : "-9e999") : String(format: "%.17e", value)
    case .unsigned(let value): String(format: "x'%016llX'", value)
    case .text(let text): "CAST(x'\(text.utf8.map { String(format: "%02X", $0) }.joined())' AS TEXT)"
    case .bytes(let bytes): "x'\(bytes.map { String(format: "%02X", $0) }.joined())'"
    }
  }

  static func sql(_ node: QueryNode, _ row: [String: String]) -> String {
    switch node.kind {
    case .field(let field): row[fields.first { $0.field == field }?.name ?? ""] ?? "?"
    case .constant(let value): sql(value)
    case .comparison(let comparison, let lhs, let rhs):
      "(\(sql(lhs, row)) \(symbol(comparison)) \(sql(rhs, row)))"
    case .and(let lhs, let rhs): "(\(sql(lhs, row)) AND \(sql(rhs, row)))"
    case .or(let lhs, let rhs): "(\(sql(lhs, row)) OR \(sql(rhs, row)))"
    case .not(let inner): "(NOT \(sql(inner, row)))"
    case .isNull(let inner): "(\(sql(inner, row)) IS NULL)"
    case .isIn(let inner, let values): "(\(sql(inner, row)) IN (\(values.map { sql($0) }.joined(separator: ", "))))"
    case .arithmetic(.add, let lhs, let rhs): "(\(sql(lhs, row)) + \(sql(rhs, row)))"
    case .arithmetic(.subtract, let lhs, let rhs): "(\(sql(lhs, row)) - \(sql(rhs, row)))"
    case .arithmetic(.multiply, let lhs, let rhs): "(\(sql(lhs, row)) * \(sql(rhs, row)))"
    case .arithmetic(.remainder, let lhs, let rhs): "(\(sql(lhs, row)) % \(sql(rhs, row)))"
    case .position(let inner, let values):
      "(CASE \(sql(inner, row)) "
        + values.enumerated().map { "WHEN \(sql($1)) THEN \($0)" }.joined(separator: " ") + " ELSE NULL END)"
    case .text(let condition, let inner, let constant): sql(condition, sql(inner, row), Array(constant.utf8))
    // SQLite's `length` ends at a NUL, so the lengths of all texts that there are stand here.
    case .length(let inner):
      "(CASE \(sql(inner, row)) "
        + (PostGenerator.strings + foldedStrings).map { "WHEN \(sql(.text($0))) THEN \($0.unicodeScalars.count)" }
        .joined(separator: " ")
        + " ELSE NULL END)"
    // No generator here makes these.
    case .uuidText: "NULL"
    case .folded(let folding, let inner):
      "(CASE \(sql(inner, row)) "
        + PostGenerator.strings.map {
          let folded = TextModel.folded($0, foldsDiacritics: folding == .caseAndDiacritics)
          return "WHEN \(sql(.text($0))) THEN \(sql(.text(folded)))"
        }.joined(separator: " ") + " ELSE NULL END)"
    // The rows have no vectors.
    case .count, .hasElement: "?"
    }
  }

  private static let foldedStrings = [true, false].flatMap { foldsDiacritics in
    PostGenerator.strings.map { TextModel.folded($0, foldsDiacritics: foldsDiacritics) }
  }

  /// The condition on the bytes of a text.
  private static func sql(_ condition: QueryNode.TextCondition, _ text: String, _ constant: [UInt8]) -> String {
    let bytes = "CAST(\(text) AS BLOB)"
    let literal = "x'\(constant.map { String(format: "%02X", $0) }.joined())'"
    return switch condition {
    // Of an empty blob, `substr` is NULL.
    case .prefix:
      "(CASE WHEN length(\(bytes)) < \(constant.count) THEN 0 WHEN \(literal) = x'' THEN \(text) IS NOT NULL OR NULL "
        + "ELSE substr(\(bytes), 1, \(constant.count)) = \(literal) END)"
    case .suffix:
      "(CASE WHEN length(\(bytes)) < \(constant.count) THEN 0 WHEN \(literal) = x'' THEN \(text) IS NOT NULL OR NULL "
        + "ELSE substr(\(bytes), length(\(bytes)) - \(constant.count) + 1) = \(literal) END)"
    case .part: "(instr(\(bytes), \(literal)) > 0)"
    }
  }

  static func symbol(_ comparison: QueryNode.Comparison) -> String {
    switch comparison {
    case .equal: "="
    case .notEqual: "<>"
    case .less: "<"
    case .lessOrEqual: "<="
    case .greater: ">"
    case .greaterOrEqual: ">="
    }
  }

  /// Makes conditions at random. An integer above `Int64.max` is a blob in SQL, which cannot calculate with it.
  struct NodeGenerator {
    var generator: PostGenerator

    mutating func condition(_ depth: Int) -> QueryNode {
      guard depth > 0 else { return .field(EvaluationTests.fields[3].field) }
      switch Int.random(in: 0..<11, using: &generator.random) {
      case 9, 10:
        return .text(generator.pick([.prefix, .suffix, .part]), text(), generator.pick(PostGenerator.strings))
      case 0: return .and(condition(depth - 1), condition(depth - 1))
      case 1: return .or(condition(depth - 1), condition(depth - 1))
      case 2: return .not(condition(depth - 1))
      case 3: return .isNull(number(depth - 1))
      case 4: return .isIn(number(depth - 1), (0..<generator.pick([0, 1, 3])).map { _ in numberConstant() })
      case 5:
        return .isIn(text(), (0..<generator.pick([0, 1, 3])).map { _ in .text(generator.pick(PostGenerator.strings)) })
      case 6: return .comparison(comparison(), text(), text())
      case 7: return .comparison(comparison(), unsigned(), unsigned())
      default: return .comparison(comparison(), number(depth - 1), number(depth - 1))
      }
    }

    mutating func comparison() -> QueryNode.Comparison {
      generator.pick([.equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual])
    }

    mutating func text() -> QueryNode {
      if generator.chance(25) { return .folded(generator.pick([.case, .caseAndDiacritics]), plainText()) }
      return plainText()
    }

    private mutating func plainText() -> QueryNode {
      generator.chance(50)
        ? .field(EvaluationTests.fields[2].field) : .constant(.text(generator.pick(PostGenerator.strings)))
    }

    mutating func unsigned() -> QueryNode {
      generator.chance(50)
        ? .field(EvaluationTests.fields[4].field) : .constant(FieldValue(generator.pick(EvaluationTests.unsigned)))
    }

    mutating func numberConstant() -> FieldValue {
      generator.chance(50)
        ? .integer(generator.pick(EvaluationTests.integers)) : FieldValue(generator.pick(EvaluationTests.reals))
    }

    mutating func number(_ depth: Int) -> QueryNode {
      if depth > 0, generator.chance(60) {
        return .arithmetic(
          generator.pick([.add, .subtract, .multiply, .remainder]), number(depth - 1), number(depth - 1))
      }
      switch Int.random(in: 0..<6, using: &generator.random) {
      case 5: return .length(text())
      case 0: return .field(EvaluationTests.fields[0].field)
      case 1: return .field(EvaluationTests.fields[1].field)
      case 2: return .position(text(), [.text("a"), .text("é"), .text("")])
      default: return .constant(numberConstant())
      }
    }
  }

  /// Whether SQLite does the arithmetic of a node as the store does. It has no integers beyond an `Int64`: sums are rounded there, and
  /// operands of a remainder are clamped.
  private static func isExactInSQL(_ node: QueryNode, _ row: FlatBufferTable) -> Bool {
    node.nodes.allSatisfy { node in
      guard case .arithmetic(let operation, let lhs, let rhs) = node.kind else { return true }
      let programs = (QueryProgram(lhs), QueryProgram(rhs))
      return withExtendedLifetime(programs) {
        switch (programs.0.value(for: row), programs.1.value(for: row), operation) {
        case (.integer(let lhs), .integer(let rhs), .add): !lhs.addingReportingOverflow(rhs).overflow
        case (.integer(let lhs), .integer(let rhs), .subtract): !lhs.subtractingReportingOverflow(rhs).overflow
        case (.integer(let lhs), .integer(let rhs), .multiply): !lhs.multipliedReportingOverflow(by: rhs).overflow
        case (.integer, .integer, .remainder): true
        case (.real(let lhs), .real(let rhs), .remainder): max(lhs.magnitude, rhs.magnitude) < 0x1p63
        case (.real(let lhs), .integer(let rhs), .remainder), (.integer(let rhs), .real(let lhs), .remainder):
          max(lhs.magnitude, Double(rhs).magnitude) < 0x1p53
        case (.unsigned, _, _), (_, .unsigned, _), (.wide, _, _), (_, .wide, _): false
        default: true
        }
      }
    }
  }

  /// How many conditions are made from one seed. SQLite calculates otherwise in some of them, which are left out.
  private static let count = 300

  @Test(
    "A random condition on a row's bytes gives what SELECT gives",
    arguments: LongForm.seeds(ofConditions: count, sample: 20))
  func randomConditions(seeds: Range<Int>) throws {
    for seed in seeds { try compareConditions(seed: seed) }
  }

  private func compareConditions(seed: Int) throws {
    var handle: OpaquePointer?
    defer { sqlite3_close_v2(handle) }
    #expect(sqlite3_open(":memory:", &handle) == SQLITE_OK)
    var nodes = NodeGenerator(generator: PostGenerator(random: SeededGenerator(seed: UInt64(seed))))
    var count = 0
    for _ in 0..<Self.count {
      let row = Row(&nodes.generator)
      let buffer = try row.bytes()
      let table = try #require(FlatBufferTable(rootOf: buffer))
      let node = nodes.condition(Int.random(in: 1...4, using: &nodes.generator.random))
      guard EvaluationTests.isExactInSQL(node, table) else { continue }
      count += 1
      let sql = EvaluationTests.sql(node, row.sql)
      let expected = try PlainSQL.run("SELECT \(sql) IS TRUE, \(sql) IS NULL", on: handle)
      let program = QueryProgram(node)
      #expect(expected[0][0] == (program.matches(table) ? "1" : "0"), "seed \(seed): \(sql)")
      var isNull = false
      if case .null = program.value(for: table) { isNull = true }
      #expect(expected[0][1] == (isNull ? "1" : "0"), "seed \(seed): \(sql)")
    }
    #expect(count > Self.count / 2)
    LongForm.record(count, "conditions on bytes, beside SELECT")
  }

  @Test(
    "A random arithmetic expression on a row's bytes gives what SELECT gives",
    arguments: LongForm.seeds(ofConditions: count, sample: 10))
  func randomNumbers(seeds: Range<Int>) throws {
    for seed in seeds { try compareNumbers(seed: seed) }
  }

  private func compareNumbers(seed: Int) throws {
    var handle: OpaquePointer?
    defer { sqlite3_close_v2(handle) }
    #expect(sqlite3_open(":memory:", &handle) == SQLITE_OK)
    var nodes = NodeGenerator(generator: PostGenerator(random: SeededGenerator(seed: UInt64(seed))))
    var count = 0
    for _ in 0..<Self.count {
      let row = Row(&nodes.generator)
      let buffer = try row.bytes()
      let table = try #require(FlatBufferTable(rootOf: buffer))
      let node = nodes.number(3)
      guard EvaluationTests.isExactInSQL(node, table) else { continue }
      count += 1
      let sql = EvaluationTests.sql(node, row.sql)
      let expected = try PlainSQL.run("SELECT typeof(\(sql)), \(sql)", on: handle)[0]
      switch QueryProgram(node).value(for: table) {
      case .null: #expect(expected[0] == "null", "seed \(seed): \(sql)")
      case .integer(let value): #expect(expected == ["integer", "\(value)"], "seed \(seed): \(sql)")
      case .real(let value):
        #expect(expected[0] == "real", "seed \(seed): \(sql)")
        let literal = EvaluationTests.sql(.real(value))
        #expect(try PlainSQL.run("SELECT \(sql) = \(literal)", on: handle) == [["1"]], "seed \(seed): \(sql)")
      default: Issue.record("seed \(seed): \(sql)")
      }
    }
    #expect(count > Self.count / 4)
    LongForm.record(count, "expressions on bytes, beside SELECT")
  }

  @Test("A UInt64 is compared with a Double by their exact values")
  func unsignedIntegersAreOrderedAmongReals() throws {
    let field = EvaluationTests.fields[4].field
    var generator = PostGenerator(random: SeededGenerator(seed: 1))
    for value in EvaluationTests.unsigned {
      var row = Row(&generator)
      row.unsigned = value
      let buffer = try row.bytes()
      let table = try #require(FlatBufferTable(rootOf: buffer))
      for real in EvaluationTests.reals where !real.isNaN {
        let isLess = QueryProgram(.comparison(.less, .field(field), .constant(.real(real)))).matches(table)
        let isEqual = QueryProgram(.comparison(.equal, .field(field), .constant(.real(real)))).matches(table)
        // A UInt64 and a Double as their exact values: both fit 80 bits of integer, or are out of the other's range.
        let whole = real < 0 ? nil : real >= 0x1p64 ? UInt64.max : UInt64(real)
        let expectedLess = whole.map { value < $0 || value == $0 && (real > Double($0) || real >= 0x1p64) } ?? false
        let expectedEqual = whole.map { value == $0 && real < 0x1p64 && Double($0) == real } ?? false
        #expect(isLess == expectedLess && isEqual == expectedEqual, "\(value) and \(real)")
      }
    }
  }
}
