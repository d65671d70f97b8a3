import FlatBuffersCore
import TestSupport

@testable import Dflat

extension PredicateGenerator {
  private static let numbers = RecordVector(.root, .value(.int64), at: 32)
  private static let words = RecordVector(.root, .value(.string), at: 34)
  private static let tables = RecordVector(.root, .table, at: 36)
  private static let points = RecordVector(.root, .structure(size: 16), at: 38)
  private static let unions = RecordVector(.root, .union(codeSize: 1), at: 42)

  // MARK: Rows

  /// The vectors of a row, each of which may be absent, by their slots.
  mutating func vectors(in builder: inout FlatBufferBuilder) -> [(slot: VTableOffset, vector: Offset)] {
    var vectors: [(slot: VTableOffset, vector: Offset)] = []
    if let numbers = maybe({ random in (0..<random.next(4)).map { _ in random.pick(Self.integers) } }) {
      vectors.append((32, builder.create(vector: numbers)))
    }
    if let words = maybe({ random in (0..<random.next(4)).map { _ in random.pick(Self.texts) } }) {
      vectors.append((34, builder.create(vector: words.map { builder.create($0) })))
    }
    if random.chance(75) {
      let tables = (0..<random.next(4)).map { _ in table(in: &builder) }
      vectors.append((36, builder.create(vector: tables)))
    }
    if let points = maybe({ random in (0..<random.next(4)).map { _ in random.point() } }) {
      vectors.append((38, builder.create(vector: points)))
    }
    if random.chance(75) {
      let members = (0..<random.next(4)).map { _ in
        let code = random.pick([0, 1, 2, 3] as [UInt8])
        return (code: code, member: member(of: code, in: &builder) ?? .null)
      }
      let unions = builder.create(unionVector: members)
      vectors += [(40, unions.types), (42, unions.members)]
    }
    return vectors
  }

  private mutating func table(in builder: inout FlatBufferBuilder) -> Offset {
    let text = maybe { builder.create($0.pick(Self.texts)) }
    let reals = maybe { random in builder.create(vector: (0..<random.next(3)).map { _ in random.pick(Self.reals) }) }
    builder.startTable(fieldCount: 3)
    if let number = maybe({ Int32.random(in: -3...9, using: &$0) }) { builder.add(number, default: 0, at: 4) }
    if let text { builder.add(text, at: 6) }
    if let reals { builder.add(reals, at: 8) }
    return builder.endTable()
  }

  // MARK: Predicates

  /// A condition on an element, or on the number of elements.
  mutating func vectorCondition() -> QueryNode {
    let element = FieldPath.element(level: 0)
    let union = UnionField<Void, Sample>(element, at: 0)
    let condition: QueryNode
    switch random.next(9) {
    case 0, 1: condition = has(Self.numbers, [RecordField(element, .int64, at: 0)])
    case 2, 3: condition = has(Self.words, [RecordField(element, .string, at: 0)])
    case 4: condition = has(Self.tables, fieldsOfTable(element))
    case 5:
      condition = has(Self.points, [RecordField(element, .int32, at: 0), RecordField(element, .uint64, at: 8)])
    case 6:
      let member = union.member(typeCode: 1)
      condition = has(
        Self.unions,
        [
          RecordField(element, .unionType, at: 0), RecordField(member, .int16, at: 4, default: .integer(2)),
          RecordField(union.structureMember(typeCode: 2), .int32, at: 0),
          union.stringMember(typeCode: 3)._node.field ?? RecordField(element, .unionType, at: 0),
        ])
    case 7:
      // The vector of an element, compared with the element itself.
      let reals = RecordVector(element, .value(.double), at: 8)
      let real = RecordField(.element(level: 1), .double, at: 0)
      let inner: QueryNode = .hasElement(
        reals, level: 1, .comparison(comparison(), .field(real), .field(random.pick(fieldsOfTable(element)))))
      condition = .hasElement(
        Self.tables, level: 0, random.chance(50) ? inner : .and(inner, elementCondition(fieldsOfTable(element))))
    default:
      let vector = random.pick([Self.numbers, Self.words, Self.tables, Self.points, Self.unions])
      return .comparison(comparison(), .count(vector), .constant(.integer(Int64(random.next(4)))))
    }
    return random.chance(75) ? condition : .not(condition)
  }

  private func fieldsOfTable(_ path: FieldPath) -> [RecordField] {
    [RecordField(path, .int32, at: 4, default: .integer(7)), RecordField(path, .string, at: 6)]
  }

  private mutating func has(_ vector: RecordVector, _ fields: [RecordField]) -> QueryNode {
    let condition = elementCondition(fields)
    switch random.next(6) {
    case 0: return .hasElement(vector, level: 0, .and(condition, elementCondition(fields)))
    case 1: return .hasElement(vector, level: 0, .or(condition, elementCondition(fields)))
    // Another field of the row.
    case 2:
      let other: QueryNode = .field(Self.fields[3])
      return .hasElement(vector, level: 0, random.chance(50) ? .and(condition, other) : .or(condition, other))
    default: return .hasElement(vector, level: 0, condition)
    }
  }

  private mutating func elementCondition(_ fields: [RecordField]) -> QueryNode {
    let field = random.pick(fields)
    let value = QueryNode.field(field)
    if field.storage.isText, random.chance(40) {
      let operand: QueryNode = random.pick([value, .folded(.caseAndDiacritics, value)])
      return .text(random.pick([.prefix, .prefix, .suffix, .part]), operand, random.pick(Self.texts))
    }
    switch random.next(6) {
    case 0: return .isIn(value, list(of: field))
    case 1: return random.chance(50) ? .isNull(value) : .not(.isNull(value))
    case 2: return .not(.comparison(comparison(), value, .constant(constant(of: field))))
    case 3:
      return .and(
        .comparison(.greater, value, .constant(constant(of: field))),
        .comparison(.less, value, .constant(constant(of: field))))
    default: return .comparison(random.chance(50) ? .equal : comparison(), value, .constant(constant(of: field)))
    }
  }
}
