import Dflat

/// Hears of every commit, in the order of the commits, and before the completion handlers of its transactions are called.
///
/// The calls are made by the thread that has committed, which keeps the writer meanwhile; that others have committed may be
/// noticed by any thread, also in between. A listener takes what it needs and returns: it must not wait for a transaction or a
/// fetch.
package protocol ChangeFeedListener: AnyObject, Sendable {
  /// Transactions have been committed together.
  ///
  /// - Parameter version: the commit version that begins with the commit.
  func transactionsHaveCommitted(_ transactions: [CommittedTransaction], version: UInt64)

  /// Another process, or another workspace, was noticed to have committed; or this one, just when the listener was added. What
  /// has changed is not known.
  func othersHaveCommitted(version: UInt64)

  /// A large transaction begins to be applied. What it changes is handed to the collector.
  func makeCollector() -> any ChangeCollector
}

/// Takes what a large transaction changes from one set after another, so that the sets need not be kept until it is committed.
///
/// The calls are made one after another, by the transaction's thread. The collector is released if the transaction fails.
package protocol ChangeCollector: AnyObject, Sendable {
  /// A set has been applied.
  func collect(_ set: WriteSet)

  /// The transaction has been committed. Called in place of `ChangeFeedListener.transactionsHaveCommitted`.
  ///
  /// - Parameter version: the commit version that begins with the commit.
  func transactionHasCommitted(version: UInt64)
}

/// The changes of a large transaction, as the listener collects them that the feed had when the first of them was applied.
package struct CollectedChanges: Sendable {
  private let listener: any ChangeFeedListener
  private let collector: any ChangeCollector

  package init(for listener: any ChangeFeedListener) {
    self.listener = listener
    collector = listener.makeCollector()
  }

  package func collect(_ set: WriteSet) { collector.collect(set) }

  /// Tells the feed's listener that the transaction has been committed.
  package func tell(_ listener: any ChangeFeedListener, version: UInt64) {
    if listener === self.listener {
      collector.transactionHasCommitted(version: version)
    } else {
      // It has begun to listen since.
      listener.othersHaveCommitted(version: version)
    }
  }
}

/// The commits of one workspace in their order, as an engine tells them.
///
/// A commit version lasts from one commit to the next. No other workspace has the same version; 0 is none.
package protocol ChangeFeed: AnyObject, Sendable {
  /// The version that lasts until the next commit.
  var version: UInt64 { get }

  /// The version of a commit that is being published, which fetches may show although the listener was not told of it; 0 if there is
  /// none.
  var versionBeingPublished: UInt64 { get }

  /// Tells `listener` of every commit from now on, in place of the listener before; nobody, if it is nil.
  func setListener(_ listener: (any ChangeFeedListener)?)

  /// Whether `version` is one of this workspace.
  func isOwn(_ version: UInt64) -> Bool

  /// Whether a row is sure to be as it was when an object was read from it at `version`; false is inconclusive.
  func isUnchanged(_ type: ObjectIdentifier, _ rowid: Int64, since version: UInt64) -> Bool
}

extension ChangeFeed {
  package var versionBeingPublished: UInt64 { 0 }
}

/// Looks for commits of other processes as long as somebody observes.
package protocol ForeignCommitSource: AnyObject, Sendable {
  /// Somebody observes; each call is undone by one of `stop()`.
  func start()

  func stop()
}
