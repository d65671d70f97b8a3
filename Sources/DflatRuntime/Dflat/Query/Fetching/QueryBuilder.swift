/// The fetches of objects of one type: `workspace.fetch(for: Post.self)`.
///
/// ```swift
/// let urgent = workspace.fetch(for: Post.self).where(
///   Post.priority > 2 && Post.color == .green, limit: 10, orderBy: Post.priority.descending)
/// let hello = workspace.fetch(for: Post.self).by("Hello")
/// let count = workspace.fetch(for: Post.self).count(where: Post.tag != nil)
/// ```
///
/// Any thread may fetch, and the call returns when all objects of the result are in memory. A fetch sees all that was
/// committed before it began; in the closure of `performChanges` it also sees what the closure has submitted. A fetch
/// outside of that closure never waits for transactions or snapshots. It may wait for other fetches if many threads
/// fetch at once: on PostgreSQL, for a connection to the server.
///
/// These methods do not throw: if a fetch fails, the workspace's error handler gets the error, and the result is empty.
/// After a shutdown, the result is empty, and no error is reported. The methods of ``throwing`` throw the error
/// instead. The methods of ``async`` also throw it, and do not block the task. If the bytes of a stored object are
/// damaged, all three report that to the error handler and return the other objects.
///
/// See also: ``QueryExpression``, ``OrderBy``, ``FetchedResult``, Documentation/using-the-store.md (Queries, Limits and
/// pages, Counting).
public struct QueryBuilder<Element: Atom>: Sendable {
  private let source: any FetchSource

  package init(_ source: any FetchSource) {
    self.source = source
  }

  /// The fetches as methods that throw a ``StoreError``.
  ///
  /// ```swift
  /// let posts = try workspace.fetch(for: Post.self).throwing.where(Post.priority > 2)
  /// ```
  public var throwing: ThrowingQueryBuilder<Element> { ThrowingQueryBuilder(source) }

  /// The fetches as methods that do not block the calling task, and throw a ``StoreError``.
  ///
  /// ```swift
  /// let count = try await workspace.fetch(for: Post.self).async.count(where: Post.priority > 2)
  /// ```
  public var async: AsyncQueryBuilder<Element> { AsyncQueryBuilder(source) }

  // MARK: Objects

  /// Returns the objects for which `query` is true.
  ///
  /// ```swift
  /// let urgent = workspace.fetch(for: Post.self).where(
  ///   Post.priority > 2 && Post.tag != nil, limit: 10, orderBy: [Post.priority.descending, Post.title.ascending])
  /// ```
  ///
  /// The primary key or an index finds the rows if a part of the condition, or the order, allows it. Otherwise, every
  /// row of the type is read. No object is created for a row that does not match. `explain(where:limit:orderBy:)` says
  /// how a query is answered. If you need the number of objects alone, call `count(where:)`.
  ///
  /// See also: ``QueryExpression``, ``OrderBy``, Documentation/using-the-store.md (Queries, Indexes).
  ///
  /// - Parameters:
  ///   - query: the condition.
  ///   - limit: the maximum number of objects to return.
  ///   - orderBy: the keys of the order. Objects that are equal in every key, and all objects if there are no keys,
  ///     come in the order in which they were stored.
  /// - Returns: the objects; an empty result if the fetch has failed.
  @inlinable
  public func `where`(
    _ query: QueryExpression<Bool, Element>, limit: Limit = .noLimit, orderBy: [OrderBy<Element>] = []
  ) -> FetchedResult<Element> {
    result(of: FetchRequest(predicate: query._node, limit: limit, orderBy: orderBy))
  }

  /// Returns all objects of the type; limit and order as in `where(_:limit:orderBy:)`.
  ///
  /// ```swift
  /// let latest = workspace.fetch(for: Post.self).all(limit: 10, orderBy: [Post.priority.descending])
  /// ```
  ///
  /// All of them are in memory when the call returns. For more objects than fit, fetch pages with `after:`.
  ///
  /// See also: ``Limit``, Documentation/using-the-store.md (Limits and pages).
  ///
  /// - Returns: the objects; an empty result if the fetch has failed.
  @inlinable
  public func all(limit: Limit = .noLimit, orderBy: [OrderBy<Element>] = []) -> FetchedResult<Element> {
    result(of: FetchRequest(predicate: nil, limit: limit, orderBy: orderBy))
  }

