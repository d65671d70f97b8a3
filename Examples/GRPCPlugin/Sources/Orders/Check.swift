import GRPCCore

/// Makes calls of every kind, and compares what comes back.
struct Check<Transport: ClientTransport> {
  let client: GRPCClient<Transport>

  private var orders: Shop.OrdersClient<Transport> { Shop.OrdersClient(wrapping: client) }

  func run() async throws {
    try await unary()
    try await streams()
    try await failures()
    try await damagedMessages()
    let paths = Shop.OrdersMethods.all.map(\.fullyQualifiedMethod)
    try expect(
      paths, ["Shop.Orders/Place", "Shop.Orders/PlaceAll", "Shop.Orders/List", "Shop.Orders/PlaceEach"], "the paths")
    try expect(Shop.OrdersMethods.idempotent.map(\.method), ["List"], "the idempotent methods")
  }

  private func unary() async throws {
    let receipt = try await orders.place(Shop.Order(article: "apple", count: 3))
    try expect(receipt, Shop.Receipt(number: 1, price: 150), "a receipt")
    let metadata = try await orders.place(Shop.Order(article: "apple")) { response in
      // The whole response, for who needs more of it than the message.
      (try response.message.number, response.trailingMetadata.isEmpty)
    }
    try expect(metadata.0, 2, "a number")
  }

  private func streams() async throws {
    let total = try await orders.placeAll { requests in
      for article in ["apple", "melon"] { try await requests.write(Shop.Order(article: article)) }
    }
    try expect(total, Shop.Total(orders: 2, price: 350), "a total")
    let nothing = try await orders.placeAll { _ in }
    try expect(nothing, Shop.Total(orders: 0, price: 0), "the total of no orders")

    let melons = try await orders.list(Shop.Filter(article: "melon")) { response in
      try await response.messages.reduce(into: []) { $0.append($1) }
    }
    try expect(melons, [Shop.Order(article: "melon")], "the orders of melons")

    let numbers = try await orders.placeEach { requests in
      for count in 1...3 { try await requests.write(Shop.Order(article: "apple", count: Int32(count), size: .small)) }
    } onResponse: { response in
      try await response.messages.reduce(into: []) { $0.append($1.price) }
    }
    try expect(numbers, [50, 100, 150], "the prices of orders one by one")
  }

  private func failures() async throws {
    try await expectError(.notFound, "an article that there is not") {
      _ = try await orders.place(Shop.Order(article: "pear"))
    }
    try await expectError(.notFound, "an article among several that there is not") {
      _ = try await orders.placeAll { requests in
        for article in ["apple", "pear"] { try await requests.write(Shop.Order(article: article)) }
      }
    }
    try await expectError(.notFound, "an article in a stream that there is not") {
      try await orders.placeEach { requests in
        try await requests.write(Shop.Order(article: "pear"))
      } onResponse: { response in
        for try await _ in response.messages {}
      }
    }
  }

  /// Whatever bytes come, they are refused and nothing is read outside of them.
  private func damagedMessages() async throws {
    // A root offset that leads out of the buffer; nothing; an order without its article, which is required.
    for bytes: [UInt8] in [[255, 255, 255, 127, 0, 0, 0, 0], [], [12, 0, 0, 0, 4, 0, 4, 0, 4, 0, 0, 0, 4, 0, 0, 0]] {
      try await expectError(.invalidArgument, "bytes that are no message") {
        _ = try await client.unary(
          request: ClientRequest(message: bytes), descriptor: Shop.OrdersMethods.place, serializer: Bytes(),
          deserializer: Bytes(), options: .defaults
        ) { try $0.message }
      }
    }
    // The server goes on.
    let apples = try await orders.list(Shop.Filter(article: "apple")) { response in
      try await response.messages.reduce(0) { count, _ in count + 1 }
    }
    try expect(apples, 6, "the orders of apples")
  }

  // MARK: What is expected

  private func expect<Value: Equatable>(_ value: Value, _ expected: Value, _ what: String) throws {
    guard value == expected else { throw Failure("\(what): \(value), not \(expected)") }
  }

  private func expectError(_ code: RPCError.Code, _ what: String, _ body: () async throws -> Void) async throws {
    do {
      try await body()
    } catch let error as RPCError where error.code == code {
      return
    }
    throw Failure("\(what): there is no error")
  }

  private struct Failure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
  }
}

/// Messages as they are.
private struct Bytes: MessageSerializer, MessageDeserializer {
  func serialize<Buffer: GRPCContiguousBytes>(_ message: [UInt8]) throws -> Buffer { Buffer(message) }
  func deserialize<Buffer: GRPCContiguousBytes>(_ bytes: Buffer) throws -> [UInt8] {
    bytes.withUnsafeBytes { Array($0) }
  }
}
