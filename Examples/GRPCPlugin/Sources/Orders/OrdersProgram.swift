import Foundation
import GRPCCore
import GRPCInProcessTransport

/// A server and a client in one process. With `--check`, it says what went wrong, and fails if anything did.
@main
struct OrdersProgram {
  static func main() async {
    do {
      try await run()
    } catch {
      print("error: \(error)")
      exit(1)
    }
  }

  private static func run() async throws {
    // Between processes, the transport is one of grpc-swift-nio-transport; nothing else changes.
    let transport = InProcessTransport()
    try await withGRPCServer(transport: transport.server, services: [Shopkeeper()]) { _ in
      try await withGRPCClient(transport: transport.client) { client in
        if CommandLine.arguments.contains("--check") {
          try await Check(client: client).run()
          print("All calls did what they should.")
        } else {
          try await show(Shop.OrdersClient(wrapping: client))
        }
      }
    }
  }

  private static func show(_ orders: Shop.OrdersClient<some ClientTransport>) async throws {
    let receipt = try await orders.place(Shop.Order(article: "apple", count: 3))
    print("number \(receipt.number), \(receipt.price) cents")

    let total = try await orders.placeAll { requests in
      try await requests.write(Shop.Order(article: "apple"))
      try await requests.write(Shop.Order(article: "melon", size: .large))
    }
    print("\(total.orders) orders, \(total.price) cents")

    try await orders.list(Shop.Filter()) { response in
      for try await order in response.messages { print("\(order.count) \(order.article), \(order.size)") }
    }

    do {
      _ = try await orders.place(Shop.Order(article: "pear"))
    } catch let error as RPCError {
      print("\(error.code): \(error.message)")
    }
  }
}
