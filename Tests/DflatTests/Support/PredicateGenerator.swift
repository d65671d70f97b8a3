import Dflat
import FlatBuffersCore
import TestSupport

/// Makes rows and predicates at random, of few values, so that many predicates are true.
struct PredicateGenerator {
  var random: SeededGenerator

  /// Slots: 4 int64, 6 double, 8 string, 10 bool, 12 uint64, 14 int32 = 7, 16 bool = true, 18 and 20 a union of
  /// 1: table { 4: int16 = 2, 6: string }, 2: Point, 3: string, 22 Point, 24 table { 4: double = 0.5 }, 26 int8 = 0,
  /// 28 float = NaN, 30 string = "a", 32 [int64], 34 [string], 36 [table { 4: int32 = 7, 6: string, 8: [double] }], 38 [Point],
  /// 40 and 42 a vector of the unions.
  static let fields: [RecordField] = [
    RecordField(.root, .int64, at: 4), RecordField(.root, .double, at: 6), RecordField(.root, .string, at: 8),
    RecordField(.root, .bool, at: 10), RecordField(.root, .uint64, at: 12),
    RecordField(.root, .int32, at: 14, default: .integer(7)), RecordField(.root, .bool, at: 16, default: .integer(1)),
    unionType, RecordField(union.member(typeCode: 1), .int16, at: 4, default: .integer(2)),
    RecordField(union.member(typeCode: 1), .string, at: 6),
    RecordField(union.structureMember(typeCode: 2), .int32, at: 0),
    RecordField(union.structureMember(typeCode: 2), .uint64, at: 8),
    RecordField(.root.structure(at: 22), .float, at: 4), RecordField(.root.structure(at: 22), .uint64, at: 8),
    RecordField(.root.table(at: 24), .double, at: 4, default: .real(0.5)),
    RecordField(.root, .int8, at: 26, default: .integer(0)), RecordField(.root, .float, at: 28, default: .real(.nan)),
    RecordField(.root, .string, at: 30, default: .text("a")), unionString,
    RecordField(.root, .bytes(4), at: 22), RecordField(union.structureMember(typeCode: 2), .bytes(4), at: 0),
  ]
  private static let union = UnionField<Void, Sample>(.root, at: 20)
  private static let unionType = RecordField(.root, .unionType, at: 20)
  private static var unionString: RecordField {
    union.stringMember(typeCode: 3)._node.field ?? unionType
  }

  static let integers: [Int64] = [
    .min, -(1 << 53) - 1, -2, -1, 0, 1, 2, 3, 7, 1 << 53, (1 << 53) + 1, (1 << 62) + 1, (1 << 62) + 2, .max - 1, .max,
  ]
  static let reals: [Double] = [
    -.infinity, -0x1p63, -2, -1.5, -1, -0.0, 0, 0.5, 1, 2, 0x1p53, 0x1p62, 0x1p63, 0x1p64, 1e300, .infinity, .nan,
    .leastNonzeroMagnitude, -.leastNonzeroMagnitude,
  ]
  static let unsigned: [UInt64] = [0, 1, 2, 1 << 53, UInt64(Int64.max), 1 << 63, (1 << 63) + 1, .max - 1, .max]
  static let texts = [
    "", "\0", "a", "a\0", "ab", "abcdefg", "abcdefgh", "abcdefghi", "abcdefghj", "é", "e\u{301}", "É", "E", "ß", "SS",
    "A", "AB", "z", "日本",
    "\u{10FFFF}", "\u{10FFFF}\u{10FFFF}\u{10FFFF}", "\u{7F}", "a\u{7F}", "ÿ", "\u{D7FF}", "\u{E000}", "a\u{10FFFF}b",
  ]

  // MARK: Rows

