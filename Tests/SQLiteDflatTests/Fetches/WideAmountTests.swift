import Dflat
import EngineTestSupport
import FlatBuffersCore
import Foundation
import Golden_vectors
import Testing

/// In SQLite, an unsigned number above `Int64.max` is a blob, which is larger than every number; a constant beyond 64 bits
/// is an infinity.
@Suite("Amounts above Int64.max are compared with constants of every size")
struct WideAmountTests {
  /// The amounts are whole and parts of 10^18, as those of `ulong (decimal: "18")`.
  private static let perOne: Int64 = 1_000_000_000_000_000_000

  /// The stored units: on both sides of `Int64.max`.
  private static let units: [UInt64] = [
    0, 1, UInt64(perOne), 5 * UInt64(perOne), UInt64(Int64.max), 1 << 63, 10 * UInt64(perOne), .max,
  ]

  private static let constants: [Decimal] = [
    -Decimal(sign: .plus, exponent: 40, significand: 1), -20, -1, 0, 5, 10, 18, 20,
    Decimal(sign: .plus, exponent: 40, significand: 1),
  ]

  private static func conditions<Element: Atom>(
    _ amount: QueryExpression<Decimal, Element>, _ constant: Decimal
  ) -> [QueryExpression<Bool, Element>] {
    [
      amount < constant, amount <= constant, amount > constant, amount >= constant, amount == constant,
      amount != constant, constant < amount, constant >= amount, !(amount < constant), amount.in([constant, 1]),
      amount.notIn([constant, 1]),
    ]
  }

  /// Expects that fetches and counts find what evaluating each object finds.
  private func check<Element: Atom & FlatBuffersEncodable>(
    _ conditions: [QueryExpression<Bool, Element>], in store: TestStore
  ) {
    let fetch = store.workspace.fetch(for: Element.self)
    let all = fetch.all()
    #expect(all.count == Self.units.count)
    for condition in conditions {
      let expected = all.filter { condition.evaluate($0) }.map(\._rowid)
      #expect(fetch.where(condition).map(\._rowid).sorted() == expected.sorted(), "\(condition._node)")
      #expect(fetch.count(where: condition) == expected.count, "\(condition._node)")
    }
    #expect(store.errors.values.isEmpty, "\(store.errors.values)")
  }

  @Test("An indexed amount is compared with constants of every size")
  func index() throws {
    let store = try TestStore()
    store.perform([Thing.self]) { context in
      for (id, units) in Self.units.enumerated() {
        context.try(submit: ThingChangeRequest.creation(Thing(id: Int64(id), big: units)))
      }
    }
    let amount = QueryExpression<Decimal, Thing>(Thing.fields.big, perOne: Self.perOne)
    check(Self.constants.flatMap { Self.conditions(amount, $0) }, in: store)
    let things = store.workspace.fetch(for: Thing.self)
    #expect(things.where(amount < 20).count == Self.units.count)
    #expect(things.count(where: amount > 20) == 0)
  }

  @Test("An amount that is the primary key is compared with constants of every size")
  func primaryKey() throws {
    let store = try TestStore()
    store.perform([Balance.self]) { context in
      for units in Self.units { context.try(submit: BalanceRequest(.create, units: units)) }
    }
    check(Self.constants.flatMap { Self.conditions(Balance.amount, $0) }, in: store)
    let balances = store.workspace.fetch(for: Balance.self)
    #expect(balances.where(Balance.amount < 20).count == Self.units.count)
    #expect(balances.count(where: Balance.amount > 20) == 0)
  }

  @Test("Amounts in an indexed vector are compared with constants of every size")
  func elements() throws {
    let store = try TestStore()
    store.perform([IndexedBasket.self]) { context in
      for (id, units) in Self.units.enumerated() {
        context.try(submit: IndexedBasketChangeRequest.upsert(Basket(id: Int32(id), big: [units, 7])))
      }
    }
    let amounts = VectorField<QueryExpression<Decimal, IndexedBasket>, IndexedBasket>(
      RecordVector(.root, .value(.uint64), at: 12), perOne: Self.perOne)
    for constant in Self.constants {
      let count = Self.conditions(QueryExpression<Decimal, Thing>(Thing.fields.big), constant).count
      check((0..<count).map { number in amounts.contains { Self.conditions($0, constant)[number] } }, in: store)
    }
    let baskets = store.workspace.fetch(for: IndexedBasket.self)
    #expect(baskets.where(amounts.contains { $0 > 20 }).isEmpty)
    #expect(baskets.count(where: amounts.contains { $0 > 6 && $0 < 20 }) == 4)
  }
}

/// An object whose primary key is an unsigned number of 64 bits.
private final class Balance: Atom, FlatBuffersEncodable, Sendable {
  let units: UInt64
  let _rowid: Int64
  let _commitVersion: UInt64

  init(units: UInt64, _rowid: Int64 = 0) {
    self.units = units
    self._rowid = _rowid
    _commitVersion = 0
  }

  init(_ table: FlatBufferTable, _rowid: Int64, _commitVersion: UInt64) {
    units = table.scalar(at: 4, default: 0)
    self._rowid = _rowid
    self._commitVersion = _commitVersion
  }

  func to(flatBufferBuilder builder: inout FlatBufferBuilder) -> Offset {
    builder.startTable(fieldCount: 1)
    builder.add(units, default: 0, at: 4)
    return builder.endTable()
  }

  static func verify(byteBuffer: ByteBuffer) -> Bool { FlatBufferTable(rootOf: byteBuffer) != nil }

  private static let field = RecordField(.root, .uint64, at: 4, default: .integer(0))
  static let _record = RecordDescription(table: "balance", primaryKeys: [field])
  static let amount = QueryExpression<Decimal, Balance>(field, perOne: 1_000_000_000_000_000_000)
}

private final class BalanceRequest: ChangeRequest {
  var _change: RecordChange<Balance>
  let units: UInt64

  init(_ change: RecordChange<Balance>, units: UInt64) { (_change, self.units) = (change, units) }

  func _object(_rowid: Int64) -> Balance { Balance(units: units, _rowid: _rowid) }
}
