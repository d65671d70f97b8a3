import Dflat
import EngineTestSupport
import Golden_vectors
import PostgresDflat
import TestSupport
import Testing

@Suite("An index over elements in PostgreSQL finds what the rows find")
struct PostgresElementIndexTests {
  private func fill(_ database: TestDatabase, _ baskets: [Basket]) {
    database.perform([IndexedBasket.self]) { context in
      for basket in baskets { context.try(submit: IndexedBasketChangeRequest.upsert(basket)) }
    }
  }

  private func ids(_ database: TestDatabase, _ condition: QueryExpression<Bool, Basket>) -> [Int32] {
    database.workspace.fetch(for: IndexedBasket.self).where(IndexedBasket.query(condition)).map(\.id).sorted()
  }

  private func plan(_ database: TestDatabase, _ condition: QueryExpression<Bool, Basket>) throws -> QueryPlan {
    try database.workspace.fetch(for: IndexedBasket.self).explain(where: IndexedBasket.query(condition))
  }

  /// Drops every second index of the table that is over elements.
  private func dropSomeIndexes(_ database: TestDatabase) throws {
    let names = try database.sql(
      "SELECT quote_ident(indexname) FROM pg_indexes WHERE tablename = 'basket' AND indexdef LIKE '%USING gin%' ORDER BY 1"
    ).split(separator: "\n")
    #expect(names.count == IndexedBasket._record.indexes.count)
    for (number, name) in names.enumerated() where number % 2 == 0 { try database.sql("DROP INDEX \(name)") }
  }

  @Test(
    "Random conditions find what the rows find, after changes, with all indexes and with some",
    arguments: LongForm.seeds(ofConditions: count, sample: 4))
  func randomConditions(seeds: Range<Int>) throws {
    for seed in seeds { try compare(seed: seed) }
  }

  /// How many rounds of conditions follow changes, and how many conditions all of them have.
  private static let rounds = 3
  private static let count = rounds * 80

  private func compare(seed: Int) throws {
    let database = try TestDatabase { $0.buildsIndexes = false }
    var generator = VectorGenerator(seed: seed)
    fill(database, (0..<60).map { generator.basket($0) })
    for round in 0..<Self.rounds {
      if round == 2 { try dropSomeIndexes(database) }
      // A workspace that has not seen the dropped indexes.
      let workspace = database.other { $0.buildsIndexes = false }
      defer { workspace.shutdown() }
      let objects = workspace.fetch(for: IndexedBasket.self)
      let all = objects.all().map(\.basket)
      for _ in 0..<Self.count / Self.rounds {
        let condition = generator.condition(depth: 2)
        let expected = all.filter(condition.holds).map(\.id).sorted()
        let found = objects.where(IndexedBasket.query(condition.query)).map(\.id).sorted()
        #expect(found == expected, "seed \(seed), \(condition.description)")
        let count = objects.count(where: IndexedBasket.query(condition.query))
        #expect(count == expected.count, "seed \(seed), count of \(condition.description)")
      }
      database.perform([IndexedBasket.self]) { context in
        for object in database.workspace.fetch(for: IndexedBasket.self).all() where generator.random.chance(30) {
          guard let request = IndexedBasketChangeRequest.change(object) else { continue }
          request.basket = generator.basket(object.id)
          context.try(submit: request)
        }
      }
    }
    #expect(database.errors.values.isEmpty, "\(database.errors.values)")
    LongForm.record(Self.count, "conditions on vectors in PostgreSQL with an index over their elements")
  }

