import Dflat

/// The duplicate rows that prevent a unique index from being built: each holds the same value as another row, which has
/// the entry.
///
/// Ten pairs are enough to tell the app what to repair, and to notice cheaply that it has. While the rows of any pair
/// hold the same value, the index cannot be built, and nothing else has to be looked at.
struct DuplicateRows: Equatable {
  struct Pair: Equatable {
    /// The number of the row without an entry.
    let row: Int64
    /// The number of the row that has the entry.
    let holder: Int64
  }

  private(set) var pairs: [Pair] = []
  private static let limit = 10

  init() {}

  init(_ pairs: [Pair]) { self.pairs = pairs }

  mutating func append(_ row: Int64, holder: Int64) { pairs.append(Pair(row: row, holder: holder)) }

  var isEmpty: Bool { pairs.isEmpty }

  /// Whether there are enough pairs, so that no more are recorded.
  var isFull: Bool { pairs.count >= DuplicateRows.limit }

  /// Returns the values, and the numbers of the rows that hold them, for a message.
  static func description(of pairs: [(pair: Pair, value: String)]) -> String {
    var groups: [(holder: Int64, value: String, rows: [Int64])] = []
    for (pair, value) in pairs {
      if let index = groups.firstIndex(where: { $0.holder == pair.holder }) {
        groups[index].rows.append(pair.row)
      } else {
        groups.append((pair.holder, value, [pair.holder, pair.row]))
      }
    }
    return groups.map { group in
      "\(group.value) in the rows \(group.rows.sorted().map { "\($0)" }.joined(separator: ", "))"
    }.joined(separator: "; ")
  }
}
