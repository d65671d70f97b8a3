import Dflat
import EngineTestSupport
import FlatBuffersCore
import Foundation
import Golden_vectors
import TestSupport
import Testing

@testable import SQLiteDflat

@Suite("An index over elements finds what the rows find")
struct ElementIndexTests {
  private func fill(_ store: TestStore, _ baskets: [Basket]) {
    store.perform([IndexedBasket.self]) { context in
      for basket in baskets { context.try(submit: IndexedBasketChangeRequest.upsert(basket)) }
    }
  }

  private func waitForIndexes(_ store: TestStore) async throws {
    try await store.workspace.waitForIndexes(of: IndexedBasket.self)
  }

  /// The ids of the objects that a condition finds.
  private func ids(_ store: TestStore, _ condition: QueryExpression<Bool, Basket>) -> [Int32] {
    store.workspace.fetch(for: IndexedBasket.self).where(IndexedBasket.query(condition)).map(\.id).sorted()
  }

  private func access(_ store: TestStore, _ condition: QueryExpression<Bool, Basket>) throws -> QueryPlan.Access {
    try store.workspace.fetch(for: IndexedBasket.self).explain(where: IndexedBasket.query(condition)).access
  }

  /// What the index's table should hold, told a second time.
  private func expectedEntries<Value: Hashable & Comparable>(
    of baskets: [Basket], _ values: (Basket) -> [Value], _ text: (Value) -> String
  ) -> [[String?]] {
    baskets.sorted { $0._rowid < $1._rowid }.flatMap { basket -> [[String?]] in
      let different = Set(values(basket)).sorted()
      guard !different.isEmpty else { return [["\(basket._rowid)", "0", nil]] }
      return different.enumerated().map { ["\(basket._rowid)", "\($0)", text($1)] }
    }
  }

  @Test(
    "Random conditions find what the rows find, after changes, with a full index, a half one and none",
    arguments: LongForm.seeds(ofConditions: count, sample: 6))
  func randomConditions(seeds: Range<Int>) async throws {
    for seed in seeds { try await compare(seed: seed) }
  }

  /// How many rounds of conditions follow changes, and how many conditions all of them have.
  private static let rounds = 6
  private static let count = rounds * 80

