/// A fetch or a count that has ended: see `Workspace.onQuery(_:)`.
public struct QueryEvent: Sendable {
  /// The name of the objects' type.
  public var type: String { plan.type }
  /// The SQL that was run, with its parameters as `?` or `$1`, so that no value of a user is in it; empty if none was run.
  public var statement: String { plan.sql }
  /// How the query was answered; `databasePlan` is empty.
  public let plan: QueryPlan
  /// How many rows the database has returned. 0 if it has returned their number alone.
  public let rowsRead: Int
  /// How many objects were returned, or counted.
  public let rowsReturned: Int
  /// How long it took from the call to the result, with the time that it waited for a connection.
  public let duration: Duration
  /// Why it has failed; nil if it has not.
  public let error: StoreError?
  /// Whether it was made in the closure of a transaction.
  public let isInTransaction: Bool
  /// How many events were left out before this one, since a handler was too slow for them.
  public package(set) var skippedCount = 0

  package init(
    plan: QueryPlan, rowsRead: Int, rowsReturned: Int, duration: Duration, error: StoreError?, isInTransaction: Bool
  ) {
    self.plan = plan
    self.rowsRead = rowsRead
    self.rowsReturned = rowsReturned
    self.duration = duration
    self.error = error
    self.isInTransaction = isInTransaction
  }
}

extension QueryEvent: CustomStringConvertible {
  /// The event as one line, without the statement.
  public var description: String {
    let outcome = error.map { "failed: \($0)" } ?? "\(rowsReturned) of \(rowsRead) rows"
    return "\(type), \(plan.access): \(outcome), \(duration)"
  }
}
