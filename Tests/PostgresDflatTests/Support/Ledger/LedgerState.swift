import EngineTestSupport
import FlatBuffersCore
import Golden_post
import TestSupport

/// What the ledger's tables hold, as plain SQL shows them: without the engine, whose own fetches may be wrong.
struct LedgerState: Equatable, Sendable {
  struct Row: Equatable, Sendable {
    var title: String
    var tag: String
    var priority: Int
  }

  /// The versions of chains, and the journal.
  var posts: [Row] = []
  /// The balances of accounts.
  var accounts: [Int64: Int64] = [:]
  /// Minus the operation that has opened the order, or the one that has filled it.
  var orders: [Int64: Int64] = [:]
  /// Rows that are none of these.
  var problems: [String] = []

  init() {}

  /// Reads all rows of the tables in a schema, in one statement.
  init(_ server: PostgresServer, _ database: String, schema: String) throws {
    let lines = try server.psql(
      """
      SELECT 'post', encode(__pk0, 'escape'), encode(p, 'hex') FROM \(schema).post
      UNION ALL SELECT 'account', __pk0::text, encode(p, 'hex') FROM \(schema).test__thing_v1_1
      UNION ALL SELECT 'order', __pk0::text, encode(p, 'hex') FROM \(schema).register_b
      """, in: database)
    for line in lines.split(separator: "\n") { add(line) }
  }

  private mutating func add(_ line: Substring) {
    let parts = line.split(separator: "|", omittingEmptySubsequences: false)
    guard parts.count == 3, let table = FlatBufferTable(rootOf: ByteBuffer(Self.bytes(parts[2]))) else {
      problems.append("a row is no object: \(line)")
      return
    }
    let key = String(parts[1])
    switch parts[0] {
    case "post":
      let post = Post(table, _rowid: 0, _commitVersion: 0)
      if post.title != key { problems.append("the row of \(key) holds \(post.title)") }
      posts.append(Row(title: post.title, tag: post.tag ?? "", priority: Int(post.priority)))
    case "account":
      let account = Thing(table, _rowid: 0, _commitVersion: 0)
      if "\(account.id)" != key { problems.append("the row of account \(key) holds \(account.id)") }
      if accounts.updateValue(Int64(account.big), forKey: account.id) != nil {
        problems.append("account \(account.id) has two rows")
      }
    default:
      let order = LedgerIntent.Order(table, _rowid: 0, _commitVersion: 0)
      if "\(order.key)" != key { problems.append("the row of order \(key) holds \(order.key)") }
      if orders.updateValue(order.value, forKey: order.key) != nil {
        problems.append("order \(order.key) has two rows")
      }
    }
  }

  private static func bytes(_ digits: Substring) -> [UInt8] {
    let digits = Array(digits.utf8)
    return stride(from: 0, to: digits.count - 1, by: 2).map { index in
      UInt8(String(decoding: digits[index...index + 1], as: UTF8.self), radix: 16) ?? 0
    }
  }
}
