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

/// What a fetch asks for, apart from the type.
package struct FetchRequest<Element: Atom> {
  package var predicate: QueryNode?
  package var limit: Limit
  package var orderBy: [OrderBy<Element>]
  /// The object that the result comes after, in the order; nil when it begins with the first one.
  package var start: PageStart?

  package init(
    predicate: QueryNode?, limit: Limit = .noLimit, orderBy: [OrderBy<Element>] = [], start: PageStart? = nil
  ) {
    self.predicate = predicate
    self.limit = limit
    self.orderBy = orderBy
    self.start = start
  }
}

/// The object that a page comes after, in the form of a row, so that its place in the order is found as a row's is.
package struct PageStart {
  package let row: FlatBufferTable
  package let rowid: Int64

  /// - Throws: `StoreError.failed` when the object is too large for a row.
  package init(_ object: some Atom & FlatBuffersEncodable) throws(StoreError) {
    var builder = FlatBufferBuilder()
    let root = object.to(flatBufferBuilder: &builder)
    do {
      try builder.finish(root)
    } catch {
      throw .failed(error)
    }
    // The root was just written, so it is there.
    row = FlatBufferTable(rootOf: builder.finishedBuffer()) ?? .empty
    rowid = object._rowid
  }
}

/// What answers the fetches of a `QueryBuilder`.
package protocol FetchSource: AnyObject {
  func fetch<Element: Atom>(_ request: FetchRequest<Element>) throws(StoreError) -> FetchedResult<Element>

  /// The number of objects that a fetch would return. The order does not matter.
  func count<Element: Atom>(_ request: FetchRequest<Element>) throws(StoreError) -> Int

  /// Takes a failure that the caller is not told of.
  func handle(_ failure: StoreError)
}