  /// Returns the result of a fetch; if it fails, an empty one, which can be observed like any other.
  ///
  /// Does not call `answer`, which would look up the metadata of the result's type: a noticeable part of a fetch by
  /// key.
  @usableFromInline
  package func result(of request: FetchRequest) -> FetchedResult<Element> {
    do throws(StoreError) {
      return try source.fetch(request)
    } catch {
      source.handle(error)
      return emptyResult(of: request)
    }
  }

  /// Returns the result of a fetch. If it fails, returns the error without reporting it, and an empty result, which
  /// can be observed like any other.
  func observableResult(of request: FetchRequest) -> (result: FetchedResult<Element>, error: StoreError?) {
    do throws(StoreError) {
      return (try source.fetch(request), nil)
    } catch {
      return (emptyResult(of: request), error)
    }
  }

  private func emptyResult(of request: FetchRequest) -> FetchedResult<Element> {
    let origin = FetchOrigin(source: ObjectIdentifier(source), request: request, version: 0, isExact: false)
    return FetchedResult(unchecked: [], origin: origin)
  }

  /// Returns the first object for which `query` is true, in the order of `orderBy`; nil if there is none. No other
  /// object is created.
  ///
  /// ```swift
  /// let post = workspace.fetch(for: Post.self).first(where: Post.tag == "swift", orderBy: [Post.priority.descending])
  /// ```
  ///
  /// The call costs as much as `where` with a limit of 1. For the object with a primary key, call `by(_:)`.
  ///
  /// See also: Documentation/using-the-store.md (Counting).
  ///
  /// - Returns: the object; nil also if the fetch has failed.
  @inlinable
  public func first(
    where query: QueryExpression<Bool, Element>, orderBy: [OrderBy<Element>] = []
  ) -> Element? {
    firstObject(of: FetchRequest(predicate: query._node, limit: .limit(1), orderBy: orderBy))
  }

  /// Returns the first object in the order of `orderBy`; nil if there is none. No other object is created.
  @inlinable
  public func first(orderBy: [OrderBy<Element>] = []) -> Element? {
    firstObject(of: FetchRequest(predicate: nil, limit: .limit(1), orderBy: orderBy))
  }

  /// Returns the first object of a result; nil if it is empty or fails. Does not call `answer`, for the reason given
  /// at `result(of:)`.
  @usableFromInline
  func firstObject(of request: FetchRequest) -> Element? {
    do throws(StoreError) {
      return try source.fetch(request).fetchedObject
    } catch {
      source.handle(error)
      return nil
    }
  }

  // MARK: Counts

  /// Returns the number of objects for which `query` is true. No object is created, and no row is read if an index
  /// suffices.
  ///
  /// ```swift
  /// let urgentCount = workspace.fetch(for: Post.self).count(where: Post.priority > 2)
  /// ```
  ///
  /// Without such an index, it reads the rows that the query would read, without creating objects. If an index
  /// suffices, an object whose bytes are damaged is counted, although it cannot be fetched.
  ///
  /// See also: Documentation/using-the-store.md (Counting).
  ///
  /// - Returns: the number; 0 if the fetch has failed.
  public func count(where query: QueryExpression<Bool, Element>) -> Int {
    answer(0) { () throws(StoreError) in try throwing.count(where: query) }
  }

  /// Returns the number of objects of the type. No row is read, so damaged objects are counted.
  ///
  /// ```swift
  /// print(workspace.fetch(for: Post.self).count())
  /// ```
  ///
  /// The database counts its entries one by one, so the time grows with their number. To ask whether there is any, call
  /// `exists()`.
  ///
  /// See also: Documentation/using-the-store.md (Counting).
  ///
  /// - Returns: the number; 0 if the fetch has failed.
  public func count() -> Int {
    answer(0) { () throws(StoreError) in try throwing.count() }
  }

  /// Returns whether there is an object for which `query` is true. No object is created, and reading stops at the
  /// first match.
  ///
  /// ```swift
  /// let isTaken = workspace.fetch(for: Post.self).exists(where: Post.title == "Hello")
  /// ```
  ///
  /// As in `count(where:)`, an object whose bytes are damaged counts if an index suffices.
  ///
  /// See also: Documentation/using-the-store.md (Counting).
  ///
  /// - Returns: whether there is one; false if the fetch has failed.
  public func exists(where query: QueryExpression<Bool, Element>) -> Bool {
    answer(false) { () throws(StoreError) in try throwing.exists(where: query) }
  }

