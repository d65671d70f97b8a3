import Dflat
import Foundation
import Golden_values
import TestSupport

/// Checks of conditions with constants above `Int64.max`, and with values that no field can hold, for every engine.
package enum RareConstantChecks {
  private typealias Order = Shop.Order
  private typealias Condition = (name: String, query: QueryExpression<Bool, Shop.Order>, numbers: [Int])

  /// Times whose microseconds are below, and twice above `Int64.max`. A `Date` holds them exactly.
  private static let times = [9e12, 1e13, 1.5e13].map { Date(timeIntervalSinceReferenceDate: $0) }

  private static func orders() -> [Shop.Order] {
    var generator = MappedValueGenerator(seed: 1)
    let moods: [Mood?] = [.good, .bad, nil, .good]
    return (0..<4).map { number in
      var builder = Shop.OrderBuilder(generator.order(number).order)
      builder.payment = number < 3 ? Shop.Payment(at: times[number]) : nil
      builder.created = Date(timeIntervalSince1970: Double(number))
      builder.due = number == 2 ? nil : Date(timeIntervalSince1970: Double(number))
      builder.price = Decimal(number)
      builder.mood = moods[number]
      builder.visits = [Date(timeIntervalSince1970: 1)]
      return builder.build()
    }
  }

  /// The conditions, each with the numbers of the orders for which it is true.
  private static func conditions() -> [Condition] {
    var conditions: [Condition] = []
    func add(_ name: String, _ query: QueryExpression<Bool, Shop.Order>, _ numbers: [Int]) {
      conditions.append((name, query, numbers))
    }
    let all = [0, 1, 2, 3]
    let at = Order.payment.at
    add("at ==", at == times[1], [1])
    add("at !=", at != times[1], [0, 2])
    add("at <", at < times[2], [0, 1])
    add("at <=", at <= times[1], [0, 1])
    add("at >", at > times[0], [1, 2])
    add("at >=", at >= times[2], [2])
    add("at in", at.in([times[1], times[2]]), [1, 2])
    add("at notIn", at.notIn([times[2]]), [0, 1])

    let created = Order.created
    // Of milliseconds, above `Int64.max` and still 64 bits.
    let late = Date(timeIntervalSinceReferenceDate: 1e16)
    add("created < late", created < late, all)
    add("created > late", created > late, [])
    add("created == late", created == late, [])
    add("created != late", created != late, all)
    add("created in late", created.in([late, Date(timeIntervalSince1970: 1)]), [1])
    add("created notIn late", created.notIn([late]), all)

    let never = Date(timeIntervalSince1970: .nan)
    add("created == never", created == never, [])
    add("created != never", created != never, all)
    add("never != created", never != created, all)
    add("created < never", created < never, [])
    add("created >= never", created >= never, [])
    add("created in never", created.in([never]), [])
    add("created in never or 0", created.in([never, Date(timeIntervalSince1970: 0)]), [0])
    add("created notIn never", created.notIn([never]), all)
    add("created notIn never or 0", created.notIn([never, Date(timeIntervalSince1970: 0)]), [1, 2, 3])
    add("not created in never", !created.in([never]), all)
    let due = Order.due
    add("due != never", due != never, [0, 1, 3])
    add("due != never is NULL", (due != never).isNull, [2])
    add("due == never is NULL", (due == never).isNull, [2])
    add("due notIn never is NULL", due.notIn([never]).isNull, [2])
    add("due in never is NULL", due.in([never]).isNull, [2])
    add("visits contains never", Order.visits.contains(never), [])
    add("not visits contains never", !Order.visits.contains(never), all)

    add("price == NaN", Order.price == Decimal.nan, [])
    add("price != NaN", Order.price != Decimal.nan, all)
    add("price notIn NaN", Order.price.notIn([Decimal.nan, 1]), [0, 2, 3])
    let large = Decimal(sign: .plus, exponent: 40, significand: 1)
    add("price == large", Order.price == large, [])
    add("price != large", Order.price != large, all)
    add("price notIn large", Order.price.notIn([large, 1]), [0, 2, 3])
    let fine = Decimal(sign: .plus, exponent: -3, significand: 1_001)
    add("price == fine", Order.price == fine, [])
    add("price != fine", Order.price != fine, all)
    add("price in fine", Order.price.in([fine, 2]), [2])

    add("mood == secret", Order.mood == Mood.secret, [])
    add("mood != secret", Order.mood != Mood.secret, [0, 1, 3])
    add("not mood == secret", !(Order.mood == Mood.secret), [0, 1, 3])
    add("mood in secret or bad", Order.mood.in([Mood.secret, .bad]), [1])
    add("mood notIn secret", Order.mood.notIn([Mood.secret]), [0, 1, 3])
    add("mood notIn secret or bad", Order.mood.notIn([Mood.secret, .bad]), [0, 3])
    add("mood notIn secret is NULL", Order.mood.notIn([Mood.secret]).isNull, [2])
    return conditions
  }

  /// Stores some orders, and returns what of the conditions a workspace does not answer as it should. Subscribers to the
  /// conditions' results are told of the orders.
  ///
  /// - Parameter isRepeated: whether the orders are stored already, by an earlier call.
  package static func problems(isRepeated: Bool, in workspace: any Workspace) async throws -> [String] {
    let (orders, conditions) = (Self.orders(), Self.conditions())
    let query = workspace.fetch(for: Shop.Order.self)
    var problems: [String] = []
    func ids(_ condition: Condition) -> Set<UUID> { Set(condition.numbers.map { orders[$0].id }) }
    if !isRepeated {
      let told = conditions.map { _ in Locked<Set<UUID>>([]) }
      let subscriptions = zip(conditions, told).map { condition, told in
        workspace.subscribe(fetchedResult: query.where(condition.query)) { told.value = Set($0.map(\.id)) }
      }
      try await workspace.performChanges([Shop.Order.self]) { (context: any TransactionContext) throws -> Void in
        for order in orders { try context.submit(Shop.OrderChangeRequest.creationRequest(order)) }
      }
      for (condition, told) in zip(conditions, told) where !eventually({ told.value == ids(condition) }) {
        problems.append("subscriber: \(condition.name)")
      }
      for subscription in subscriptions { subscription.cancel() }
    }
    let all = query.all()
    if all.count != orders.count { problems.append("\(all.count) orders are stored") }
    for condition in conditions {
      if Set(query.where(condition.query).map(\.id)) != ids(condition) { problems.append("where: \(condition.name)") }
      if query.count(where: condition.query) != condition.numbers.count { problems.append("count: \(condition.name)") }
      if Set(all.filter { condition.query.evaluate($0) }.map(\.id)) != ids(condition) {
        problems.append("evaluate: \(condition.name)")
      }
    }
    return problems
  }
}
