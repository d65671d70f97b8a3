/// The standing queries that have a row in their results, for each row.
struct Membership {
  private struct Entry {
    var queries: ContiguousArray<Int32> = []
    /// The queries to be removed from `queries` later. A query may occur several times, and is removed as often.
    var removals: ContiguousArray<Int32> = []
    /// The object that a fetch has made of the row; nil if the row has changed since.
    var object: AnyObject?
    /// The commit version at which `object` was read.
    var version: UInt64 = 0

    /// The most queries of a row that are searched for each removal. With more, removals are collected and done
    /// together: one transaction may take a row out of thousands of results, and a search for each would take quadratic
    /// time.
    private static let searchedCount = 16

    /// Removes a query, at once or later.
    ///
    /// - Parameter counts: memory of zeros, indexed by query; it grows as needed and holds zeros again afterwards.
    /// - Returns: true if no query is left.
    mutating func remove(_ query: Int32, _ counts: inout ContiguousArray<Int32>) -> Bool {
      if queries.count > Entry.searchedCount {
        removals.append(query)
        // This bounds the passes over the queries that stay by the number of removals.
        if removals.count * 2 >= queries.count { takeOutRemovals(&counts) }
      } else if let position = queries.firstIndex(of: query) {
        queries.swapAt(position, queries.count - 1)
        queries.removeLast()
      }
      return queries.isEmpty
    }

    mutating func queriesOfChangedRow(_ counts: inout ContiguousArray<Int32>) -> ContiguousArray<Int32> {
      if object != nil { object = nil }
      if !removals.isEmpty { takeOutRemovals(&counts) }
      return queries
    }

    /// Records which queries marked in `isExchanged` have the row after its change.
    ///
    /// - Parameter pairs: the queries that the change concerns, as in `ConcernedQueries`.
    /// - Returns: true if no query has the row any more.
    mutating func exchange(
      _ pairs: ArraySlice<Int32>, _ isExchanged: ContiguousArray<Bool>, _ counts: inout ContiguousArray<Int32>
    ) -> Bool {
      if !removals.isEmpty { takeOutRemovals(&counts) }
      queries.removeAll { Int($0) < isExchanged.count && isExchanged[Int($0)] }
      for query in pairs where query >= 0 && Int(query) < isExchanged.count && isExchanged[Int(query)] {
        queries.append(query)
      }
      return queries.isEmpty
    }

    private mutating func takeOutRemovals(_ counts: inout ContiguousArray<Int32>) {
      let end = Int(removals.max() ?? 0) + 1
      if counts.count < end { counts.append(contentsOf: repeatElement(0, count: end - counts.count)) }
      for query in removals { counts[Int(query)] += 1 }
      queries.removeAll { query in
        guard query < counts.count, counts[Int(query)] > 0 else { return false }
        counts[Int(query)] -= 1
        return true
      }
      for query in removals { counts[Int(query)] = 0 }
      removals = []
    }
  }

  private var entries: [Int64: Entry] = [:]
  /// For each query, whether `endExchange` records its rows; nil unless a transaction is being applied to all queries.
  private var isExchanged: ContiguousArray<Bool>?
  /// For each query, how often it has to be removed from an entry. All are 0 except while `Entry.takeOutRemovals` runs.
  private var removalCounts: ContiguousArray<Int32> = []

  /// Returns the numbers of the queries that have a changed row, and forgets the row's object.
  mutating func queries(ofChangedRow rowid: Int64) -> ContiguousArray<Int32> {
    entries.isEmpty ? [] : storedQueries(ofChangedRow: rowid)
  }

  private mutating func storedQueries(ofChangedRow rowid: Int64) -> ContiguousArray<Int32> {
    guard let index = entries.index(forKey: rowid) else { return [] }
    return entries.values[index].queriesOfChangedRow(&removalCounts)
  }

  mutating func insert(_ query: Int, for rowid: Int64) {
    entries[rowid, default: Entry()].queries.append(Int32(query))
  }

  /// Records that a fetch of a query has found a row.
  ///
  /// - Parameters:
  ///   - object: the object that the fetch has made of the row.
  ///   - version: the last commit version that the object shows; 0 if it is not known.
  /// - Returns: `object`, or an object of the row that was read before at the same version, and so is equal. Results
  ///   that overlap share their objects by this.
  mutating func insert(
    _ query: Int, for rowid: Int64, _ object: AnyObject, readAt version: UInt64
  ) -> AnyObject {
    func add(to entry: inout Entry) -> AnyObject {
      entry.queries.append(Int32(query))
      if let known = entry.object, entry.version == version { return known }
      if version > 0 { (entry.object, entry.version) = (object, version) }
      return object
    }
    return add(to: &entries[rowid, default: Entry()])
  }

  /// Begins to collect the queries whose rows `endExchange` records together, after a transaction has been applied to
  /// all queries.
  mutating func beginExchange() { isExchanged = [] }

  /// Lets `endExchange` record the rows of a query whose result has exchanged most of its rows. To record them one by
  /// one takes a search in each row for each such query.
  ///
  /// - Returns: false if `beginExchange` was not called. Then the caller records the rows itself.
  mutating func defersRows(of query: Int) -> Bool {
    guard let count = isExchanged?.count else { return false }
    if count <= query { isExchanged?.append(contentsOf: repeatElement(false, count: query + 1 - count)) }
    isExchanged?[query] = true
    return true
  }

  /// Records the changed rows of the queries that `defersRows` has accepted. Of these rows, a query's result has those
  /// that match the query.
  mutating func endExchange(_ rows: ContiguousArray<ChangedRows.Row>, _ concerned: ConcernedQueries) {
    defer { isExchanged = nil }
    guard let isExchanged, !isExchanged.isEmpty else { return }
    for row in rows where !row.pairs.isEmpty {
      let pairs = concerned.pairs(of: row)
      if let index = entries.index(forKey: row.rowid) {
        if entries.values[index].exchange(pairs, isExchanged, &removalCounts) { entries.remove(at: index) }
      } else {
        var entry = Entry()
        if !entry.exchange(pairs, isExchanged, &removalCounts) { entries[row.rowid] = entry }
      }
    }
  }

  mutating func remove(_ query: Int, from rowid: Int64) {
    guard let index = entries.index(forKey: rowid) else { return }
    if entries.values[index].remove(Int32(query), &removalCounts) { entries.remove(at: index) }
  }
}
