import Dflat
import Foundation
import Golden_values
import TestSupport

/// An order in plain numbers and texts: times in nanoseconds after the start of 1970, amounts in millionths.
///
/// Numbers of one scale are compared as they are, whatever unit a field counts in.
package struct PlainOrder: Sendable {
  package var id: UUID
  var created: Int
  var due: Int?
  var precise: Int
  var measured: Int
  var took: Int
  var wait: Int
  var price: Int
  var rate: Int?
  var home: URL?
  var site: URL
  var tag: UUID?
  var color: UInt32
  var mood: String?
  var openFrom: Int?
  var openSlack: Int?
  var paid: (at: Int, amount: Int)?
  var proof: Proof?

  enum Proof: Sendable {
    case payment(amount: Int)
    case period(until: Int)
  }

  /// The object that an app would make of these values.
  package var order: Shop.Order {
    Shop.Order(
      id: id, created: Self.date(created), due: due.map(Self.date), precise: Self.date(precise),
      measured: Self.date(measured), took: .nanoseconds(took), wait: .nanoseconds(wait), price: Self.decimal(price),
      rate: rate.map(Self.decimal), home: home, site: site,
      tag: tag, color: Theme.Color(stored: color), mood: mood.map { Mood(stored: $0) },
      open: openFrom.map { from in
        var period = Shop.Period()
        period.from = Self.date(from)
        period.slack = .nanoseconds(openSlack ?? 0)
        return period
      },
      payment: paid.map { Shop.Payment(at: Self.date($0.at), amount: Self.decimal($0.amount)) },
      proof: proof.map {
        switch $0 {
        case .payment(let amount): return .payment(Shop.Payment(amount: Self.decimal(amount)))
        case .period(let until):
          var period = Shop.Period()
          period.until = Self.date(until)
          return .period(period)
        }
      })
  }

  private static let nanosecondsUntil2001 = 978_307_200_000_000_000

  /// The date nearest to a number of nanoseconds. `Date` counts from 2001, so that it is exact near that year.
  static func date(_ nanoseconds: Int) -> Date {
    Date(timeIntervalSinceReferenceDate: Double(nanoseconds - nanosecondsUntil2001) / 1e9)
  }

  static func decimal(_ millionths: Int) -> Decimal { Decimal(millionths) / 1_000_000 }
}

/// A condition on orders as a query, and what it means, told a second time.
package struct MappedCondition {
  package let description: String
  package let query: QueryExpression<Bool, Shop.Order>
  /// nil for NULL.
  package let truth: (PlainOrder) -> Bool?

  package func holds(_ order: PlainOrder) -> Bool { truth(order) == true }
}

