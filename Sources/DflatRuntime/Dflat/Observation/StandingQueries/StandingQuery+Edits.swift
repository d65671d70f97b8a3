extension StandingQuery {
  /// The change of one row by a transaction, as an edit of the result of one query.
  struct RowEdit {
    let rowid: Int64
    // Not retained: the transaction holds the object.
    let unretainedObject: Unmanaged<AnyObject>?
    /// The values that the object is ordered by; nil if by its row number alone.
    let key: SortKey?

    /// Makes an edit of a changed row.
    ///
    /// - Parameter object: the object that the row holds; nil if it is deleted or does not match.
    init(_ row: ChangedRows.Row, object: AnyObject?, key: SortKey?) {
      self.init(rowid: row.rowid, object: object, key: key)
    }

    init(rowid: Int64, object: AnyObject?, key: SortKey?) {
      self.rowid = rowid
      // Unretained: an edit lives no longer than the transaction is applied.
      unretainedObject = object.map(Unmanaged.passUnretained)
      self.key = key
    }

    var object: AnyObject? { unretainedObject?.takeUnretainedValue() }
  }

  enum Outcome {
    case same
    case changed(ResultDifference)
    /// The list is too short: the database has to be asked which objects follow.
    case needsFetch
  }
}
