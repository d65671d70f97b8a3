import Dflat
import FlatBuffersCore

/// How a fetch has used a row that its plan has found.
package enum RowUse {
  case used
  /// It was used, and no other row is needed.
  case last
  /// It does not hold an object.
  case damaged
}

/// Collects the objects of a fetch, and puts them in order.
///
/// With a limit, no more than a few times that many objects are held at any time. Not generic, since what it does for each
/// row would have to look the type up.
@usableFromInline
package struct FetchedRows: ~Copyable {
  @usableFromInline
  package var objects: ContiguousArray<AnyObject> = []
  /// The numbers of the objects' rows; empty if they are not kept.
  @usableFromInline
  package var rowids: ContiguousArray<Int64> = []
  /// For a standing query, what the objects are ordered by; empty if by their rows alone.
  @usableFromInline
  package var sortKeys: ContiguousArray<SortKey> = []
  @usableFromInline
  let sortOrder: SortOrder?
  @usableFromInline
  var keys: SortKeys
  @usableFromInline
  let limit: Int
  /// Whether rows come in their final order.
  @usableFromInline
  let isOrdered: Bool
  /// Whether no row is left out before `finish()`, and rows have no order but that of their numbers.
  @usableFromInline
  let isPlain: Bool
  /// Whether the rows' numbers are kept. Otherwise the rows have come in their final order until now.
  @usableFromInline
  var keepsRowids: Bool
  @usableFromInline
  var lastRowid = Int64.min
  @usableFromInline
  var isAscending = true
  /// Whether a row that comes after all those held cannot be among the first `limit`.
  @usableFromInline
  var hasBound = false
  /// The object that all rows to return come after, unless SQL returns no others.
  @usableFromInline
  var start: (keys: SortKeys, rowid: Int64)?

  /// The commit version at which the rows are read.
  @usableFromInline
  let commitVersion: UInt64

  /// - Parameters:
  ///   - isOrdered: whether the rows come in the order of the request.
  ///   - isStarted: whether they come after the object that the request starts after.
  ///   - order: the order of a standing query, for which the keys are kept.
  package init(
    _ request: FetchRequest, isOrdered: Bool, isStarted: Bool, readAt commitVersion: UInt64,
    keepingKeysOf order: SortOrder? = nil
  ) {
    self.commitVersion = commitVersion
    sortOrder = order
    let programs = request.orderBy.map { (QueryProgram($0.node), $0.isDescending) }
    keys = SortKeys(isOrdered ? [] : programs)
    limit = request.limit.count
    self.isOrdered = isOrdered
    if !isStarted, let start = request.start {
      var keys = SortKeys(programs)
      keys.append(start.row)
      self.start = (keys, start.rowid)
    }
    isPlain = start == nil && keys.isEmpty && order == nil
    keepsRowids = !isPlain
  }

  /// Whether no further row can be among those to return.
  @inlinable
  package var isFull: Bool { isOrdered && objects.count >= limit }

  /// Makes an object of the row, unless it is not among those to return.
  ///
  /// - Parameter budget: what the row is read within, until here.
  /// - Returns: false when the row leads to more than its bytes can hold.
  @inlinable @inline(__always)
  package mutating func append<Element: Atom>(
    _ row: FlatBufferTable, _ rowid: Int64, as _: Element.Type, within budget: ReadingBudget
  ) -> Bool {
    guard isPlain || canBeReturned(row, rowid) else { return true }
    objects.append(Element(row, _rowid: rowid, _commitVersion: commitVersion))
    guard budget.end() else {
      objects.removeLast()
      return false
    }
    if !keepsRowids, !isOrdered, rowid < lastRowid { keepRowids(of: Element.self) }
    if keepsRowids {
      if rowid < lastRowid { isAscending = false }
      rowids.append(rowid)
      if !isPlain { appendKeys(of: row) }
    }
    lastRowid = rowid
    return true
  }

  /// Has the rows' numbers kept from now on, with those of all objects but the last.
  @inlinable
  mutating func keepRowids<Element: Atom>(of _: Element.Type) {
    // Unchecked, as in `FetchedResult`: all of them were made as elements.
    for object in objects.dropLast() { rowids.append(unsafeDowncast(object, to: Element.self)._rowid) }
    keepsRowids = true
  }

  /// Whether a row can be among those to return, as far as the rows before tell.
  @usableFromInline
  func canBeReturned(_ row: FlatBufferTable, _ rowid: Int64) -> Bool {
    if let start, start.keys.order(row, rowid, toNumber: 0, rowid: start.rowid) <= 0 { return false }
    return !hasBound || keys.order(row, rowid, toNumber: limit - 1, rowid: rowids[limit - 1]) < 0
  }

  /// Keeps what the row that was appended last is ordered by.
  @usableFromInline
  mutating func appendKeys(of row: FlatBufferTable) {
    keys.append(row)
    if let key = sortOrder?.key(of: row) { sortKeys.append(key) }
    if !isOrdered, limit < 1 << 30, objects.count >= max(2 * limit, 512) { sortAndTruncate() }
  }

  /// Puts the objects in their order.
  package mutating func finish() {
    if isOrdered { return }
    if !keepsRowids {
      if objects.count > limit { objects.removeSubrange(limit...) }
    } else if !(keys.isEmpty && isAscending) || objects.count > limit {
      sortAndTruncate()
    }
  }

  @usableFromInline
  mutating func sortAndTruncate() {
    let order = keys.order(rowids: rowids).prefix(limit)
    objects = ContiguousArray(order.map { objects[$0] })
    rowids = ContiguousArray(order.map { rowids[$0] })
    if !sortKeys.isEmpty { sortKeys = ContiguousArray(order.map { sortKeys[$0] }) }
    keys.keep(order)
    hasBound = objects.count == limit
  }
}

