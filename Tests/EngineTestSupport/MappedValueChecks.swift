import Dflat
import Foundation
import Golden_values
import TestSupport

/// Checks of conditions on dates, durations, amounts, identifiers and types of the app, for every engine.
package enum MappedValueChecks {
  private static let count = 60

  /// Stores orders made at random, and returns what of as many conditions a workspace does not answer as it should.
  ///
  /// - Parameter isRepeated: whether the orders are stored already, by an earlier call with the seed.
  package static func problems(
    seed: Int, conditions: Int, isRepeated: Bool, in workspace: any Workspace
  ) async throws -> [String] {
    var generator = MappedValueGenerator(seed: seed)
    let plain = (0..<count).map { generator.order($0) }
    if !isRepeated { try await store(plain, in: workspace) }
    let query = workspace.fetch(for: Shop.Order.self)
    let all = query.all()
    var problems = all.count == count ? [] : ["\(all.count) of \(count) objects are stored"]
    let objects = Dictionary(uniqueKeysWithValues: all.map { ($0.id, $0) })
    for order in plain where objects[order.id] != order.order { problems.append("\(order) is stored otherwise") }
    for number in 0..<conditions {
      let condition = generator.condition(depth: 2)
      let expected = plain.filter(condition.holds).map(\.id).sorted()
      func check(_ path: String, _ ids: [UUID]) {
        guard ids != expected else { return }
        let wrong = plain.filter { ids.contains($0.id) != expected.contains($0.id) }
        problems.append("seed \(seed), \(number), \(path): \(condition.description) is wrong for \(wrong)")
      }
      check("where", query.where(condition.query).map(\.id).sorted())
      check("evaluate", all.filter { condition.query.evaluate($0) }.map(\.id).sorted())
      if query.count(where: condition.query) != expected.count { problems.append("count of \(condition.description)") }
      let isNull = Set(query.where(condition.query.isNull).map(\.id))
      if isNull != Set(plain.filter { condition.truth($0) == nil }.map(\.id)) {
        problems.append("seed \(seed), \(number): NULL of \(condition.description)")
      }
    }
    LongForm.record(conditions, "conditions on mapped fields")
    return problems
  }

  /// Subscribes to results of random conditions, changes random orders, and returns what subscribers were told wrongly.
  package static func problems(
    ofSubscribers count: Int, seed: Int, transactions: Int, in workspace: any Workspace
  ) async throws -> [String] {
    var generator = MappedValueGenerator(seed: seed)
    var plain: [UUID: PlainOrder] = [:]
    let conditions = (0..<count).map { _ in generator.condition(depth: 1) }
    let told = conditions.map { _ in Locked<Set<UUID>>([]) }
    let subscriptions = zip(conditions, told).map { condition, told in
      let result = workspace.fetch(for: Shop.Order.self).where(condition.query)
      return workspace.subscribe(fetchedResult: result) { told.value = Set($0.map(\.id)) }
    }
    var problems: [String] = []
    for number in 0..<transactions {
      let changed = (0..<1 + generator.random.next(4)).map { _ in generator.order(generator.random.next(20)) }
      try await store(changed, in: workspace)
      for order in changed { plain[order.id] = order }
      for (condition, told) in zip(conditions, told) {
        let expected = Set(plain.values.filter(condition.holds).map(\.id))
        if !eventually({ told.value == expected }) {
          problems.append("seed \(seed), \(number): \(condition.description)")
        }
      }
    }
    for subscription in subscriptions { subscription.cancel() }
    LongForm.record(count, "standing conditions on mapped fields")
    return problems
  }

  private static func store(_ orders: [PlainOrder], in workspace: any Workspace) async throws {
    try await workspace.performChanges([Shop.Order.self]) { (context: any TransactionContext) throws -> Void in
      for order in orders { try context.submit(Shop.OrderChangeRequest.upsertRequest(order.order)) }
    }
  }
}