/// Makes orders, and conditions on their mapped fields, at random.
package struct MappedValueGenerator {
  package var random: SeededGenerator

  package init(seed: Int) { random = SeededGenerator(seed: seed) }

  // Times that a `Date` has exactly, of both sides of each field's units, and some that differ by nanoseconds. The first
  // ones are exact as nanoseconds in a `Double`, too, as which a field of real seconds is compared with one of these.
  private static let seconds = [-2, -1, 0, 1, 2, 978_307_200, 1_700_000_000].map { $0 * 1_000_000_000 }
  private static let quarters = seconds + [-1_250, -250, 250, 750].map { $0 * 1_000_000 }
  private static let moments =
    quarters + [1_700_000_000_250_000_000] + [1, 2, 999, 1_000, 1_001].map { 978_307_200_000_000_000 + $0 }
  private static let spans = [
    -1_000_000_000, -1_000_000, -1, 0, 1, 999, 1_000_000, 125_000_000, 250_000_000, 1_000_000_000, 3_600_000_000_000,
  ]
  private static let amounts = [-2_500_000, -10_000, -100, 0, 100, 10_000, 250_000, 1_000_000, 2_500_000, 19_990_000]
  private static let addresses = ["https://a.example", "https://b.example/x?y=1", "mailto:me@a.example"]
    .compactMap(URL.init(string:))
  private static let colors: [UInt32] = [0, 1, 0x100, 0xFF_FFFF, 0x80_0000]

  private static func identifier(_ number: Int) -> UUID {
    UUID(uuid: (UInt8(number & 0xFF), 0xAB, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, UInt8(number >> 8)))
  }

  private mutating func maybe<Value>(_ value: Value) -> Value? { random.chance(70) ? value : nil }

  /// Returns one of the numbers that are multiples of a field's unit.
  private mutating func pick(_ pool: [Int], in unit: Int) -> Int { random.pick(pool.filter { $0 % unit == 0 }) }

  package mutating func order(_ number: Int) -> PlainOrder {
    PlainOrder(
      id: Self.identifier(number), created: pick(Self.moments, in: 1_000_000),
      due: maybe(pick(Self.moments, in: 1_000_000_000)), precise: random.pick(Self.moments),
      measured: random.pick(Self.quarters), took: random.pick(Self.spans), wait: pick(Self.spans, in: 125_000_000),
      price: pick(Self.amounts, in: 10_000), rate: maybe(pick(Self.amounts, in: 100)),
      home: maybe(random.pick(Self.addresses)), site: random.pick(Self.addresses),
      tag: maybe(Self.identifier(300 + number)), color: random.pick(Self.colors),
      mood: maybe(random.pick(["good", "bad"])), openFrom: maybe(pick(Self.moments, in: 1_000_000)),
      openSlack: pick(Self.spans.filter { $0 >= 0 }, in: 1_000_000),
      paid: maybe((max(0, pick(Self.moments, in: 1_000)), pick(Self.amounts, in: 10_000))),
      proof: maybe(
        random.chance(50)
          ? .payment(amount: pick(Self.amounts, in: 10_000)) : .period(until: pick(Self.moments, in: 1_000_000))))
  }

  // MARK: Conditions

  package mutating func condition(depth: Int) -> MappedCondition {
    guard depth > 0, random.chance(70) else { return term() }
    let lhs = condition(depth: depth - 1)
    if random.chance(25) {
      return MappedCondition(description: "!\(lhs.description)", query: !lhs.query) { lhs.truth($0).map { !$0 } }
    }
    let rhs = condition(depth: depth - 1)
    let isAnd = random.chance(50)
    return MappedCondition(
      description: "(\(lhs.description) \(isAnd ? "&&" : "||") \(rhs.description))",
      query: isAnd ? lhs.query && rhs.query : lhs.query || rhs.query
    ) { order in
      let sides = [lhs.truth(order), rhs.truth(order)]
      // The value that decides alone wins, NULL is next.
      if sides.contains(!isAnd) { return !isAnd }
      return sides.contains(nil) ? nil : isAnd
    }
  }

  private mutating func term() -> MappedCondition {
    switch random.next(5) {
    case 0: return time()
    case 1: return span()
    case 2: return amount()
    case 3: return identity()
    default: return twoFields()
    }
  }

  /// A field of numbers: its name, its query, what it holds, and the unit that its constants are rounded to.
  private typealias Field<Value> = (
    name: String, query: QueryExpression<Value, Shop.Order>, unit: Int, number: (PlainOrder) -> Int?
  )

  private var times: [Field<Date>] {
    [
      ("created", Shop.Order.created, 1_000_000, { $0.created }),
      ("due", Shop.Order.due, 1_000_000_000, { $0.due }), ("precise", Shop.Order.precise, 1, { $0.precise }),
      ("measured", Shop.Order.measured, 1, { $0.measured }),
      ("open.from", Shop.Order.open.from, 1_000_000, { $0.openFrom }),
      ("payment.at", Shop.Order.payment.at, 1_000, { $0.paid?.at }),
      (
        "proof.as(Period).until", Shop.Order.proof.as(Shop.Period.self).until, 1_000_000,
        { if case .period(let until)? = $0.proof { until } else { nil } }
      ),
    ]
  }

  private var spans: [Field<Duration>] {
    [
      ("took", Shop.Order.took, 1, { $0.took }), ("wait", Shop.Order.wait, 1, { $0.wait }),
      ("open.slack", Shop.Order.open.slack, 1_000_000, { order in order.openFrom.flatMap { _ in order.openSlack } }),
    ]
  }

  private var amounts: [Field<Decimal>] {
    [
      ("price", Shop.Order.price, 1, { $0.price }), ("rate", Shop.Order.rate, 1, { $0.rate }),
      ("payment.amount", Shop.Order.payment.amount, 1, { $0.paid?.amount }),
      (
        "proof.as(Payment).amount", Shop.Order.proof.as(Shop.Payment.self).amount, 1,
        { if case .payment(let amount)? = $0.proof { amount } else { nil } }
      ),
    ]
  }

  private mutating func time() -> MappedCondition {
    let field = random.pick(times)
    // As seconds after 1970, a `Double` does not tell a date from one a nanosecond later.
    return numbers(field, field.name == "measured" ? Self.quarters : Self.moments) { PlainOrder.date($0) }
  }

  private mutating func span() -> MappedCondition {
    numbers(random.pick(spans), Self.spans) { Duration.nanoseconds($0) }
  }

  /// Decimal constants are never rounded.
  private mutating func amount() -> MappedCondition {
    numbers(random.pick(amounts), Self.amounts + [1, 249_999, 2_500_001]) { PlainOrder.decimal($0) }
  }

  private mutating func numbers<Value: OrderedQueryConstant>(
    _ field: Field<Value>, _ pool: [Int], _ value: (Int) -> Value
  ) -> MappedCondition {
    /// Returns the multiple of the field's unit that is nearest. No constant lies in the middle between two.
    func rounded(_ number: Int) -> Int {
      let rest = number % field.unit
      let nearest = 2 * abs(rest) < field.unit ? 0 : field.unit * rest.signum()
      return number - rest + nearest
    }
    let number = random.pick(pool)
    let (constant, wanted) = (value(number), rounded(number))
    let list = (0..<random.next(4)).map { _ in random.pick(pool) }
    let wantedList = list.map(rounded)
    func condition(
      _ text: String, _ query: QueryExpression<Bool, Shop.Order>, _ holds: @escaping (Int) -> Bool
    ) -> MappedCondition {
      MappedCondition(description: "\(field.name) \(text)", query: query) { field.number($0).map(holds) }
    }
    switch random.next(10) {
    case 0: return condition("== \(number)", field.query == constant) { $0 == wanted }
    case 1: return condition("!= \(number)", constant != field.query) { $0 != wanted }
    case 2: return condition("< \(number)", field.query < constant) { $0 < wanted }
    case 3: return condition("<= \(number)", field.query <= constant) { $0 <= wanted }
    case 4: return condition("> \(number)", field.query > constant) { $0 > wanted }
    case 5: return condition(">= \(number)", field.query >= constant) { $0 >= wanted }
    case 6: return condition("> \(number), reversed", constant < field.query) { $0 > wanted }
    case 7, 8:
      let isIn = random.chance(50)
      // No value is one of none, not even NULL.
      return MappedCondition(
        description: "\(field.name) \(isIn ? "in" : "not in") \(list)",
        query: isIn ? field.query.in(list.map(value)) : field.query.notIn(list.map(value))
      ) { order in
        list.isEmpty ? !isIn : field.number(order).map { wantedList.contains($0) == isIn }
      }
    default:
      return MappedCondition(description: "\(field.name) is NULL", query: field.query.isNull) {
        field.number($0) == nil
      }
    }
  }

  /// Two fields of one type, which may count in different units.
  private mutating func twoFields() -> MappedCondition {
    switch random.next(3) {
    case 0: return compared(random.pick(times), random.pick(times))
    case 1: return compared(random.pick(spans), random.pick(spans))
    default: return compared(random.pick(amounts), random.pick(amounts))
    }
  }

  private mutating func compared<Value: OrderedQueryConstant>(
    _ lhs: Field<Value>, _ rhs: Field<Value>
  ) -> MappedCondition {
    func condition(
      _ sign: String, _ query: QueryExpression<Bool, Shop.Order>, _ holds: @escaping (Int, Int) -> Bool
    ) -> MappedCondition {
      MappedCondition(description: "\(lhs.name) \(sign) \(rhs.name)", query: query) { order in
        guard let first = lhs.number(order), let second = rhs.number(order) else { return nil }
        return holds(first, second)
      }
    }
    switch random.next(3) {
    case 0: return condition("==", lhs.query == rhs.query, ==)
    case 1: return condition("<", lhs.query < rhs.query, <)
    default: return condition(">=", lhs.query >= rhs.query, >=)
    }
  }

  /// Conditions on identifiers, addresses, and types of the app.
  private mutating func identity() -> MappedCondition {
    let identifier = Self.identifier(random.next(360))
    let text = identifier.uuidString.lowercased()
    let address = random.pick(Self.addresses)
    let color = random.pick(Self.colors)
    func condition<Stored>(
      _ text: String, _ query: QueryExpression<Bool, Shop.Order>, _ stored: @escaping (PlainOrder) -> Stored?,
      _ holds: @escaping (Stored) -> Bool
    ) -> MappedCondition {
      MappedCondition(description: text, query: query) { stored($0).map(holds) }
    }
    func key(_ identifier: UUID) -> String { identifier.uuidString.lowercased() }
    switch random.next(12) {
    case 0: return condition("id == \(text)", Shop.Order.id == identifier, { $0.id }) { $0 == identifier }
    case 1: return condition("id < \(text)", Shop.Order.id < identifier, { $0.id }) { key($0) < text }
    case 2: return condition("tag >= \(text)", Shop.Order.tag >= identifier, { $0.tag }) { key($0) >= text }
    case 3: return condition("tag in", Shop.Order.tag.in([identifier]), { $0.tag }) { $0 == identifier }
    case 4: return condition("tag is NULL", Shop.Order.tag.isNull, { .some($0.tag) }) { $0 == nil }
    case 5: return condition("home == \(address)", Shop.Order.home == address, { $0.home }) { $0 == address }
    case 6: return condition("site != \(address)", Shop.Order.site != address, { $0.site }) { $0 != address }
    case 7:
      return condition("color >= \(color)", Shop.Order.color >= Theme.Color(stored: color), { $0.color }) {
        $0 >= color
      }
    case 8: return condition("color == 1", Shop.Order.color == Theme.Color(stored: 1), { $0.color }) { $0 == 1 }
    case 9: return condition("mood == bad", Shop.Order.mood == .bad, { $0.mood }) { $0 == "bad" }
    case 10: return condition("mood != bad", Shop.Order.mood != .bad, { $0.mood }) { $0 != "bad" }
    default:
      return MappedCondition(description: "id < tag", query: Shop.Order.id < Shop.Order.tag) { order in
        order.tag.map { key(order.id) < key($0) }
      }
    }
  }
}
