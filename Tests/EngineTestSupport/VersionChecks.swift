import Dflat
import FlatBuffersCore
import Foundation
import Golden_values
import Golden_vectors

/// A `Shop.Order` as a version of the schema stores it that has no indexes.
package final class UnindexedOrder: Atom, FlatBuffersEncodable {
  package let order: Shop.Order
  package var _rowid: Int64 { order._rowid }
  package var _commitVersion: UInt64 { order._commitVersion }

  package init(_ table: FlatBufferTable, _rowid: Int64, _commitVersion: UInt64) {
    order = Shop.Order(table, _rowid: _rowid, _commitVersion: _commitVersion)
  }

  fileprivate init(_ order: Shop.Order) { self.order = order }

  package func to(flatBufferBuilder builder: inout FlatBufferBuilder) -> Offset {
    order.to(flatBufferBuilder: &builder)
  }

  package static func verify(byteBuffer: ByteBuffer) -> Bool { Shop.Order.verify(byteBuffer: byteBuffer) }

  package static let _record = RecordDescription(
    table: Shop.Order._record.table, primaryKeys: Shop.Order._record.primaryKeys, indexes: [])
}

/// A change to the stored orders by the version without indexes.
private final class UnindexedOrderChangeRequest: ChangeRequest {
  var _change: RecordChange<UnindexedOrder>
  private let order: Shop.Order

  init(upserting order: Shop.Order) {
    _change = .upsert
    self.order = order
  }

  func _object(_rowid: Int64) -> UnindexedOrder {
    UnindexedOrder(Shop.Order(_values: order._values, _rowid: _rowid))
  }
}

