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

  package init(predicate: QueryNode?, limit: Limit, orderBy: [OrderBy<Element>]) {
    self.predicate = predicate
    self.limit = limit
    self.orderBy = orderBy
  }
}

/// What answers the fetches of a `QueryBuilder`.
package protocol FetchSource: AnyObject {
  func fetch<Element: Atom>(_ request: FetchRequest<Element>) -> FetchedResult<Element>
}

/// Fetches objects of one type: `workspace.fetch(for: Post.self)`.
public struct QueryBuilder<Element: Atom> {
  private let source: any FetchSource

  package init(_ source: any FetchSource) {
    self.source = source
  }

  /// The objects for which `query` is true.
  ///
  /// - Parameters:
  ///   - query: the condition.
  ///   - limit: how many objects to return at most.
  ///   - orderBy: the order. Objects that it does not tell apart, and all objects when it is empty, come in the order
  ///     in which they were stored.
  public func `where`(
    _ query: QueryExpression<Bool, Element>, limit: Limit = .noLimit, orderBy: [OrderBy<Element>] = []
  ) -> FetchedResult<Element> {
    source.fetch(FetchRequest(predicate: query._node, limit: limit, orderBy: orderBy))
  }

  /// All objects of the type; limit and order as in `where(_:limit:orderBy:)`.
  public func all(limit: Limit = .noLimit, orderBy: [OrderBy<Element>] = []) -> FetchedResult<Element> {
    source.fetch(FetchRequest(predicate: nil, limit: limit, orderBy: orderBy))
  }
}

/// What can be asked for stored objects.
public protocol Queryable {
  /// Fetches objects of a type: go on with `where` or `all`. On any thread.
  func fetch<Element: Atom>(for ofType: Element.Type) -> QueryBuilder<Element>

  /// Runs `closure` on the calling thread; every fetch in it on this thread sees one moment, whatever is committed
  /// meanwhile. Snapshots nest: the outermost one decides the moment.
  func fetchWithinASnapshot<T>(_ closure: () throws -> T) rethrows -> T
}
