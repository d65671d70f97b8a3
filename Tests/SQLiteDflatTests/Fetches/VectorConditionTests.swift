import Dflat
import EngineTestSupport
import FlatBuffersCore
import Foundation
import Golden_vectors
import TestSupport
import Testing

@testable import SQLiteDflat

@Suite("Conditions on vectors look at each element")
struct VectorConditionTests {
  private func fill(_ store: TestStore, _ baskets: [Basket]) {
    store.perform([Basket.self]) { context in
      for basket in baskets { context.try(submit: BasketChangeRequest.creationRequest(basket)) }
    }
  }

  @Test(
    "Random conditions find the objects that they mean in Swift",
    arguments: LongForm.seeds(ofConditions: 200, sample: 8))
  func randomConditions(seeds: Range<Int>) throws {
    for seed in seeds {
      let store = try TestStore()
      let problems = VectorChecks.problems(seed: seed, conditions: 200, in: store.workspace) { fill(store, $0) }
      for problem in problems { Issue.record("\(problem)") }
    }
  }

  @Test(
    "Subscribers to random conditions are told what holds", arguments: LongForm.seeds(ofConditions: 40, sample: 4))
  func randomSubscribers(seeds: Range<Int>) async throws {
    for seed in seeds {
      let store = try TestStore()
      let problems = try await VectorChecks.problems(
        ofSubscribers: 40, seed: seed, transactions: 30, in: store.workspace)
      for problem in problems { Issue.record("\(problem)") }
      #expect(store.errors.values.isEmpty, "\(store.errors.values)")
    }
  }

  @Test("An absent vector is an empty one, and no condition on it is NULL")
  func absentVectors() throws {
    let store = try TestStore()
    fill(store, [Basket(id: 1), Basket(id: 2, tags: ["a"], details: Details()), Basket(id: 3, tags: [""])])
    let baskets = store.workspace.fetch(for: Basket.self)
    #expect(baskets.where(Basket.tags.isEmpty).map(\.id) == [1])
    #expect(baskets.where(Basket.tags.count == 0).map(\.id) == [1])
    #expect(baskets.where(!Basket.tags.contains("a")).map(\.id) == [1, 3])
    #expect(baskets.where(Basket.tags.contains("")).map(\.id) == [3])
    #expect(baskets.where(Basket.details.numbers.isEmpty).count == 3)
    #expect(baskets.where(!Basket.details.pieces.contains { $0.isNull }).count == 3)
    #expect(baskets.where(Basket.tags.contains(anyOf: [])).isEmpty)
  }

  @Test("A field of an element is NULL outside of the condition on it")
  func escapedFields() throws {
    let store = try TestStore()
    fill(store, [Basket(id: 1, numbers: [1], comments: [Comment(likes: 1, words: ["a"])])])
    var likes: QueryExpression<Int32, Basket>?
    var words: VectorField<QueryExpression<String, Basket>, Basket>?
    let condition = Basket.comments.contains {
      likes = $0.likes
      words = $0.words
      return $0.likes == 1
    }
    let baskets = store.workspace.fetch(for: Basket.self)
    #expect(baskets.where(condition).count == 1)
    #expect(baskets.where(try #require(likes).isNull).count == 1)
    #expect(baskets.where(try #require(words).isEmpty).count == 1)
    // Nor is it that of an element of another kind.
    let escaped = try #require(likes)
    #expect(baskets.where(Basket.numbers.contains { _ in escaped.isNull }).count == 1)
  }

  @Test("Elements without a member count, and are NULL")
  func elementsOfNoMember() throws {
    var builder = FlatBufferBuilder()
    let text = builder.create("x")
    let pieces = builder.create(unionVector: [(0, .null), (3, text), (77, text)])
    builder.startTable(fieldCount: 18)
    builder.add(1 as Int32, default: 0, at: 4)
    builder.add(pieces.types, at: 32)
    builder.add(pieces.members, at: 34)
    try builder.finish(builder.endTable())
    let buffer = builder.finishedBuffer()
    func holds(_ condition: QueryExpression<Bool, Basket>) -> Bool? { condition.evaluate(byteBuffer: buffer) }
    #expect(Basket.pieces.count.evaluate(byteBuffer: buffer) == 3)
    #expect(holds(Basket.pieces.contains { $0.isNull }) == true)
    #expect(holds(Basket.pieces.contains { $0.match(Golden_vectors.Comment.self) }) == false)
    #expect(holds(Basket.pieces.contains { $0.as(text: String.self) == "x" }) == true)
    #expect(holds(Basket.pieces.contains { $0.isNotNull && !$0.matches(typeCode: 3) }) == true)
  }

  @Test("A vector of 1,000,000 elements, each of which is folded, and 10,000 conditions on one")
  func manyElements() throws {
    let store = try TestStore()
    let tags = (0..<1_000_000).map { "Ä\($0)" }
    fill(store, [Basket(id: 1, tags: tags), Basket(id: 2, tags: ["ä5"], numbers: [9_999])])
    let baskets = store.workspace.fetch(for: Basket.self)
    #expect(baskets.where(Basket.tags.contains("Ä999999")).map(\.id) == [1])
    #expect(baskets.where(Basket.tags.contains { $0.folded == "A999999" }).map(\.id) == [1])
    #expect(baskets.where(Basket.tags.contains { $0.folded == "a5" }).map(\.id) == [1, 2])
    #expect(baskets.where(Basket.tags.count == 1_000_000).map(\.id) == [1])
    #expect(baskets.where(Basket.numbers.contains(anyOf: 1...10_000)).map(\.id) == [2])
    var condition = Basket.numbers.contains(-1)
    for number in 0..<10_000 { condition = condition || Basket.numbers.contains(Int32(number)) }
    #expect(baskets.where(condition).map(\.id) == [2])
  }

  @Test("A condition may be nested 10,000 deep")
  func deepConditions() throws {
    let store = try TestStore()
    fill(store, [Basket(id: 1, flags: [true]), Basket(id: 2, flags: [false])])
    var condition = Basket.flags.contains(true)
    for _ in 0..<10_000 {
      let inner = condition
      condition = Basket.flags.contains { _ in inner }
    }
    #expect(store.workspace.fetch(for: Basket.self).where(condition).map(\.id) == [1])
  }

  @Test("A live result hears of elements that come and go")
  func liveResults() throws {
    let store = try TestStore()
    fill(store, [Basket(id: 1, tags: ["swift", "swift"]), Basket(id: 2, comments: [Comment(likes: 4)])])
    let baskets = store.workspace.fetch(for: Basket.self)
    let tagged = Collected<[Int32]>()
    let liked = Collected<[Int32]>()
    let subscriptions = [
      store.workspace.subscribe(fetchedResult: baskets.where(Basket.tags.contains("swift"))) {
        tagged.append($0.map(\.id))
      },
      store.workspace.subscribe(fetchedResult: baskets.where(Basket.comments.contains { $0.likes > 3 })) {
        liked.append($0.map(\.id))
      },
    ]
    store.perform([Basket.self]) { context in
      for basket in baskets.all() {
        guard let request = BasketChangeRequest.changeRequest(basket) else { continue }
        request.tags = basket.id == 2 ? ["c", "swift"] : []
        request.comments = [Comment(likes: 1), Comment(likes: basket.id == 1 ? 5 : 3)]
        context.try(submit: request)
      }
    }
    #expect(eventually { tagged.values.last == [2] && liked.values.last == [1] })
    for subscription in subscriptions { subscription.cancel() }
  }
}
