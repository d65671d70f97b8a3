/// The fetches of objects of one type, as methods that throw: `try workspace.fetch(for: Post.self).throwing.all()`.
///
/// ```swift
/// do {
///   let posts = try workspace.fetch(for: Post.self).throwing.where(Post.priority > 2)
///   print(posts.count)
/// } catch {
///   print("not read, because \(error)")
/// }
/// ```
///
/// Use them where an empty result must not be mistaken for a failure, such as before a deletion. They read what the
/// methods of ``QueryBuilder`` read, on the calling thread, and wait as those do. The error handler is not told of an
/// error that they throw.
///
/// Damaged bytes of a stored object do not make a fetch fail: they are reported to the workspace's error handler, and
/// the other objects are returned.
///
/// See also: ``QueryBuilder/throwing``, ``StoreError``, Documentation/using-the-store.md (Errors).
public struct ThrowingQueryBuilder<Element: Atom>: Sendable {
  private let source: any FetchSource

  init(_ source: any FetchSource) {
    self.source = source
  }

  /// Returns the objects for which `query` is true; see `QueryBuilder`.
  ///
  /// - Throws: `StoreError`.
  public func `where`(
    _ query: QueryExpression<Bool, Element>, limit: Limit = .noLimit, orderBy: [OrderBy<Element>] = []
  ) throws(StoreError) -> FetchedResult<Element> {
    try source.fetch(FetchRequest(predicate: query._node, limit: limit, orderBy: orderBy))
  }

  /// Returns all objects of the type.
  ///
  /// - Throws: `StoreError`.
  public func all(
    limit: Limit = .noLimit, orderBy: [OrderBy<Element>] = []
  ) throws(StoreError) -> FetchedResult<Element> {
    try source.fetch(FetchRequest(predicate: nil, limit: limit, orderBy: orderBy))
  }

  /// Returns the first object for which `query` is true, in the order of `orderBy`; nil if there is none.
  ///
  /// - Throws: `StoreError`.
  public func first(
    where query: QueryExpression<Bool, Element>, orderBy: [OrderBy<Element>] = []
  ) throws(StoreError) -> Element? {
    try object(of: FetchRequest(predicate: query._node, limit: .limit(1), orderBy: orderBy))
  }

  /// Returns the first object in the order of `orderBy`; nil if there is none.
  ///
  /// - Throws: `StoreError`.
  public func first(orderBy: [OrderBy<Element>] = []) throws(StoreError) -> Element? {
    try object(of: FetchRequest(predicate: nil, limit: .limit(1), orderBy: orderBy))
  }

  /// Returns the first object of a result; nil if it is empty.
  func object(of request: FetchRequest) throws(StoreError) -> Element? { try source.fetch(request).fetchedObject }

  /// Returns the number of objects for which `query` is true; see `QueryBuilder`.
  ///
  /// - Throws: `StoreError`.
  public func count(where query: QueryExpression<Bool, Element>) throws(StoreError) -> Int {
    try source.count(FetchRequest(predicate: query._node), of: Element._record, type: Element.self)
  }

  /// Returns the number of objects of the type.
  ///
  /// - Throws: `StoreError`.
  public func count() throws(StoreError) -> Int {
    try source.count(FetchRequest(predicate: nil), of: Element._record, type: Element.self)
  }

  /// Returns whether there is an object for which `query` is true.
  ///
  /// - Throws: `StoreError`.
  public func exists(where query: QueryExpression<Bool, Element>) throws(StoreError) -> Bool {
    try source.count(FetchRequest(predicate: query._node, limit: .limit(1)), of: Element._record, type: Element.self)
      > 0
  }

  /// Returns whether there is any object of the type.
  ///
  /// - Throws: `StoreError`.
  public func exists() throws(StoreError) -> Bool {
    try source.count(FetchRequest(predicate: nil, limit: .limit(1)), of: Element._record, type: Element.self) > 0
  }
}

extension ThrowingQueryBuilder where Element: FlatBuffersEncodable {
  /// Returns the objects for which `query` is true and that come after `object` in the order; see `QueryBuilder`.
  ///
  /// - Throws: `StoreError`.
  public func `where`(
    _ query: QueryExpression<Bool, Element>, limit: Limit = .noLimit, orderBy: [OrderBy<Element>] = [],
    after object: Element?
  ) throws(StoreError) -> FetchedResult<Element> {
    try page(query._node, limit, orderBy, after: object)
  }

  /// Returns all objects of the type that come after `object` in the order; see `QueryBuilder`.
  ///
  /// - Throws: `StoreError`.
  public func all(
    limit: Limit = .noLimit, orderBy: [OrderBy<Element>] = [], after object: Element?
  ) throws(StoreError) -> FetchedResult<Element> {
    try page(nil, limit, orderBy, after: object)
  }

  private func page(
    _ predicate: QueryNode?, _ limit: Limit, _ orderBy: [OrderBy<Element>], after object: Element?
  ) throws(StoreError) -> FetchedResult<Element> {
    var request = FetchRequest(predicate: predicate, limit: limit, orderBy: orderBy)
    if let object { request.start = try PageStart(object) }
    return try source.fetch(request)
  }
}
