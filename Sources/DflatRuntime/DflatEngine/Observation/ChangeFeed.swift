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

  /// Another process, or another workspace, was noticed to have committed; or this one, just when the listener was added, or a
  /// transaction of more changes than are kept. What has changed is not known.
  func othersHaveCommitted(version: UInt64)
}

/// The commits of one workspace in their order, as an engine tells them.
///
/// A commit version lasts from one commit to the next. No other workspace has the same version; 0 is none.
package protocol ChangeFeed: AnyObject, Sendable {
  /// The version that lasts until the next commit.
  var version: UInt64 { get }

  /// Tells `listener` of every commit from now on.
  func add(_ listener: any ChangeFeedListener)

  /// Tells `listener` of no commit that begins to be published from now on.
  func remove(_ listener: any ChangeFeedListener)

  /// Whether `version` is one of this workspace.
  func isOwn(_ version: UInt64) -> Bool

  /// Whether a row is sure to be as it was when an object was read from it at `version`; false is inconclusive.
  func isUnchanged(_ type: ObjectIdentifier, _ rowid: Int64, since version: UInt64) -> Bool
}

/// Looks for commits of other processes as long as somebody observes.
package protocol ForeignCommitSource: AnyObject, Sendable {
  /// Somebody observes; each call is undone by one of `stop()`.
  func start()

  func stop()
}
