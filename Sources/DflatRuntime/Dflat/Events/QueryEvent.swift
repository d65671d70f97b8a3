/// A fetch or a count that has ended, with how it was answered and how long it took.
///
/// ```swift
/// subscription = workspace.onQuery { event in
///   if event.rowsRead > 100 * max(event.rowsReturned, 1) { print("an index is missing: \(event)") }
/// }
/// ```
///
/// See also: ``Workspace/onQuery(_:)``, ``QueryPlan``, Documentation/seeing-what-the-store-does.md (Queries).
public struct QueryEvent: Sendable {
  /// The name of the objects' type.
  public var type: String { plan.type }
  /// The SQL that was run; empty if none was run. Parameters show as `?` or `$1`, so that it contains no value of a
  /// user.
  public var statement: String { plan.sql }
  /// The way in which the query was answered. Its `databasePlan` is empty.
  public let plan: QueryPlan
  /// The number of rows that the database has returned; 0 if it has returned a count alone.
  public let rowsRead: Int
  /// The number of objects that were returned or counted.
  public let rowsReturned: Int
  /// The time from the call to the result, including the wait for a connection.
  public let duration: Duration
  /// The error of the query; nil if it has succeeded.
  public let error: StoreError?
  /// Whether the query was made in the closure of a transaction.
  public let isInTransaction: Bool
  /// The number of events left out just before this one, because a handler was too slow for them.
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
  /// The event as one line of text, without the statement.
  public var description: String {
    let outcome = error.map { "failed: \($0)" } ?? "\(rowsReturned) of \(rowsRead) rows"
    return "\(type), \(plan.access): \(outcome), \(duration)"
  }
}
