import Dflat
import FlatBuffersCore
import Foundation
import Golden_values
import SQLiteDflat
import TestSupport
import Testing

@Suite("The output for fields that stand for dates, UUIDs, decimals and types of an app, compiled and run")
struct ValuesTests {
  private typealias Order = Shop.Order

  private static let id = UUID(uuid: (0xAB, 0xCD, 0xEF, 0x01, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 0xFE))
  private static let noon = Date(timeIntervalSince1970: 1_700_000_000.25)

  private func full(_ id: UUID = Self.id) -> Order {
    Order(
      id: id, created: Self.noon, due: Date(timeIntervalSince1970: -1), precise: Self.noon,
      measured: Date(timeIntervalSince1970: 0.25), took: .nanoseconds(1_500_000_001), wait: .seconds(2.5), price: 19.99,
      rate: -0.0001, home: URL(string: "https://example.com/a?b=c#d"), tag: id,
      color: Theme.Color(red: 1, green: 2, blue: 3), mood: .bad, visits: [Self.noon, .distantPast], parts: [id],
      prices: [0.01, -5], open: Shop.Period(from: Self.noon, until: Self.noon + 3600, slack: .seconds(60)),
      periods: [Shop.Period(from: .distantPast)], payment: Shop.Payment(at: Self.noon, amount: 0.5),
      payments: [Shop.Payment(receipt: URL(string: "file:///a"))], proof: .period(Shop.Period(until: Self.noon)),
      week: Shop.Week(usual: Shop.Period(from: Self.noon)))
  }

  @Test("A field without a default is zero: 1970, no time, no amount")
  func defaults() {
    let order = Order(id: Self.id)
    #expect(order.created == Date(timeIntervalSince1970: 0))
    #expect(order.took == .zero && order.wait == .zero)
    #expect(order.price == 2.5)
    #expect(order.due == nil && order.rate == nil && order.home == nil && order.tag == nil && order.mood == nil)
    #expect(order.site == URL(string: "https://example.com"))
    #expect(order.color == Theme.Color(red: 0, green: 0, blue: 0))
    #expect(order.visits.isEmpty && order.parts.isEmpty && order.prices.isEmpty)
  }

  @Test("An object survives its bytes, in which the accessors see plain numbers and strings")
  func roundTrip() throws {
    let bytes = try full().toData()
    let read = try Order(verifying: bytes)
    #expect(read == full())
    #expect(read.created == Self.noon)
    #expect(read.price == Decimal(string: "19.99"))
    #expect(read.rate == Decimal(string: "-0.0001"))
    #expect(read.took == .nanoseconds(1_500_000_001))
    #expect(read.visits == [Self.noon, .distantPast])
    #expect(read.prices.first == Decimal(string: "0.01") && read.prices.last == -5)
    #expect(read.mood == .bad)
    #expect(read.open?.until == Self.noon + 3600)
    #expect(read.week?.usual.from == Self.noon)

    let reader = try #require(Shop.OrderReader(root: ByteBuffer(Array(bytes))))
    #expect(reader.id == "abcdef01-0203-0405-0607-08090a0b0cfe")
    #expect(reader.created == 1_700_000_000_250)
    #expect(reader.due == -1)
    #expect(reader.measured == 0.25)
    #expect(reader.price == 1999)
    #expect(reader.color == 0x010203)
    #expect(reader.mood == "bad")
    #expect(Array(reader.visits) == [1_700_000_000_250, -62_135_769_600_000])
    #expect(reader.open?.slack == 60_000)
  }

  @Test("A date has the precision of its field as soon as it is set, so that an object in hand equals the stored one")
  func rounding() async throws {
    let date = Date(timeIntervalSince1970: 1_700_000_000.123_6)
    let order = Order(id: Self.id, created: date, due: date)
    #expect(order.created.timeIntervalSince1970 == 1_700_000_000.124)
    #expect(order.due?.timeIntervalSince1970 == 1_700_000_000)
    try await withWorkspace { workspace in
      let seen = try await store(order, in: workspace)
      let fetched = try #require(workspace.fetch(for: Order.self).where(Order.id == Self.id).first)
      #expect(fetched == seen)
      #expect(workspace.fetch(for: Order.self).where(Order.created == date).count == 1)
      #expect(workspace.fetch(for: Order.self).where(Order.due == date).count == 1)
    }
  }

