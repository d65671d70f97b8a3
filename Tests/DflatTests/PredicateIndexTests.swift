import FlatBuffersCore
import Testing

@testable import Dflat

@Suite("An index of predicates")
struct PredicateIndexTests {
  private static let integer = RecordField(.root, .int64, at: 4)
  private static let real = RecordField(.root, .double, at: 6)
  private static let text = RecordField(.root, .string, at: 8)
  private static let flag = RecordField(.root, .bool, at: 10)
  private static let unsigned = RecordField(.root, .uint64, at: 12)

  private struct Row {
    var integer: Int64?
    var real: Double?
    var text: String?
    var flag: Bool?
    var unsigned: UInt64?

    func table() throws -> FlatBufferTable {
      var builder = FlatBufferBuilder(forceDefaults: true)
      let text = builder.create(text)
      builder.startTable(fieldCount: 5)
      if let integer { builder.add(integer, default: 0, at: 4) }
      if let real { builder.add(real, default: 0, at: 6) }
      builder.add(text, at: 8)
      if let flag { builder.add(flag, default: false, at: 10) }
      if let unsigned { builder.add(unsigned, default: 0, at: 12) }
      let root = builder.endTable()
      try builder.finish(root)
      return try #require(FlatBufferTable(rootOf: builder.finishedBuffer()))
    }
  }

  /// The ids that are found for a row, in order, and as often as they are found.
  private func ids(_ index: PredicateIndex, _ row: Row) throws -> [Int] {
    var ids: ContiguousArray<Int32> = []
    index.appendMatches(of: try row.table(), to: &ids)
    return ids.sorted().map(Int.init)
  }

  private func compare(
    _ comparison: QueryNode.Comparison, _ field: RecordField, _ value: FieldValue
  ) -> QueryNode {
    .comparison(comparison, .field(field), .constant(value))
  }

  @Test("A range holds its bounds if they are inclusive, and no value beyond them")
  func boundsOfRanges() throws {
    let index = PredicateIndex()
    var ranges: [(lower: Int64, isLowerInclusive: Bool, upper: Int64, isUpperInclusive: Bool)] = []
    for lower in 0..<Int64(9) {
      for upper in 0..<Int64(9) {
        for kind in 0..<4 { ranges.append((lower, kind & 1 == 0, upper, kind & 2 == 0)) }
      }
    }
    for (id, range) in ranges.enumerated() {
      index.insert(
        .and(
          compare(range.isLowerInclusive ? .greaterOrEqual : .greater, Self.integer, .integer(range.lower)),
          compare(range.isUpperInclusive ? .lessOrEqual : .less, Self.integer, .integer(range.upper))),
        as: id)
    }
    for value in Int64(-1)...9 {
      let expected = ranges.indices.filter { id in
        let range = ranges[id]
        return (range.isLowerInclusive ? range.lower <= value : range.lower < value)
          && (range.isUpperInclusive ? value <= range.upper : value < range.upper)
      }
      #expect(try ids(index, Row(integer: value)) == expected, "\(value)")
    }
  }

  @Test("A range without a lower or an upper bound holds everything on that side, but not NULL")
  func openRanges() throws {
    let index = PredicateIndex()
    let comparisons: [QueryNode.Comparison] = [.less, .lessOrEqual, .greater, .greaterOrEqual]
    for bound in 0..<40 {
      for (number, comparison) in comparisons.enumerated() {
        index.insert(compare(comparison, Self.integer, .integer(Int64(bound))), as: bound * 4 + number)
      }
    }
    for value in -1...40 {
      let expected = (0..<160).filter { id in
        [value < id / 4, value <= id / 4, value > id / 4, value >= id / 4][id % 4]
      }
      #expect(try ids(index, Row(integer: Int64(value))) == expected, "\(value)")
    }
    #expect(try ids(index, Row(integer: .max)).count == 80)
    #expect(try ids(index, Row()) == [])
  }

  @Test("Numbers of different types are found under the same value if they are equal, and not if they only round alike")
  func numbersOfDifferentTypes() throws {
    let index = PredicateIndex()
    let values: [FieldValue] = [
      .integer(1), .real(1), .integer(1 << 53), .integer((1 << 53) + 1), .real(0x1p53), .unsigned(1 << 63),
      .real(0x1p63), .unsigned((1 << 63) + 1), .integer(0), .real(-0.0), .real(0.5), .unsigned(.max), .real(0x1p64),
      .integer(-1), .real(-1),
    ]
    let fields = [Self.integer, Self.real, Self.unsigned]
    for (id, value) in values.enumerated() {
      for (number, field) in fields.enumerated() { index.insert(compare(.equal, field, value), as: id * 3 + number) }
    }
    func found(_ row: Row, in field: Int) throws -> [Int] {
      try ids(index, row).filter { $0 % 3 == field }.map { $0 / 3 }
    }
    #expect(try found(Row(integer: 1), in: 0) == [0, 1])
    #expect(try found(Row(integer: 1 << 53), in: 0) == [2, 4])
    #expect(try found(Row(integer: (1 << 53) + 1), in: 0) == [3])
    #expect(try found(Row(integer: 0), in: 0) == [8, 9])
    #expect(try found(Row(integer: -1), in: 0) == [13, 14])
    #expect(try found(Row(real: -1), in: 1) == [13, 14])
    #expect(try found(Row(real: 1), in: 1) == [0, 1])
    #expect(try found(Row(real: 0x1p53), in: 1) == [2, 4])
    #expect(try found(Row(real: 0x1p63), in: 1) == [5, 6])
    #expect(try found(Row(real: -0.0), in: 1) == [8, 9])
    #expect(try found(Row(real: 0.5), in: 1) == [10])
    #expect(try found(Row(real: 0x1p64), in: 1) == [12])
    #expect(try found(Row(unsigned: 1 << 63), in: 2) == [5, 6])
    #expect(try found(Row(unsigned: (1 << 63) + 1), in: 2) == [7])
    #expect(try found(Row(unsigned: .max), in: 2) == [11])
  }

