import Dflat
import FlatBuffersCore

/// The objects that a transaction has fetched, and those that it has looked for in vain. They show whether another
/// process has replaced or stored one since.
package struct FetchedObjects {
  /// The results as they were returned, since keeping them copies nothing.
  private var results: [ContiguousArray<AnyObject>] = []
  private var count = 0
  /// The first object of each row among the first `indexedCount` results. A look-up adds the objects of later results. It is
  /// needed only after another process has committed, so most transactions never fill this.
  private var objects: [RowID: any StoredAtom] = [:]
  private var indexedCount = 0
  /// The rows that the transaction itself has changed since.
  private var changedRows: Set<RowID> = []
  /// The lowest row that the transaction has inserted in each table while it had the writer. All higher rows are its
  /// own, too, since nobody else could insert any.
  private var insertedRows: [ObjectIdentifier: Int64] = [:]
  /// The conditions for which the transaction has fetched all objects: no other object met one of them then.
  private var absent = AbsentObjects()
  /// The primary keys that were looked up in vain, and those of the objects in the first `keyedCount` results.
  private var keys: Set<RowKey> = []
  private var keyedCount = 0
  /// Whether more was fetched, or changed, than is kept. Then it is unknown which objects were replaced.
  package private(set) var isIncomplete = false
  /// Whether more was looked for in vain, or changed after that, than is kept.
  private var hasForgottenAbsences = false

  /// The most objects that are kept: a closure that goes through more must not hold them all in memory.
  private static let limit = 10_000

  package init() {}

  /// Records the result of a fetch; an empty one for a count of 0.
  ///
  /// - Parameter othersMayCommit: whether another process may store what the fetch did not find.
  package mutating func append(
    _ result: ContiguousArray<AnyObject>, of request: FetchRequest, _ record: RecordDescription, othersMayCommit: Bool
  ) {
    guard !isIncomplete else { return }
    // If the limit may have cut the result, it does not show which objects are absent. Nor does an object that was
    // found by its primary key: no other object can have that key.
    if othersMayCommit, !hasForgottenAbsences, request.start == nil, result.count < request.limit.count,
      result.isEmpty || request.primaryKey(of: record) == nil
    {
      absent.append(request.predicate, record)
    }
    guard !result.isEmpty else { return }
    count += result.count
    if count > FetchedObjects.limit { forget() } else { results.append(result) }
  }

  private mutating func forget() {
    self = FetchedObjects()
    isIncomplete = true
  }

  private mutating func forgetAbsences() {
    (absent, keys, changedRows) = (AbsentObjects(), [], [])
    hasForgottenAbsences = true
  }

  /// Records that no object has a primary key.
  package mutating func noteAbsence(of key: RowKey) {
    guard !isIncomplete, !hasForgottenAbsences else { return }
    keys.insert(key)
    if keys.count <= FetchedObjects.limit { return }
    if results.isEmpty { forgetAbsences() } else { forget() }
  }

  /// Records that the transaction changes a row, after the row was checked.
  package mutating func noteChange(of row: RowID) {
    guard !results.isEmpty || !absent.isEmpty || !keys.isEmpty else { return }
    changedRows.insert(row)
    if changedRows.count <= FetchedObjects.limit { return }
    if results.isEmpty { forgetAbsences() } else { forget() }
  }

  /// Records the new rows of a set that was just applied by a transaction that has the writer.
  package mutating func noteInsertions(of set: WriteSet) {
    for index in set.writes.indices where set.writes[index].kind == .inserted {
      let type = ObjectIdentifier(set.writes[index].record)
      insertedRows[type] = min(insertedRows[type] ?? .max, set.actualRow(at: index))
    }
  }

  /// Returns the object as it was first fetched; nil if it was not fetched, or the transaction itself has changed it.
  package mutating func object(in row: RowID) -> (any StoredAtom)? {
    if changedRows.contains(row) { return nil }
    for case let object as any StoredAtom in results.dropFirst(indexedCount).joined() {
      let row = RowID(type(of: object)._record, object._rowid)
      if objects[row] == nil { objects[row] = object }
    }
    indexedCount = results.count
    return objects[row]
  }

  /// Returns whether the transaction would have found a stored object if it had been stored earlier: by its primary
  /// key, which the transaction has looked up in vain or found in another row, or by the condition of a fetch. Call it
  /// only if `object(in:)` returns nil for the row.
  ///
  /// - Parameter object: the object as it is stored, since conditions are about stored values.
  package mutating func wasAbsent(
    _ object: FlatBufferTable, in row: RowID, _ record: RecordDescription
  ) throws -> Bool {
    if changedRows.contains(row) { return false }
    if let first = insertedRows[row.record], row.rowid >= first { return false }
    if hasForgottenAbsences { return true }
    try keepKeys()
    if let key = RowKey.identity(of: object, record), keys.contains(key) { return true }
    return absent.contains(object, record)
  }

  /// Adds the primary keys of the latest results to `keys`.
  private mutating func keepKeys() throws {
    for case let object as any StoredAtom in results.dropFirst(keyedCount).joined() {
      if let key = try FetchedObjects.key(of: object) { keys.insert(key) }
    }
    keyedCount = results.count
  }

  private static func key<Element: StoredAtom>(of object: Element) throws -> RowKey? {
    try RowEncoder.with { encoder in
      RowKey.identity(of: FlatBufferTable(ofEncoded: try encoder.encode(object)), Element._record)
    }
  }
}