  @Test("The index answers values and lists of elements, and leaves ranges, prefixes and NULL to the rows")
  func answeredConditions() async throws {
    let database = try TestDatabase()
    let long = String(repeating: "Ä", count: 700)
    let baskets = (0..<50).map { (id: Int32) -> Basket in
      let tags = id == 7 ? ["T7", "all", long] : ["T\(id)", "all"]
      let ratios: [Double] = [Double(id) / 2, .nan]
      return Basket(
        id: id, tags: tags, numbers: [id, 2 * id], big: [.max - UInt64(id)], ratios: ratios, flags: [id < 25])
    }
    fill(database, baskets)
    func expect(_ condition: QueryExpression<Bool, Basket>, _ expected: [Int32]) throws {
      #expect(ids(database, condition) == expected, "\(condition._node.description)")
      let plan = try plan(database, condition)
      guard case .index(let names) = plan.access, names.count == 1 else {
        Issue.record("\(condition._node.description): \(plan)")
        return
      }
    }
    try expect(Basket.tags.contains("T3"), [3])
    try expect(Basket.tags.contains(anyOf: ["T1", "T2", "x"]), [1, 2])
    try expect(Basket.tags.contains(long), [7])
    try expect(Basket.tags.contains(long + "a"), [])
    try expect(Basket.tags.contains(anyOf: [long, "T1"]), [1, 7])
    try expect(Basket.numbers.contains { $0 == 6 || $0 == 96 }, [3, 6, 48])
    try expect(Basket.numbers.contains { 98 == $0 }, [49])
    try expect(Basket.big.contains(.max - 3), [3])
    try expect(Basket.big.contains(anyOf: [.max, .max - 49]), [0, 49])
    try expect(Basket.ratios.contains(1.5), [3])
    try expect(Basket.ratios.contains(-0.0), [0])
    try expect(Basket.flags.contains(true), Array(0..<25))
    try expect(Basket.flags.contains { !$0 }, Array(25..<50))
    try expect(Basket.tags.contains { $0.folded == "t9" }, [9])
    try expect(Basket.tags.contains { $0.folded == long.lowercased() }, [7])
    // NaN is NULL, which no element equals.
    #expect(ids(database, Basket.ratios.contains(.nan)).isEmpty)
    let others: [QueryExpression<Bool, Basket>] = [
      Basket.tags.contains { $0 != "T3" }, Basket.tags.contains { $0 > "T3" }, Basket.tags.contains { $0.isNull },
      Basket.tags.contains { $0.hasPrefix("T4") }, !Basket.tags.contains("T3"), Basket.tags.isEmpty,
      Basket.numbers.contains { $0 == 6 && $0 < 7 }, Basket.tags.contains { $0 == "a" || $0.folded == "t3" },
    ]
    for condition in others {
      #expect(try plan(database, condition).access == .scan, "\(condition._node.description)")
      let all = database.workspace.fetch(for: IndexedBasket.self).all()
      #expect(ids(database, condition) == all.filter { condition.evaluate($0.basket) }.map(\.id).sorted())
    }
    #expect(database.errors.values.isEmpty, "\(database.errors.values)")
  }

  @Test("PostgreSQL searches the index, in statements with constants and with parameters")
  func plans() async throws {
    let database = try TestDatabase()
    fill(database, (0..<3_000).map { Basket(id: $0, tags: ["T\($0)", "all"], numbers: [$0]) })
    let function = try database.sql(
      "SELECT quote_ident(proname) FROM pg_proc WHERE proname ~ '^dflat_f8__elements_[0-9a-f]+$'")
    try database.sql("ANALYZE basket")
    let plans = try database.runScript(
      """
      EXPLAIN SELECT m.p FROM basket m WHERE \(function)(m.p) && ARRAY['x']::bytea[];
      SET plan_cache_mode = force_generic_plan;
      PREPARE s (bytea[]) AS SELECT m.p FROM basket m WHERE \(function)(m.p) && $1;
      EXPLAIN EXECUTE s (ARRAY['T3']::bytea[]);
      """)
    #expect(plans.split(separator: "\n").filter { $0.contains("Bitmap Index Scan") }.count == 2, "\(plans)")
  }

  @Test("An index of a table with rows is built in the background, and then used, in transactions too")
  func building() async throws {
    let database = try TestDatabase()
    database.perform([Basket.self]) { context in
      for id in 0..<100 {
        let request = BasketChangeRequest.creationRequest(Basket(id: Int32(id), tags: ["T\(id)"]))
        context.try(submit: request)
      }
    }
    #expect(try plan(database, Basket.tags.contains("T3")).access == .scan)
    #expect(ids(database, Basket.tags.contains("T3")) == [3])
    try await database.workspace.waitForIndexes(of: IndexedBasket.self)
    guard case .index(["tags"]) = try plan(database, Basket.tags.contains("T3")).access else {
      Issue.record("the index is not used")
      return
    }
    #expect(ids(database, Basket.tags.contains("T3")) == [3])
    let check = try await database.workspace.check([IndexedBasket.self])
    #expect(!check.missing.contains { $0.kind == .index }, "\(check)")
    database.perform([IndexedBasket.self]) { context in
      let found = database.workspace.fetch(for: IndexedBasket.self)
        .where(IndexedBasket.query(Basket.tags.contains("T4")))
      for object in found {
        guard let request = IndexedBasketChangeRequest.change(object) else { continue }
        request.basket = Basket(id: object.id, tags: ["changed"])
        context.try(submit: request)
      }
    }
    #expect(ids(database, Basket.tags.contains("changed")) == [4])
    #expect(ids(database, Basket.tags.contains("T4")).isEmpty)
    #expect(database.errors.values.isEmpty, "\(database.errors.values)")
  }

  @Test("A vector of 20,000 long elements is stored and found")
  func manyElements() async throws {
    let database = try TestDatabase()
    let tags = (0..<20_000).map { "É\($0 % 10_000)" + String(repeating: "x", count: 100) }
    fill(database, [Basket(id: 1, tags: tags), Basket(id: 2)])
    #expect(ids(database, Basket.tags.contains(tags[9_999])) == [1])
    #expect(ids(database, Basket.tags.contains { $0.folded == tags[77].uppercased() }) == [1])
    #expect(ids(database, Basket.tags.contains("É")).isEmpty)
    #expect(database.errors.values.isEmpty, "\(database.errors.values)")
  }
}
