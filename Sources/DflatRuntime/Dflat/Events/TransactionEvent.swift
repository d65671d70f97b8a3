/// A transaction that has ended, with its outcome, its changes and its times.
///
/// ```swift
/// subscription = workspace.onTransaction { event in
///   if event.waitTime > .seconds(1) { print("waits for others of \(event.types)") }
/// }
/// ```
///
/// See also: ``Workspace/onTransaction(_:)``, Documentation/seeing-what-the-store-does.md (Transactions).
public struct TransactionEvent: Sendable {
  /// The way in which a transaction has ended.
  public enum Outcome: Hashable, Sendable {
    /// The transaction's changes are stored, or it had none.
    case committed
    /// The transaction was aborted: by `abort()`, by an error that its closure has thrown, or because its task was
    /// cancelled before the closure began.
    case aborted
    /// The transaction has failed. `TransactionEvent.error` says why.
    case failed
  }

  /// The names of the types that the transaction has named.
  public let types: [String]
  /// The way in which the transaction has ended.
  public var outcome: Outcome {
    switch error {
    case nil: .committed
    case .aborted: .aborted
    case .objectAlreadyExists, .diskFull, .others: .failed
    }
  }
  /// The reason why the changes are not stored, with its cause; nil if they are stored.
  public let error: TransactionError?
  /// The number of new objects that the transaction has stored; 0 unless it is committed.
  ///
  /// All three counts are of requests: an object that was changed twice counts twice.
  public let insertedCount: Int
  /// The number of updates of stored objects; 0 unless the transaction is committed.
  public let updatedCount: Int
  /// The number of deletions; 0 unless the transaction is committed.
  public let deletedCount: Int
  /// The number of times that the closure has run.
  ///
  /// It is 1 on SQLite. On PostgreSQL it is higher if the closure has run again, mostly because of a conflict with
  /// other transactions. It is 0 if the closure was not called, for example after a shutdown.
  public let closureRuns: Int
  /// The time from the call until the closure began: the wait for transactions that share a type with this one, and
  /// for a thread.
  public let waitTime: Duration
  /// The time that the closure has run; the sum, if it has run several times.
  public let closureTime: Duration
  /// The time from the end of the closure until the transaction was stored or had failed.
  ///
  /// On SQLite it includes the wait for other commits; on PostgreSQL, the pauses between the runs of the closure.
  public let commitTime: Duration
  /// The number of events left out just before this one, because a handler was too slow for them.
  public package(set) var skippedCount = 0

  /// The time from the call until the transaction was stored or had failed.
  public var duration: Duration { waitTime + closureTime + commitTime }

  package init(
    types: [String], error: TransactionError?, changes: ChangeCounts, closureRuns: Int, waitTime: Duration,
    closureTime: Duration, commitTime: Duration
  ) {
    self.types = types
    self.error = error
    insertedCount = changes.inserted
    updatedCount = changes.updated
    deletedCount = changes.deleted
    self.closureRuns = closureRuns
    self.waitTime = waitTime
    self.closureTime = closureTime
    self.commitTime = commitTime
  }
}

extension TransactionEvent: CustomStringConvertible {
  /// The event as one line of text.
  public var description: String {
    let changes = "\(insertedCount) inserted, \(updatedCount) updated, \(deletedCount) deleted"
    let outcome = error.map { "\(self.outcome): \($0)" } ?? changes
    let runs = closureRuns > 1 ? " (\(closureRuns) runs)" : ""
    return
      "\(types.joined(separator: ", ")): \(outcome), waited \(waitTime), closure \(closureTime)\(runs), commit \(commitTime)"
  }
}

/// The numbers of rows that a transaction inserts, updates and deletes.
package struct ChangeCounts: Sendable {
  package var inserted = 0
  package var updated = 0
  package var deleted = 0

  package init() {}
}
