import Dflat
import Foundation
import Golden_bytes
import TestSupport

/// A condition on fields of bytes as a query, and what it means, told a second time: nil for NULL.
package struct BytesCondition {
  package let description: String
  package let query: QueryExpression<Bool, Document>
  package let truth: (Document) -> Bool?

  package func holds(_ document: Document) -> Bool { truth(document) == true }
}

/// Makes objects with structs of bytes in every place, and conditions on them, at random.
package struct BytesGenerator {
  package var random: SeededGenerator

  package init(seed: Int) { random = SeededGenerator(seed: seed) }

  /// Some differ in the first byte, some in the last, and two in a byte that is negative as a signed number.
  package static let ids = [
    "00000000-0000-0000-0000-000000000000", "00000000-0000-0000-0000-000000000001",
    "7fffffff-0000-0000-0000-000000000000", "80000000-0000-0000-0000-000000000000",
    "00ff0000-0000-0000-0000-000000000000", "ffffffff-ffff-ffff-ffff-ffffffffffff",
    "61626364-6566-6768-696a-6b6c6d6e6f70",
  ].compactMap(UUID.init(uuidString:))

  package static let hashes = [0, 1, 0x7F, 0x80, 0xFF].flatMap { (byte: UInt8) in
    [Hash(bytes: [byte] + Array(repeating: 0, count: 31)), Hash(bytes: Array(repeating: 0, count: 31) + [byte])]
  }

  private static let tinies = [0, 0x41, 0xFF].map { Tiny(raw: [$0]) }

  // MARK: Objects

  private mutating func some<Value>(_ values: [Value]) -> [Value] {
    (0..<random.pick([0, 0, 1, 2, 3])).map { _ in random.pick(values) }
  }

  private mutating func maybe<Value>(_ values: [Value]) -> Value? { random.chance(75) ? random.pick(values) : nil }

  private mutating func edge() -> Edge {
    Edge(
      at: UInt64(random.next(3)), from: random.pick(Self.ids), to: random.pick(Self.ids), mark: random.pick(Self.tinies)
    )
  }

  private mutating func version() -> Version {
    Version(author: maybe(Self.ids), hash: maybe(Self.hashes), parents: some(Self.ids))
  }

  private mutating func origin() -> Origin? {
    switch random.next(4) {
    case 0: .version(version())
    case 1: .edge(edge())
    case 2: .ID(ID(bytes: Array(repeating: 7, count: 16)))
    default: nil
    }
  }

  /// The primary key of the object with a number. Keys are in the order of the numbers.
  package static func id(_ number: Int) -> UUID {
    UUID(uuid: (UInt8(number), 0xAB, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80))
  }

  package mutating func document(_ number: Int) -> Document {
    var builder = DocumentBuilder(Document(id: Self.id(number), owner: random.pick(Self.ids)))
    builder.parent = maybe(Self.ids)
    builder.other = maybe(Self.ids)
    // It is unique.
    builder.digest = random.chance(70) ? Hash(bytes: [UInt8(number)] + Array(repeating: 0xFF, count: 31)) : nil
    builder.sum = maybe(Self.hashes)
    builder.tiny = maybe(Self.tinies)
    builder.name = maybe(Self.ids)
    builder.raw = maybe(Self.ids).map { ID(bytes: Self.bytes($0)) }
    if random.chance(60) { builder.edge = edge() }
    if random.chance(60) { builder.version = version() }
    builder.origin = origin()
    builder.friends = some(Self.ids)
    builder.hashes = some(Self.hashes)
    builder.links = some(Self.ids)
    for _ in 0..<random.pick([0, 0, 1, 2]) { builder.edges.append(edge()) }
    return builder.build()
  }

  /// The bytes of a UUID, by its text.
  package static func bytes(_ id: UUID) -> [UInt8] {
    let digits = id.uuidString.filter { $0 != "-" }.compactMap(\.hexDigitValue)
    return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
  }

  // MARK: Conditions

  package mutating func condition(depth: Int) -> BytesCondition {
    guard depth > 0, random.chance(70) else { return term() }
    let lhs = condition(depth: depth - 1)
    if random.chance(25) {
      return BytesCondition(description: "!\(lhs.description)", query: !lhs.query) { lhs.truth($0).map { !$0 } }
    }
    let rhs = condition(depth: depth - 1)
    let isAnd = random.chance(50)
    let description = "(\(lhs.description) \(isAnd ? "&&" : "||") \(rhs.description))"
    return BytesCondition(description: description, query: isAnd ? lhs.query && rhs.query : lhs.query || rhs.query) {
      let (lhs, rhs) = (lhs.truth($0), rhs.truth($0))
      // The side that decides; else NULL, if there is one.
      if lhs == !isAnd || rhs == !isAnd { return !isAnd }
      return lhs == nil || rhs == nil ? nil : isAnd
    }
  }

  private mutating func term() -> BytesCondition {
    switch random.next(20) {
    case 0: id("parent", Document.parent, \.parent)
    case 1: id("other", Document.other, \.other)
    case 2: id("owner", Document.owner, \.owner)
    case 3: id("id", Document.id, \.id)
    case 4: id("name", Document.name, \.name)
    case 5: id("edge.from", Document.edge.from) { $0.edge?.from }
    case 6: id("edge.to", Document.edge.to) { $0.edge?.to }
    case 7: id("version.author", Document.version.author) { $0.version?.author }
    case 8:
      id("origin.as(Version).author", Document.origin.as(Version.self).author) {
        if case .version(let version)? = $0.origin { version.author } else { nil }
      }
    case 9:
      id("origin.as(Edge).from", Document.origin.as(Edge.self).from) {
        if case .edge(let edge)? = $0.origin { edge.from } else { nil }
      }
    case 10: value("digest", Document.digest, Self.hashes, \.digest)
    case 11: value("sum", Document.sum, Self.hashes, \.sum)
    case 12: value("tiny", Document.tiny, Self.tinies, \.tiny)
    case 13: value("edge.mark", Document.edge.mark, Self.tinies) { $0.edge?.mark }
    case 14: value("version.hash", Document.version.hash, Self.hashes) { $0.version?.hash }
    case 15: value("raw", Document.raw, Self.ids.map { ID(bytes: Self.bytes($0)) }, \.raw)
    case 16: elements("friends", Document.friends, Self.ids, \.friends)
    case 17: elements("hashes", Document.hashes, Self.hashes, \.hashes)
    case 18: fields()
    default: edges()
    }
  }

  /// A condition on a field that is a UUID.
  private mutating func id(
    _ name: String, _ field: QueryExpression<UUID, Document>, _ value: @escaping (Document) -> UUID?
  ) -> BytesCondition {
    let constant = random.chance(20) ? Self.id(random.next(60)) : random.pick(Self.ids)
    func condition(
      _ sign: String, _ query: QueryExpression<Bool, Document>, _ holds: @escaping (_ order: Int) -> Bool
    ) -> BytesCondition {
      BytesCondition(description: "\(name) \(sign) \(constant)", query: query) {
        value($0).map { holds(Self.order($0, constant)) }
      }
    }
    switch random.next(9) {
    case 0: return condition("<", field < constant) { $0 < 0 }
    case 1: return condition("<=", field <= constant) { $0 <= 0 }
    case 2: return condition(">", field > constant) { $0 > 0 }
    case 3: return condition(">=", constant <= field) { $0 >= 0 }
    case 4: return condition("==", field == constant) { $0 == 0 }
    default: return self.value(name, field, Self.ids, value)
    }
  }

  package static func order(_ lhs: UUID, _ rhs: UUID) -> Int {
    lhs == rhs ? 0 : lhs.uuidString < rhs.uuidString ? -1 : 1
  }

  /// A condition on a field that is a value without ranges.
  private mutating func value<Value: QueryConstant>(
    _ name: String, _ field: QueryExpression<Value, Document>, _ pool: [Value], _ value: @escaping (Document) -> Value?
  ) -> BytesCondition {
    let constant = random.pick(pool)
    let list = some(pool) + [constant]
    switch random.next(5) {
    case 0:
      return BytesCondition(description: "\(name) == \(constant)", query: field == constant) {
        value($0).map { $0 == constant }
      }
    case 1:
      return BytesCondition(description: "\(name) != \(constant)", query: constant != field) {
        value($0).map { $0 != constant }
      }
    case 2:
      return BytesCondition(description: "\(name) in \(list)", query: field.in(list)) {
        value($0).map { list.contains($0) }
      }
    case 3:
      return BytesCondition(description: "\(name) not in \(list)", query: field.notIn(list)) {
        value($0).map { !list.contains($0) }
      }
    default:
      return BytesCondition(description: "\(name) == nil", query: field == nil) { value($0) == nil }
    }
  }

  private mutating func elements<Value: QueryConstant>(
    _ name: String, _ field: VectorField<QueryExpression<Value, Document>, Document>, _ pool: [Value],
    _ values: @escaping (Document) -> [Value]
  ) -> BytesCondition {
    let constant = random.pick(pool)
    let list = some(pool)
    switch random.next(3) {
    case 0:
      return BytesCondition(description: "\(name).contains(\(constant))", query: field.contains(constant)) {
        values($0).contains(constant)
      }
    case 1:
      return BytesCondition(description: "\(name).contains(anyOf: \(list))", query: field.contains(anyOf: list)) {
        values($0).contains { list.contains($0) }
      }
    default:
      return BytesCondition(description: "\(name) has another", query: field.contains { $0 != constant }) {
        values($0).contains { $0 != constant }
      }
    }
  }

  private mutating func edges() -> BytesCondition {
    let (id, mark) = (random.pick(Self.ids), random.pick(Self.tinies))
    if random.chance(50) {
      return BytesCondition(
        description: "edges.contains { from == \(id) && mark != \(mark) }",
        query: Document.edges.contains { $0.from == id && $0.mark != mark }
      ) { $0.edges.contains { $0.from == id && $0.mark != mark } }
    }
    return BytesCondition(description: "links.contains { < \(id) }", query: Document.links.contains { $0 < id }) {
      $0.links.contains { Self.order($0, id) < 0 }
    }
  }

  /// A comparison of two fields.
  private mutating func fields() -> BytesCondition {
    func both(_ document: Document, _ holds: (Int) -> Bool) -> Bool? {
      guard let parent = document.parent, let other = document.other else { return nil }
      return holds(Self.order(parent, other))
    }
    switch random.next(4) {
    case 0:
      return BytesCondition(description: "parent == other", query: Document.parent == Document.other) {
        both($0) { $0 == 0 }
      }
    case 1:
      return BytesCondition(description: "parent < other", query: Document.parent < Document.other) {
        both($0) { $0 < 0 }
      }
    case 2:
      return BytesCondition(description: "id > owner", query: Document.id > Document.owner) {
        Self.order($0.id, $0.owner) > 0
      }
    default:
      return BytesCondition(description: "sum == digest", query: Document.sum == Document.digest) { document in
        document.sum.flatMap { sum in document.digest.map { $0 == sum } }
      }
    }
  }

  // MARK: Orders

  /// An order, and what objects are ordered by: nil comes first.
  package mutating func order() -> (description: String, key: OrderBy<Document>, bytes: (Document) -> [UInt8]?) {
    switch random.next(4) {
    case 0: ("parent", Document.parent.ascending, { $0.parent.map(Self.bytes) })
    case 1: ("other", Document.other.ascending, { $0.other.map(Self.bytes) })
    case 2: ("digest", Document.digest.ascending, { $0.digest?.bytes })
    default: ("sum", Document.sum.ascending, { $0.sum?.bytes })
    }
  }
}
