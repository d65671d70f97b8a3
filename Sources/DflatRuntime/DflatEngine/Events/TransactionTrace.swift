import Dflat

extension ChangeCounts {
  /// Adds the changes of a set: each write counts as one, also when several change the same row.
  package mutating func add(_ set: WriteSet) {
    for index in set.writes.indices { add(set.writes[index].kind) }
  }

  package mutating func add(_ kind: RowChange.Kind) {
    switch kind {
    case .inserted: inserted += 1
    case .updated: updated += 1
    case .deleted: deleted += 1
    }
  }
}

/// Collects the contents of a transaction's event. It belongs to its `QueuedTransaction`, and so to one thread after
/// another.
package final class TransactionTrace {
  /// How many changes the transaction has made in the last run of its closure.
  package var changes = ChangeCounts()
  private let types: [Any.Type]
  private let feed: EventFeed<TransactionEvent>
  private let begun = ContinuousClock.now
  /// When the closure began for the first time.
  private var firstRun: ContinuousClock.Instant?
  private var closureTime = Duration.zero
  private var closureRuns = 0

  init(_ types: [Any.Type], _ feed: EventFeed<TransactionEvent>) {
    self.types = types
    self.feed = feed
  }

  /// Calls the closure of the transaction, and measures it. Changes of an earlier run are forgotten.
  func run(_ closure: () -> Void) {
    let begun = ContinuousClock.now
    firstRun = firstRun ?? begun
    closureRuns += 1
    changes = ChangeCounts()
    closure()
    closureTime += begun.duration(to: .now)
  }

  /// Appends the event of a transaction that has ended.
  ///
  /// - Parameter failure: why the transaction has failed; nil if its changes are stored.
  func end(_ failure: TransactionError?) {
    let now = ContinuousClock.now
    let firstRun = firstRun ?? now
    feed.append(
      TransactionEvent(
        types: types.map { "\($0)" }, error: failure, changes: failure == nil ? changes : ChangeCounts(),
        closureRuns: closureRuns, waitTime: begun.duration(to: firstRun), closureTime: closureTime,
        commitTime: firstRun.duration(to: now) - closureTime))
  }
}
