extension ObservedType {
  /// What only the store knows about a type, whose objects are of no type here.
  package struct Access: Sendable {
    /// The rows that a request asks for, of what is committed.
    package let fetch: @Sendable (StandingQuery) throws -> StandingQuery.Rows
    /// The object that a row holds, none if there is no such row; nil if that is not known.
    package let object: @Sendable (_ rowid: Int64) throws -> (object: (any Atom)?, version: UInt64)?
    /// Whether two objects have the same values.
    package let isSame: @Sendable (AnyObject, AnyObject) -> Bool

    package init(
      fetch: @escaping @Sendable (StandingQuery) throws -> StandingQuery.Rows,
      object: @escaping @Sendable (_ rowid: Int64) throws -> (object: (any Atom)?, version: UInt64)?,
      isSame: @escaping @Sendable (AnyObject, AnyObject) -> Bool
    ) {
      self.fetch = fetch
      self.object = object
      self.isSame = isSame
    }
  }
}
