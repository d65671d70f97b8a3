/// The rows of one type that a transaction has changed: each once, as the transaction has left it, in the order of their numbers.
struct ChangedRows {
  struct Row: BitwiseCopyable {
    let rowid: Int64
    /// The position of the change among those of the transaction.
    let change: Int
    // Not retained, since a row may be looked at for each standing query. The transaction has the object.
    let unretainedObject: Unmanaged<AnyObject>?

    fileprivate init(_ change: RowChange, at position: Int) {
      rowid = change.rowid
      self.change = position
      unretainedObject = change.kind == .deleted ? nil : .passUnretained(change.object)
    }

    /// The object that the row holds, as long as the transaction is there; nil if the row was deleted.
    var object: AnyObject? { unretainedObject?.takeUnretainedValue() }
  }

  private(set) var all: ContiguousArray<Row> = []

  /// Room for more rows is not kept after a large transaction.
  private static let keptCount = 1024

  /// Takes the rows of another transaction.
  mutating func take(_ transaction: CommittedTransaction, of record: RecordDescription) {
    all.removeAll(keepingCapacity: all.capacity <= ChangedRows.keptCount)
    var last: Int64 = .min
    var isAscending = true
    transaction.changes.withUnsafeBufferPointer { changes in
      for position in changes.indices where changes[position].record === record {
        let row = Row(changes[position], at: position)
        if row.rowid <= last { isAscending = false }
        last = row.rowid
        all.append(row)
      }
    }
    if !isAscending { sort() }
  }

  private mutating func sort() {
    all.sort { ($0.rowid, $0.change) < ($1.rowid, $1.change) }
    // The last change of each row.
    var count = 0
    for index in all.indices where index + 1 == all.count || all[index + 1].rowid != all[index].rowid {
      all[count] = all[index]
      count += 1
    }
    all.removeLast(all.count - count)
  }
}
