/// Which standing queries have a row in their results.
struct Membership {
  private var queries: [Int64: ContiguousArray<Int32>] = [:]

  /// The numbers of the queries that have the row.
  func queries(of rowid: Int64) -> ContiguousArray<Int32> { queries.isEmpty ? [] : queries[rowid] ?? [] }

  mutating func insert(_ query: Int, for rowid: Int64) { queries[rowid, default: []].append(Int32(query)) }

  mutating func remove(_ query: Int, from rowid: Int64) {
    guard let index = queries.index(forKey: rowid) else { return }
    let query = Int32(query)
    if let position = queries.values[index].firstIndex(of: query) {
      queries.values[index].swapAt(position, queries.values[index].count - 1)
      queries.values[index].removeLast()
    }
    if queries.values[index].isEmpty { queries.remove(at: index) }
  }
}