  mutating func row() throws -> ByteBuffer {
    var builder = FlatBufferBuilder(forceDefaults: true)
    let text = maybe { builder.create($0.pick(Self.texts)) }
    let other = maybe { builder.create($0.pick(Self.texts)) }
    let point = maybe { $0.point() }
    let vectors = vectors(in: &builder)
    let nested = maybe { generator in
      builder.startTable(fieldCount: 1)
      if generator.chance(75) { builder.add(generator.pick(Self.reals), default: 0, at: 4) }
      return builder.endTable()
    }
    let code = random.pick([0, 1, 1, 2, 3, 9] as [UInt8])
    let member = member(of: code, in: &builder)
    builder.startTable(fieldCount: 20)
    if let integer = maybe({ $0.pick(Self.integers) }) { builder.add(integer, default: 0, at: 4) }
    if let real = maybe({ $0.pick(Self.reals) }) { builder.add(real, default: 0, at: 6) }
    if let text { builder.add(text, at: 8) }
    if let flag = maybe({ $0.chance(50) }) { builder.add(flag, default: false, at: 10) }
    if let unsigned = maybe({ $0.pick(Self.unsigned) }) { builder.add(unsigned, default: 0, at: 12) }
    if let number = maybe({ Int32.random(in: -3...9, using: &$0) }) { builder.add(number, default: 0, at: 14) }
    if let flag = maybe({ $0.chance(50) }) { builder.add(flag, default: false, at: 16) }
    if random.chance(90) { builder.add(code, default: 0, at: 18) }
    if let member { builder.add(member, at: 20) }
    if let point { builder.add(point, at: 22) }
    if let nested { builder.add(nested, at: 24) }
    if let kind = maybe({ Int8.random(in: -1...3, using: &$0) }) { builder.add(kind, default: 0, at: 26) }
    if let ratio = maybe({ Float($0.pick(Self.reals)) }) { builder.add(ratio, default: 0, at: 28) }
    if let other { builder.add(other, at: 30) }
    for (slot, vector) in vectors { builder.add(vector, at: slot) }
    let root = builder.endTable()
    try builder.finish(root)
    let buffer = builder.finishedBuffer()
    return random.chance(10) ? damaged(buffer) : buffer
  }

  mutating func maybe<T>(_ make: (inout SeededGenerator) -> T) -> T? {
    random.chance(25) ? nil : make(&random)
  }

  mutating func member(of code: UInt8, in builder: inout FlatBufferBuilder) -> Offset? {
    switch code {
    case 1:
      let text = maybe { builder.create($0.pick(Self.texts)) }
      builder.startTable(fieldCount: 2)
      if let number = maybe({ Int16.random(in: -3...9, using: &$0) }) { builder.add(number, default: 0, at: 4) }
      if let text { builder.add(text, at: 6) }
      return builder.endTable()
    case 2: return builder.create(random.point())
    case 3: return builder.create(random.pick(Self.texts))
    default: return nil
    }
  }