/// Checks of two versions of a schema that use one store beside each other. Only the newer one has indexes.
///
/// Each version changes objects in turn, and after each transaction both answer the same conditions.
package enum VersionChecks {
  /// The two versions' workspaces, and what else changes the store or waits for it.
  package struct Sides: Sendable {
    let older: any Workspace
    let newer: any Workspace
    let waitForIndexes: @Sendable () async throws -> Void
    let rewrite: (@Sendable (_ id: Int32, _ bytes: [UInt8]) throws -> Void)?

    /// - Parameters:
    ///   - older: the workspace of the version without indexes.
    ///   - newer: the workspace of the version with indexes.
    ///   - waitForIndexes: waits until the indexes of the newer version are complete.
    ///   - rewrite: replaces the bytes of a stored object by SQL, as a program does that knows no index; nil to leave that
    ///     out.
    package init(
      older: any Workspace, newer: any Workspace, waitForIndexes: @escaping @Sendable () async throws -> Void,
      rewrite: (@Sendable (_ id: Int32, _ bytes: [UInt8]) throws -> Void)? = nil
    ) {
      self.older = older
      self.newer = newer
      self.waitForIndexes = waitForIndexes
      self.rewrite = rewrite
    }
  }

  /// How many conditions the checks make from one seed.
  package static let count = rounds * conditions
  private static let rounds = 12
  private static let conditions = 15

  private static func perform(
    _ types: [Any.Type], in workspace: any Workspace,
    _ changes: @escaping @Sendable (any TransactionContext) throws -> Void
  ) async throws {
    try await workspace.performChanges(types, changesHandler: changes)
  }

  // MARK: Vectors

  /// Changes baskets, and returns the conditions on vectors that a version does not answer as it should.
  package static func problemsOfVectors(seed: Int, _ sides: Sides) async throws -> [String] {
    var generator = VectorGenerator(seed: seed)
    var stored: [Int32: Basket] = [:]
    var problems: [String] = []
    for round in 0..<rounds {
      let ids: [Int32] =
        round == 0 ? Array(0..<40) : (0..<1 + generator.random.next(8)).map { _ in Int32(generator.random.next(50)) }
      let changed = ids.map { generator.basket($0) }
      let deleted = generator.random.chance(40) ? [Int32(generator.random.next(50))] : []
      switch round == 0 ? 0 : generator.random.next(3) {
      case 0:
        try await perform([IndexedBasket.self], in: sides.newer) { context in
          for basket in changed { try context.submit(IndexedBasketChangeRequest.upsert(basket)) }
          for id in deleted {
            guard let request = IndexedBasketChangeRequest.deletion(IndexedBasket(Basket(id: id))) else { continue }
            try context.submit(request)
          }
        }
      case 1:
        try await perform([Basket.self], in: sides.older) { context in
          for basket in changed { try context.submit(BasketChangeRequest.upsertRequest(basket)) }
          for id in deleted {
            guard let request = BasketChangeRequest.deletionRequest(Basket(id: id)) else { continue }
            try context.submit(request)
          }
        }
      default:
        guard let rewrite = sides.rewrite else { continue }
        for basket in changed where stored[basket.id] != nil {
          try rewrite(basket.id, bytes(of: basket))
          stored[basket.id] = basket
        }
        problems += answers(&generator, seed, round, stored, sides)
        continue
      }
      for basket in changed { stored[basket.id] = basket }
      for id in deleted { stored[id] = nil }
      if generator.random.chance(40) { try await sides.waitForIndexes() }
      problems += answers(&generator, seed, round, stored, sides)
    }
    return problems
  }

  private static func bytes(of basket: Basket) throws -> [UInt8] {
    var builder = FlatBufferBuilder()
    let root = basket.to(flatBufferBuilder: &builder)
    try builder.finish(root)
    return builder.withFinishedBytes { Array($0) }
  }

  private static func answers(
    _ generator: inout VectorGenerator, _ seed: Int, _ round: Int, _ stored: [Int32: Basket], _ sides: Sides
  ) -> [String] {
    var problems: [String] = []
    for _ in 0..<conditions {
      let condition = generator.condition(depth: 2)
      let expected = stored.values.filter(condition.holds).map(\.id).sorted()
      let query = IndexedBasket.query(condition.query)
      func check(_ version: String, _ ids: [Int32], _ count: Int) {
        guard ids != expected || count != expected.count else { return }
        let found = "\(condition.description) finds \(ids) and counts \(count), not \(expected)"
        problems.append("seed \(seed), round \(round), \(version): \(found)")
      }
      let older = sides.older.fetch(for: Basket.self)
      check("older", older.where(condition.query).map(\.id).sorted(), older.count(where: condition.query))
      let newer = sides.newer.fetch(for: IndexedBasket.self)
      check("newer", newer.where(query).map(\.id).sorted(), newer.count(where: query))
    }
    return problems
  }

  // MARK: Values

  /// Changes orders, and returns the conditions on mapped fields that a version does not answer as it should.
  package static func problemsOfValues(seed: Int, _ sides: Sides) async throws -> [String] {
    var generator = MappedValueGenerator(seed: seed)
    var stored: [Int: PlainOrder] = [:]
    var problems: [String] = []
    for round in 0..<rounds {
      let numbers =
        round == 0 ? Array(0..<40) : (0..<1 + generator.random.next(8)).map { _ in generator.random.next(50) }
      let changed = numbers.map { generator.order($0) }
      if round == 0 || generator.random.chance(50) {
        try await perform([Shop.Order.self], in: sides.newer) { context in
          for order in changed { try context.submit(Shop.OrderChangeRequest.upsertRequest(order.order)) }
        }
      } else {
        try await perform([UnindexedOrder.self], in: sides.older) { context in
          for order in changed { try context.submit(UnindexedOrderChangeRequest(upserting: order.order)) }
        }
      }
      for (number, order) in zip(numbers, changed) { stored[number] = order }
      if generator.random.chance(40) { try await sides.waitForIndexes() }
      for _ in 0..<conditions {
        let condition = generator.condition(depth: 2)
        let expected = stored.values.filter(condition.holds).map(\.id).sorted()
        let query = QueryExpression<Bool, UnindexedOrder>(node: condition.query._node)
        let older = sides.older.fetch(for: UnindexedOrder.self).where(query).map(\.order.id).sorted()
        let newer = sides.newer.fetch(for: Shop.Order.self).where(condition.query).map(\.id).sorted()
        for (version, ids) in [("older", older), ("newer", newer)] where ids != expected {
          let wrong = stored.values.filter { ids.contains($0.id) != expected.contains($0.id) }
          problems.append(
            "seed \(seed), round \(round), \(version): \(condition.description) is wrong for \(wrong)")
        }
      }
    }
    return problems
  }
}