/// The values by which rows are ordered, copied out of them. A row's values stand side by side.
@usableFromInline
struct SortKeys {
  private let programs: [(program: QueryProgram, isDescending: Bool)]
  private var values: ContiguousArray<Value> = []
  private var text: ContiguousArray<UInt8> = []

  private enum Value: BitwiseCopyable {
    case value(RowValue)
    /// The range of `text`.
    case text(start: Int, count: Int)
  }

  init(_ programs: [(program: QueryProgram, isDescending: Bool)]) {
    self.programs = programs
  }

  var isEmpty: Bool { programs.isEmpty }

  @usableFromInline
  mutating func append(_ row: FlatBufferTable) {
    for (program, _) in programs {
      program.withValue(for: row) { value in
        guard case .text(let bytes) = value else { return values.append(.value(value)) }
        values.append(.text(start: text.count, count: bytes.count))
        text.append(contentsOf: bytes)
      }
    }
  }

  /// The rows' numbers in their order: by the keys, and by rowid where these are the same.
  func order(rowids: ContiguousArray<Int64>) -> ContiguousArray<Int> {
    var order = ContiguousArray(0..<rowids.count)
    text.withUnsafeBytes { text in
      values.withUnsafeBufferPointer { values in
        rowids.withUnsafeBufferPointer { rowids in
          order.sort { lhs, rhs in
            for (index, key) in programs.enumerated() {
              let difference = RowValue.order(
                SortKeys.value(values[lhs * programs.count + index], text),
                SortKeys.value(values[rhs * programs.count + index], text))
              if difference != 0 { return key.isDescending ? difference > 0 : difference < 0 }
            }
            return rowids[lhs] < rowids[rhs]
          }
        }
      }
    }
    return order
  }

  /// The order of `row` and the row of number `other`: a negative number when `row` comes first, 0 for the same row.
  @usableFromInline
  func order(_ row: FlatBufferTable, _ rowid: Int64, toNumber other: Int, rowid otherRowid: Int64) -> Int {
    text.withUnsafeBytes { text in
      for (index, key) in programs.enumerated() {
        let difference = key.program.withValue(for: row) {
          RowValue.order($0, SortKeys.value(values[other * programs.count + index], text))
        }
        if difference != 0 { return key.isDescending ? -difference : difference }
      }
      return rowid < otherRowid ? -1 : rowid == otherRowid ? 0 : 1
    }
  }

  /// Forgets all rows but those of the given numbers, which come in this order from now on.
  mutating func keep(_ rows: some Collection<Int>) {
    var kept = SortKeys(programs)
    kept.values.reserveCapacity(rows.count * programs.count)
    for row in rows {
      for value in values[row * programs.count..<(row + 1) * programs.count] {
        if case .text(let start, let count) = value {
          kept.values.append(.text(start: kept.text.count, count: count))
          kept.text.append(contentsOf: text[start..<start + count])
        } else {
          kept.values.append(value)
        }
      }
    }
    self = kept
  }

  @inline(__always)
  private static func value(_ value: Value, _ text: UnsafeRawBufferPointer) -> RowValue {
    switch value {
    case .value(let value): value
    case .text(let start, let count): .text(UnsafeRawBufferPointer(rebasing: text[start..<start + count]))
    }
  }
}
