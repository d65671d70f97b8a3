import Dflat
import Foundation
import Golden_vectors
import TestSupport

/// A condition on vectors as a query, and what it means, told a second time.
package struct VectorCondition {
  package let description: String
  package let query: QueryExpression<Bool, Basket>
  package let truth: (Basket) -> Bool?

  package func holds(_ basket: Basket) -> Bool { truth(basket) == true }
}

/// Makes objects with vectors of every kind, and conditions on them, at random.
package struct VectorGenerator {
  package var random: SeededGenerator

  package init(seed: Int) { random = SeededGenerator(seed: seed) }

  private static let texts = ["", "a", "ab", "A", "é", "e\u{301}", "\0", "z"]
  private static let numbers: [Int32] = [.min, -1, 0, 1, 2, 3, .max]
  private static let big: [UInt64] = [0, 1, UInt64(Int64.max), 1 << 63, .max]
  private static let ratios: [Double] = [-0.0, 0, 0.5, 1, .nan, .infinity, -.infinity]
  private static let samples: [Float] = [0, 0.5, .nan, -1]
  private static let days = [-1, 0, 0.001, 86_400].map { Date(timeIntervalSince1970: $0) }
  private static let prices: [Decimal] = [0, 1, Decimal(string: "0.25") ?? 0, -3]
  private static let names = ["00000000-0000-0000-0000-000000000000", "11111111-2222-3333-4444-555555555555"]
    .compactMap(UUID.init(uuidString:))
  private static let levels: [Level] = [.low, .middle, .high]
  private static let marks: [Marks] = [[], .bold, .big, [.bold, .big]]

  // MARK: Objects

  /// Some of the values, often none, and often one of them twice.
  private mutating func some<Value>(_ values: [Value]) -> [Value] {
    (0..<random.pick([0, 0, 1, 2, 3, 5])).map { _ in random.pick(values) }
  }

  private mutating func spot() -> Spot {
    Spot(x: random.pick(Self.samples), y: random.pick(Self.numbers), isFixed: random.chance(50))
  }

  private mutating func comment() -> Comment {
    var comment = Comment(likes: random.pick(Self.numbers), words: some(Self.texts))
    if random.chance(70) { comment.author = random.pick(Self.texts) }
    if random.chance(70) { comment.spot = spot() }
    for _ in 0..<random.pick([0, 0, 1, 2]) {
      let text = random.chance(50) ? nil : random.pick(Self.texts)
      comment.replies.append(Reply(text: text, votes: some(Self.numbers)))
    }
    return comment
  }

  private mutating func pieces() -> [Piece] {
    (0..<random.pick([0, 0, 1, 2, 4])).map { _ in
      switch random.next(4) {
      case 0: .comment(comment())
      case 1: .spot(spot())
      case 2: .text(random.pick(Self.texts))
      default: .link(random.pick(Self.texts))
      }
    }
  }

  package mutating func basket(_ id: Int32) -> Basket {
    var builder = BasketBuilder(Basket(id: id, limit: random.pick(Self.numbers)))
    builder.tags = some(Self.texts)
    builder.numbers = some(Self.numbers)
    builder.big = some(Self.big)
    builder.ratios = some(Self.ratios)
    builder.flags = some([true, false])
    builder.levels = some(Self.levels)
    builder.marks = some(Self.marks)
    builder.days = some(Self.days)
    builder.prices = some(Self.prices)
    builder.names = some(Self.names)
    for _ in 0..<random.pick([0, 0, 1, 2, 3]) { builder.comments.append(comment()) }
    for _ in 0..<random.pick([0, 0, 1, 2]) { builder.pairs.append(Pair(first: spot(), second: spot())) }
    builder.pieces = pieces()
    if random.chance(60) { builder.details = Details(numbers: some(Self.numbers), pieces: pieces()) }
    builder.samples = some(Self.samples)
    builder.waveform = some([-1, 0, 1])
    return builder.build()
  }

  // MARK: Conditions

  package mutating func condition(depth: Int) -> VectorCondition {
    guard depth > 0, random.chance(70) else { return term() }
    let lhs = condition(depth: depth - 1)
    if random.chance(25) {
      return VectorCondition(description: "!\(lhs.description)", query: !lhs.query) { lhs.truth($0).map { !$0 } }
    }
    let rhs = condition(depth: depth - 1)
    // No condition on vectors is NULL.
    if random.chance(50) {
      return VectorCondition(description: "(\(lhs.description) && \(rhs.description))", query: lhs.query && rhs.query) {
        lhs.holds($0) && rhs.holds($0)
      }
    }
    return VectorCondition(description: "(\(lhs.description) || \(rhs.description))", query: lhs.query || rhs.query) {
      lhs.holds($0) || rhs.holds($0)
    }
  }

  private mutating func term() -> VectorCondition {
    switch random.next(20) {
    case 0:
      values("tags", Basket.tags, Self.texts) {
        $0.tags.map(Bytes.init)
      } key: {
        Bytes($0)
      }
    case 1: values("numbers", Basket.numbers, Self.numbers, \.numbers)
    case 2: values("big", Basket.big, Self.big, \.big)
    case 3: values("ratios", Basket.ratios, Self.ratios, \.ratios)
    case 4: values("flags", Basket.flags, [true, false], \.flags)
    case 5: values("levels", Basket.levels, Self.levels, \.levels)
    case 6: values("marks", Basket.marks, Self.marks, \.marks)
    case 7: values("days", Basket.days, Self.days, \.days)
    case 8: values("prices", Basket.prices, Self.prices, \.prices)
    case 9: values("names", Basket.names, Self.names, \.names)
    case 10: values("samples", Basket.samples, Self.samples, \.samples)
    case 11: values("waveform", Basket.waveform, [-1, 0, 1], \.waveform)
    case 12: values("details.numbers", Basket.details.numbers, Self.numbers) { $0.details?.numbers ?? [] }
    case 13: text()
    case 14: numberOfElements()
    case 15: pair()
    case 16: piece("pieces", Basket.pieces, \.pieces)
    case 17: piece("details.pieces", Basket.details.pieces) { $0.details?.pieces ?? [] }
    default: commentCondition()
    }
  }

  /// A text by its bytes.
  private struct Bytes: Equatable {
    let bytes: [UInt8]
    init(_ text: String) { bytes = Array(text.utf8) }
  }

  private mutating func values<Value: QueryConstant>(
    _ name: String, _ field: VectorField<QueryExpression<Value, Basket>, Basket>, _ pool: [Value],
    _ values: @escaping (Basket) -> [Value]
  ) -> VectorCondition {
    self.values(name, field, pool, values, key: { $0 })
  }

  private mutating func values<Value: QueryConstant, Key: Equatable>(
    _ name: String, _ field: VectorField<QueryExpression<Value, Basket>, Basket>, _ pool: [Value],
    _ values: @escaping (Basket) -> [Key], key: (Value) -> Key
  ) -> VectorCondition {
    let value = random.pick(pool)
    let list = some(pool)
    let count = random.pick([0, 1, 2])
    let (wanted, keys) = (key(value), list.map(key))
    return switch random.next(6) {
    case 0, 1:
      VectorCondition(description: "\(name).contains(\(value))", query: field.contains(value)) {
        values($0).contains(wanted)
      }
    case 2:
      VectorCondition(description: "\(name).contains(anyOf: \(list))", query: field.contains(anyOf: list)) { basket in
        keys.contains { values(basket).contains($0) }
      }
    case 3:
      VectorCondition(description: "\(name).isEmpty", query: field.isEmpty) { values($0).isEmpty }
    case 4:
      VectorCondition(description: "\(name).count > \(count)", query: field.count > count) { values($0).count > count }
    default:
      // NaN equals nothing, and differs from nothing either.
      VectorCondition(
        description: "\(name).contains { !$0.isNull && !($0 == \(value)) }",
        query: field.contains { $0.isNotNull && !($0 == value) }
      ) { basket in
        wanted == wanted && values(basket).contains { $0 == $0 && $0 != wanted }
      }
    }
  }

  private mutating func text() -> VectorCondition {
    let part = random.pick(Self.texts)
    if random.chance(50) {
      return VectorCondition(
        description: "tags.contains { $0.hasPrefix(\(part.debugDescription)) }",
        query: Basket.tags.contains { $0.hasPrefix(part) }
      ) { $0.tags.contains { $0.utf8.starts(with: part.utf8) } }
    }
    let folded = TextModel.folded(part, foldsDiacritics: true)
    return VectorCondition(
      description: "tags.contains { $0.folded == \(part.debugDescription) }",
      query: Basket.tags.contains { $0.folded == part }
    ) { $0.tags.contains { TextModel.folded($0, foldsDiacritics: true).utf8.elementsEqual(folded.utf8) } }
  }

  private mutating func numberOfElements() -> VectorCondition {
    let count = random.next(6)
    return VectorCondition(
      description: "tags.count + comments.count * 2 == \(count)",
      query: Basket.tags.count + Basket.comments.count + Basket.comments.count == count
    ) { $0.tags.count + $0.comments.count * 2 == count }
  }

  private mutating func pair() -> VectorCondition {
    let y = random.pick(Self.numbers)
    return VectorCondition(
      description: "pairs.contains { $0.first.y == \(y) && $0.second.isFixed || $0.second.x > 0 }",
      query: Basket.pairs.contains { $0.first.y == y && $0.second.isFixed || $0.second.x > 0 }
    ) { $0.pairs.contains { $0.first.y == y && $0.second.isFixed || $0.second.x > 0 } }
  }

  private mutating func piece(
    _ name: String, _ field: VectorField<UnionField<Piece, Basket>, Basket>, _ pieces: @escaping (Basket) -> [Piece]
  ) -> VectorCondition {
    let number = random.pick(Self.numbers)
    let text = random.pick(Self.texts)
    func condition(
      _ description: String, _ query: QueryExpression<Bool, Basket>, _ holds: @escaping (Piece) -> Bool
    ) -> VectorCondition {
      VectorCondition(description: "\(name).\(description)", query: query) { pieces($0).contains(where: holds) }
    }
    switch random.next(6) {
    case 0:
      return condition("match(Comment)", field.contains { $0.match(Golden_vectors.Comment.self) }) {
        if case .comment = $0 { true } else { false }
      }
    case 1:
      return condition("as(Comment).likes < \(number)", field.contains { $0.as(Comment.self).likes < number }) {
        if case .comment(let comment) = $0 { comment.likes < number } else { false }
      }
    case 2:
      return condition("as(Spot).y >= \(number)", field.contains { $0.as(Spot.self).y >= number }) {
        if case .spot(let spot) = $0 { spot.y >= number } else { false }
      }
    case 3:
      return condition("as(link) == \(text.debugDescription)", field.contains { $0.as(link: String.self) == text }) {
        if case .link(let link) = $0 { link.utf8.elementsEqual(text.utf8) } else { false }
      }
    case 4:
      return condition(
        "as(Comment).words.contains(\(text.debugDescription))",
        field.contains { $0.as(Comment.self).words.contains(text) }
      ) {
        guard case .comment(let comment) = $0 else { return false }
        return comment.words.contains { $0.utf8.elementsEqual(text.utf8) }
      }
    default:
      return VectorCondition(description: "\(name).count == 2", query: field.count == 2) { pieces($0).count == 2 }
    }
  }

  private mutating func commentCondition() -> VectorCondition {
    let number = random.pick(Self.numbers)
    let text = random.pick(Self.texts)
    func condition(
      _ description: String, _ query: QueryExpression<Bool, Basket>, _ holds: @escaping (Basket, Comment) -> Bool
    ) -> VectorCondition {
      VectorCondition(description: "comments.\(description)", query: query) { basket in
        basket.comments.contains { holds(basket, $0) }
      }
    }
    func isSame(_ lhs: String?, _ rhs: String) -> Bool { lhs.map { $0.utf8.elementsEqual(rhs.utf8) } ?? false }
    switch random.next(9) {
    case 0: return condition("likes > \(number)", Basket.comments.contains { $0.likes > number }) { $1.likes > number }
    case 1:
      return condition(
        "author == \(text.debugDescription) && likes < \(number)",
        Basket.comments.contains { $0.author == text && $0.likes < number }
      ) { isSame($1.author, text) && $1.likes < number }
    case 2: return condition("author.isNull", Basket.comments.contains { $0.author.isNull }) { $1.author == nil }
    case 3:
      return condition(
        "words.contains(\(text.debugDescription))", Basket.comments.contains { $0.words.contains(text) }
      ) { _, comment in comment.words.contains { isSame($0, text) } }
    case 4:
      return condition(
        "replies.contains { text == \(text.debugDescription) && votes.contains(\(number)) }",
        Basket.comments.contains { $0.replies.contains { $0.text == text && $0.votes.contains(number) } }
      ) { _, comment in comment.replies.contains { isSame($0.text, text) && $0.votes.contains(number) } }
    case 5:
      return condition(
        "replies.isEmpty && spot.y > \(number)",
        Basket.comments.contains { $0.replies.isEmpty && $0.spot.y > number }
      ) { $1.replies.isEmpty && $1.spot.map { $0.y > number } ?? false }
    case 6:
      // What the condition uses besides the element: another field, and another vector whose elements it compares with.
      if Bool.random(using: &random) {
        return condition("likes < id", Basket.comments.contains { $0.likes < Basket.id }) { $1.likes < $0.id }
      }
      return condition("likes > limit", Basket.comments.contains { $0.likes > Basket.limit }) { $1.likes > $0.limit }
    case 7:
      return condition(
        "numbers contains likes",
        Basket.comments.contains { comment in Basket.numbers.contains { $0 == comment.likes } }
      ) { $0.numbers.contains($1.likes) }
    default:
      return condition(
        "another has the likes and another author",
        Basket.comments.contains { comment in
          Basket.comments.contains { $0.likes == comment.likes && $0.author != comment.author }
        }
      ) { basket, comment in
        basket.comments.contains { other in
          guard other.likes == comment.likes, let author = other.author else { return false }
          return comment.author != nil && !isSame(comment.author, author)
        }
      }
    }
  }
}