  /// Stores a copy of an object, and returns what its transaction says is stored.
  private func store(_ order: Order, in workspace: any Workspace) async throws -> Order? {
    try await workspace.performChanges([Order.self]) { transaction in
      let request = Shop.OrderChangeRequest.creationRequest(order)
      if case .inserted(let order) = try transaction.submit(request) { return order }
      return nil
    }
  }

  @Test("Nanoseconds that no Date can tell apart are kept by who changes another field")
  func nanosecondsAreKept() async throws {
    let stored: Int64 = 1_700_000_000_123_456_789
    var builder = FlatBufferBuilder()
    let root = Shop.OrderReader.create(
      in: &builder, id: builder.create("abcdef01-0203-0405-0607-08090a0b0cfe"), precise: stored)
    try builder.finish(root)
    var order = Shop.OrderBuilder(Order.from(byteBuffer: builder.finishedBuffer()))
    order.rate = 1
    let reader = try #require(Shop.OrderReader(root: ByteBuffer(Array(try order.build().toData()))))
    #expect(reader.precise == stored)
    #expect(reader.rate == 10_000)
  }

  private static let refusals: [(field: String, change: @Sendable (inout Shop.OrderBuilder) -> Void)] = [
    ("Order.precise", { $0.precise = .distantFuture }),
    ("Order.created", { $0.created = Date(timeIntervalSince1970: .nan) }),
    ("Order.due", { $0.due = Date(timeIntervalSince1970: 1e300) }),
    ("Order.took", { $0.took = .seconds(Int64.max) }),
    ("Order.price", { $0.price = 0.001 }),
    ("Order.price", { $0.price = Decimal(Int64.max) }),
    ("Order.price", { $0.price = .nan }),
    ("Order.rate", { $0.rate = 214_748.3648 }),
    ("Order.mood", { $0.mood = .secret }),
    ("Order.visits", { $0.visits = [ValuesTests.noon, Date(timeIntervalSince1970: 1e16)] }),
    ("Order.prices", { $0.prices = [1, 0.125] }),
    ("Payment.at", { $0.payment = Shop.Payment(at: Date(timeIntervalSince1970: -1)) }),
    ("Payment.amount", { $0.payments = [Shop.Payment(), Shop.Payment(amount: 0.009)] }),
    ("Period.slack", { $0.open = Shop.Period(slack: .seconds(-1)) }),
    ("Period.slack", { $0.periods = [Shop.Period(), Shop.Period(slack: .seconds(5_000_000))] }),
    ("Period.from", { $0.proof = .period(Shop.Period(from: Date(timeIntervalSince1970: .infinity))) }),
    ("Period.until", { $0.week = Shop.Week(usual: Shop.Period(until: Date(timeIntervalSince1970: -1e300))) }),
    (
      "Period.slack",
      {
        var days = [Shop.Period](repeating: Shop.Period(), count: 7)
        days[6].slack = .seconds(-1)
        $0.week = Shop.Week(days: days)
      }
    ),
  ]

  @Test("A value that its field cannot hold is kept until it is written, which fails and names the field")
  func refusals() async throws {
    try await withWorkspace(errorHandler: { _ in }) { workspace in
      for (field, change) in Self.refusals {
        var builder = Shop.OrderBuilder(full())
        change(&builder)
        let order = builder.build()
        #expect(order != full(), "\(field)")
        let error = #expect(throws: FlatBufferError.self, "\(field)") { try order.toData() }
        guard case .unstorableValue(field, _)? = error else {
          Issue.record("\(field): \(String(describing: error))")
          continue
        }
        await #expect(throws: (any Error).self, "\(field)") { try await store(order, in: workspace) }
        #expect(workspace.fetch(for: Order.self).all().isEmpty)
      }
    }
    #expect(Shop.OrderBuilder(full()).build() == full())
  }

