import Dflat

/// The objects that a transaction has fetched, so that it does not overwrite what another process has replaced since.
package struct FetchedObjects {
  /// The results as they were returned: to keep them copies nothing.
  private var results: [ContiguousArray<AnyObject>] = []
  private var count = 0
  /// The first fetched object of each row; nil until one is looked for, as has to be done only after a foreign commit.
  private var objects: [RowID: any StoredAtom]?
  /// The rows that the transaction has changed itself since.
  private var changedRows: Set<RowID> = []
  /// Whether more has been fetched than is kept.
  package private(set) var isIncomplete = false

  /// A closure that goes through more objects than that must not keep them all in memory.
  private static let limit = 10_000

  package init() {}

  package mutating func append(_ result: ContiguousArray<AnyObject>) {
    guard !result.isEmpty, !isIncomplete else { return }
    count += result.count
    objects = nil
    if count > FetchedObjects.limit {
      isIncomplete = true
      results = []
    } else {
      results.append(result)
    }
  }

  /// Notes that the transaction changes a row, which has been checked.
  package mutating func noteChange(of row: RowID) {
    guard !results.isEmpty else { return }
    changedRows.insert(row)
    if changedRows.count > FetchedObjects.limit {
      isIncomplete = true
      results = []
      changedRows = []
    }
  }

  /// The object as it was fetched first; nil if it was not fetched, or the transaction has changed it itself.
  package mutating func object(in row: RowID) -> (any StoredAtom)? {
    if changedRows.contains(row) { return nil }
    if objects == nil {
      var found: [RowID: any StoredAtom] = [:]
      for case let object as any StoredAtom in results.joined() {
        let row = RowID(type(of: object)._record, object._rowid)
        if found[row] == nil { found[row] = object }
      }
      objects = found
    }
    return objects?[row]
  }
}
