import Dflat
import EngineTestSupport
import Foundation
import Golden_values
import PostgresDflat
import TestSupport
import Testing

@Suite("Dates, UUIDs and decimal numbers in PostgreSQL")
struct MappedFieldTests {
  private typealias Order = Shop.Order

  private static let noon = Date(timeIntervalSince1970: 1_700_000_000.25)

  private func order(_ number: Int) -> Order {
    Order(
      id: UUID(uuid: (UInt8(number), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1)), created: Self.noon + Double(number),
      due: number % 4 == 0 ? nil : Self.noon + Double(number) - 10, precise: Self.noon + Double(number) * 2 - 10,
      measured: Self.noon + Double(number) / 2, took: .milliseconds(number), price: Decimal(number) / 4,
      tag: number % 3 == 0 ? nil : UUID(uuid: (UInt8(number), 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)),
      color: Theme.Color(red: 0, green: UInt8(number), blue: 0), mood: number % 2 == 0 ? .good : .bad)
  }

  @Test("Conditions on mapped fields find the right objects, with an index and without")
  func conditions() async throws {
    let database = try TestDatabase()
    let workspace = database.workspace
    let orders = (0..<40).map(order)
    try await workspace.performChanges([Order.self]) { transaction in
      for order in orders { try transaction.submit(Shop.OrderChangeRequest.creationRequest(order)) }
    }
    let middle = Self.noon + 20
    let conditions: [(QueryExpression<Bool, Order>, (Order) -> Bool)] = [
      (Order.created > middle, { $0.created > middle }), (Order.created == middle, { $0.created == middle }),
      (Order.due == nil, { $0.due == nil }), (Order.precise < middle, { $0.precise < middle }),
      (Order.measured >= middle - 10, { $0.measured >= middle - 10 }),
      (Order.took < .milliseconds(7), { $0.took < .milliseconds(7) }), (Order.price > 2.251, { $0.price > 2.251 }),
      (Order.price == 2.25, { $0.price == 2.25 }), (Order.id == orders[3].id, { $0.id == orders[3].id }),
      (
        Order.tag.in([orders[4].tag, orders[5].tag].compactMap { $0 }),
        { [orders[4].tag, orders[5].tag].contains($0.tag) }
      ),
      (Order.color >= Theme.Color(red: 0, green: 9, blue: 0), { $0.color.green >= 9 }),
      (Order.mood == .bad, { $0.mood == .bad }), (Order.precise < Order.created, { $0.precise < $0.created }),
      (Order.measured < Order.precise, { $0.measured < $0.precise }), (Order.precise < .distantFuture, { _ in true }),
      (Order.precise == .distantFuture, { _ in false }),
    ]
    for (number, (condition, holds)) in conditions.enumerated() {
      let found = workspace.fetch(for: Order.self).where(condition)
      #expect(Set(found.map(\.id)) == Set(orders.filter(holds).map(\.id)), "condition \(number)")
      for order in orders { #expect(condition.evaluate(order) == holds(order), "condition \(number)") }
    }
    #expect(database.errors.values.isEmpty)
  }

  private static let count = 150

  @Test(
    "Random conditions find the objects that they mean for the stored numbers, with indexes and without",
    arguments: LongForm.seeds(ofConditions: count, sample: 2))
  func randomConditions(seeds: Range<Int>) async throws {
    for seed in seeds { try await compare(seed: seed) }
  }

  private func compare(seed: Int) async throws {
    let database = try TestDatabase()
    for isIndexed in [false, true] {
      let problems = try await MappedValueChecks.problems(
        seed: seed, conditions: Self.count, isRepeated: isIndexed, in: database.workspace)
      for problem in problems { Issue.record("\(problem)") }
      try await database.workspace.waitForIndexes(of: Order.self)
    }
    #expect(database.errors.values.isEmpty, "\(database.errors.values)")
  }

  @Test("Conditions with rare constants, with an index and without")
  func rareConstants() async throws {
    let database = try TestDatabase()
    for isIndexed in [false, true] {
      let problems = try await RareConstantChecks.problems(isRepeated: isIndexed, in: database.workspace)
      for problem in problems { Issue.record("\(problem)") }
      try await database.workspace.waitForIndexes(of: Order.self)
    }
    #expect(database.errors.values.isEmpty, "\(database.errors.values)")
  }

  @Test(
    "Subscribers to random conditions are told what holds", arguments: LongForm.seeds(ofConditions: 20, sample: 1))
  func subscribers(seeds: Range<Int>) async throws {
    for seed in seeds {
      let database = try TestDatabase()
      let problems = try await MappedValueChecks.problems(
        ofSubscribers: 20, seed: seed, transactions: 15, in: database.workspace)
      for problem in problems { Issue.record("\(problem)") }
      #expect(database.errors.values.isEmpty, "\(database.errors.values)")
    }
  }
}
