/// The changes of a transaction to one list that is ordered by keys. `ObjectList.KeyedMerge` looks them up by row.
///
/// One value serves one standing query after another, so that tables that depend on the transaction alone are made
/// once, and memory is reused.
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

  private var positions = RowPositions()
  private var fates: ContiguousArray<Fate> = []
  /// The positions of the changed rows that the new list has.
  private(set) var wanted: ContiguousArray<Int32> = []
  /// The scratch memory of the merges.
  var plan = ObjectList.KeyedMerge.Plan()

  /// Prepares the edits for the lists that a transaction changes. No row is wanted yet.
  ///
  /// - Parameter rows: the rows that the transaction has changed, in ascending order of row numbers.
  mutating func begin(_ rows: ContiguousArray<ChangedRows.Row>) {
    positions = RowPositions(rows)
    fates = ContiguousArray(repeating: .unwanted, count: rows.count)
  }

  /// Whether no transaction has begun.
  var isEmpty: Bool { fates.isEmpty }

  /// Removes the edits of one list, before those of another list of the same transaction are added.
  mutating func removeAll() {
    for position in wanted { fates[Int(position)] = .unwanted }
    wanted.removeAll(keepingCapacity: true)
  }

  /// Ends the transaction, and frees the memory.
  mutating func end() { self = KeyedEdits() }

  /// Adds a changed row to the rows that the new list has.
  ///
  /// - Parameter position: the position of the row among the changed rows.
  mutating func want(_ position: Int) {
    wanted.append(Int32(position))
    fates[position] = .entering
  }

  /// Returns the position of a row among the changed rows; nil if the row has not changed.
  func position(of rowid: Int64) -> Int? { positions[rowid] }

  subscript(position: Int) -> Fate {
    get { fates[position] }
    set { fates[position] = newValue }
  }
}

/// The positions of changed rows by row number, looked up once for each object of each list that is merged.
private struct RowPositions {
  /// The positions, indexed by the distance from the least row number; -1 for a row that has not changed. Empty if
  /// the numbers lie too far apart.
  private var table: ContiguousArray<Int32> = []
  private var least: Int64 = 0
  /// The positions by row number, if there is no table.
  private var others: [Int64: Int32] = [:]

  /// The largest number of table entries for each row.
  private static let placesPerRow = 8

  init() {}

  /// Makes the positions of rows.
  ///
  /// - Parameter rows: the rows, in the order of row numbers.
  init(_ rows: ContiguousArray<ChangedRows.Row>) {
    guard let first = rows.first, let last = rows.last else { return }
    let (distance, isTooLong) = last.rowid.subtractingReportingOverflow(first.rowid)
    if !isTooLong, distance < rows.count * RowPositions.placesPerRow {
      least = first.rowid
      table = ContiguousArray(repeating: -1, count: Int(distance) + 1)
      for (position, row) in rows.enumerated() { table[Int(row.rowid - least)] = Int32(position) }
    } else {
      others.reserveCapacity(rows.count)
      for (position, row) in rows.enumerated() { others[row.rowid] = Int32(position) }
    }
  }

  subscript(rowid: Int64) -> Int? {
    if table.isEmpty { return others[rowid].map { Int($0) } }
    let (distance, isTooLong) = rowid.subtractingReportingOverflow(least)
    guard !isTooLong, distance >= 0, distance < table.count, table[Int(distance)] >= 0 else { return nil }
    return Int(table[Int(distance)])
  }
}