  private func compare(seed: Int) async throws {
    let store = try TestStore()
    var generator = VectorGenerator(seed: seed)
    fill(store, (0..<60).map { generator.basket($0) })
    for round in 0..<Self.rounds {
      switch round % 3 {
      case 1:
        // The last rows lack their entries, as they do while an index is filled.
        for key in ["f8", "f10", "f36__f4"] {
          try store.damage("DELETE FROM basket__\(key)__elements WHERE row > 30")
        }
      case 2: try await waitForIndexes(store)
      default: break
      }
      let all = store.workspace.fetch(for: IndexedBasket.self).all().map(\.basket)
      for _ in 0..<Self.count / Self.rounds {
        let condition = generator.condition(depth: 2)
        let expected = all.filter(condition.holds).map(\.id).sorted()
        #expect(ids(store, condition.query) == expected, "seed \(seed), \(condition.description)")
        let count = store.workspace.fetch(for: IndexedBasket.self).count(where: IndexedBasket.query(condition.query))
        #expect(count == expected.count, "seed \(seed), count of \(condition.description)")
      }
      let changes = generator.random.next(40)
      store.perform([IndexedBasket.self]) { context in
        for object in store.workspace.fetch(for: IndexedBasket.self).all() {
          switch generator.random.next(100) {
          case ..<5:
            if let request = IndexedBasketChangeRequest.deletion(object) { context.try(submit: request) }
          case ..<(5 + changes):
            guard let request = IndexedBasketChangeRequest.change(object) else { continue }
            request.basket = generator.basket(object.id)
            context.try(submit: request)
          default: break
          }
        }
        for id in 0..<4 {
          context.try(submit: IndexedBasketChangeRequest.upsert(generator.basket(Int32(100 + 4 * round + id))))
        }
      }
    }
    try await waitForIndexes(store)
    let all = store.workspace.fetch(for: IndexedBasket.self).all().map(\.basket)
    let numbers = try store.sql("SELECT row, position, f10__elements FROM basket__f10__elements ORDER BY 1, 2")
    #expect(numbers == expectedEntries(of: all, \.numbers) { "\($0)" })
    let nested = try store.sql("SELECT row, position, f36__f4__elements FROM basket__f36__f4__elements ORDER BY 1, 2")
    #expect(nested == expectedEntries(of: all, { $0.details?.numbers ?? [] }) { "\($0)" })
    let ratios = try store.sql("SELECT row, count(*), count(f14__elements) FROM basket__f14__elements GROUP BY 1")
    #expect(
      ratios
        == all.sorted { $0._rowid < $1._rowid }.map { basket in
          let count = Set(basket.ratios.filter { !$0.isNaN }).count
          return ["\(basket._rowid)", "\(max(count, 1))", "\(count)"]
        })
    #expect(store.errors.values.isEmpty)
    LongForm.record(Self.count, "conditions on vectors with an index over their elements")
  }

  @Test("The index answers values, lists, ranges and prefixes of elements, and nothing that NULL might satisfy")
  func answeredConditions() async throws {
    let store = try TestStore()
    fill(store, (0..<50).map { Basket(id: $0, tags: ["t\($0)", "all"], numbers: [$0, 2 * $0]) })
    try await waitForIndexes(store)
    let answered: [QueryExpression<Bool, Basket>] = [
      Basket.tags.contains("t3"), Basket.tags.contains(anyOf: ["t1", "t2"]), Basket.numbers.contains { $0 > 96 },
      Basket.tags.contains { $0.hasPrefix("t4") }, Basket.tags.contains { $0 == "t5" || $0 >= "t7" && $0 < "t8" },
      Basket.tags.contains { $0.folded == "T9" }, Basket.tags.contains { $0.folded.hasPrefix("T4") },
    ]
    for condition in answered {
      guard case .index(let names) = try access(store, condition) else {
        Issue.record("no index answers \(condition._node.description)")
        continue
      }
      #expect(names.count == 1)
    }
    #expect(ids(store, Basket.tags.contains { $0.folded == "T9" }) == [9])
    #expect(ids(store, Basket.numbers.contains { $0 > 96 }) == [49])
    let others: [QueryExpression<Bool, Basket>] = [
      Basket.tags.contains { $0 != "t3" }, Basket.tags.contains { $0.isNull },
      Basket.tags.contains { $0.hasSuffix("3") }, !Basket.tags.contains("t3"), Basket.tags.isEmpty,
      Basket.tags.contains { $0.hasPrefix("") },
      Basket.numbers.contains { $0 == Basket.limit }, Basket.numbers.contains { _ in Basket.tags.contains("t3") },
      Basket.tags.contains { $0 == "a" || $0.folded == "b" },
    ]
    for condition in others {
      #expect(try access(store, condition) == .scan, "\(condition._node.description)")
      #expect(
        ids(store, condition)
          == store.workspace.fetch(for: IndexedBasket.self).all().filter { condition.evaluate($0.basket) }.map(\.id)
          .sorted())
    }
  }

  @Test("A writer like Dflat 0.6, which knows no such index, spoils no answer")
  func foreignWrites() async throws {
    let store = try TestStore()
    fill(store, [Basket(id: 1, numbers: [1, 2]), Basket(id: 2, numbers: [3]), Basket(id: 3)])
    try await waitForIndexes(store)
    #expect(ids(store, Basket.numbers.contains(3)) == [2])
    // The rows of the first two change places, and the third goes.
    try store.sql("UPDATE basket SET p = (SELECT o.p FROM basket AS o WHERE o.rowid = 2) WHERE rowid = 1")
    try store.sql("DELETE FROM basket WHERE rowid = 3")
    let changed = store.reopened()
    defer { changed.shutdown() }
    func found(_ number: Int32) -> Int {
      changed.fetch(for: IndexedBasket.self).where(IndexedBasket.query(Basket.numbers.contains(number))).count
    }
    #expect(found(3) == 2)
    #expect(found(1) == 0)
    try await changed.waitForIndexes(of: IndexedBasket.self)
    #expect(found(3) == 2)
    #expect(found(1) == 0)
    #expect(
      try store.sql("SELECT row, position, f10__elements FROM basket__f10__elements ORDER BY 1, 2")
        == [["1", "0", "3"], ["2", "0", "3"]])
  }

  @Test("A version of the schema without the index drops it, and the next one with it builds it anew")
  func otherVersion() async throws {
    let store = try TestStore()
    fill(store, [Basket(id: 1, tags: ["a"])])
    try await waitForIndexes(store)
    store.perform([Basket.self]) { context in
      for basket in store.workspace.fetch(for: Basket.self).all() {
        guard let request = BasketChangeRequest.changeRequest(basket) else { continue }
        request.tags = ["b"]
        context.try(submit: request)
      }
    }
    #expect(try store.sql("SELECT name FROM sqlite_master WHERE name LIKE '%elements%'").isEmpty)
    #expect(ids(store, Basket.tags.contains("b")) == [1])
    try await waitForIndexes(store)
    #expect(try access(store, Basket.tags.contains("b")) == .index(["tags"]))
    #expect(ids(store, Basket.tags.contains("b")) == [1])
    #expect(ids(store, Basket.tags.contains("a")).isEmpty)
  }

  @Test("A wrong entry is noticed by the fetch that it misleads, and corrected")
  func wrongEntries() async throws {
    let store = try TestStore()
    fill(store, [Basket(id: 1, numbers: [1]), Basket(id: 2, numbers: [2])])
    try await waitForIndexes(store)
    try store.damage("INSERT INTO basket__f10__elements VALUES (1, 1, 2), (77, 0, 2)")
    try store.damage("DELETE FROM basket__f10__elements WHERE row = 77")
    #expect(ids(store, Basket.numbers.contains(2)) == [2])
    #expect(
      eventually {
        (try? store.sql("SELECT row, position, f10__elements FROM basket__f10__elements ORDER BY 1, 2"))
          == [["1", "0", "1"], ["2", "0", "2"]]
      })
  }

  @Test("A vector of 20,000 long elements has an entry for each different one")
  func manyElements() async throws {
    let store = try TestStore()
    let tags = (0..<20_000).map { "É\($0 % 10_000)" + String(repeating: "x", count: 100) }
    fill(store, [Basket(id: 1, tags: tags), Basket(id: 2)])
    try await waitForIndexes(store)
    #expect(try store.sql("SELECT count(*) FROM basket__f8__elements") == [["10001"]])
    #expect(ids(store, Basket.tags.contains { $0.hasPrefix("É9999x") }) == [1])
    #expect(ids(store, Basket.tags.contains { $0.folded.hasPrefix("e9999X") }) == [1])
    store.perform([IndexedBasket.self]) { context in
      for object in store.workspace.fetch(for: IndexedBasket.self).all() {
        guard let request = IndexedBasketChangeRequest.deletion(object) else { continue }
        context.try(submit: request)
      }
    }
    #expect(try store.sql("SELECT count(*) FROM basket__f8__elements") == [["0"]])
  }
}
