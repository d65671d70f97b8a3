extension StandingQuery {
  /// What a transaction makes of one row, as the query sees it.
  struct RowEdit {
    let rowid: Int64
    // Not retained: the transaction has the object.
    let unretainedObject: Unmanaged<AnyObject>?
    /// What the object is ordered by; nil if by its row alone.
    let key: SortKey?

    /// - Parameter object: the object that the row holds; nil if it is deleted, or does not match.
    init(_ row: ChangedRows.Row, object: AnyObject?, key: SortKey?) {
      self.init(rowid: row.rowid, object: object, key: key)
    }

    init(rowid: Int64, object: AnyObject?, key: SortKey?) {
      self.rowid = rowid
      // An edit lives no longer than the transaction is applied.
      unretainedObject = object.map(Unmanaged.passUnretained)
      self.key = key
    }

    var object: AnyObject? { unretainedObject?.takeUnretainedValue() }
  }

  enum Outcome {
    case same
    case changed(ResultDifference)
    /// The database has to be asked which objects follow.
    case needsFetch
  }
}
