/// Which standing queries the changed rows of a transaction concern: those that a row matches, and those whose result has it.
///
/// There may be as many pairs of a query and a row as objects in all results together. So a pair is two small numbers, and they
/// are grouped by query in linear time.
struct ConcernedQueries {
  struct Pair: BitwiseCopyable {
    let query: Int32
    /// The position of the row among the changed ones, or its complement if the row does not match.
    private let code: Int32

    init(_ query: Int32, row: Int, isMatch: Bool) {
      self.query = query
      code = isMatch ? Int32(row) : ~Int32(row)
    }

    var row: Int { Int(code >= 0 ? code : ~code) }
    var isMatch: Bool { code >= 0 }
  }

  /// Once they are grouped: those of one query follow each other, in the order of the rows.
  private(set) var pairs: ContiguousArray<Pair> = []
  private var grouped: ContiguousArray<Pair> = []
  /// For each query, the number of the row that it was last found to match.
  private var marks: ContiguousArray<Int> = []
  private var markCount = 0
  private var matches: ContiguousArray<Int32> = []

  /// Room for more pairs is not kept after a large transaction.
  private static let keptCount = 1024

  mutating func removeAll() {
    pairs.removeAll(keepingCapacity: pairs.capacity <= ConcernedQueries.keptCount)
    if grouped.capacity > ConcernedQueries.keptCount { grouped = [] }
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
    if members.isEmpty {
      for query in matches { pairs.append(Pair(query, row: row, isMatch: true)) }
      return
    }
    while marks.count < queryCount { marks.append(0) }
    markCount += 1
    for query in matches {
      marks[Int(query)] = markCount
      pairs.append(Pair(query, row: row, isMatch: true))
    }
    for query in members where marks[Int(query)] != markCount {
      pairs.append(Pair(query, row: row, isMatch: false))
    }
  }

  /// Groups the pairs by query.
  mutating func group(queryCount: Int) {
    if pairs.count < queryCount / 8 || pairs.count < 16 {
      pairs.sort { ($0.query, $0.row) < ($1.query, $1.row) }
      return
    }
    // Counting sort. It keeps the order of the rows.
    var positions = ContiguousArray(repeating: 0, count: queryCount + 1)
    for pair in pairs { positions[Int(pair.query) + 1] += 1 }
    for query in 0..<queryCount { positions[query + 1] += positions[query] }
    grouped.removeAll(keepingCapacity: true)
    grouped.append(contentsOf: pairs)
    for pair in pairs {
      grouped[positions[Int(pair.query)]] = pair
      positions[Int(pair.query)] += 1
    }
    swap(&pairs, &grouped)
  }
}
