import Dflat

/// A listener that is notified of every commit, in the order of the commits, before the completion handlers of the
/// committed transactions are called.
///
/// The thread that has committed calls the listener while it has the writer. The thread that notices a commit of
/// another process, which may be any thread at any time, calls the listener for it. A listener must return soon: it
/// must not wait for a transaction or a fetch.
package protocol ChangeFeedListener: AnyObject, Sendable {
  /// Is called when transactions have been committed together.
  ///
  /// - Parameter version: the commit version that begins with the commit.
  func transactionsHaveCommitted(_ transactions: [CommittedTransaction], version: UInt64)

  /// Is called when transactions have been committed whose changes were not collected, since the listener was added
  /// meanwhile. Unless the listener implements it, `othersHaveCommitted(version:)` is called.
  ///
  /// - Parameter version: the commit version that begins with the commit.
  func unknownTransactionsHaveCommitted(version: UInt64)

  /// Is called when another process, or another workspace, was noticed to have committed. The listener is not told
  /// which rows have changed. A commit of this workspace may be published at the same time, whose version may be lower
  /// or higher.
  ///
  /// - Parameter version: the commit version that begins with the commit.
  func othersHaveCommitted(version: UInt64)

  /// Is called when a transaction begins to write before its closure has ended, because it is large, reads its own
  /// changes, or has to write alone. Its changes go to the returned collector.
  func makeCollector() -> any ChangeCollector
}

extension ChangeFeedListener {
  package func unknownTransactionsHaveCommitted(version: UInt64) { othersHaveCommitted(version: version) }
}

/// A collector of the changes of a transaction that writes before its closure has ended. It takes one write set after
/// another, so that the sets need not be kept until the commit.
///
/// The transaction's thread makes the calls, one after another. The collector is released if the transaction fails.
package protocol ChangeCollector: AnyObject, Sendable {
  /// Takes the changes of a write set that has been applied, but is not committed yet.
  func collect(_ set: WriteSet)

  /// Is called when the transaction has been committed, instead of `ChangeFeedListener.transactionsHaveCommitted`.
  ///
  /// - Parameter version: the commit version that begins with the commit.
  func transactionHasCommitted(version: UInt64)
}

/// The changes of a transaction that writes before its closure has ended. They are collected for the listener that the
/// feed had when the transaction began to write.
package struct CollectedChanges: Sendable {
  private let listener: any ChangeFeedListener
  private let collector: any ChangeCollector

  package init(for listener: any ChangeFeedListener) {
    self.listener = listener
    collector = listener.makeCollector()
  }

  package func collect(_ set: WriteSet) { collector.collect(set) }

  /// Tells the feed's current listener that the transaction has been committed. A listener that was added since the
  /// transaction began to write is told that rows have changed, but not which.
  ///
  /// - Parameter version: the commit version that begins with the commit.
  package func tell(_ listener: any ChangeFeedListener, version: UInt64) {
    if listener === self.listener {
      collector.transactionHasCommitted(version: version)
    } else {
      // This listener was added after the changes had begun.
      listener.unknownTransactionsHaveCommitted(version: version)
    }
  }
}

/// The source that notifies a listener of the commits that a workspace sees, in their order. Each engine implements
/// one.
///
/// A commit version lasts from one commit to the next. No other workspace has the same version. Version 0 stands for
/// none.
package protocol ChangeFeed: AnyObject, Sendable {
  /// The version that lasts until the next commit.
  var version: UInt64 { get }

  /// The version of a commit that is being published: fetches may show it although the listener has not been told. 0 if
  /// no commit is being published.
  var versionBeingPublished: UInt64 { get }

  /// Replaces the listener. `listener` is told of every commit from now on; if it is nil, nobody is.
  func setListener(_ listener: (any ChangeFeedListener)?)

  /// Returns whether `version` is one of this workspace.
  func isOwn(_ version: UInt64) -> Bool

  /// Returns true if a row is known to be as it was when an object was read from it at `version`; false is
  /// inconclusive.
  func isUnchanged(_ type: ObjectIdentifier, _ rowid: Int64, since version: UInt64) -> Bool
}

extension ChangeFeed {
  package var versionBeingPublished: UInt64 { 0 }
}

/// Looks for commits of other processes while there are subscribers.
package protocol ForeignCommitSource: AnyObject, Sendable {
  /// Starts to look for commits. Each call needs one of `stop()`.
  func start()

  func stop()
}
