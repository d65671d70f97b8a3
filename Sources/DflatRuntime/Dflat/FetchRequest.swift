import FlatBuffersCore

/// How many objects a fetch returns at most.
public enum Limit: Hashable, Sendable {
  case noLimit
  /// At most so many; none when it is not positive.
  case limit(Int)

  /// The number as a count, `Int.max` when there is none.
  package var count: Int {
    switch self {
    case .noLimit: .max
    case .limit(let count): Swift.max(0, count)
    }
  }
}

/// A key by which objects are ordered.
package struct FetchKey {
  package let node: QueryNode
  package let isDescending: Bool
}

/// What a fetch asks for, apart from the type: it is not generic, since each fetch would have to look that type up.
package struct FetchRequest {
  package var predicate: QueryNode?
  package var limit: Limit
  package var orderBy: [FetchKey]
  /// The object that the result comes after, in the order; nil when it begins with the first one.
  package var start: PageStart?

  package init(predicate: QueryNode?, limit: Limit = .noLimit) {
    self.predicate = predicate
    self.limit = limit
    orderBy = []
    start = nil
  }

  package init<Element>(
    predicate: QueryNode?, limit: Limit, orderBy: [OrderBy<Element>]
  ) {
    self.predicate = predicate
    self.limit = limit
    // Most have none: then the type of the array need not be looked up.
    self.orderBy = orderBy.count == 0 ? [] : FetchRequest.keys(orderBy)
    start = nil
  }

  package init<Element>(predicate: QueryNode?, limit: Limit, orderBy: [OrderBy<Element>], start: PageStart?) {
    self.init(predicate: predicate, limit: limit, orderBy: orderBy)
    self.start = start
  }

  @inline(never)
  private static func keys<Element>(_ orderBy: [OrderBy<Element>]) -> [FetchKey] {
    orderBy.map { FetchKey(node: $0.node, isDescending: $0.isDescending) }
  }
}

/// The object that a page comes after, in the form of a row, so that its place in the order is found as a row's is.
package struct PageStart {
  package private(set) var row: FlatBufferTable
  package let rowid: Int64
  /// Writes the object of a row anew.
  private let rewritten: (FlatBufferTable) throws(StoreError) -> ByteBuffer

  /// - Throws: `StoreError.failed` when the object is too large for a row.
  package init<Element: Atom & FlatBuffersEncodable>(_ object: Element) throws(StoreError) {
    // The root was just written, so it is there.
    row = FlatBufferTable(rootOf: try PageStart.write(object)) ?? .empty
    rowid = object._rowid
    rewritten = { row throws(StoreError) in try PageStart.write(Element(row, _rowid: 0)) }
  }

  private static func write(_ object: some FlatBuffersEncodable) throws(StoreError) -> ByteBuffer {
    var builder = FlatBufferBuilder()
    let root = object.to(flatBufferBuilder: &builder)
    do {
      try builder.finish(root)
    } catch {
      throw .failed(error)
    }
    return builder.finishedBuffer()
  }

  /// The same object with the values of its row, while the row still holds it. A row may hold what an object cannot show,
  /// such as the number of an enum's case that this version does not know, and rows are ordered by what they hold.
  package func asStored(in bytes: UnsafeRawBufferPointer) throws(StoreError) -> PageStart {
    guard let stored = FlatBufferTable(rootOf: ByteBuffer(Array(bytes))) else { return self }
    let budget = ReadingBudget()
    defer { budget.end() }
    guard let row = FlatBufferTable(rootOf: bytes, within: budget) else { return self }
    let rewritten = try self.rewritten(row)
    let isSame = rewritten.withUnsafeBytes { mine in self.row.window.buffer.withUnsafeBytes { $0.elementsEqual(mine) } }
    guard isSame else { return self }
    var start = self
    start.row = stored
    return start
  }
}

/// What answers the fetches of a `QueryBuilder`.
package protocol FetchSource: AnyObject {
  func fetch<Element: Atom>(_ request: FetchRequest) throws(StoreError) -> FetchedResult<Element>

  /// The number of objects that a fetch would return. The order does not matter.
  func count(_ request: FetchRequest, of record: RecordDescription) throws(StoreError) -> Int

  /// Takes a failure that the caller is not told of.
  func handle(_ failure: StoreError)
}
