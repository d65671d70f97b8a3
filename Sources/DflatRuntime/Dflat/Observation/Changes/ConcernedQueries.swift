/// The standing queries that the changed rows of a transaction concern: those that a row matches, and those whose
/// results have it.
///
/// There may be as many pairs of a query and a row as there are objects in all results together. So a pair takes one
/// number of 32 bits, and pairs are grouped by query in linear time.
struct ConcernedQueries {
  /// A row that concerns a query, as its position among the changed rows.
  struct Row: BitwiseCopyable {
    /// The position, or its complement if the row does not match the query.
    private let code: Int32

    init(_ position: Int, isMatch: Bool) { code = isMatch ? Int32(position) : ~Int32(position) }

    /// The position of the row among the changed rows.
    var position: Int { Int(code >= 0 ? code : ~code) }
    var isMatch: Bool { code >= 0 }
  }

  /// The rows that concern one query: a range of `rows`.
  struct Group: BitwiseCopyable {
    let query: Int32
    /// The first index in `rows`.
    let start: Int
    let end: Int
  }

  /// The groups in the order of the queries; filled by `group`.
  private(set) var groups: ContiguousArray<Group> = []
  /// The rows of all groups, one group after another, each in the order of the rows.
  private(set) var rows: ContiguousArray<Row> = []
  /// The pairs of all rows, one row after another. If the row matches a query, the pair is the number of the query. If
  /// the row has matched it before the change and no longer does, the pair is the complement (`~`) of that number.
  private var pairs: ContiguousArray<Int32> = []
  /// For each query, the value of `markCount` when a row was last found to match it.
  private var marks: ContiguousArray<Int> = []
  private var markCount = 0

  /// The largest capacity of a list that is kept for the next transaction. A larger list is freed.
  private static let keptCount = 1024

  mutating func removeAll() {
    pairs.removeAll(keepingCapacity: pairs.capacity <= ConcernedQueries.keptCount)
    rows.removeAll(keepingCapacity: rows.capacity <= ConcernedQueries.keptCount)
    groups.removeAll(keepingCapacity: groups.capacity <= ConcernedQueries.keptCount)
  }

  /// Adds the pairs of a row.
  ///
  /// - Parameters:
  ///   - queryCount: a number above the numbers of all queries.
  ///   - members: the queries whose results have the row.
  ///   - appendMatches: appends the numbers of the queries that the row matches.
  /// - Returns: the range of the row's pairs.
  mutating func append(
    queryCount: Int, members: ContiguousArray<Int32>, matches appendMatches: (inout ContiguousArray<Int32>) -> Void
  ) -> Range<Int> {
    let start = pairs.count
    appendMatches(&pairs)
    if !members.isEmpty { appendMembers(members, matchesFrom: start, queryCount: queryCount) }
    return start..<pairs.count
  }

  private mutating func appendMembers(_ members: ContiguousArray<Int32>, matchesFrom start: Int, queryCount: Int) {
    while marks.count < queryCount { marks.append(0) }
    markCount += 1
    for index in start..<pairs.count { marks[Int(pairs[index])] = markCount }
    for query in members where marks[Int(query)] != markCount { pairs.append(~query) }
  }

  /// Returns the pairs of a row. A pair is the number of a query that the row matches. If the row was in the result of
  /// a query and no longer matches it, the pair is the complement (`~`) of the number of that query.
  func pairs(of row: ChangedRows.Row) -> ArraySlice<Int32> { pairs[row.pairs] }

  /// Fills `groups` and `rows` from the pairs of the changed rows.
  ///
  /// - Parameter changed: the changed rows in their order, with their pairs. Pairs of other rows are left out.
  mutating func group(_ changed: ContiguousArray<ChangedRows.Row>, queryCount: Int) {
    if pairs.isEmpty { return }
    if pairs.count < queryCount / 8 || pairs.count < 16 {
      var sorted: ContiguousArray<(query: Int32, row: Row)> = []
      for (position, row) in changed.enumerated() {
        for pair in pairs[row.pairs] { sorted.append((max(pair, ~pair), Row(position, isMatch: pair >= 0))) }
      }
      sorted.sort { ($0.query, $0.row.position) < ($1.query, $1.row.position) }
      for (index, pair) in sorted.enumerated() {
        rows.append(pair.row)
        if index + 1 == sorted.count || sorted[index + 1].query != pair.query {
          groups.append(Group(query: pair.query, start: groups.last?.end ?? 0, end: index + 1))
        }
      }
      return
    }
    // Counting sort, which keeps the order of the rows.
    var positions = ContiguousArray(repeating: 0, count: queryCount + 1)
    var groups = groups
    let rows = pairs.withUnsafeBufferPointer { pairs in
      positions.withUnsafeMutableBufferPointer { positions in
        for row in changed {
          for pair in pairs[row.pairs] { positions[Int(max(pair, ~pair)) + 1] += 1 }
        }
        for query in 0..<queryCount {
          let (start, end) = (positions[query], positions[query] + positions[query + 1])
          positions[query + 1] = end
          if start < end { groups.append(Group(query: Int32(query), start: start, end: end)) }
        }
        return ContiguousArray<Row>(unsafeUninitializedCapacity: positions[queryCount]) { rows, count in
          // Unchecked: each position below the number of pairs is written once.
          for (position, row) in changed.enumerated() {
            for pair in pairs[row.pairs] {
              let query = Int(max(pair, ~pair))
              rows[positions[query]] = Row(position, isMatch: pair >= 0)
              positions[query] += 1
            }
          }
          count = rows.count
        }
      }
    }
    (self.groups, self.rows) = (groups, rows)
  }
}
