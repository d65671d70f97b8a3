import Dflat
import FlatBuffersCore

/// The use that a fetch has made of a row that its plan has found.
package enum RowUse {
  case used
  /// The row was used, and no other one is needed.
  case last
  /// The row does not hold an object.
  case damaged
}

/// Collects the objects of a fetch, and puts them in order.
///
/// If it sorts rows for a request with a limit, it holds at most 512 objects, or twice the limit if that is more. The
/// type is not generic, since a generic one would look up the type's metadata for each row.
@usableFromInline
package struct FetchedRows: ~Copyable {
  @usableFromInline
  package var objects: ContiguousArray<AnyObject> = []
  /// The numbers of the objects' rows; empty unless `keepsRowids`.
  @usableFromInline
  package var rowids: ContiguousArray<Int64> = []
  /// The sort keys of the objects, for a standing query; empty if its order is that of the rows' numbers.
  @usableFromInline
  package var sortKeys: ContiguousArray<SortKey> = []
  @usableFromInline
  let sortOrder: SortOrder?
  @usableFromInline
  var keys: SortKeys
  @usableFromInline
  let limit: Int
  /// Whether rows arrive in their final order.
  @usableFromInline
  let isOrdered: Bool
  /// Whether `append` keeps every row, and rows are ordered only by their numbers.
  @usableFromInline
  let isPlain: Bool
  /// Whether the rows' numbers are kept. While they are not, the rows have arrived in their final order so far.
  @usableFromInline
  var keepsRowids: Bool
  @usableFromInline
  var lastRowid = Int64.min
  @usableFromInline
  var isAscending = true
  /// Whether the first `limit` objects are sorted: a row that comes after the last of them can be dropped.
  @usableFromInline
  var hasBound = false
  /// The object after which the page starts; nil if SQL already leaves out the rows up to it.
  @usableFromInline
  var start: (keys: SortKeys, rowid: Int64)?

  /// The commit version at which the rows are read.
  @usableFromInline
  let commitVersion: UInt64

  /// Makes an empty collection.
  /// - Parameters:
  ///   - isOrdered: whether the rows arrive in the order of the request.
  ///   - isStarted: whether SQL leaves out the rows up to the object that the request starts after.
  ///   - order: the order of a standing query, whose sort keys are kept; nil for other fetches.
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

  // Inlined for the benchmark row "fetch all": the engine calls it for each row.
  /// Adds the object of a row, unless the row cannot be among those to return.
  ///
  /// - Parameter budget: the budget of reading the row, which ends here.
  /// - Returns: false if the row refers to more than its bytes can hold: it is damaged, and is not added.
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

  /// Keeps the rows' numbers from now on, and adds those of all objects but the last, which `append` adds.
  @inlinable
  mutating func keepRowids<Element: Atom>(of _: Element.Type) {
    // Unchecked, as in `FetchedResult`: all of them were created as `Element`.
    for object in objects.dropLast() { rowids.append(unsafeDowncast(object, to: Element.self)._rowid) }
    keepsRowids = true
  }

  /// Returns whether a row may be among those to return, judged by the rows before it.
  @usableFromInline
  func canBeReturned(_ row: FlatBufferTable, _ rowid: Int64) -> Bool {
    if let start, start.keys.order(row, rowid, toNumber: 0, rowid: start.rowid) <= 0 { return false }
    return !hasBound || keys.order(row, rowid, toNumber: limit - 1, rowid: rowids[limit - 1]) < 0
  }

  /// Keeps the sort keys of the row that was appended last.
  @usableFromInline
  mutating func appendKeys(of row: FlatBufferTable) {
    keys.append(row)
    if let key = sortOrder?.key(of: row) { sortKeys.append(key) }
    if !isOrdered, limit < 1 << 30, objects.count >= max(2 * limit, 512) { sortAndTruncate() }
  }

  /// Sorts the objects, and drops those beyond the limit.
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

/// The values by which rows are sorted, copied from the rows. The values of a row are adjacent.
@usableFromInline
struct SortKeys {
  private let programs: [(program: QueryProgram, isDescending: Bool)]
  private var values: ContiguousArray<Value> = []
  private var text: ContiguousArray<UInt8> = []

  private enum Value: BitwiseCopyable {
    case value(RowValue)
    /// A range of `text`.
    case text(start: Int, count: Int)
    /// Bytes, which are a range of `text` as well.
    case bytes(start: Int, count: Int)
  }

  init(_ programs: [(program: QueryProgram, isDescending: Bool)]) {
    self.programs = programs
  }

  var isEmpty: Bool { programs.isEmpty }

  @usableFromInline
  mutating func append(_ row: FlatBufferTable) {
    for (program, _) in programs {
      program.withValue(for: row) { value in
        switch value {
        case .text(let content):
          values.append(.text(start: text.count, count: content.count))
          text.append(contentsOf: content)
        case .bytes(let content):
          values.append(.bytes(start: text.count, count: content.count))
          text.append(contentsOf: content)
        case .null, .integer, .unsigned, .wide, .real: values.append(.value(value))
        }
      }
    }
  }

  /// Returns the indexes of the rows, sorted by the keys, and by row number where the keys are equal.
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

  /// Compares `row` with the row at index `other`: negative if `row` comes first, 0 if they are the same row, else
  /// positive.
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

  /// Keeps only the sort keys of the rows at the given indexes, in the given order.
  mutating func keep(_ rows: some Collection<Int>) {
    var kept = SortKeys(programs)
    kept.values.reserveCapacity(rows.count * programs.count)
    for row in rows {
      for value in values[row * programs.count..<(row + 1) * programs.count] {
        switch value {
        case .value: kept.values.append(value)
        case .text(let start, let count):
          kept.values.append(.text(start: kept.text.count, count: count))
          kept.text.append(contentsOf: text[start..<start + count])
        case .bytes(let start, let count):
          kept.values.append(.bytes(start: kept.text.count, count: count))
          kept.text.append(contentsOf: text[start..<start + count])
        }
      }
    }
    self = kept
  }

  private static func value(_ value: Value, _ text: UnsafeRawBufferPointer) -> RowValue {
    switch value {
    case .value(let value): value
    case .text(let start, let count): .text(UnsafeRawBufferPointer(rebasing: text[start..<start + count]))
    case .bytes(let start, let count): .bytes(UnsafeRawBufferPointer(rebasing: text[start..<start + count]))
    }
  }
}
