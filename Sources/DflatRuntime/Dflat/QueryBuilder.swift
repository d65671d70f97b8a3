/// Fetches objects of one type: `workspace.fetch(for: Post.self)`.
///
/// What cannot be fetched is not there: a failure goes to the workspace's error handler, and the result is empty. The
/// same fetches by way of ``throwing`` throw it. A stored object whose bytes are damaged goes to the error handler either
/// way, and the others are returned.
public struct QueryBuilder<Element: Atom> {
  private let source: any FetchSource

  package init(_ source: any FetchSource) {
    self.source = source
  }

  /// The same fetches, which throw what goes wrong.
  public var throwing: ThrowingQueryBuilder<Element> { ThrowingQueryBuilder(source) }

  // MARK: Objects

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
    // Not by way of `answer`, which would have to look up the result's type: of a fetch by key that is a part to be felt.
    do throws(StoreError) {
      return try throwing.where(query, limit: limit, orderBy: orderBy)
    } catch {
      source.handle(error)
      return FetchedResult()
    }
  }

  /// All objects of the type; limit and order as in `where(_:limit:orderBy:)`.
  public func all(limit: Limit = .noLimit, orderBy: [OrderBy<Element>] = []) -> FetchedResult<Element> {
    answer(FetchedResult()) { () throws(StoreError) in try throwing.all(limit: limit, orderBy: orderBy) }
  }

  /// The first object for which `query` is true, in the order of `orderBy`; nil when there is none. No other is made.
  public func first(
    where query: QueryExpression<Bool, Element>, orderBy: [OrderBy<Element>] = []
  ) -> Element? {
    answer(nil) { () throws(StoreError) in try throwing.first(where: query, orderBy: orderBy) }
  }

  /// The first object in the order of `orderBy`; nil when there is none. No other is made.
  public func first(orderBy: [OrderBy<Element>] = []) -> Element? {
    answer(nil) { () throws(StoreError) in try throwing.first(orderBy: orderBy) }
  }

  // MARK: Numbers

  /// How many objects there are for which `query` is true. None is made, nor read where an index answers.
  ///
  /// An object whose bytes are damaged is counted where an index answers, though it could not be fetched.
  public func count(where query: QueryExpression<Bool, Element>) -> Int {
    answer(0) { () throws(StoreError) in try throwing.count(where: query) }
  }

  /// How many objects of the type there are. None is read, so that damaged ones count.
  public func count() -> Int {
    answer(0) { () throws(StoreError) in try throwing.count() }
  }

  /// Whether there is an object for which `query` is true. None is made, and none read after the first.
  ///
  /// As with `count(where:)`, an object whose bytes are damaged counts where an index answers.
  public func exists(where query: QueryExpression<Bool, Element>) -> Bool {
    answer(false) { () throws(StoreError) in try throwing.exists(where: query) }
  }

  /// Whether there is any object of the type. None is read.
  public func exists() -> Bool {
    answer(false) { () throws(StoreError) in try throwing.exists() }
  }

  private func answer<Answer>(_ none: Answer, _ fetch: () throws(StoreError) -> Answer) -> Answer {
    do throws(StoreError) {
      return try fetch()
    } catch {
      source.handle(error)
      return none
    }
  }
}

extension QueryBuilder where Element: FlatBuffersEncodable {
  // MARK: Pages

  /// The objects for which `query` is true, and that come after `object`: a page that follows the one whose last object it
  /// is. A later page takes no longer than the first where the order begins with an index or the primary key, ascending or
  /// of whole numbers; in other orders, what comes before it is passed over.
  ///
  /// - Parameters:
  ///   - query: the condition.
  ///   - limit: how many objects to return at most.
  ///   - orderBy: the order, as in `where(_:limit:orderBy:)`, and the same for all pages.
  ///   - object: the object to start after, as it was fetched; nil for the first page. It may have been changed or
  ///     deleted since: what counts are the values that it has here. One that was never stored comes before all stored
  ///     objects from which the order does not tell it apart.
  public func `where`(
    _ query: QueryExpression<Bool, Element>, limit: Limit = .noLimit, orderBy: [OrderBy<Element>] = [],
    after object: Element?
  ) -> FetchedResult<Element> {
    answer(FetchedResult()) { () throws(StoreError) in
      try throwing.where(query, limit: limit, orderBy: orderBy, after: object)
    }
  }

  /// All objects of the type that come after `object`; see `where(_:limit:orderBy:after:)`.
  public func all(
    limit: Limit = .noLimit, orderBy: [OrderBy<Element>] = [], after object: Element?
  ) -> FetchedResult<Element> {
    answer(FetchedResult()) { () throws(StoreError) in
      try throwing.all(limit: limit, orderBy: orderBy, after: object)
    }
  }
}

/// What can be asked for stored objects.
public protocol Queryable {
  /// Fetches objects of a type: go on with `where`, `all`, `first`, `count` or `exists`. On any thread.
  func fetch<Element: Atom>(for ofType: Element.Type) -> QueryBuilder<Element>

  /// Runs `closure` on the calling thread; every fetch in it on this thread sees one moment, whatever is committed
  /// meanwhile. Snapshots nest: the outermost one decides the moment.
  func fetchWithinASnapshot<T>(_ closure: () throws -> T) rethrows -> T
}
