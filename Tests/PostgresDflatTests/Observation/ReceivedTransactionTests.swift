import Testing

@testable import PostgresDflat

@Suite("Transactions that the stream of commits sends")
struct ReceivedTransactionTests {
  private static let relation = LogicalMessage.Relation(
    id: 1, schema: "public", name: "post", columns: ["rowid", "p"], identity: ["rowid"])

  private func tuple(_ rowid: Int, _ bytes: String) -> LogicalMessage.Tuple {
    [.text(ArraySlice("\(rowid)".utf8)), .text(ArraySlice("\\x\(bytes)".utf8))]
  }

  @Test("A large transaction counts as unknown, and its changes are not kept")
  func largeTransaction() {
    var transaction = ReceivedTransaction(schema: "public")
    for rowid in 1...(1 << 18) { transaction.append(.inserted, Self.relation, tuple(rowid, "00")) }
    #expect(!transaction.isUnknown && transaction.changes.count == 1 << 18)
    transaction.append(.deleted, Self.relation, tuple(0, ""))
    #expect(transaction.isUnknown && transaction.changes.isEmpty)
    transaction.append(.inserted, Self.relation, tuple(1, "00"))
    #expect(transaction.changes.isEmpty)
  }

  @Test("Large objects count as well")
  func largeObjects() {
    var transaction = ReceivedTransaction(schema: "public")
    let megabyte = String(repeating: "00", count: 1 << 20)
    for rowid in 1...64 { transaction.append(.updated, Self.relation, tuple(rowid, megabyte)) }
    #expect(!transaction.isUnknown)
    transaction.append(.updated, Self.relation, tuple(65, "00"))
    #expect(transaction.isUnknown && transaction.changes.isEmpty)
  }

  @Test("A row of another schema is left out")
  func anotherSchema() {
    var transaction = ReceivedTransaction(schema: "other")
    transaction.append(.inserted, Self.relation, tuple(1, "00"))
    #expect(!transaction.isUnknown && transaction.changes.isEmpty)
  }
}