  /// The same bytes, but for some.
  private mutating func damaged(_ buffer: ByteBuffer) -> ByteBuffer {
    var bytes = buffer.withUnsafeBytes { Array($0) }
    for _ in 0..<4 {
      bytes[Int.random(in: 4..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
    }
    return ByteBuffer(bytes)
  }

  // MARK: Predicates

  mutating func predicate() -> QueryNode? {
    random.chance(2) ? nil : condition(random.pick([0, 0, 1, 1, 2, 3]))
  }

  mutating func condition(_ depth: Int) -> QueryNode {
    guard depth > 0 else { return term() }
    switch Int.random(in: 0..<8, using: &random) {
    case 0, 1, 2: return .and(condition(depth - 1), condition(depth - 1))
    case 3, 4: return .or(condition(depth - 1), condition(depth - 1))
    case 5: return .not(condition(depth - 1))
    case 6: return range()
    default: return condition(depth - 1)
    }
  }

  private mutating func term() -> QueryNode {
    let field = random.pick(Self.fields)
    switch Int.random(in: 0..<24, using: &random) {
    case 20...: return vectorCondition()
    case 16...: return textCondition()
    case 0...3: return .comparison(.equal, .field(field), .constant(constant(of: field)))
    case 4: return .comparison(comparison(), .constant(constant(of: field)), .field(field))
    case 5, 6: return .comparison(comparison(), .field(field), .constant(constant(of: field)))
    case 7: return range()
    case 8: return .isIn(.field(field), list(of: field))
    case 9: return .not(.isIn(.field(field), list(of: field)))
    case 10: return random.chance(50) ? .isNull(.field(field)) : .not(.isNull(.field(field)))
    case 11: return random.chance(50) ? .field(Self.fields[3]) : .not(.field(Self.fields[6]))
    case 12: return .comparison(comparison(), .field(field), .field(random.pick(Self.fields)))
    case 13: return .comparison(comparison(), number(2), number(2))
    case 14:
      // Odd, but the operators allow it, or the types of nodes do.
      return random.pick([
        .isNull(number(1)), .isIn(number(1), list(of: Self.fields[0])), .field(field), .constant(constant(of: field)),
        .comparison(.equal, .position(.field(field), list(of: field)), .constant(.integer(1))),
      ])
    default:
      return .comparison(.equal, .field(Self.fields[7]), .constant(.integer(random.pick([0, 1, 2, 3, 9]))))
    }
  }

  /// A condition on the text of a field; rarely on what is no text, which the types of nodes allow.
  private mutating func textCondition() -> QueryNode {
    let field = random.pick(random.chance(90) ? Self.fields.filter { $0.storage == .string } : Self.fields)
    let foldings: [QueryNode.Folding?] = [nil, .case, .caseAndDiacritics]
    let folding = random.pick(foldings)
    let operand: QueryNode = folding.map { .folded($0, .field(field)) } ?? .field(field)
    // Mostly as the operators make it.
    let text = operand.comparable(random.pick(Self.texts))
    let condition: QueryNode =
      switch Int.random(in: 0..<9, using: &random) {
      case 0...2: .text(.prefix, operand, text)
      case 3: .text(.suffix, operand, text)
      case 4: .text(.part, operand, text)
      case 5: .comparison(.equal, .constant(.text(text)), operand)
      case 6: .isIn(operand, [.text(text), .text(random.pick(Self.texts))])
      case 7: random.pick([.comparison(comparison(), operand, .constant(.text(text))), .isNull(operand)])
      default:
        .comparison(comparison(), .length(operand), .constant(.integer(Int64.random(in: 0...4, using: &random))))
      }
    return random.chance(75) ? condition : .not(condition)
  }

  /// Two bounds of one field, or three.
  private mutating func range() -> QueryNode {
    let field = random.pick(Self.fields)
    var range = QueryNode.and(
      .comparison(random.pick([.greater, .greaterOrEqual]), .field(field), .constant(constant(of: field))),
      .comparison(random.pick([.less, .lessOrEqual]), .field(field), .constant(constant(of: field))))
    if random.chance(20) {
      range = .and(range, .comparison(comparison(), .field(field), .constant(constant(of: field))))
    }
    return random.chance(80) ? range : .not(range)
  }

  mutating func comparison() -> QueryNode.Comparison {
    random.pick([.equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual])
  }

  private mutating func number(_ depth: Int) -> QueryNode {
    if depth > 0, random.chance(60) {
      return .arithmetic(random.pick([.add, .subtract, .multiply, .remainder]), number(depth - 1), number(depth - 1))
    }
    return random.chance(60)
      ? .field(Self.fields[random.pick([0, 1, 4, 5, 8])])
      : .constant(constant(of: Self.fields[random.pick([0, 1, 5])]))
  }

  mutating func list(of field: RecordField) -> [FieldValue] {
    (0..<random.pick([0, 1, 2, 4])).map { _ in constant(of: field) }
  }

  /// A value as the field may have it, mostly.
  mutating func constant(of field: RecordField) -> FieldValue {
    switch random.chance(85) ? field.storage : random.pick([.bool, .int64, .uint64, .double, .string, .bytes(4)]) {
    case .bool, .int8, .uint8, .unionType, .unionType16, .unionType32, .unionType64:
      random.chance(97) ? .integer(Int64.random(in: 0...3, using: &random)) : .null
    case .int16, .uint16, .int32: .integer(Int64.random(in: -3...9, using: &random))
    case .int64, .uint32: .integer(random.pick(Self.integers))
    case .uint64: FieldValue(random.pick(Self.unsigned))
    case .float, .double: random.chance(90) ? FieldValue(random.pick(Self.reals)) : .real(1)
    case .string, .stringOffset64: .text(random.pick(Self.texts))
    // The first number of a point.
    case .bytes: .bytes(bytes(of: Int32.random(in: -3...9, using: &random)))
    }
  }
}

/// The bytes of a number in a FlatBuffer.
private func bytes(of number: Int32) -> [UInt8] {
  (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
}

extension SeededGenerator {
  mutating func point() -> Point {
    Point(
      number: Int32.random(in: -3...9, using: &self), ratio: Float(pick(PredicateGenerator.reals)),
      big: pick(PredicateGenerator.unsigned))
  }
}
