/// A transaction that has ended: see `Workspace.onTransaction(_:)`.
public struct TransactionEvent: Sendable {
  /// How a transaction has ended.
  public enum Outcome: Hashable, Sendable {
    /// Its changes are stored, or it had none.
    case committed
    /// It was aborted: by `abort()`, a closure that has thrown an error, or a task that was cancelled before the closure began.
    case aborted
    /// It has failed. `TransactionEvent.error` says why.
    case failed
  }

  /// The names of the types that the transaction has named.
  public let types: [String]
  /// How it has ended.
  public var outcome: Outcome {
    switch error {
    case nil: .committed
    case .aborted: .aborted
    case .objectAlreadyExists, .diskFull, .others: .failed
    }
  }
  /// Why its changes are not stored, with the cause; nil if they are.
  public let error: TransactionError?
  /// How many objects it has stored that are new; 0 unless it is committed. This and the two below count requests: an object that was
  /// changed twice counts twice.
  public let insertedCount: Int
  /// How many objects it has replaced.
  public let updatedCount: Int
  /// How many objects it has deleted.
  public let deletedCount: Int
  /// How often its closure has run: once on SQLite, and more often on PostgreSQL if it was in conflict with others. 0 if it was not
  /// called, since the workspace is shut down.
  public let closureRuns: Int
  /// How long it has waited from the call until its closure began: for transactions that share a type with it, and for a thread.
  public let waitTime: Duration
  /// How long its closure has run: the sum, if it has run several times.
  public let closureTime: Duration
  /// How long it took from then on until it was stored, or had failed. On SQLite, with the time that it waited for other commits; on
  /// PostgreSQL, with the pauses between the runs of the closure.
  public let commitTime: Duration
  /// How many events were left out before this one, since a handler was too slow for them.
  public package(set) var skippedCount = 0

  /// How long it took from the call until it was stored, or had failed.
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
  /// The event as one line.
  public var description: String {
    let changes = "\(insertedCount) inserted, \(updatedCount) updated, \(deletedCount) deleted"
    let outcome = error.map { "\(self.outcome): \($0)" } ?? changes
    let runs = closureRuns > 1 ? " (\(closureRuns) runs)" : ""
    return
      "\(types.joined(separator: ", ")): \(outcome), waited \(waitTime), closure \(closureTime)\(runs), commit \(commitTime)"
  }
}

/// How many rows a transaction changes.
package struct ChangeCounts: Sendable {
  package var inserted = 0
  package var updated = 0
  package var deleted = 0

  package init() {}
}
