import FlatBuffersCore

/// The order of standing queries that are ordered alike, which share the keys of the rows that a transaction has changed.
final class SharedOrder {
  let order: SortOrder
  /// How many queries have it.
  var queryCount = 0
  /// The keys by the positions of the rows among the changed ones.
  private var keys: [Int: SortKey] = [:]

  init(_ keys: [FetchKey]) { order = SortOrder(keys) }

  /// The key of a row, which is made for the first query that asks for it; nil if rows are ordered by their numbers alone.
  func key(ofRow position: Int, _ row: () -> FlatBufferTable?) -> SortKey? {
    if order.isByRow { return nil }
    if let key = keys[position] { return key }
    let key = row().flatMap(order.key)
    keys[position] = key
    return key
  }

  /// Forgets the keys, when the transaction has been applied.
  func forgetKeys() {
    if !keys.isEmpty { keys = [:] }
  }
}
