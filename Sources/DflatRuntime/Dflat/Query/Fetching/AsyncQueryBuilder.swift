import Dispatch

/// The fetches of objects of one type, as methods that do not block the calling task.
///
/// ```swift
/// let posts = try await workspace.fetch(for: Post.self).async.all()
/// ```
///
/// Use them in a server, where many tasks share few threads, and for fetches that take long. Where the calling thread
/// may wait for a file, the methods of ``QueryBuilder`` suffice.
///
/// Each fetch runs on a background queue, and so outside of transactions and snapshots, whose closures are bound to
/// their threads. While the fetch waits for a file or a server, it holds no thread of Swift's pool. Cancelling the task
/// does not end a fetch. The error handler is not told of an error that they throw.
///
/// See also: ``QueryBuilder/async``, ``StoreError``, Documentation/postgres-running.md (Blocked threads).
public struct AsyncQueryBuilder<Element: Atom>: Sendable {
  private let source: any FetchSource

  init(_ source: any FetchSource) {
    self.source = source
  }

  /// Returns the objects for which `query` is true; see `QueryBuilder`.
  ///
  /// - Throws: `StoreError`.
  public func `where`(
    _ query: QueryExpression<Bool, Element>, limit: Limit = .noLimit, orderBy: [OrderBy<Element>] = []
  ) async throws(StoreError) -> FetchedResult<Element> {
    try await fetch(FetchRequest(predicate: query._node, limit: limit, orderBy: orderBy))
  }

  /// Returns all objects of the type.
  ///
  /// - Throws: `StoreError`.
  public func all(
    limit: Limit = .noLimit, orderBy: [OrderBy<Element>] = []
  ) async throws(StoreError) -> FetchedResult<Element> {
    try await fetch(FetchRequest(predicate: nil, limit: limit, orderBy: orderBy))
  }

  /// Returns the first object for which `query` is true, in the order of `orderBy`; nil if there is none.
  ///
  /// - Throws: `StoreError`.
  public func first(
    where query: QueryExpression<Bool, Element>, orderBy: [OrderBy<Element>] = []
  ) async throws(StoreError) -> Element? {
    try await object(of: FetchRequest(predicate: query._node, limit: .limit(1), orderBy: orderBy))
  }

  /// Returns the first object in the order of `orderBy`; nil if there is none.
  ///
  /// - Throws: `StoreError`.
  public func first(orderBy: [OrderBy<Element>] = []) async throws(StoreError) -> Element? {
    try await object(of: FetchRequest(predicate: nil, limit: .limit(1), orderBy: orderBy))
  }

  /// Returns the first object of a result; nil if it is empty.
  func object(of request: FetchRequest) async throws(StoreError) -> Element? { try await fetch(request).fetchedObject }

  /// Returns the number of objects for which `query` is true; see `QueryBuilder`.
  ///
  /// - Throws: `StoreError`.
  public func count(where query: QueryExpression<Bool, Element>) async throws(StoreError) -> Int {
    try await count(FetchRequest(predicate: query._node))
  }

  /// Returns the number of objects of the type.
  ///
  /// - Throws: `StoreError`.
  public func count() async throws(StoreError) -> Int { try await count(FetchRequest(predicate: nil)) }

  /// Returns whether there is an object for which `query` is true.
  ///
  /// - Throws: `StoreError`.
  public func exists(where query: QueryExpression<Bool, Element>) async throws(StoreError) -> Bool {
    try await count(FetchRequest(predicate: query._node, limit: .limit(1))) > 0
  }

  /// Returns whether there is any object of the type.
  ///
  /// - Throws: `StoreError`.
  public func exists() async throws(StoreError) -> Bool {
    try await count(FetchRequest(predicate: nil, limit: .limit(1))) > 0
  }

  // MARK: In the background

  fileprivate func fetch(_ request: FetchRequest) async throws(StoreError) -> FetchedResult<Element> {
    try await inBackground { [source] () throws(StoreError) in try source.fetch(request) }
  }

  private func count(_ request: FetchRequest) async throws(StoreError) -> Int {
    try await inBackground { [source] () throws(StoreError) in
      try source.count(request, of: Element._record, type: Element.self)
    }
  }
}

extension AsyncQueryBuilder where Element: FlatBuffersEncodable {
  /// Returns the objects for which `query` is true and that come after `object` in the order; see `QueryBuilder`.
  ///
  /// - Throws: `StoreError`.
  public func `where`(
    _ query: QueryExpression<Bool, Element>, limit: Limit = .noLimit, orderBy: [OrderBy<Element>] = [],
    after object: Element?
  ) async throws(StoreError) -> FetchedResult<Element> {
    try await page(query._node, limit, orderBy, after: object)
  }

  /// Returns all objects of the type that come after `object` in the order; see `QueryBuilder`.
  ///
  /// - Throws: `StoreError`.
  public func all(
    limit: Limit = .noLimit, orderBy: [OrderBy<Element>] = [], after object: Element?
  ) async throws(StoreError) -> FetchedResult<Element> {
    try await page(nil, limit, orderBy, after: object)
  }

  private func page(
    _ predicate: QueryNode?, _ limit: Limit, _ orderBy: [OrderBy<Element>], after object: Element?
  ) async throws(StoreError) -> FetchedResult<Element> {
    var request = FetchRequest(predicate: predicate, limit: limit, orderBy: orderBy)
    if let object { request.start = try PageStart(object) }
    return try await fetch(request)
  }
}

/// The queue of the fetches of tasks. It is concurrent, because many of them may wait for a file or a server.
private let backgroundFetches = DispatchQueue(label: "dflat.fetch", attributes: .concurrent)

private func inBackground<Answer: Sendable>(
  _ fetch: @escaping @Sendable () throws(StoreError) -> Answer
) async throws(StoreError) -> Answer {
  // The queue's threads do not inherit task-local values.
  let isOfHandler = EventHandling.isActive
  let outcome: Result<Answer, StoreError> = await withCheckedContinuation { continuation in
    @Sendable func answer() {
      do throws(StoreError) {
        continuation.resume(returning: .success(try fetch()))
      } catch {
        continuation.resume(returning: .failure(error))
      }
    }
    backgroundFetches.async {
      if isOfHandler { EventHandling.$isActive.withValue(true, operation: answer) } else { answer() }
    }
  }
  return try outcome.get()
}
