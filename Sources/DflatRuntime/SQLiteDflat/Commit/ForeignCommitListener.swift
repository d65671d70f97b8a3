/// A listener that is told when another process, or another workspace, has committed.
protocol ForeignCommitListener: AnyObject, Sendable {
  /// Is called when others have committed, by any thread, with no lock held. It must return soon.
  func othersHaveCommitted()
}