/// What every engine has to find by conditions on vectors.
package enum VectorChecks {
  /// Stores objects made at random, and returns what of as many conditions a workspace does not answer as it should.
  package static func problems(
    seed: Int, conditions: Int, in workspace: any Workspace, store: ([Basket]) -> Void
  ) -> [String] {
    var generator = VectorGenerator(seed: seed)
    store((0..<60).map { generator.basket($0) })
    let baskets = workspace.fetch(for: Basket.self)
    let all = baskets.all()
    var problems = all.count == 60 ? [] : ["\(all.count) of 60 objects are stored"]
    var found = 0
    for number in 0..<conditions {
      let condition = generator.condition(depth: 2)
      let expected = all.filter(condition.holds).map(\.id).sorted()
      found += expected.count
      func check(_ path: String, _ ids: [Int32]) {
        guard ids != expected else { return }
        problems.append("seed \(seed), \(number), \(path): \(condition.description) finds \(ids), not \(expected)")
      }
      check("where", baskets.where(condition.query).map(\.id).sorted())
      check("evaluate", all.filter { condition.query.evaluate($0) }.map(\.id).sorted())
      if baskets.count(where: condition.query) != expected.count {
        problems.append("count of \(condition.description)")
      }
      if !baskets.where(condition.query.isNull).isEmpty { problems.append("\(condition.description) is NULL") }
    }
    if found == 0 { problems.append("seed \(seed): no condition finds an object") }
    LongForm.record(conditions, "conditions on vectors")
    return problems
  }

  /// Subscribes to results of random conditions, changes random objects, and returns what subscribers were told
  /// wrongly.
  package static func problems(
    ofSubscribers count: Int, seed: Int, transactions: Int, in workspace: any Workspace
  ) async throws -> [String] {
    var generator = VectorGenerator(seed: seed)
    var stored: [Int32: Basket] = [:]
    let conditions = (0..<count).map { _ in generator.condition(depth: 1) }
    let told = conditions.map { _ in Locked<Set<Int32>>([]) }
    let subscriptions = zip(conditions, told).map { condition, told in
      let result = workspace.fetch(for: Basket.self).where(condition.query)
      return workspace.subscribe(fetchedResult: result) { told.value = Set($0.map(\.id)) }
    }
    var problems: [String] = []
    for number in 0..<transactions {
      let changed = (0..<1 + generator.random.next(4)).map { _ in generator.basket(Int32(generator.random.next(20))) }
      let deleted = generator.random.chance(30) ? [Int32(generator.random.next(20))] : []
      try await workspace.performChanges([Basket.self]) { (context: any TransactionContext) throws -> Void in
        for basket in changed { try context.submit(BasketChangeRequest.upsertRequest(basket)) }
        for id in deleted {
          guard let request = BasketChangeRequest.deletionRequest(Basket(id: id)) else { continue }
          try context.submit(request)
        }
      }
      for basket in changed { stored[basket.id] = basket }
      for id in deleted { stored[id] = nil }
      for (condition, told) in zip(conditions, told) {
        let expected = Set(stored.values.filter(condition.holds).map(\.id))
        if !eventually({ told.value == expected }) {
          problems.append("seed \(seed), \(number): \(condition.description)")
        }
      }
    }
    for subscription in subscriptions { subscription.cancel() }
    LongForm.record(count, "standing conditions on vectors")
    return problems
  }
}
