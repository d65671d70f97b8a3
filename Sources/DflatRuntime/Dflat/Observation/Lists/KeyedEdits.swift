/// The changes of a transaction to one list that is ordered by keys. `ObjectList.KeyedMerge` looks them up by row.
///
/// One standing query after another fills it, so that what depends on the transaction alone is made once.
struct KeyedEdits {
  /// The effect of a change on the list.
  enum Fate: Equatable {
    /// The row is not in the new list.
    case unwanted
    /// The row comes into the list.
    case entering
    /// The row was in the list, and has another key.
    case moving(from: Int)
    /// The row was in the list, and has an equal key.
    case staying
  }

  /// The position of each changed row among all of them, by its number.
  private var positions: [RowNumber: Int32] = [:]
  private var fates: ContiguousArray<Fate> = []
  /// The positions of the rows that the list is to have.
  private(set) var wanted: ContiguousArray<Int32> = []

  /// Begins with another transaction.
  ///
  /// - Parameter rows: the rows that it has changed.
  mutating func begin(_ rows: ContiguousArray<ChangedRows.Row>) {
    positions.reserveCapacity(rows.count)
    for (position, row) in rows.enumerated() { positions[RowNumber(row.rowid)] = Int32(position) }
    fates = ContiguousArray(repeating: .unwanted, count: rows.count)
  }

  /// Whether a transaction has begun.
  var isEmpty: Bool { positions.isEmpty }

  /// Begins with another list.
  mutating func removeAll() {
    for position in wanted { fates[Int(position)] = .unwanted }
    wanted.removeAll(keepingCapacity: true)
  }

  /// Forgets the transaction.
  mutating func end() { self = KeyedEdits() }

  /// Has a changed row be in the list.
  mutating func want(_ position: Int) {
    wanted.append(Int32(position))
    fates[position] = .entering
  }

  /// The position of a row among the changed ones; nil if it has not changed.
  func position(of rowid: Int64) -> Int? { positions[RowNumber(rowid)].map { Int($0) } }

  subscript(position: Int) -> Fate {
    get { fates[position] }
    set { fates[position] = newValue }
  }
}
