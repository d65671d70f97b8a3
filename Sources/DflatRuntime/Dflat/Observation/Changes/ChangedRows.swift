import FlatBuffersCore

/// The rows of one type that a transaction has changed. Once sorted, each is there once, with its last change, in the
/// order of row numbers.
struct ChangedRows {
  struct Row: BitwiseCopyable {
    let rowid: Int64
    /// The position of the row's change among the transaction's changes.
    let change: Int
    // Not retained, since a row may be looked at for each standing query. The transaction holds the object.
    let unretainedObject: Unmanaged<AnyObject>?
    private var firstPair = 0
    private var endPair = 0

    fileprivate init(_ change: RowChange, at position: Int) {
      rowid = change.rowid
      self.change = position
      unretainedObject = change.kind == .deleted ? nil : .passUnretained(change.object)
    }

    /// The range of the row's pairs in `ConcernedQueries`: the queries that the change concerns.
    fileprivate(set) var pairs: Range<Int> {
      get { firstPair..<endPair }
      set { (firstPair, endPair) = (newValue.lowerBound, newValue.upperBound) }
    }

    /// The object that the row holds, valid as long as the transaction; nil if the row was deleted.
    var object: AnyObject? { unretainedObject?.takeUnretainedValue() }
  }

  private(set) var all: ContiguousArray<Row> = []
  /// Whether each row is there once, in the order of row numbers.
  private var isSorted = true
  /// The row numbers, for `contains(_:)`; nil until its first call.
  private var numbers: Set<Int64>?

  /// The largest capacity of `all` that is kept for the next transaction. A larger list is freed.
  private static let keptCount = 1024

  var isEmpty: Bool { all.isEmpty }

  /// Replaces the rows by those of a transaction, sorted.
  mutating func take(_ transaction: CommittedTransaction, of record: RecordDescription) {
    all.removeAll(keepingCapacity: all.capacity <= ChangedRows.keptCount)
    isSorted = true
    numbers = nil
    transaction.changes.withUnsafeBufferPointer { changes in
      for position in changes.indices where changes[position].record === record {
        append(Row(changes[position], at: position))
      }
    }
    sort()
  }

  /// Adds the row of a change, the last one of its transaction so far. Call `sort()` before the rows are used.
  ///
  /// - Parameters:
  ///   - position: the index of the change in the transaction.
  ///   - pairs: the range of the change's pairs in `ConcernedQueries`.
  mutating func append(_ change: RowChange, at position: Int, pairs: Range<Int>) {
    var row = Row(change, at: position)
    row.pairs = pairs
    append(row)
    numbers?.insert(row.rowid)
  }

  private mutating func append(_ row: Row) {
    if let last = all.last, row.rowid <= last.rowid { isSorted = false }
    all.append(row)
  }

  /// Returns whether a change of the row has been added.
  mutating func contains(_ rowid: Int64) -> Bool {
    guard let last = all.last else { return false }
    if isSorted, rowid > last.rowid { return false }
    if numbers == nil { numbers = Set(all.lazy.map(\.rowid)) }
    return numbers?.contains(rowid) ?? false
  }

  mutating func setPairs(_ pairs: Range<Int>, ofRowAt position: Int) { all[position].pairs = pairs }

  /// Sorts the rows, and keeps only the last change of each.
  mutating func sort() {
    if isSorted { return }
    isSorted = true
    all.sort { ($0.rowid, $0.change) < ($1.rowid, $1.change) }
    var count = 0
    for index in all.indices where index + 1 == all.count || all[index + 1].rowid != all[index].rowid {
      all[count] = all[index]
      count += 1
    }
    all.removeLast(all.count - count)
  }
}
