extension QueryBuilder where Element: IdentifiableAtom, Element._PrimaryKey: QueryConstant {
  /// Returns the object that has a primary key; nil if there is none.
  ///
  /// ```swift
  /// if let post = workspace.fetch(for: Post.self).by("Hello") { print(post.priority) }
  /// ```
  ///
  /// The primary key of the type must be one field, which may stand for a `UUID`, a `Date` or a type of the app. For a
  /// key of several fields, or one that is a URL, call `first(where:)` with a condition on each. The call looks one key
  /// up, and reads one row. If the fetch fails, the result is nil, and the error handler is told why.
  ///
  /// See also: Documentation/using-the-store.md (Counting).
  public func by(_ primaryKey: Element._PrimaryKey) -> Element? {
    firstObject(of: FetchRequest(primaryKey: primaryKey, of: Element.self))
  }
}

extension ThrowingQueryBuilder where Element: IdentifiableAtom, Element._PrimaryKey: QueryConstant {
  /// Returns the object that has a primary key; nil if there is none.
  ///
  /// - Throws: `StoreError`.
  public func by(_ primaryKey: Element._PrimaryKey) throws(StoreError) -> Element? {
    try object(of: FetchRequest(primaryKey: primaryKey, of: Element.self))
  }
}

extension AsyncQueryBuilder where Element: IdentifiableAtom, Element._PrimaryKey: QueryConstant {
  /// Returns the object that has a primary key; nil if there is none.
  ///
  /// - Throws: `StoreError`.
  public func by(_ primaryKey: Element._PrimaryKey) async throws(StoreError) -> Element? {
    try await object(of: FetchRequest(primaryKey: primaryKey, of: Element.self))
  }
}

extension FetchRequest {
  /// Creates the request for the object that has a primary key of one field.
  init<Element: IdentifiableAtom>(
    primaryKey: Element._PrimaryKey, of type: Element.Type
  ) where Element._PrimaryKey: QueryConstant {
    let key = QueryExpression<Element._PrimaryKey, Element>(
      Element._record.primaryKeys[0], perOne: Element._primaryKeyUnits)
    self.init(predicate: (key == primaryKey)._node, limit: .limit(1))
  }
}
