import GRPCCore
import Synchronization

/// The service: `Orders` of orders.fbs.
///
/// It conforms to the protocol that the plug-in makes. Messages are the data model's types.
final class Shopkeeper: Shop.OrdersSimpleService {
  /// Prices in cents.
  private static let prices = ["apple": 50, "melon": 300] as [String: Int64]

  private let orders = Mutex<[Shop.Order]>([])

  func place(_ message: Shop.Order, context: ServerContext) async throws -> Shop.Receipt {
    try take([message])[0]
  }

  func placeAll(
    _ messages: RPCAsyncSequence<Shop.Order, any Error>, context: ServerContext
  ) async throws -> Shop.Total {
    let orders = try await messages.reduce(into: []) { $0.append($1) }
    let receipts = try take(orders)
    return Shop.Total(orders: Int32(receipts.count), price: receipts.reduce(0) { $0 + $1.price })
  }

  func list(_ message: Shop.Filter, to responses: RPCWriter<Shop.Order>, context: ServerContext) async throws {
    for order in orders.withLock({ $0 }) where message.article == nil || message.article == order.article {
      try await responses.write(order)
    }
  }

  func placeEach(
    _ messages: RPCAsyncSequence<Shop.Order, any Error>, to responses: RPCWriter<Shop.Receipt>, context: ServerContext
  ) async throws {
    for try await order in messages { try await responses.write(take([order])[0]) }
  }

  /// Takes all of the orders, or none.
  private func take(_ new: [Shop.Order]) throws -> [Shop.Receipt] {
    let prices = try new.map { order in
      guard let price = Self.prices[order.article] else {
        throw RPCError(code: .notFound, message: "There is no article \(order.article).")
      }
      return price * Int64(order.count)
    }
    return orders.withLock { orders in
      orders += new
      return prices.enumerated().map { place, price in
        Shop.Receipt(number: Int64(orders.count - new.count + place + 1), price: price)
      }
    }
  }
}
