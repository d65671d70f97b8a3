// The forms of fetches with one key of the order, written without brackets. Each does the same as the one with
// `orderBy: [key]`.

extension QueryBuilder {
  /// Returns the objects for which `query` is true, ordered by one key: `orderBy: Post.priority.descending`.
  @inlinable
  public func `where`(
    _ query: QueryExpression<Bool, Element>, limit: Limit = .noLimit, orderBy: OrderBy<Element>
  ) -> FetchedResult<Element> {
    self.where(query, limit: limit, orderBy: [orderBy])
  }

  /// Returns all objects of the type, ordered by one key.
  @inlinable
  public func all(limit: Limit = .noLimit, orderBy: OrderBy<Element>) -> FetchedResult<Element> {
    all(limit: limit, orderBy: [orderBy])
  }

  /// Returns the first object for which `query` is true, in the order of one key; nil if there is none.
  @inlinable
  public func first(where query: QueryExpression<Bool, Element>, orderBy: OrderBy<Element>) -> Element? {
    first(where: query, orderBy: [orderBy])
  }

  /// Returns the first object in the order of one key; nil if there is none.
  @inlinable
  public func first(orderBy: OrderBy<Element>) -> Element? { first(orderBy: [orderBy]) }
}

extension ThrowingQueryBuilder {
  /// Returns the objects for which `query` is true, ordered by one key.
  ///
  /// - Throws: `StoreError`.
  public func `where`(
    _ query: QueryExpression<Bool, Element>, limit: Limit = .noLimit, orderBy: OrderBy<Element>
  ) throws(StoreError) -> FetchedResult<Element> {
    try self.where(query, limit: limit, orderBy: [orderBy])
  }

  /// Returns all objects of the type, ordered by one key.
  ///
  /// - Throws: `StoreError`.
  public func all(
    limit: Limit = .noLimit, orderBy: OrderBy<Element>
  ) throws(StoreError) -> FetchedResult<Element> {
    try all(limit: limit, orderBy: [orderBy])
  }

  /// Returns the first object for which `query` is true, in the order of one key; nil if there is none.
  ///
  /// - Throws: `StoreError`.
  public func first(
    where query: QueryExpression<Bool, Element>, orderBy: OrderBy<Element>
  ) throws(StoreError) -> Element? {
    try first(where: query, orderBy: [orderBy])
  }

  /// Returns the first object in the order of one key; nil if there is none.
  ///
  /// - Throws: `StoreError`.
  public func first(orderBy: OrderBy<Element>) throws(StoreError) -> Element? { try first(orderBy: [orderBy]) }
}

extension AsyncQueryBuilder {
  /// Returns the objects for which `query` is true, ordered by one key.
  ///
  /// - Throws: `StoreError`.
  public func `where`(
    _ query: QueryExpression<Bool, Element>, limit: Limit = .noLimit, orderBy: OrderBy<Element>
  ) async throws(StoreError) -> FetchedResult<Element> {
    try await self.where(query, limit: limit, orderBy: [orderBy])
  }

  /// Returns all objects of the type, ordered by one key.
  ///
  /// - Throws: `StoreError`.
  public func all(
    limit: Limit = .noLimit, orderBy: OrderBy<Element>
  ) async throws(StoreError) -> FetchedResult<Element> {
    try await all(limit: limit, orderBy: [orderBy])
  }

  /// Returns the first object for which `query` is true, in the order of one key; nil if there is none.
  ///
  /// - Throws: `StoreError`.
  public func first(
    where query: QueryExpression<Bool, Element>, orderBy: OrderBy<Element>
  ) async throws(StoreError) -> Element? {
    try await first(where: query, orderBy: [orderBy])
  }

  /// Returns the first object in the order of one key; nil if there is none.
  ///
  /// - Throws: `StoreError`.
  public func first(orderBy: OrderBy<Element>) async throws(StoreError) -> Element? {
    try await first(orderBy: [orderBy])
  }
}