  /// Returns whether there is any object of the type. No row is read.
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

extension QueryBuilder {
  // MARK: Plans

  /// Returns how `where(_:limit:orderBy:)` would be answered now, without reading rows.
  ///
  /// ```swift
  /// print(try workspace.fetch(for: Post.self).explain(where: Post.priority > 3))
  /// ```
  ///
  /// The plan says whether rows are found by key, by an index or by a scan; which part of the condition is evaluated
  /// on the rows; and how the database runs the SQL.
  ///
  /// See also: ``QueryPlan``, Documentation/seeing-what-the-store-does.md.
  ///
  /// - Throws: `StoreError`.
  public func explain(
    where query: QueryExpression<Bool, Element>, limit: Limit = .noLimit, orderBy: [OrderBy<Element>] = []
  ) throws(StoreError) -> QueryPlan {
    try plan(of: FetchRequest(predicate: query._node, limit: limit, orderBy: orderBy))
  }

  /// Returns how `all(limit:orderBy:)` would be answered now; see `explain(where:limit:orderBy:)`.
  ///
  /// - Throws: `StoreError`.
  public func explain(limit: Limit = .noLimit, orderBy: [OrderBy<Element>] = []) throws(StoreError) -> QueryPlan {
    try plan(of: FetchRequest(predicate: nil, limit: limit, orderBy: orderBy))
  }

  private func plan(of request: FetchRequest) throws(StoreError) -> QueryPlan {
    guard request.limit.count > 0 else { return QueryPlan(type: "\(Element.self)") }
    return try source.explain(request, of: Element._record, type: "\(Element.self)")
  }
}

extension QueryBuilder where Element: FlatBuffersEncodable {
  // MARK: Pages

  /// Returns the objects for which `query` is true and that come after `object` in the order: the next page after the
  /// one that ends with `object`.
  ///
  /// ```swift
  /// let order = [Post.priority.descending, Post.title.ascending]
  /// var page = workspace.fetch(for: Post.self).all(limit: 2, orderBy: order)
  /// while let last = page.last {
  ///   print(page.map(\.title))
  ///   page = workspace.fetch(for: Post.self).all(limit: 2, orderBy: order, after: last)
  /// }
  /// ```
  ///
  /// A later page takes no longer than the first if the first key of the order is indexed or the primary key, and is
  /// ascending or an integer. In other orders, all rows before the page are skipped one by one.
  ///
  /// See also: Documentation/using-the-store.md (Limits and pages).
  ///
  /// - Parameters:
  ///   - query: the condition.
  ///   - limit: the maximum number of objects to return.
  ///   - orderBy: the keys of the order, as in `where(_:limit:orderBy:)`. They must be equal for all pages.
  ///   - object: the object to start after, as it was fetched; nil for the first page. Its own values determine its
  ///     position, even if the stored object has been changed or deleted since. An object that was never stored comes
  ///     before all stored objects that are equal to it in every key.
  public func `where`(
    _ query: QueryExpression<Bool, Element>, limit: Limit = .noLimit, orderBy: [OrderBy<Element>] = [],
    after object: Element?
  ) -> FetchedResult<Element> {
    page(query._node, limit, orderBy, after: object)
  }

  /// Returns all objects of the type that come after `object` in the order; see `where(_:limit:orderBy:after:)`.
  public func all(
    limit: Limit = .noLimit, orderBy: [OrderBy<Element>] = [], after object: Element?
  ) -> FetchedResult<Element> {
    page(nil, limit, orderBy, after: object)
  }

  private func page(
    _ predicate: QueryNode?, _ limit: Limit, _ orderBy: [OrderBy<Element>], after object: Element?
  ) -> FetchedResult<Element> {
    var request = FetchRequest(predicate: predicate, limit: limit, orderBy: orderBy)
    do throws(StoreError) {
      if let object { request.start = try PageStart(object) }
    } catch {
      source.handle(error)
      // The position of an object that cannot be encoded is unknown, so the page after it is empty.
      request.limit = .limit(0)
      return emptyResult(of: request)
    }
    return result(of: request)
  }
}
