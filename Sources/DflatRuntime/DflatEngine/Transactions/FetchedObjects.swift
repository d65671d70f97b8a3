import Dflat

/// The objects that a transaction has fetched. They show whether another process has replaced one since.
package struct FetchedObjects {
  /// The results as they were returned, since keeping them copies nothing.
  private var results: [ContiguousArray<AnyObject>] = []
  private var count = 0
  /// The first fetched object of each row; nil until a look-up, which is needed only after a commit of another process.
  private var objects: [RowID: any StoredAtom]?
  /// The rows that the transaction itself has changed since.
  private var changedRows: Set<RowID> = []
  /// Whether more was fetched, or changed, than is kept. Then it is unknown which objects were replaced.
  package private(set) var isIncomplete = false

  /// The most objects that are kept: a closure that goes through more must not hold them all in memory.
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

  /// Records that the transaction changes a row, after the row was checked.
  package mutating func noteChange(of row: RowID) {
    guard !results.isEmpty else { return }
    changedRows.insert(row)
    if changedRows.count > FetchedObjects.limit {
      isIncomplete = true
      results = []
      changedRows = []
    }
  }

  /// Returns the object as it was first fetched; nil if it was not fetched, or the transaction itself has changed it.
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
