/// Which standing queries the changed rows of a transaction concern: those that a row matches, and those whose result has it.
///
/// There may be as many pairs of a query and a row as objects in all results together. So a pair is two small numbers, and they
/// are grouped by query in linear time.
struct ConcernedQueries {
  /// A row that concerns a query.
  struct Row: BitwiseCopyable {
    /// The position of the row among the changed ones, or its complement if the row does not match.
    private let code: Int32

    init(_ position: Int, isMatch: Bool) { code = isMatch ? Int32(position) : ~Int32(position) }

    /// The position of the row among the changed ones.
    var position: Int { Int(code >= 0 ? code : ~code) }
    var isMatch: Bool { code >= 0 }
  }

  /// The rows that concern a query.
  struct Group: BitwiseCopyable {
    let query: Int32
    /// Where they are in `rows`.
    let start: Int
    let end: Int
  }

  private struct Pair: BitwiseCopyable {
    let query: Int32
    let row: Row
  }

  /// In the order of the queries, once they are grouped.
  private(set) var groups: ContiguousArray<Group> = []
  /// Those of each group, in their order.
  private(set) var rows: ContiguousArray<Row> = []
  private var pairs: ContiguousArray<Pair> = []
  /// For each query, the number of the row that it was last found to match.
  private var marks: ContiguousArray<Int> = []
  private var markCount = 0
  private var matches: ContiguousArray<Int32> = []

  /// Room for more pairs is not kept after a large transaction.
  private static let keptCount = 1024

  mutating func removeAll() {
    pairs.removeAll(keepingCapacity: pairs.capacity <= ConcernedQueries.keptCount)
    rows.removeAll(keepingCapacity: rows.capacity <= ConcernedQueries.keptCount)
    groups.removeAll(keepingCapacity: groups.capacity <= ConcernedQueries.keptCount)
  }

  /// Adds the pairs of a row.
  ///
  /// - Parameters:
  ///   - row: the position of the row among the changed ones.
  ///   - queryCount: a number above those of all queries.
  ///   - members: the queries whose results have the row.
  ///   - appendMatches: appends the numbers of the queries that the row matches.
  @inline(__always)
  mutating func append(
    row: Int, queryCount: Int, members: ContiguousArray<Int32>,
    matches appendMatches: (inout ContiguousArray<Int32>) -> Void
  ) {
    matches.removeAll(keepingCapacity: true)
    appendMatches(&matches)
    let match = Row(row, isMatch: true)
    if members.isEmpty {
      pairs.append(contentsOf: matches.lazy.map { Pair(query: $0, row: match) })
      return
    }
    while marks.count < queryCount { marks.append(0) }
    markCount += 1
    for query in matches { marks[Int(query)] = markCount }
    pairs.append(contentsOf: matches.lazy.map { Pair(query: $0, row: match) })
    for query in members where marks[Int(query)] != markCount {
      pairs.append(Pair(query: query, row: Row(row, isMatch: false)))
    }
  }

  /// Groups the pairs by query.
  mutating func group(queryCount: Int) {
    if pairs.isEmpty { return }
    if pairs.count < queryCount / 8 || pairs.count < 16 {
      pairs.sort { ($0.query, $0.row.position) < ($1.query, $1.row.position) }
      for (index, pair) in pairs.enumerated() {
        rows.append(pair.row)
        if index + 1 == pairs.count || pairs[index + 1].query != pair.query {
          groups.append(Group(query: pair.query, start: groups.last?.end ?? 0, end: index + 1))
        }
      }
      return
    }
    // Counting sort. It keeps the order of the rows.
    var positions = ContiguousArray(repeating: 0, count: queryCount + 1)
    for pair in pairs { positions[Int(pair.query) + 1] += 1 }
    for query in 0..<queryCount {
      let (start, end) = (positions[query], positions[query] + positions[query + 1])
      positions[query + 1] = end
      if start < end { groups.append(Group(query: Int32(query), start: start, end: end)) }
    }
    rows = ContiguousArray(unsafeUninitializedCapacity: pairs.count) { rows, count in
      // Each position below the number of pairs is met once.
      for pair in pairs {
        rows[positions[Int(pair.query)]] = pair.row
        positions[Int(pair.query)] += 1
      }
      count = pairs.count
    }
  }
}