  @Test("The error of a value that was not stored says what it is, and why")
  func messages() {
    func message(_ change: (inout Shop.OrderBuilder) -> Void) -> String {
      var builder = Shop.OrderBuilder(full())
      change(&builder)
      do {
        _ = try builder.build().toData()
        return ""
      } catch {
        return "\(error)"
      }
    }
    #expect(
      message { $0.price = 0.001 }
        == "The field Order.price cannot hold what it was given: a Decimal that is no number of at most 2 decimal places: 0.001."
    )
    #expect(
      message { $0.precise = .distantFuture }.contains("beyond what nanoseconds in an Int64 can count: 4001-01-01"))
    #expect(message { $0.mood = .secret } == "The field Order.mood cannot hold what it was given: Secret().")
    var builder = Shop.OrderBuilder(full())
    builder.price = 0.001
    #expect(builder.price == 0.001)
  }

  @Test("A stored text that is no UUID or URL reads as none, and stays as it is")
  func malformedTexts() throws {
    let texts = [
      "", "ABCDEF01-0203-0405-0607-08090A0B0CFE", "abcdef01-0203-0405-0607-08090a0b0cf",
      "gbcdef01-0203-0405-0607-08090a0b0cfe",
    ]
    for text in texts {
      var builder = FlatBufferBuilder()
      let parts = builder.create(vector: [text, "abcdef01-0203-0405-0607-08090a0b0cfe"])
      let root = Shop.OrderReader.create(
        in: &builder, id: builder.create(text), home: builder.create("http://[::"), tag: builder.create(text),
        parts: parts)
      try builder.finish(root)
      let order = Order.from(byteBuffer: builder.finishedBuffer())
      #expect(order.id == UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)), "\(text)")
      #expect(order.tag == nil, "\(text)")
      #expect(order.home == nil)
      #expect(order.parts == [Self.id])
      let reader = try #require(Shop.OrderReader(root: ByteBuffer(Array(try order.toData()))))
      #expect(reader.id == text && reader.tag == text && reader.home == "http://[::")
      #expect(Array(reader.parts).first == text)
    }
  }

  @Test("A URL with a default that is set to nil is read as nil, and one that is absent as the default")
  func urlWithADefaultSetToNil() throws {
    var builder = Shop.OrderBuilder(full())
    builder.site = nil
    let order = builder.build()
    let bytes = try order.toData()
    let read = try Order(verifying: bytes)
    #expect(read.site == nil)
    let reader = try #require(Shop.OrderReader(root: ByteBuffer(Array(bytes))))
    #expect(reader.site == "")
    #expect(try Order(verifying: full().toData()).site == URL(string: "https://example.com"))
  }

  @Test("An update that sets a URL to nil once more changes nothing, whether it has a default or not")
  func urlSetToNilOnceMore() async throws {
    var builder = Shop.OrderBuilder(full())
    builder.site = nil
    builder.home = nil
    // From its bytes, in which the site is an empty text.
    let order = try Order(verifying: builder.build().toData())
    try await withWorkspace { workspace in
      _ = try await store(order, in: workspace)
      let isIdentity = try await workspace.performChanges([Order.self]) { transaction -> Bool in
        let request = try #require(Shop.OrderChangeRequest.changeRequest(order))
        request.site = nil
        request.home = nil
        if case .identity = try transaction.submit(request) { return true }
        return false
      }
      #expect(isIdentity)
    }
  }

  @Test("JSON has what a Date, a Decimal and a UUID are encoded as, whatever the field stores")
  func codable() throws {
    let encoder = JSONEncoder()
    encoder.dateEncodingStrategy = .iso8601
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    let whole = Date(timeIntervalSince1970: 1_700_000_000)
    let order = Order(id: Self.id, created: whole, price: 0.75, home: URL(string: "https://a.b"), tag: nil, mood: .bad)
    let json = String(decoding: try encoder.encode(order), as: UTF8.self)
    #expect(json.contains("\"created\":\"2023-11-14T22:13:20Z\""))
    #expect(json.contains("\"id\":\"ABCDEF01-0203-0405-0607-08090A0B0CFE\""))
    #expect(json.contains("\"home\":\"https://a.b\""))
    #expect(json.contains("\"price\":0.75"))
    #expect(!json.contains("\"tag\""))
    #expect(try decoder.decode(Order.self, from: Data(json.utf8)) == order)
    let least = try decoder.decode(Order.self, from: Data(#"{"id": "ABCDEF01-0203-0405-0607-08090A0B0CFE"}"#.utf8))
    #expect(least == Order(id: Self.id))
  }

  @Test("A print of an object shows its values under their names")
  func printing() {
    let text = String(reflecting: Mirror(reflecting: Shop.OrderBuilder(full())).children.map { $0.label ?? "" })
    #expect(text.contains("\"created\"") && !text.contains("_created"))
  }

  @Test("Amounts of any size are compared exactly with a Decimal of more places")
  func largeAmounts() async throws {
    try await withWorkspace { workspace in
      let magnitudes: [Int64] = [0, 1, 1 << 51, 1 << 52, 1 << 53, 1 << 62, .max]
      let counts = Set(magnitudes.flatMap { (count: Int64) -> [Int64] in [count - 1, count, -count] }).sorted()
      _ = try await workspace.performChanges([Order.self]) { transaction in
        for (index, count) in counts.enumerated() {
          var order = Shop.OrderBuilder(full(UUID(uuid: (UInt8(index), 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))))
          order.price = Decimal(count) / 100
          try transaction.submit(Shop.OrderChangeRequest.creationRequest(order.build()))
        }
      }
      let all = Array(workspace.fetch(for: Order.self).all())
      #expect(all.count == counts.count)
      func check(_ query: QueryExpression<Bool, Order>, _ what: String, _ holds: (Order) -> Bool) {
        let found = workspace.fetch(for: Order.self).where(query)
        let isRight = Set(found.map(\.id)) == Set(all.filter(holds).map(\.id))
        #expect(isRight, "\(what): \(found.map(\.price)), not \(all.filter(holds).map(\.price))")
      }
      for count in counts {
        for offset in ["-0.005", "0", "0.005", "0.001"] {
          let limit = Decimal(count) / 100 + (Decimal(string: offset) ?? 0)
          check(Order.price < limit, "< \(limit)") { $0.price < limit }
          check(Order.price <= limit, "<= \(limit)") { $0.price <= limit }
          check(Order.price > limit, "> \(limit)") { $0.price > limit }
          check(Order.price >= limit, ">= \(limit)") { $0.price >= limit }
          check(Order.price == limit, "== \(limit)") { $0.price == limit }
          check(Order.price != limit, "!= \(limit)") { $0.price != limit }
          check(limit < Order.price, "\(limit) <") { limit < $0.price }
          check(limit >= Order.price, "\(limit) >=") { limit >= $0.price }
          check(Order.price.in([limit, 1]), "in \(limit)") { $0.price == limit || $0.price == 1 }
        }
      }
    }
  }

  @Test("A text that URL spells differently is no URL, since no query for the URL would find it")
  func otherSpelling() {
    #expect(URLMapping.value(of: "https://example.com/%C3%A4")?.absoluteString == "https://example.com/%C3%A4")
    for text in ["https://example.com/ä", "https://example.com/a b", ""] {
      if let url = URLMapping.value(of: text) { #expect(url.absoluteString == text) }
    }
    #expect(URLMapping.value(of: "https://example.com/ä") == nil)
  }

  @Test("Queries compare with dates, durations, decimals, UUIDs, URLs and the app's types, with an index and without")
  func queries() async throws {
    try await withWorkspace { workspace in
      let count = 40
      _ = try await workspace.performChanges([Order.self]) { transaction in
        for index in 0..<count {
          var order = Shop.OrderBuilder(full(UUID(uuid: (UInt8(index), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))))
          order.created = Self.noon + Double(index)
          order.due = index % 4 == 0 ? nil : Self.noon + Double(index) - 10.25
          order.precise = Self.noon + Double(index) * 2 - 10
          order.measured = Self.noon + Double(index) / 2
          order.took = .milliseconds(index)
          order.price = Decimal(index) / 4
          order.color = Theme.Color(red: 0, green: UInt8(index), blue: 0)
          order.mood = index % 2 == 0 ? .good : .bad
          order.home = URL(string: "https://example.com/\(index)")
          if index % 2 == 0 { order.site = order.home }
          order.tag = index % 3 == 0 ? nil : order.id
          order.payment = Shop.Payment(at: Self.noon + Double(index), amount: Decimal(index))
          order.proof = index % 2 == 0 ? .period(Shop.Period(from: order.created)) : .payment(Shop.Payment())
          order.week = Shop.Week(usual: Shop.Period(from: Self.noon + Double(index)))
          try transaction.submit(Shop.OrderChangeRequest.creationRequest(order.build()))
        }
      }
      let all = Array(workspace.fetch(for: Order.self).all())
      #expect(all.count == count)
      func check(_ query: QueryExpression<Bool, Order>, _ line: Int = #line, _ holds: (Order) -> Bool) {
        let found = workspace.fetch(for: Order.self).where(query)
        #expect(Set(found.map(\.id)) == Set(all.filter(holds).map(\.id)), "line \(line)")
        #expect(!found.isEmpty && found.count < count, "line \(line)")
      }
      let middle = Self.noon + 20
      check(Order.created > middle) { $0.created > middle }
      check(Order.created <= middle && Order.created != middle) { $0.created < middle }
      check(Order.created == middle) { $0.created == middle }
      check(Order.created.in([middle, middle + 1, .distantFuture])) { [middle, middle + 1].contains($0.created) }
      check(Order.due == nil) { $0.due == nil }
      check(Order.due != nil && Order.due > middle) { $0.due.map { $0 > middle } ?? false }
      check(Order.precise < middle) { $0.precise < middle }
      check(Order.measured >= middle - 10) { $0.measured >= middle - 10 }
      check(Order.took < .milliseconds(7)) { $0.took < .milliseconds(7) }
      check(Order.wait < .seconds(3) && Order.price == 2.25) { $0.price == 2.25 }
      check(Order.price > 2.251) { $0.price > 2.251 }
      check(Order.price < 2.251) { $0.price < 2.251 }
      check(Order.id == all[3].id) { $0.id == all[3].id }
      check(Order.id > all[3].id) { $0.id.uuidString > all[3].id.uuidString }
      check(Order.home == all[5].home) { $0.home == all[5].home }
      check(Order.color >= Theme.Color(red: 0, green: 9, blue: 0)) { $0.color.green >= 9 }
      check(Order.mood == .bad) { $0.mood == .bad }
      check(Order.open.slack == .seconds(60) && Order.created < middle) { $0.created < middle }
      check(Order.rate < 0 && Order.created < middle) { $0.created < middle }
      check(Order.site == URL(string: "https://example.com")) { $0.site == URL(string: "https://example.com") }
      check(Order.tag != nil) { $0.tag != nil }
      check(Order.tag == all[5].tag) { $0.tag == all[5].tag }
      check(Order.payment.at > middle) { $0.created > middle }
      check(Order.payment.amount < 7.5) { ($0.payment?.amount ?? 100) < 7.5 }
      check(Order.proof.as(Shop.Period.self).from < middle) { order in
        if case .period(let period)? = order.proof { period.from < middle } else { false }
      }
      check(Order.week.usual.from == middle) { $0.created == middle }
      // Fields of other units.
      check(Order.precise < Order.created) { $0.precise < $0.created }
      check(Order.created > Order.due) { order in order.due.map { order.created > $0 } ?? false }
      check(Order.measured < Order.precise) { $0.measured < $0.precise }
      for query in [
        Order.precise == .distantFuture, Order.price == 2.251, Order.mood == .secret,
        Order.created == Date(timeIntervalSince1970: .nan),
      ] {
        #expect(workspace.fetch(for: Order.self).where(query).isEmpty)
      }
      #expect(workspace.fetch(for: Order.self).where(Order.precise < .distantFuture).count == count)
      #expect(workspace.fetch(for: Order.self).where(Order.precise > .distantFuture).isEmpty)
      let ordered = workspace.fetch(for: Order.self).where(Order.created > middle, orderBy: [Order.created.descending])
      #expect(ordered.map(\.created) == all.map(\.created).filter { $0 > middle }.sorted(by: >))
    }
  }

  @Test("Conditions on the vectors look at their elements")
  func vectors() throws {
    let order = full()
    #expect((Order.visits.contains(Self.noon)).evaluate(order))
    #expect((Order.parts.contains(Self.id)).evaluate(order))
    #expect((Order.prices.contains(-5)).evaluate(order))
    #expect((Order.periods.count == 1).evaluate(order))
    #expect((Order.payments.count == 1).evaluate(order))
  }
}
