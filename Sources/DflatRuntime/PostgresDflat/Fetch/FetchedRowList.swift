import Dflat
import DflatEngine
import FlatBuffersCore

/// Collects the objects of a fetch, and puts them in order. With a limit, no more than a few times that many are held.
struct FetchedRowList: ~Copyable {
  private(set) var objects: ContiguousArray<AnyObject> = []
  private(set) var rowids: ContiguousArray<Int64> = []
  /// What the objects are ordered by; empty if by their rows alone.
  private(set) var sortKeys: ContiguousArray<SortKey> = []
  private let order: SortOrder
  private let limit: Int
  /// Whether rows come in their final order.
  private let isOrdered: Bool
  private let keepsKeys: Bool
  private var isAscending = true
  private let commitVersion: UInt64
  /// The object that all rows to return come after, unless SQL returns no others.
  private let start: (key: SortKey?, rowid: Int64)?

  /// - Parameters:
  ///   - isOrdered: whether the rows come in the order of the request.
  ///   - isStarted: whether they come after the object that the request starts after.
  ///   - keepsKeys: whether the keys are needed, for a standing query.
  init(_ request: FetchRequest, isOrdered: Bool, isStarted: Bool, keepsKeys: Bool, readAt commitVersion: UInt64) {
    order = SortOrder(request.orderBy)
    limit = request.limit.count
    self.isOrdered = isOrdered
    self.keepsKeys = keepsKeys
    self.commitVersion = commitVersion
    start = isStarted ? nil : request.start.map { [order] in (order.key(of: $0.row), $0.rowid) }
  }

  /// Whether no further row can be among those to return.
  var isFull: Bool { isOrdered && objects.count >= limit }

  /// Makes an object of the row, unless it is not among those to return.
  ///
  /// - Returns: false when the row leads to more than its bytes can hold.
  mutating func append<Element: Atom>(
    _ row: FlatBufferTable, _ rowid: Int64, as _: Element.Type, within budget: ReadingBudget
  ) -> Bool {
    let key = isOrdered && !keepsKeys && start == nil ? nil : order.key(of: row)
    if let start, order.order(key, rowid, start.key, start.rowid) <= 0 { return true }
    let object = Element(row, _rowid: rowid, _commitVersion: commitVersion)
    guard budget.end() else { return false }
    if let last = rowids.last, last > rowid { isAscending = false }
    objects.append(object)
    rowids.append(rowid)
    if let key { sortKeys.append(key) }
    if !isOrdered, limit < 1 << 30, objects.count >= max(2 * limit, 512) { sortAndTruncate() }
    return true
  }

  /// Puts the objects in their order.
  mutating func finish() {
    if !isOrdered, !(order.isByRow && isAscending) || objects.count > limit { sortAndTruncate() }
  }

  private mutating func sortAndTruncate() {
    let (order, keys, rows) = (order, sortKeys, rowids)
    let sorted = rows.indices.sorted { lhs, rhs in
      order.order(keys.isEmpty ? nil : keys[lhs], rows[lhs], keys.isEmpty ? nil : keys[rhs], rows[rhs]) < 0
    }.prefix(limit)
    objects = ContiguousArray(sorted.map { objects[$0] })
    rowids = ContiguousArray(sorted.map { rows[$0] })
    if !keys.isEmpty { sortKeys = ContiguousArray(sorted.map { keys[$0] }) }
    isAscending = false
  }
}