  @Test("Texts are equal and ordered by their bytes, however alike they begin")
  func texts() throws {
    let index = PredicateIndex()
    var texts: [String] = []
    // Each has less in common with those before it.
    let additions = [
      (0..<60).map { "the same beginning, \($0)" }, ["the same beginning", "the same", "the sane"],
      ["", "\0", "é", "e\u{301}"],
    ]
    for addition in additions {
      for text in addition {
        index.insert(compare(.equal, Self.text, .text(text)), as: texts.count * 2)
        index.insert(
          .and(compare(.greaterOrEqual, Self.text, .text(text)), compare(.lessOrEqual, Self.text, .text(text + "0"))),
          as: texts.count * 2 + 1)
        texts.append(text)
      }
      for text in additions.joined() + ["the same beginning, ", "the same beginning, 100", "the same c", "the", "u"] {
        let bytes = Array(text.utf8)
        let expected = (0..<texts.count * 2).filter { id in
          let other = Array(texts[id / 2].utf8)
          if id % 2 == 0 { return bytes == other }
          return !bytes.lexicographicallyPrecedes(other)
            && !(other + Array("0".utf8)).lexicographicallyPrecedes(bytes)
        }
        #expect(try ids(index, Row(text: text)) == expected, "\(text)")
      }
    }
  }

  @Test("NULL and NaN satisfy isNull, and nothing else")
  func nulls() throws {
    let index = PredicateIndex()
    let real = QueryNode.field(Self.real)
    index.insert(.isNull(real), as: 0)
    index.insert(.not(.isNull(real)), as: 1)
    index.insert(compare(.notEqual, Self.real, .real(1)), as: 2)
    index.insert(compare(.less, Self.real, .real(1)), as: 3)
    index.insert(.not(.isIn(real, [.real(1)])), as: 4)
    index.insert(.not(compare(.equal, Self.real, .real(1))), as: 5)
    index.insert(compare(.equal, Self.real, .null), as: 6)
    index.insert(compare(.less, Self.real, .real(.nan)), as: 7)
    index.insert(.not(.isIn(real, [.real(1), .null])), as: 8)
    index.insert(.not(.isIn(real, [])), as: 9)
    #expect(try ids(index, Row()) == [0, 9])
    #expect(try ids(index, Row(real: .nan)) == [0, 9])
    #expect(try ids(index, Row(real: 0)) == [1, 2, 3, 4, 5, 9])
    #expect(try ids(index, Row(real: 1)) == [1, 9])
  }

  @Test("A Bool field is true by itself, false by its negation, and neither if it is NULL")
  func flags() throws {
    let index = PredicateIndex()
    index.insert(.field(Self.flag), as: 0)
    index.insert(.not(.field(Self.flag)), as: 1)
    index.insert(compare(.notEqual, Self.flag, .integer(1)), as: 2)
    #expect(try ids(index, Row(flag: true)) == [0])
    #expect(try ids(index, Row(flag: false)) == [1, 2])
    #expect(try ids(index, Row()) == [])
  }

  @Test("A disjunction is found once, whichever of its terms are true")
  func disjunctions() throws {
    let index = PredicateIndex()
    index.insert(
      .or(
        .or(compare(.equal, Self.integer, .integer(1)), compare(.less, Self.integer, .integer(5))),
        .or(.isNull(.field(Self.text)), .and(.field(Self.flag), compare(.equal, Self.integer, .integer(9))))),
      as: 3)
    index.insert(.isIn(.field(Self.integer), [.integer(1), .real(1), .integer(2)]), as: 4)
    #expect(try ids(index, Row(integer: 1, text: "")) == [3, 4])
    #expect(try ids(index, Row(integer: 2)) == [3, 4])
    #expect(try ids(index, Row(integer: 9, text: "", flag: true)) == [3])
    #expect(try ids(index, Row(integer: 9, text: "")) == [])
    #expect(try ids(index, Row(integer: 7)) == [3])
  }

  @Test("A removed query is not found, and its id can be used again")
  func removal() throws {
    let index = PredicateIndex()
    index.insert(compare(.equal, Self.text, .text("a text of more than fifteen bytes")), as: 0)
    index.insert(compare(.equal, Self.text, .text("a text of more than fifteen bytes")), as: 1)
    index.insert(nil, as: 2)
    index.remove(0)
    index.remove(7)
    let row = Row(integer: 5, text: "a text of more than fifteen bytes")
    #expect(try ids(index, row) == [1, 2])
    index.insert(compare(.equal, Self.integer, .integer(5)), as: 0)
    #expect(try ids(index, row) == [0, 1, 2])
    // It replaces the query with the same id.
    index.insert(compare(.equal, Self.integer, .integer(6)), as: 0)
    #expect(try ids(index, row) == [1, 2])
    for id in 0...2 { index.remove(id) }
    #expect(try ids(index, row) == [])
  }
}
