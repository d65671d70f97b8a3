import Dflat

/// Hears of every commit, in the order of the commits, and before the completion handlers of its transactions are called.
///
/// The calls are made by the thread that has committed, which keeps the writer meanwhile; that others have committed may be
/// noticed by any thread, also in between. A listener takes what it needs and returns: it must not wait for a transaction or a
/// fetch.
protocol ChangeFeedListener: AnyObject, Sendable {
  /// Transactions have been committed together.
  ///
  /// - Parameter version: the commit version that begins with the commit.
  func transactionsHaveCommitted(_ transactions: [CommittedTransaction], version: UInt64)

  /// Another process, or another workspace, was noticed to have committed; or this one, just when the listener was added, or a
  /// transaction of more changes than are kept. What has changed is not known.
  func othersHaveCommitted(version: UInt64)
}

/// Hears that another process, or another workspace, has committed.
protocol ForeignCommitListener: AnyObject, Sendable {
  /// Any thread may call it, with no lock held. A listener takes what it needs and returns.
  func othersHaveCommitted()
}
