extension ObservedType {
  /// The functions by which an `ObservedType`, which does not know the class of its objects, asks the store for them.
  package struct Access: Sendable {
    /// Fetches the committed rows of a query.
    package let fetch: @Sendable (StandingQuery) throws -> StandingQuery.Rows
    /// Reads a row, and returns its object with the commit version at which it was read. `object` is nil if there is no
    /// such row. The whole result is nil if nothing is stored, or the workspace has been shut down.
    package let object: @Sendable (_ rowid: Int64) throws -> (object: (any Atom)?, version: UInt64)?
    /// Returns the row that holds an object; nil if none does.
    package let row: @Sendable (_ object: any Atom) throws -> Int64?
    /// Returns whether two objects are stored as the same bytes.
    package let isSame: @Sendable (AnyObject, AnyObject) -> Bool
    /// Waits until subscribers have been told of the commits that earlier fetches may show. Gives up after a moment.
    package let waitUntilTold: @Sendable () -> Void

    package init(
      fetch: @escaping @Sendable (StandingQuery) throws -> StandingQuery.Rows,
      object: @escaping @Sendable (_ rowid: Int64) throws -> (object: (any Atom)?, version: UInt64)?,
      row: @escaping @Sendable (_ object: any Atom) throws -> Int64?,
      isSame: @escaping @Sendable (AnyObject, AnyObject) -> Bool,
      waitUntilTold: @escaping @Sendable () -> Void = {}
    ) {
      self.fetch = fetch
      self.object = object
      self.row = row
      self.isSame = isSame
      self.waitUntilTold = waitUntilTold
    }
  }
}
