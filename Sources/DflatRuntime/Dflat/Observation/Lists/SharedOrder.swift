import FlatBuffersCore

/// The order of standing queries with equal keys, which share the sort keys of the rows that a transaction has
/// changed.
final class SharedOrder {
  let order: SortOrder
  /// The number of queries that have this order.
  var queryCount = 0
  /// The sort keys by the positions of the rows among the changed ones.
  private var keys: [Int: SortKey] = [:]
  /// The sort keys of all changed rows. Empty at first: sorting all rows once pays only after many rows were sorted for
  /// one query after another.
  private var allKeys: ContiguousArray<SortKey?> = []
  /// The rank of each changed row in the order of the sort keys; empty if `allKeys` is.
  private var ranks: ContiguousArray<Int32> = []
  /// The positions of the rows by rank: the inverse of `ranks`.
  private var ranked: ContiguousArray<Int32> = []
  /// Scratch memory of `sortByRank`: a bit for each rank. All bits are 0 outside of it.
  private var wantedRanks: ContiguousArray<UInt64> = []
  /// The number of rows that were sorted for queries of the transaction.
  private var sortedCount = 0

  init(_ keys: [FetchKey]) { order = SortOrder(keys) }

  /// Returns the sort key of a row, made when the first query asks for it; nil if rows are ordered by their numbers
  /// alone, or the row was deleted.
  ///
  /// - Parameter position: the position of the row among `rows`, which `transaction` has changed.
  func key(
    ofRow position: Int, of rows: ContiguousArray<ChangedRows.Row>, in transaction: CommittedTransaction
  ) -> SortKey? {
    if order.isByRow { return nil }
    if !allKeys.isEmpty { return allKeys[position] }
    if let key = keys[position] { return key }
    let key = transaction.row(at: rows[position].change).flatMap(order.key)
    keys[position] = key
    return key
  }

  /// Sorts changed rows for one query.
  ///
  /// - Parameter positions: the positions of the rows among `rows`. None was deleted.
  func sort(
    _ positions: inout ContiguousArray<Int32>, of rows: ContiguousArray<ChangedRows.Row>,
    in transaction: CommittedTransaction
  ) {
    sortedCount += positions.count
    if ranks.isEmpty, sortedCount > rows.count { rankAll(rows, transaction) }
    if ranks.isEmpty {
      positions.sort { isBefore(Int($0), Int($1), rows, transaction) }
    } else if positions.count > wantedRanks.count / 8 {
      sortByRank(&positions)
    } else {
      positions.sort { ranks[Int($0)] < ranks[Int($1)] }
    }
  }

  /// Sorts by ranks without comparing. The time is linear in the number of positions and of words of `wantedRanks`.
  private func sortByRank(_ positions: inout ContiguousArray<Int32>) {
    for position in positions {
      let rank = Int(ranks[Int(position)])
      wantedRanks[rank / 64] |= 1 << (rank % 64)
    }
    var count = 0
    for word in wantedRanks.indices where wantedRanks[word] != 0 {
      var bits = wantedRanks[word]
      wantedRanks[word] = 0
      while bits != 0 {
        positions[count] = ranked[word * 64 + bits.trailingZeroBitCount]
        count += 1
        bits &= bits - 1
      }
    }
  }

  private func rankAll(_ rows: ContiguousArray<ChangedRows.Row>, _ transaction: CommittedTransaction) {
    let allKeys = ContiguousArray(rows.indices.map { key(ofRow: $0, of: rows, in: transaction) })
    self.allKeys = allKeys
    keys = [:]
    // Deleted rows have no key and no rank.
    let sorted = rows.indices.filter { allKeys[$0] != nil }.sorted { isBefore($0, $1, rows, transaction) }
    ranks = ContiguousArray(repeating: 0, count: rows.count)
    for (rank, position) in sorted.enumerated() { ranks[position] = Int32(rank) }
    ranked = ContiguousArray(sorted.map { Int32($0) })
    wantedRanks = ContiguousArray(repeating: 0, count: (sorted.count + 63) / 64)
  }

  private func isBefore(
    _ left: Int, _ right: Int, _ rows: ContiguousArray<ChangedRows.Row>, _ transaction: CommittedTransaction
  ) -> Bool {
    let leftKey = key(ofRow: left, of: rows, in: transaction)
    let rightKey = key(ofRow: right, of: rows, in: transaction)
    return order.order(leftKey, rows[left].rowid, rightKey, rows[right].rowid) < 0
  }

  /// Drops the sort keys when the transaction has been applied.
  func forgetKeys() {
    if sortedCount > 0 { (allKeys, ranks, ranked, wantedRanks, sortedCount) = ([], [], [], [], 0) }
    if !keys.isEmpty { keys = [:] }
  }
}
